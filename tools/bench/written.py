"""Run files as participants write them: no two systems write the same form of lines.

Document ids have 9 to 40 bytes, mixed within a run. Columns are separated by spaces, by tabs or by
as many spaces as line them up. Scores have up to 32 decimals or an exponent. Some runs count ranks
from 0, some have the lines of a topic in no order, some end lines with CRLF.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from scoring.demo.simulation import COLLECTION_SIZE, Collection, Retrieved

# The form of an id is that of a collection of documents; each has the number of the document in it.
_IDS: Final = (
    *("FT%07d", "FBIS3-%06d", "LA%06d-0042", "WSJ880406-%06d", "%09d", "%d.xml#passage"),
    *("clueweb09-en%06d-07-11034", "msmarco_passage_%09d", "c%039x"),
)
_SCORES: Final = (
    *("%.4f", "%.6f", "%.1f", "%.5f", "%d", "%.6e", "%.8f", "%.2f"),
    *("%.4f", "%.6f", "%.12f", "%.3f", "%.17f", "%.4f", "%.6f", "%.32f"),
)
_COLUMNS: Final = ("{} Q0 {} {} {} {}", "{}\tQ0\t{}\t{}\t{}\t{}", "{} Q0 {:<40} {:>4}   {} {}")


def document_ids() -> list[str]:
    """The id of each document of a collection, and of the other index."""
    return [_IDS[number % len(_IDS)] % number for number in range(2 * COLLECTION_SIZE)]


def write_run(collection: Collection, retrieved: Retrieved, ids: list[str], number: int) -> bytes:
    """The run's file; the number decides its form."""
    line = _COLUMNS[number % 7 % 3] + ("\r\n" if number % 10 == 7 else "\n")
    chance = np.random.default_rng(number) if number % 8 == 5 else None
    lines = []
    for of_topic in _lines(collection, retrieved, ids, line, number):
        if chance:
            chance.shuffle(of_topic)
        lines += of_topic
    return "".join(lines).encode()


def _lines(
    collection: Collection, retrieved: Retrieved, ids: list[str], line: str, number: int
) -> Iterator[list[str]]:
    """Those of each topic."""
    form, tag, first = _SCORES[number % len(_SCORES)], retrieved.system.tag, number % 3 % 2
    for topic, documents, scores in zip(
        collection.topics, retrieved.documents.tolist(), retrieved.scores, strict=True
    ):
        shown = [form % score for score in (14 + 4 * scores).tolist()]
        yield [
            line.format(topic, ids[document], rank, score, tag)
            for rank, (document, score) in enumerate(zip(documents, shown, strict=True), first)
        ]


def write_qrels(lines: bytes, ids: list[str]) -> bytes:
    """The simulated qrels with these ids in place of the simulation's `tsd-000042`."""
    found = []
    for line in lines.decode().splitlines():
        topic, _, document, grade = line.split()
        found.append(f"{topic} 0 {ids[int(document.removeprefix('tsd-'))]} {grade}\n")
    return "".join(found).encode()
