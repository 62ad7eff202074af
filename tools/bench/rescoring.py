"""The campaign scored again from what is stored of its runs.

Grades are stored for every qrels version: whoever changes measures needs no more than those. New
qrels need the stored ranking, whose documents are looked up anew.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scoring.cli.opening import open_qrels, open_run
from scoring.core.data.alignment import align
from scoring.core.data.artefacts import pack_grades, pack_ranking, unpack_grades, unpack_ranking
from scoring.core.data.judgments import JudgmentTable
from scoring.core.data.ranking import Ranking
from scoring.core.measures.graded import GradedTopics, default_gain_map, evaluate
from scoring.core.measures.names import parse_measure
from scoring.library.prepared import rank_run
from tools.bench.campaign import MEASURES
from tools.bench.clock import HEADINGS, ROUNDS, median, three

FROM_GRADES: Final = ("read the grades", "measures")
FROM_RANKINGS: Final = ("read the ranking", "align", "measures")

Stage = Callable[[Any], Any]


def time_rescoring(qrels: str, paths: Sequence[str]) -> None:
    """Prints what one worker takes for all runs, from stored bytes to scores of every topic."""
    table = open_qrels(qrels)
    rankings = [rank_run(open_run(path)) for path in paths]
    stored_grades = [pack_grades(_grades(ranking, table)) for ranking in rankings]
    stored_rankings = [pack_ranking(ranking) for ranking in rankings]
    del rankings
    score = _scoring(table)
    _print_times("stored grades", FROM_GRADES, stored_grades, [unpack_grades, score])
    stages = [unpack_ranking, lambda ranking: _grades(ranking, table), score]
    _print_times("stored rankings", FROM_RANKINGS, stored_rankings, stages)


def _grades(ranking: Ranking, table: JudgmentTable) -> NDArray[np.int8]:
    return align(ranking, table, depth=max(ranking.max_length, 1))


def _scoring(table: JudgmentTable) -> Stage:
    measures = [parse_measure(name) for name in MEASURES]
    gain_map = default_gain_map(table.highest_grade)
    return lambda grades: evaluate(measures, GradedTopics(grades, table.grade_counts, gain_map))


def _print_times(
    what: str,
    names: Sequence[str],
    stored: Sequence[bytes],
    stages: Sequence[Stage],
) -> None:
    taken = np.array([[_times(blob, stages) for blob in stored] for _ in range(ROUNDS)]).sum(axis=1)
    size = np.mean([len(blob) for blob in stored]) / 1024
    print(f"\n{len(stored)} runs scored again from {what} of {size:.0f} KB, one worker\n")
    print(f"{'ms for all':26}{HEADINGS}{'a run':>9}")
    for name, found in zip((*names, "altogether"), (*taken.T, taken.sum(axis=1)), strict=True):
        print(f"{name:26}{three(found)}{1000 * median(found) / len(stored):9.2f}")


def _times(blob: bytes, stages: Sequence[Stage]) -> NDArray[np.float64]:
    """Seconds that each stage takes, from what the one before has made."""
    times: list[float] = [time.perf_counter()]
    made: Any = blob
    for stage in stages:
        made = stage(made)
        times.append(time.perf_counter())
    return np.diff(times)
