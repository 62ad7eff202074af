"""How fast scoring is here: `python -m scoring.bench` (make bench).

First the stages of ten simulated runs, then a whole simulated campaign, files to scores of every
topic, in one session with pytrec_eval, ir_measures and ranx: each round times everybody in turn,
so that what else the machine does hits all alike. Who cannot be imported is left out, and named.
"""

import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice, product
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run
from scoring.cli.measure_lines import read_measures
from scoring.cli.opening import open_qrels
from scoring.cli.scored_runs import Rules, score_file
from scoring.core.alignment import align
from scoring.core.judgments import build_table
from scoring.core.measures.graded import GradedTopics, default_gain_map, evaluate
from scoring.core.measures.names import parse_measure
from scoring.core.ranking import rank
from scoring.simulation import (
    FORMS,
    Collection,
    Retrieved,
    System,
    draw_collection,
    qrels_file,
    retrieve,
    run_file,
)

ROUNDS = 5
RUNS, TOPICS, DEPTH = 129, 50, 1000
SAMPLE = 6  # runs that the slower tools score in a round
MEASURES = (
    *("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"),
    *("AP", "nDCG@10", "P@10", "RR", "Rprec", "Judged@10"),
)
# Of the whole campaign; RBP with its residual, which the others do not have.
CAMPAIGN = ("AP", "nDCG", "nDCG@10", "P@10", "Rprec", "RR", "bpref", "R@100", "RBP(p=0.8)")
PYTREC_EVAL = (
    *("map", "ndcg", "ndcg_cut_10", "P_10", "Rprec", "recip_rank", "bpref", "recall_100"),
)
IR_MEASURES = ("AP", "nDCG", "nDCG@10", "P@10", "Rprec", "RR", "Bpref", "R@100")
RANX = (
    *("map", "ndcg", "ndcg@10", "precision@10", "r-precision", "mrr", "bpref", "recall@100"),
    "rbp.80",
)

T = TypeVar("T")
U = TypeVar("U")
Contestants = dict[str, Callable[[str], Any]]  # by name, what scores the file of one run


def main() -> None:
    codes = [str(number) for number in range(1, TOPICS + 1)]
    collection = draw_collection(codes, seed=1)
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    time_stages(collection)
    with tempfile.TemporaryDirectory() as folder:
        compare(*write_campaign(collection, Path(folder)))


def time_stages(collection: Collection) -> None:
    codes = list(collection.topics)
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


def write_campaign(collection: Collection, folder: Path) -> tuple[str, list[str]]:
    """The paths of the qrels and of all runs; every third run is pooled."""
    paths, pooled = [], []
    for number, system in enumerate(islice(_systems(), RUNS)):
        found = retrieve(collection, system)
        paths.append(str(folder / system.tag))
        Path(paths[-1]).write_bytes(run_file(collection, found))
        if number % 3 == 0:
            pooled.append(Retrieved(system, found.documents[:, :50].copy(), found.view[:, :50]))
    qrels = folder / "qrels"
    qrels.write_bytes(qrels_file(collection, pooled, pool_depth=50))
    return str(qrels), paths


def _systems() -> Iterator[System]:
    for number, form in product(range(RUNS), FORMS):
        yield System(f"team{number}", f"run{number}{form}", 0.5 + 0.05 * number, form, depth=DEPTH)


def compare(qrels: str, paths: Sequence[str]) -> None:
    """Prints what everybody takes a run, and how many times as long as we, warm with one worker."""
    table = open_qrels(qrels)
    rules = Rules(read_measures(CAMPAIGN), table, default_gain_map(table.highest_grade))
    ours = partial(score_file, rules=rules)
    others, missing = _others(qrels)
    took: dict[str, list[float]] = {}
    contestants: list[Callable[[str], Any]] = [ours, *others.values()]
    for contestant in contestants:
        contestant(paths[0])  # what is compiled or read once is warm
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_warm, [qrels] * 4))
        for turn in range(ROUNDS):
            sample = [paths[(turn * SAMPLE + k) % len(paths)] for k in range(SAMPLE)]
            measured: dict[str, Callable[[], object]] = {
                "ours, warm": partial(_each, ours, paths),
                "ours, warm, two workers": lambda: list(pool.map(_score_warm, paths, chunksize=4)),
                "ours, cold": lambda: _cold(qrels, paths, 1),
                "ours, cold, two workers": lambda: _cold(qrels, paths, 2),
            }
            for name, act in measured.items():
                took.setdefault(name, []).append(_seconds(act) / len(paths))
            for name, other in others.items():
                seconds = _seconds(partial(_each, other, sample))
                took.setdefault(name, []).append(seconds / SAMPLE)
    _report(took, len(paths), missing)


