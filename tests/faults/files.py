"""Small files for the fault suite; the same number always gives the same bytes."""

import random

TOPICS = ("301", "302", "303")
DOCUMENTS = 60
DEPTH = 20

QRELS = "".join(
    f"{topic} 0 doc{number} {(number * 7 + position) % 4 - 1}\n"
    for position, topic in enumerate(TOPICS)
    for number in range(DOCUMENTS)
    if (number + position) % 3  # the others stay unjudged
).encode()


def run_bytes(number: int) -> bytes:
    """Run `number`: 3 topics × 20 documents, some of them tied, tagged by its number."""
    draw = random.Random(number)
    lines = []
    for topic in TOPICS:
        scores = sorted((draw.randint(1, 30) / 8 for _ in range(DEPTH)), reverse=True)
        documents = draw.sample(range(DOCUMENTS), DEPTH)
        for rank, (document, score) in enumerate(zip(documents, scores, strict=True), start=1):
            lines.append(f"{topic} Q0 doc{document} {rank} {score} run-{number}\n")
    return "".join(lines).encode()
