"""The campaign scored again from what is stored of its runs, as after a change of its qrels."""

import time
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.bench.campaign import MEASURES
from scoring.bench.clock import HEADINGS, ROUNDS, median, three
from scoring.cli.opening import open_qrels, open_run, rank_run
from scoring.core.alignment import align
from scoring.core.artefacts import pack_ranking, unpack_ranking
from scoring.core.judgments import JudgmentTable
from scoring.core.measures.graded import GradedTopics, default_gain_map, evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure

STAGES: Final = ("read the ranking", "align", "measures")


def time_rescoring(qrels: str, paths: Sequence[str]) -> None:
    """Prints what one worker takes for all runs, from stored rankings to scores of every topic."""
    table = open_qrels(qrels)
    measures = [parse_measure(name) for name in MEASURES]
    stored = [pack_ranking(rank_run(open_run(path))) for path in paths]
    taken = np.array(
        [[_score_again(blob, table, measures) for blob in stored] for _ in range(ROUNDS)]
    ).sum(axis=1)
    size = np.mean([len(blob) for blob in stored]) / 1024
    print(f"\n{len(stored)} runs scored again from stored rankings of {size:.0f} KB, one worker\n")
    print(f"{'ms for all':26}{HEADINGS}{'a run':>9}")
    for name, found in zip((*STAGES, "altogether"), (*taken.T, taken.sum(axis=1)), strict=True):
        print(f"{name:26}{three(found)}{1000 * median(found) / len(stored):9.2f}")


def _score_again(
    blob: bytes, table: JudgmentTable, measures: Sequence[Measure]
) -> NDArray[np.float64]:
    """Seconds that each stage takes."""
    times = [time.perf_counter()]
    ranking = unpack_ranking(blob)
    times.append(time.perf_counter())
    grades = align(ranking, table, depth=max(ranking.max_length, 1))
    times.append(time.perf_counter())
    gain_map = default_gain_map(table.highest_grade)
    evaluate(measures, GradedTopics(grades, table.grade_counts, gain_map))
    times.append(time.perf_counter())
    return np.diff(times)