def _report(took: dict[str, list[float]], runs: int, missing: Sequence[str]) -> None:
    print(f"\n{runs} runs x {TOPICS} topics x {DEPTH} documents, files to scores of every topic:")
    print(f"{', '.join(CAMPAIGN)} and its residual; {ROUNDS} rounds, the other tools on {SAMPLE}")
    print("runs a round\n")
    print(f"{'ms a run':26}{'min':>9}{'median':>9}{'max':>9}{'times':>9}{'all, s':>9}")
    reference = float(np.median(took["ours, warm"]))
    for name, seconds in took.items():
        median = float(np.median(seconds))
        figures = (1000 * value for value in (min(seconds), median, max(seconds)))
        print(f"{name:26}" + "".join(f"{figure:9.2f}" for figure in figures), end="")
        print(f"{median / reference:9.2f}{median * runs:9.2f}")
    for name in missing:
        print(f"{name}: cannot be imported here")
    print(f"\npeak memory of ours, cold: {max(_peak_kilobytes) / 1024:.0f} MB a process")


def _each(act: Callable[[str], object], paths: Sequence[str]) -> None:
    for path in paths:
        act(path)


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


_peak_kilobytes: list[int] = []  # of each cold process, workers aside
_warm_rules: dict[str, Rules] = {}  # of a worker process


def _warm(qrels: str) -> None:
    table = open_qrels(qrels)
    gain_map = default_gain_map(table.highest_grade)
    _warm_rules["rules"] = Rules(read_measures(CAMPAIGN), table, gain_map)
    time.sleep(0.2)  # so that no worker takes the other's turn


def _score_warm(path: str) -> object:
    """Scores of every topic as they go back to whoever asked."""
    return score_file(path, _warm_rules["rules"])


# The command line, and then the most memory that its process has had (where the system tells).
_COLD_SCRIPT = """
import os, sys
from scoring.cli.main import main
status = main(sys.argv[1:])
if os.path.exists("/proc/self/status"):
    with open("/proc/self/status") as file:
        sys.stderr.write(next(line for line in file if line.startswith("VmHWM")).split()[1])
sys.exit(status)
"""


def _cold(qrels: str, paths: Sequence[str], workers: int) -> None:
    """A process of its own, from its start to the last line of CSV."""
    measures = [argument for name in CAMPAIGN for argument in ("-m", name)]
    options = ["-q", "-c", "--format", "csv", "--workers", str(workers)]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", _COLD_SCRIPT, "evaluate", qrels, *paths, *measures, *options],
        cwd=Path(__file__).resolve().parent.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
        text=True,
    )
    _peak_kilobytes.append(int(done.stderr or 0))


def _others(qrels: str) -> tuple[Contestants, list[str]]:
    """The other tools, qrels read; and those that are not here."""
    makers = {"pytrec_eval": _pytrec_eval, "ir_measures": _ir_measures, "ranx": _ranx}
    present = {name: make(qrels) for name, make in makers.items() if find_spec(name)}
    return present, [name for name in makers if name not in present]


def _pytrec_eval(qrels: str) -> Callable[[str], Any]:
    tool = import_module("pytrec_eval")
    with open(qrels) as file:
        evaluator = tool.RelevanceEvaluator(tool.parse_qrel(file), set(PYTREC_EVAL))

    def score(path: str) -> Any:
        with open(path) as file:
            return evaluator.evaluate(tool.parse_run(file))

    return score


def _ir_measures(qrels: str) -> Callable[[str], Any]:
    """Without RBP, for which it needs another package."""
    tool = import_module("ir_measures")
    measures = [tool.parse_measure(name) for name in IR_MEASURES]
    evaluator = tool.evaluator(measures, list(tool.read_trec_qrels(qrels)))
    return lambda path: list(evaluator.iter_calc(tool.read_trec_run(path)))


def _ranx(qrels: str) -> Callable[[str], Any]:
    tool = import_module("ranx")
    known = tool.Qrels.from_file(qrels, kind="trec")

    def score(path: str) -> Any:
        run = tool.Run.from_file(path, kind="trec")
        return tool.evaluate(known, run, list(RANX), return_mean=False, make_comparable=True)

    return score


if __name__ == "__main__":
    main()
