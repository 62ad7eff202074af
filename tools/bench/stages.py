"""The stages of ten simulated runs, one by one, in one thread."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final, TypeVar

from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run
from scoring.core.data.alignment import align
from scoring.core.data.judgments import JudgmentTable, build_table
from scoring.core.measures.graded import GradedTopics, default_gain_map, evaluate
from scoring.core.measures.names import parse_measure
from scoring.demo.simulation import FORMS, Collection, System, qrels_file, retrieve, run_file
from scoring.library.prepared import rank_run
from tools.bench.campaign import DEPTH
from tools.bench.clock import HEADINGS, ROUNDS, median, rounds, three

MEASURES: Final = (
    *("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"),
    *("AP", "nDCG@10", "P@10", "RR", "Rprec", "Judged@10"),
)

T = TypeVar("T")
U = TypeVar("U")


def time_stages(collection: Collection) -> None:
    """Prints what each stage takes a run."""
    codes = list(collection.topics)
    files, table = _made(collection)
    measures = [parse_measure(name) for name in MEASURES]
    gain_map = default_gain_map(table.highest_grade)
    lines = len(files) * len(codes) * DEPTH
    size = f"{len(files)} runs x {len(codes)} topics x {DEPTH} documents"
    print(f"{size}, {ROUNDS} rounds, one thread\n")
    print(f"{'ms a run':16}{HEADINGS}{'M lines/s':>12}")
    runs = _timed(
        "parse", lambda data: read_run(data, known_topics=codes, max_depth=DEPTH), files, lines
    )
    rankings = _timed("rank", rank_run, runs, lines)
    grades = _timed("align", lambda ranking: align(ranking, table, depth=DEPTH), rankings, lines)
    _timed(
        f"{len(measures)} measures",
        lambda matrix: evaluate(measures, GradedTopics(matrix, table.grade_counts, gain_map)),
        grades,
        lines,
    )


def _made(collection: Collection) -> tuple[list[bytes], JudgmentTable]:
    """Ten runs, and the judgments of the pool of half of them."""
    systems = [System(f"t{t}", f"r{t}{form}", 1.5, form) for t, form in product("ab", FORMS)][:10]
    found = [retrieve(collection, system) for system in systems]
    qrels = read_qrels(qrels_file(collection, found[::2], pool_depth=20))
    table = build_table(
        topics=list(collection.topics),
        qrels_topics=qrels.topics,
        topic_index=qrels.topic_index,
        doc_ids=qrels.doc_ids,
        grades=qrels.grades,
        highest_grade=2,
    )
    return [run_file(collection, run) for run in found], table


def _timed(name: str, act: Callable[[T], U], subjects: Sequence[T], lines: int) -> list[U]:
    """Prints the act's milliseconds a subject, and lines a second in the median; what it made."""
    made: list[U] = []

    def act_on_all() -> None:
        made[:] = [act(subject) for subject in subjects]

    taken = rounds(act_on_all)
    figures = three(taken, a_second=1000 / len(subjects))
    print(f"{name:16}{figures}{lines / median(taken) / 1e6:12.1f}")
    return made
