"""Which pairs of runs differ significantly over topics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.trec_eval_lines import has_topic_lines
from scoring.core.measures.arrays import Scores
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.corrections import Correction, correct, randomised_tukey_hsd
from scoring.core.statistics.max_t import randomised_max_t
from scoring.core.statistics.pairs import (
    METHODS,
    Outcomes,
    Pairs,
    PairTest,
    Tail,
    compare,
    lowest_p,
)
from scoring.core.statistics.projection import Against, opponents
from scoring.core.statistics.sign_flips import SignFlips
from scoring.core.statistics.signed_ranks import wilcoxon
from scoring.core.statistics.significance import paired_t, pairwise_tests
from scoring.library.bad_input import BadInput
from scoring.library.measure_lines import single_measures
from scoring.library.scored_runs import ScoredRun
from scoring.library.table import Table

TestName: TypeAlias = Literal["t", "wilcoxon", "randomisation"]
CorrectionName: TypeAlias = Literal["none", "holm", "bh", "tukey", "max-t"]

_CORRECTIONS: Final[dict[CorrectionName, Correction]] = {
    "none": "none",
    "holm": "holm",
    "bh": "benjamini-hochberg",
}
_BY_TOPIC: Final = {"GMAP": "AP", "gm_bpref": "bpref"}  # what geometric means are taken of


@dataclass(frozen=True)
class PairComparison:
    """How pairs of runs are tested."""

    test: TestName
    tail: Tail = "two"
    alpha: float = 0.05
    continuity: bool = True  # of Wilcoxon's test
    zero: Literal["wilcox", "pratt"] = "wilcox"
    correction: CorrectionName = "none"
    against: Against = "base"
    samples: int = 10_000
    seed: int = 1
    baseline: str | None = None  # the run that all others are compared with; None: all pairs

    @property
    def correction_faults(self) -> Iterator[str]:
        """Why the correction does not go with the other options; each follows its name."""
        is_directed = self.tail == "one" or self.against != "base"
        if self.correction in ("tukey", "max-t") and is_directed:
            # Both compare with the largest difference of any pair, which has no direction, under
            # exchanges of scores as judged.
            yield "is two-tailed, and against base"
        if self.correction == "tukey" and self.baseline is not None:
            yield "is for all pairs; for runs against a baseline, take max-t"
        if self.correction == "max-t" and self.baseline is None:
            yield "is for runs against a baseline; name one"
        if self.correction == "max-t" and self.test != "randomisation":
            yield "is by random signs; take the randomisation test"

    @property
    def pair_test(self) -> PairTest:
        if self.test == "t":
            return partial(paired_t, tail=self.tail)
        if self.test == "randomisation":
            return SignFlips(self.samples, self.seed, self.tail)
        return partial(
            wilcoxon,
            tail=self.tail,
            zeros="pratt" if self.zero == "pratt" else "drop",
            continuity=self.continuity,
        )


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """Scores of runs; `sign` is -1 where lower scores are better (they are negated)."""

    names: Sequence[str]
    base: NDArray[np.float64]  # float64[runs, topics], NaN for topics that are left out
    residual: NDArray[np.float64] | None = None
    sign: float = 1.0

    def best(self, count: int | None, baseline: str | None = None) -> "ComparedRuns":
        """The runs with the highest means, in the order in which they came, and the baseline. One
        without a score is not among them, unless there are no others."""
        if count is None or count >= len(self.names):
            return self
        known = ~np.isnan(self.base)
        sums, counts = np.where(known, self.base, 0.0).sum(axis=1), known.sum(axis=1)
        means = np.divide(sums, counts, out=np.full(len(sums), -np.inf), where=counts > 0)
        # Rounded, because equal means can differ in their last bits; of equal ones the first is
        # kept.
        highest = np.argsort(-np.round(means, 12), kind="stable")[:count]
        kept = np.union1d(highest, np.flatnonzero(np.array(self.names) == baseline))
        residual = None if self.residual is None else self.residual[kept]
        return ComparedRuns([self.names[at] for at in kept], self.base[kept], residual, self.sign)


def tested_measure(texts: Sequence[str], *, rel: int, called: str) -> Measure:
    """The one that is tested. Raises BadInput for several, and for one without scores by topic."""
    measures = tested_measures(texts, rel=rel, called=called)
    if len(measures) != 1:
        named = ", ".join(map(str, measures))
        why = f"expected one measure, got {len(measures)}: {named}"
        raise BadInput([f"{called}: {why}"])
    return measures[0]


def tested_measures(texts: Sequence[str], *, rel: int, called: str) -> tuple[Measure, ...]:
    """One or several. Raises BadInput for those without scores by topic."""
    measures = single_measures(texts, rel=rel, called=called)
    faults = []
    for measure in measures:
        if not has_topic_lines(measure):
            why = "it is one number over all topics, and tests compare topic by topic"
            instead = _BY_TOPIC.get(measure.family)
            why += f"; take {instead}" if instead else ""
            faults.append(f"{called} {measure}: {why}")
    if faults:
        raise BadInput(faults)
    return measures


def compared_runs(
    names: Sequence[str], runs: Sequence[ScoredRun], measure: Measure, *, at: int = 0
) -> ComparedRuns:
    """The scores of runs by one measure, which is `at` this place of those that scored them."""
    scores = [each.found[at].scores for each in runs]
    residuals = [each.residual for each in scores if each.residual is not None]
    return ComparedRuns(
        names,
        sign_of(measure) * np.array([each.base for each in scores]),
        np.array(residuals) if residuals else None,
        sign_of(measure),
    )


def significance_table(board: ComparedRuns, how: PairComparison) -> tuple[Table, list[str]]:
    """One row for each pair of runs, and what one should know before believing the answer."""
    if len(board.names) < 2:
        raise BadInput(["give at least two runs to compare"])
    if how.baseline is not None and list(board.names).count(how.baseline) != 1:
        named = "several runs are" if how.baseline in board.names else "no run is"
        raise BadInput([f"baseline: {named} named {how.baseline}, of {', '.join(board.names)}"])
    pairs, others, found, corrected = _tested(board, how)
    differences = []
    for a, b in zip(pairs.candidates.tolist(), pairs.baselines.tolist(), strict=True):
        by_topic = board.base[a] - others[b]
        # Over the topics that both have; NaN where there are none.
        common = by_topic[~np.isnan(by_topic)]
        differences.append(float(common.mean()) if len(common) else float("nan"))
    table = Table(
        {
            "a": [board.names[at] for at in pairs.candidates.tolist()],
            "b": [board.names[at] for at in pairs.baselines.tolist()],
            "difference": board.sign * np.array(differences),
            "p": found.p_values,
            "p_corrected": corrected,
            "method": [METHODS[at] for at in found.methods.tolist()],
        }
    )
    topics = int(found.topics.max(initial=0))
    return table, [*_limits(how, len(pairs), topics), *_cautions(how, differences, corrected)]


def _tested(
    board: ComparedRuns, how: PairComparison
) -> tuple[Pairs, NDArray[np.float64], Outcomes, NDArray[np.float64]]:
    """The pairs, what stands against the candidates, what the test says, and corrected p-values."""
    scores = Scores(board.base, board.residual)
    others = opponents(scores, how.against)
    if others is None:
        raise ValueError("there are no residuals")
    if how.baseline is not None:
        is_baseline = np.array(board.names) == how.baseline
        candidates = np.flatnonzero(~is_baseline)
        pairs = Pairs(candidates, np.full(len(candidates), is_baseline.argmax()))
        if how.correction == "max-t":
            differences = board.base[~is_baseline] - board.base[is_baseline]
            return pairs, others, *randomised_max_t(differences, samples=how.samples, seed=how.seed)
        found = compare(how.pair_test, pairs, board.base, others)
    else:
        pairs, found = pairwise_tests(how.pair_test, scores, tail=how.tail, against=how.against)
    if how.correction == "tukey":
        corrected = randomised_tukey_hsd(board.base, pairs, samples=how.samples, seed=how.seed)
    else:
        corrected = correct(found.p_values, _CORRECTIONS[how.correction])
    return pairs, others, found, corrected


def _limits(how: PairComparison, pairs: int, topics: int) -> Iterator[str]:
    """Whether no pair can be significant, whatever the scores."""
    least = lowest_p(how.test, topics, tail=how.tail, samples=how.samples)
    is_holm = how.correction == "holm" and pairs > 1
    if how.correction == "tukey" or least * (pairs if is_holm else 1) <= how.alpha:
        return
    # Otherwise the test takes all exchanges, and only the number of topics limits p.
    is_sampled = how.test == "randomisation" and 2**topics > how.samples
    limit = f"{how.samples} samples leave"
    if not is_sampled:
        limit = "1 topic leaves" if topics == 1 else f"{topics} topics leave"
    said = f"no pair can be significant at {how.alpha:g}: {limit} no p below {least:.2g}"
    said += f", and Holm multiplies the smallest by {pairs}" if is_holm else ""
    said += "; use more samples, or another correction" if is_sampled else ""
    yield said


def _cautions(
    how: PairComparison, differences: Sequence[float], corrected: NDArray[np.float64]
) -> Iterator[str]:
    if how.tail == "two" and how.against != "base":
        apart = np.flatnonzero(corrected <= how.alpha)
        behind = sum(differences[at] < 0 for at in apart.tolist())
        if behind:
            yield (
                f"in {behind} of the {len(apart)} significant pairs a falls behind b, which two"
                " tails count too; a one-tailed test leaves these out"
            )
