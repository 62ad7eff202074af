"""The difference of runs from a baseline, for the leaderboard, the pages of runs and the API."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from django.http import QueryDict

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.options import UnknownChoice, choice_or_404, shortened
from scoring.analyses.requests import request_analyses, result_of
from scoring.baselines.analysis import BASELINE, SAMPLES, AgainstOne
from scoring.core.data.trec_eval_lines import has_topic_lines
from scoring.core.measures.measure import Measure
from scoring.core.statistics.pairs import lowest_p
from scoring.core.statistics.undefined import none_if_nan
from scoring.models import Analysis

LEVEL: Final = 0.05
# The values of the parameter, with their labels. The first is the default.
CORRECTIONS: Final = {"max-t": "max |t|", "holm": "Holm"}


class NamedRun(Protocol):
    @property
    def run_id(self) -> str: ...

    @property
    def name(self) -> str: ...


Baseline = TypeVar("Baseline", bound=NamedRun)


@dataclass(frozen=True)
class Difference:
    """How much higher a run scores than the baseline, in units of the measure. None where there is
    no value: without common topics, and for tests with fewer than two, or if the difference is the
    same on all of them."""

    difference: float | None
    low: float | None  # the 95 % confidence interval
    high: float | None
    effect: float | None  # Cohen's d_z
    p: float | None  # of this pair alone
    p_corrected: float | None  # for all runs compared with the baseline
    topics: int

    @property
    def is_significant(self) -> bool:
        return self.p_corrected is not None and self.p_corrected <= LEVEL


@dataclass(frozen=True)
class Differences:
    """Of all runs by one measure, by public id; none until a worker has computed them."""

    correction: str = next(iter(CORRECTIONS))
    analysis: Analysis | None = None
    by_run: Mapping[str, Difference] = field(default_factory=dict)

    @property
    def tested(self) -> int:
        """The number of runs that the correction is for."""
        return sum(each.p is not None for each in self.by_run.values())

    @property
    def lowest_p(self) -> float:
        """That the test can have for any run, whatever the scores; 0 if it has no limit."""
        tested = (each.topics for each in self.by_run.values() if each.p is not None)
        # The run with the most topics can have the lowest p-value.
        topics = max(tested, default=0)
        test = "randomisation" if self.correction == "max-t" else "t"
        return lowest_p(test, topics, samples=SAMPLES) if topics else 0.0

    @property
    def is_too_coarse(self) -> bool:
        """Whether so few topics leave no p-value at or below the level."""
        return self.lowest_p > LEVEL

    @property
    def is_pending(self) -> bool:
        return self.analysis is not None and self.analysis.state != Analysis.State.DONE


class UnknownBaseline(UnknownChoice):
    """As in a link that somebody kept. Files and the API refuse it. A page opens without
    differences and says `why_none`, which depends on nothing but the URL."""

    @property
    def why_none(self) -> str:
        return (
            f"No differences are shown, because “{shortened(self.value)}” is not a baseline here: "
            "the run may be withdrawn, deleted, disqualified or no longer marked as one."
        )


def chosen_baseline(baselines: Iterable[Baseline], name: str | None) -> Baseline | None:
    """One of the baselines by its public id; None without a name. Raises UnknownBaseline."""
    if not name:
        return None
    by_id = {run.run_id: run for run in baselines}
    if name not in by_id:
        raise UnknownBaseline("baseline", name, {run_id: run.name for run_id, run in by_id.items()})
    return by_id[name]


def without_baseline(params: QueryDict) -> QueryDict:
    """The other parameters, for the links of a page whose baseline is unknown."""
    others = params.copy()
    others.pop("baseline", None)
    return others


def chosen_correction(name: str | None) -> str:
    """One of CORRECTIONS. Raises UnknownChoice."""
    return choice_or_404("correction", name, CORRECTIONS, usual=next(iter(CORRECTIONS)))


def can_be_compared(measure: Measure) -> bool:
    # Judged is about the judgments and not about the quality of a run.
    return has_topic_lines(measure) and measure.family != "Judged"


def differences_from(
    viewer: Viewer, qrels: Qrels, baseline: str, measures: Sequence[Measure], correction: str
) -> dict[Measure, Differences]:
    """By measure, without those that have no scores by topic. Two queries if all are computed.

    The analyses are free: an organiser chooses the few baselines, and visitors only the measure.
    One analysis has the p-values of every correction.
    The viewer must be one who may see the board.
    """
    compared = [measure for measure in measures if can_be_compared(measure)]
    requests = [(qrels, BASELINE, AgainstOne(str(measure), baseline)) for measure in compared]
    analyses = request_analyses(viewer, requests, is_free=True) if requests else []
    found = {}
    for measure, analysis in zip(compared, analyses, strict=True):
        by_run: dict[str, Difference] = {}
        if analysis.state == Analysis.State.DONE:
            result = result_of(BASELINE, analysis)
            p_values = {
                "max-t": (result.flip_p_values, result.max_t),
                "holm": (result.t_p_values, result.holm),
            }
            sizes = (result.differences, result.low, result.high, result.effects)
            numbers = zip(*(each.tolist() for each in (*sizes, *p_values[correction])), strict=True)
            rows = zip(result.run_ids.tolist(), numbers, result.topics.tolist(), strict=True)
            by_run = {
                run_id: Difference(*map(none_if_nan, values), topics=topics)
                for run_id, values, topics in rows
            }
        found[measure] = Differences(correction, analysis, by_run)
    return found
