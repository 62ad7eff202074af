"""The estimated score of each run, the best first: for page, chart, CSV and API."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.core.statistics.means import shown_digits
from scoring.core.statistics.ranks import shared_ranks
from scoring.core.statistics.undefined import none_if_nan
from scoring.estimates.analysis import SampleEstimates
from scoring.results.runs import BoardRun


@dataclass(frozen=True)
class EstimatedRun:
    """A ranked run, or its difference from another one. The interval is of 95 %."""

    run: BoardRun
    rank: int | None  # by the estimate; None for a difference
    base: float | None  # by people's judgments alone; None for a difference
    residual: float | None
    program: float  # by the program's judgments alone
    estimate: float
    std_error: float
    low: float | None  # None: the sample shows no error of the program
    high: float | None
    degrees: float | None

    @property
    def digits(self) -> int:
        """After the point, that the interval leaves certain."""
        return shown_digits(None if self.high is None else self.high - self.estimate)


@dataclass(frozen=True, eq=False)
class EstimatedScores:
    """All runs from which the sample was drawn, if people have judged it whole."""

    rows: tuple[EstimatedRun, ...]
    is_changed: bool  # the rankings are others than those of the sample
    sampled: int  # documents
    judged: int  # of these, by people
    topics: int = 0
    documents: int = 0  # from which the sample was drawn
    by_program: int = 0
    certain: int = 0
    width_ratio: float | None = None  # of intervals with the program to those of people alone

    @property
    def drawn(self) -> int:
        return self.sampled - self.certain

    @property
    def unjudged_by_program(self) -> int:
        return self.documents - self.by_program


def estimated_scores(runs: Sequence[BoardRun], result: SampleEstimates, to: str) -> EstimatedScores:
    """Of the given runs; with `to`, differences from the run of this id."""
    if not len(result.run_ids):
        return EstimatedScores((), result.is_changed, result.sampled, result.judged)
    columns = (
        *(result.base, result.residual, result.program, result.estimates),
        *(result.errors, result.low, result.high, result.degrees),
    )
    cells = zip(*(each.tolist() for each in columns), strict=True)
    by_id = dict(zip(result.run_ids.tolist(), cells, strict=True))
    # The difference of a run from itself is no result.
    kept = [run for run in runs if run.run_id in by_id and run.run_id != to]
    estimates = [by_id[run.run_id][3] for run in kept]
    ranks = [None] * len(kept) if to else shared_ranks(np.array(estimates))
    rows = []
    for run, rank in zip(kept, ranks, strict=True):
        base, residual, program, estimate, error, low, high, degrees = by_id[run.run_id]
        rows.append(
            EstimatedRun(
                run=run,
                rank=rank,
                base=none_if_nan(base),
                residual=none_if_nan(residual),
                program=program,
                estimate=estimate,
                std_error=error,
                low=none_if_nan(low),
                high=none_if_nan(high),
                degrees=none_if_nan(degrees),
            )
        )
    rows.sort(key=lambda row: (-row.estimate, row.run.name.lower()))
    # The ratio of two sums over the same runs is the ratio of their means.
    people = float(np.sum(result.people_errors))
    return EstimatedScores(
        tuple(rows),
        result.is_changed,
        result.sampled,
        result.judged,
        topics=result.topics,
        documents=result.documents,
        by_program=result.by_program,
        certain=result.certain,
        width_ratio=float(np.sum(result.errors)) / people if people else None,
    )
