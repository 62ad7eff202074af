"""Significance of all pairs of runs, in the order of the board: for page, chart and CSV."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.core.measures.catalogue import is_lower_better, sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.corrections import correct
from scoring.core.statistics.pairs import METHODS, NO_SPREAD, Pairs, as_matrix, lowest_p
from scoring.core.statistics.ranks import shared_ranks
from scoring.core.statistics.significance import count_significant, indistinguishable_groups
from scoring.results.runs import BoardRun
from scoring.results.vectors import visible_means
from scoring.significance.analysis import MAX_RUNS, SAMPLES, TestedPairs
from scoring.significance.options import CORRECTIONS, TestChoices


@dataclass(frozen=True)
class RankedRuns:
    """The ranked runs with a score of the measure, best first, equal scores by tag."""

    runs: tuple[BoardRun, ...]
    ranks: tuple[int, ...]  # equal scores share one
    has_residuals: bool
    is_lower_better: bool
    left_out: int = 0  # lower runs, which are not tested

    def first(self, count: int) -> "RankedRuns":
        """The best `count` runs."""
        left_out = self.left_out + max(len(self.runs) - count, 0)
        return replace(self, runs=self.runs[:count], ranks=self.ranks[:count], left_out=left_out)


@dataclass(frozen=True)
class PairRow:
    """Two runs: `a` is the candidate, or the run with the higher rank. Numbers are a - b in units
    of the measure, NaN where they are not defined."""

    a: BoardRun
    b: BoardRun
    a_rank: int
    b_rank: int
    difference: float
    effect: float
    p: float
    p_corrected: float
    method: str
    topics: int
    is_significant: bool


@dataclass(frozen=True, eq=False)
class Significance:
    """The result of a test of all pairs of a board; arrays have one entry per pair. 1,000 runs have
    half a million pairs, so what a page does not show is not made."""

    choices: TestChoices
    ranked: RankedRuns
    pairs: Pairs  # positions on the board, in ascending order
    corrected: NDArray[np.float64]
    result: TestedPairs
    places: NDArray[np.int32]  # of each pair in it
    signs: NDArray[np.int8]  # what its differences are multiplied with

    @cached_property
    def is_significant(self) -> NDArray[np.bool_]:
        significant: NDArray[np.bool_] = self.corrected <= self.choices.alpha
        return significant

    @property
    def differences(self) -> NDArray[np.float64]:
        """Candidate - baseline, in units of the measure."""
        return self._signed(self.result.differences)

    @property
    def effects(self) -> NDArray[np.float64]:
        return self._signed(self.result.effects)

    @property
    def methods(self) -> NDArray[np.int8]:
        return self.result.methods[self.places]

    @property
    def rejection_count(self) -> int:
        return count_significant(self.corrected, self.choices.alpha)

    @property
    def reversed_count(self) -> int:
        """In a directed two-tailed test, the pairs that are significant because the run with the
        higher score is worse."""
        if not self.choices.is_directed:
            return 0
        signs = -self.differences if self.ranked.is_lower_better else self.differences
        return int((self.is_significant & (signs < 0)).sum())

    @property
    def significant_count(self) -> int:
        """The significant pairs in the direction of the test."""
        return self.rejection_count - self.reversed_count

    @property
    def untested_count(self) -> int:
        """The pairs without a p-value that have too few topics in common."""
        untested = int(np.isnan(self.result.p_values[self.places]).sum())
        return untested - self.spreadless_count

    @property
    def spreadless_count(self) -> int:
        """The pairs whose difference is the same on all topics, so that t is not defined."""
        return int((self.methods == NO_SPREAD).sum())

    @property
    def topic_count(self) -> int:
        """The most topics that a pair has in common."""
        return int(self.result.topics[self.places].max(initial=0))

    @property
    def least_p(self) -> float:
        """The lowest p-value that the test can have on this many topics; 0 if it has no limit."""
        choices = self.choices
        if choices.correction == "tukey":
            return 0.0
        return lowest_p(choices.test, self.topic_count, tail=choices.tail, samples=SAMPLES)

    @property
    def is_too_coarse(self) -> bool:
        """Whether no difference, however large, can be significant."""
        # Holm multiplies the smallest p-value by the number of tests.
        factor = len(self.pairs) if self.choices.correction == "holm" else 1
        return self.least_p * factor > self.choices.alpha

    @property
    def tied_with_leader_count(self) -> int:
        """How many runs do not differ significantly from the first of the board."""
        with_first = (self.pairs.candidates == 0) | (self.pairs.baselines == 0)
        return int((with_first & ~self.is_significant).sum())

    @property
    def method_counts(self) -> list[tuple[str, int]]:
        """The methods behind the p-values, and the number of pairs of each."""
        counts = np.bincount(self.methods, minlength=len(METHODS))
        return [(METHODS[at], int(counts[at])) for at in np.flatnonzero(counts)]

    @cached_property
    def groups(self) -> list[tuple[int, int]]:
        """First and last position of each group of neighbours without a significant difference. A
        run that differs significantly from both its neighbours is in no group."""
        # In place of scores, of which the highest comes first.
        positions = -np.arange(len(self.ranked.runs), dtype=np.float64)
        groups = indistinguishable_groups(
            positions, self.corrected, self.pairs, alpha=self.choices.alpha
        )
        return [(group[0], group[-1]) for group in groups if len(group) > 1]

    def row(self, at: int) -> PairRow:
        a, b = int(self.pairs.candidates[at]), int(self.pairs.baselines[at])
        runs, ranks, result = self.ranked.runs, self.ranked.ranks, self.result
        place, sign = self.places[at], self.signs[at]
        return PairRow(
            a=runs[a],
            b=runs[b],
            a_rank=ranks[a],
            b_rank=ranks[b],
            difference=float(sign * result.differences[place] + 0.0),  # no -0.0
            effect=float(sign * result.effects[place] + 0.0),
            p=float(result.p_values[place]),
            p_corrected=float(self.corrected[at]),
            method=METHODS[int(result.methods[place])],
            topics=int(result.topics[place]),
            is_significant=bool(self.is_significant[at]),
        )

    @property
    def neighbours(self) -> list[PairRow]:
        """Each run and the next one on the board."""
        is_neighbour = np.abs(self.pairs.candidates - self.pairs.baselines) == 1
        return [self.row(int(at)) for at in np.flatnonzero(is_neighbour)]

    def among_first(self, count: int) -> "Significance":
        """The pairs of the best `count` runs, with the results of the test of all runs."""
        kept = (self.pairs.candidates < count) & (self.pairs.baselines < count)
        return replace(
            self,
            ranked=self.ranked.first(count),
            pairs=Pairs(self.pairs.candidates[kept], self.pairs.baselines[kept]),
            corrected=self.corrected[kept],
            places=self.places[kept],
            signs=self.signs[kept],
        )

    def _signed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        signed: NDArray[np.float64] = self.signs * values[self.places] + 0.0  # no -0.0
        return signed

    def matrix(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[runs, runs] in the order of the board, the same in both cells of a pair."""
        return as_matrix(values, self.pairs, len(self.ranked.runs))

    def antisymmetric(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """`matrix` of values that change their sign with the order of the pair: row - column. A
        directed test has a value only in the row of the better run."""
        count = len(self.ranked.runs)
        matrix = np.full((count, count), np.nan)
        matrix[self.pairs.candidates, self.pairs.baselines] = values
        if not self.choices.is_directed:
            matrix[self.pairs.baselines, self.pairs.candidates] = -values
        return matrix


def ranked_runs(viewer: Viewer, qrels: Qrels, measure: Measure) -> RankedRuns:
    """The runs to test. One query. The viewer must be one who may see the board."""
    runs, bases, residuals = visible_means(viewer, qrels, [measure])
    places = shared_ranks(sign_of(measure) * bases[0])
    ranks = dict(zip((run.run_id for run in runs), places, strict=True))
    ordered = sorted(
        (run for run in runs if ranks[run.run_id] is not None),
        key=lambda run: (ranks[run.run_id], run.name.lower()),
    )
    return RankedRuns(
        runs=tuple(ordered),
        ranks=tuple(ranks[run.run_id] or 0 for run in ordered),
        has_residuals=not np.isnan(residuals[0]).all(),
        is_lower_better=is_lower_better(measure),
    ).first(MAX_RUNS)


def significance(choices: TestChoices, ranked: RankedRuns, result: TestedPairs) -> Significance:
    """The result of the worker with the chosen correction and level, for the runs on the board. The
    correction is for all tested pairs."""
    corrected = (
        result.tukey
        if choices.correction == "tukey"
        else correct(result.p_values, CORRECTIONS[choices.correction])
    )
    positions = {run.run_id: at for at, run in enumerate(ranked.runs)}
    position = np.array(
        [positions.get(str(run_id), -1) for run_id in result.run_ids], dtype=np.int32
    )
    a, b = position[result.candidates], position[result.baselines]
    # Without a direction, the run that is higher on the board comes first.
    is_swapped = (a > b) & (not choices.is_directed)
    first, second = np.where(is_swapped, b, a), np.where(is_swapped, a, b)
    kept = np.flatnonzero((a >= 0) & (b >= 0)).astype(np.int32)
    # The last key counts most.
    kept = kept[np.lexsort((second[kept], first[kept]))]
    return Significance(
        choices=choices,
        ranked=ranked,
        pairs=Pairs(first[kept], second[kept]),
        corrected=corrected[kept],
        result=result,
        places=kept,
        # In the result, better is positive; here a - b is, in units of the measure.
        signs=np.where(is_swapped[kept] != ranked.is_lower_better, -1, 1).astype(np.int8),
    )
