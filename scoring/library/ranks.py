"""How certain the ranks of runs are: `trackside.ranks` and `trackside ranks`."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from scoring.core.statistics.limits import MOST_SAMPLES
from scoring.core.statistics.rank_intervals import (
    bootstrap_ranks,
    possible_ranks,
    why_no_ranges,
)
from scoring.core.statistics.rank_sets import (
    RankCorrection,
    enough_samples,
    least_samples,
    rank_sets,
)
from scoring.core.statistics.ranks import shared_ranks
from scoring.core.statistics.undefined import nan_if_none
from scoring.library.bad_input import BadArgument, BadInput
from scoring.library.comparing import matrix_of
from scoring.library.evaluation import (
    NoRelevant,
    measure_texts,
    names_of,
    scored_runs,
    scoring_rules,
)
from scoring.library.scoring_options import as_lines
from scoring.library.significance import ComparedRuns, compared_runs, tested_measure
from scoring.library.sources import Path, QrelsSource, RunSources
from scoring.library.table import Table


@dataclass(frozen=True)
class RankBootstrap:
    """How the ranks of a sample of topics are drawn, and pairs of runs compared."""

    samples: int = 10_000
    seed: int = 1
    level: float = 0.95
    correction: RankCorrection = "max-t"

    def refuse_bad(self) -> None:
        """Raises BadInput."""
        faults = []
        if not 2 <= self.samples <= MOST_SAMPLES:
            why = f"is not a whole number from 2 to {MOST_SAMPLES:,}"
            faults.append(("samples", f"{self.samples} {why}"))
        if self.seed < 0:
            faults.append(("seed", "it must not be negative"))
        if not 0 < self.level < 1:
            faults.append(("level", f"{self.level} is not a number between 0 and 1"))
        elif self.samples < least_samples(self.level):
            why = f"rank sets of a level of {self.level} need {least_samples(self.level):,}"
            faults.append(("samples", f"{self.samples} are too few, {why}"))
        if self.correction not in get_args(RankCorrection):
            faults.append(("correction", f"{self.correction!r} is not max-t or holm"))
        if faults:
            raise BadArgument(faults)


def ranks(
    qrels: QrelsSource,
    runs: RunSources,
    measure: str,
    *,
    samples: int = 10_000,
    seed: int = 1,
    level: float = 0.95,
    correction: RankCorrection = "max-t",
    rel: int = 1,
    ties: Literal["docno", "expected"] = "docno",
    no_relevant: NoRelevant = "zero",
    gain_map: Mapping[int, float] | None = None,
) -> Table:
    """How certain the rank of each run is, as `trackside ranks` computes it.

    One row for each run, the best first: `run, mean, rank`; the range of ranks `rank_best,
    rank_worst` in 95 % (`level`) of resampled topic sets, and the share of these in which the run
    is first, `first_share` (bootstrap over topics); the simultaneous set of ranks `rank_set_best,
    rank_set_worst`; and the ranks `possible_best, possible_worst` between which the run stays
    whatever the unjudged documents are (NaN where the measure has no residual).

    The rank sets of all runs together contain their true ranks with the familywise `level`. They
    come from comparisons of all pairs, by the studentised bootstrap with one critical value of
    the largest |t| ("max-t"), or by paired t tests with Holm's correction ("holm"). They are NaN
    where they are not defined, and a warning says why. With one run, fewer than five
    topics, or differences that are the same on all topics, so are the range of ranks and
    `first_share`. Another warning says if max-t finds fewer than half of the significant pairs that
    Bonferroni's correction finds. Raises BadInput.

    >>> qrels = {str(topic): {"a": 1} for topic in range(5)}
    >>> good = {str(topic): {"a": 2.0, "b": 1.0} for topic in range(5)}
    >>> poor = {str(topic): {"b": 1.0, "a": 2.0 - topic} for topic in range(5)}
    >>> table = ranks(qrels, {"poor": poor, "good": good}, "RR", correction="holm")
    >>> [(row.run, row.rank_best, row.rank_worst, round(row.first_share, 2)) for row in table]
    [('good', 1, 1, 1.0), ('poor', 2, 2, 0.0)]
    """
    how = RankBootstrap(samples, seed, level, correction)
    how.refuse_bad()
    asked = tested_measure(measure_texts(measure), rel=rel, called="measure")
    rules = scoring_rules(
        qrels, as_lines([asked]), rel=rel, ties=ties, no_relevant=no_relevant, gain_map=gain_map
    )
    scored = scored_runs(runs, rules)
    return _warned(compared_runs(names_of(scored), scored, asked), how)


def ranks_of_scores(
    scores: Path | Mapping[str, Sequence[float]] | Any,
    *,
    samples: int = 10_000,
    seed: int = 1,
    level: float = 0.95,
    correction: RankCorrection = "max-t",
) -> Table:
    """The same for scores that are there: `{run: [score of each topic]}`, a data frame with a
    column for each run, or the path of a CSV. NaN is a topic without a score.

    >>> a, b = [0.2, 0.4, 0.9, 0.5, 0.3, 0.8], [0.1, 0.4, 0.7, 0.4, 0.2, 0.6]
    >>> table = ranks_of_scores({"a": a, "b": b}, correction="holm")
    >>> [(row.run, row.rank, row.first_share) for row in table]
    [('a', 1, 1.0), ('b', 2, 0.0)]
    >>> [(row.run, row.rank_set_best, row.rank_set_worst) for row in table]
    [('a', 1, 1), ('b', 2, 2)]
    """
    how = RankBootstrap(samples, seed, level, correction)
    how.refuse_bad()
    return _warned(matrix_of(scores), how)


def _warned(board: ComparedRuns, how: RankBootstrap) -> Table:
    table, note = ranks_table(board, how)
    if note:
        warnings.warn(note, stacklevel=3)
    return table


def ranks_table(board: ComparedRuns, how: RankBootstrap) -> tuple[Table, str]:
    """One row for each run, the best first; and sentences that say what is unknown, and why, or why
    rank sets are wide; empty if there is nothing to say."""
    runs, topics = board.base.shape if board.base.ndim == 2 else (len(board.names), 0)
    if not runs or not topics:
        raise BadInput([f"one run and one topic or more are needed, not {runs} and {topics}"])
    means = _means(board.base)
    resampled, note = _resampled(board.base, how)
    best = worst = np.full(len(board.names), np.nan)
    # Residuals are added to scores, and where lower is better the scores are negated.
    if board.residual is not None and not board.sign < 0:
        possible = possible_ranks(means, means + _means(board.residual))
        best, worst = (each.astype(np.float64) for each in possible)
    own = np.array([nan_if_none(rank) for rank in shared_ranks(means)])
    # Runs that share a rank stay in their order; those without a score are NaN, and last.
    order = np.argsort(own, kind="stable")
    table = Table(
        {
            "run": [board.names[at] for at in order.tolist()],
            "mean": board.sign * means[order],
            "rank": _whole(own[order]),
            "rank_best": _whole(resampled["rank_best"][order]),
            "rank_worst": _whole(resampled["rank_worst"][order]),
            "first_share": resampled["first_share"][order],
            "rank_set_best": _whole(resampled["rank_set_best"][order]),
            "rank_set_worst": _whole(resampled["rank_set_worst"][order]),
            "possible_best": _whole(best[order]),
            "possible_worst": _whole(worst[order]),
        }
    )
    return table, note


def _resampled(
    scores: NDArray[np.float64], how: RankBootstrap
) -> tuple[dict[str, NDArray[np.float64]], str]:
    """Columns of the table, float64[runs], and the note. Unknown columns are NaN."""
    unknown = np.full(len(scores), np.nan)
    names = ("rank_best", "rank_worst", "first_share", "rank_set_best", "rank_set_worst")
    found = dict.fromkeys(names, unknown)
    # Rank sets need at least what ranges need: neither is tried.
    if why := why_no_ranges(scores):
        return found, f"there are no ranges of ranks and no rank sets. {why}"
    ranges = bootstrap_ranks(scores, samples=how.samples, seed=how.seed, level=how.level)
    found["rank_best"] = ranges.best.astype(np.float64)
    found["rank_worst"] = ranges.worst.astype(np.float64)
    found["first_share"] = ranges.first_shares
    sets = rank_sets(
        scores,
        correction=how.correction,
        level=how.level,
        samples=min(how.samples, enough_samples(how.level)),
        seed=how.seed,
    )
    if sets.undefined:
        return found, f"there are no rank sets. {sets.undefined}"
    found["rank_set_best"] = sets.best.astype(np.float64)
    found["rank_set_worst"] = sets.worst.astype(np.float64)
    return found, sets.caution


def _whole(values: NDArray[np.float64]) -> NDArray[Any]:
    """Whole numbers, unless one of them is not defined."""
    return values if np.isnan(values).any() else values.astype(np.int64)


def _means(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Over the topics that a run has; NaN for none."""
    known = ~np.isnan(scores)
    # A run without a score is 0 / 0.
    with np.errstate(invalid="ignore"):
        means: NDArray[np.float64] = np.where(known, scores, 0.0).sum(axis=1) / known.sum(axis=1)
    return means
