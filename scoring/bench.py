"""How fast the core is here: `python -m scoring.bench` (make bench), on ten simulated runs."""

import platform
import time
from collections.abc import Callable, Sequence
from itertools import product
from typing import TypeVar

import numpy as np

from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run
from scoring.core.alignment import align
from scoring.core.judgments import build_table
from scoring.core.measures.graded import GradedTopics, default_gain_map, evaluate
from scoring.core.measures.names import parse_measure
from scoring.core.ranking import rank
from scoring.simulation import FORMS, System, draw_collection, qrels_file, retrieve, run_file

ROUNDS = 5
TOPICS, DEPTH = 50, 1000
MEASURES = (
    *("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"),
    *("AP", "nDCG@10", "P@10", "RR", "Rprec", "Judged@10"),
)

T, U = TypeVar("T"), TypeVar("U")


def main() -> None:
    codes = [str(number) for number in range(1, TOPICS + 1)]
    collection = draw_collection(codes, seed=1)
    systems = [System(f"t{t}", f"r{t}{form}", 1.5, form) for t, form in product("ab", FORMS)][:10]
    found = [retrieve(collection, system) for system in systems]
    files = [run_file(collection, run) for run in found]
    qrels = read_qrels(qrels_file(collection, found[::2], pool_depth=20))
    table = build_table(
        topics=codes,
        qrels_topics=qrels.topics,
        topic_index=qrels.topic_index,
        doc_ids=qrels.doc_ids,
        grades=qrels.grades,
        highest_grade=2,
    )
    measures = [parse_measure(name) for name in MEASURES]
    gain_map = default_gain_map(2)
    lines = len(files) * TOPICS * DEPTH

    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    print(f"{len(files)} runs x {TOPICS} topics x {DEPTH} documents, {ROUNDS} rounds, one thread\n")
    print(f"{'ms a run':16}{'min':>9}{'median':>9}{'max':>9}{'M lines/s':>12}")
    parsed = timed(
        "parse", lambda data: read_run(data, known_topics=codes, max_depth=DEPTH), files, lines
    )
    rankings = timed(
        "rank",
        lambda run: rank(
            topics=run.topics,
            topic_index=run.topic_index,
            doc_ids=run.doc_ids,
            retrieval_scores=run.retrieval_scores,
        ),
        parsed,
        lines,
    )
    grades = timed("align", lambda ranking: align(ranking, table, depth=DEPTH), rankings, lines)
    timed(
        f"{len(measures)} measures",
        lambda matrix: evaluate(measures, GradedTopics(matrix, table.grade_counts, gain_map)),
        grades,
        lines,
    )


def timed(name: str, act: Callable[[T], U], subjects: Sequence[T], lines: int) -> list[U]:
    """Prints the act's milliseconds a subject, and lines a second in the median; what it made."""
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        made = [act(subject) for subject in subjects]
        seconds.append(time.perf_counter() - began)
    least, median, most = (
        1000 * s / len(subjects) for s in (min(seconds), float(np.median(seconds)), max(seconds))
    )
    speed = lines / float(np.median(seconds)) / 1e6
    print(f"{name:16}{least:9.2f}{median:9.2f}{most:9.2f}{speed:12.1f}")
    return made


if __name__ == "__main__":
    main()
