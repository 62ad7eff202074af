"""The difference of runs from a baseline, for the leaderboard, the pages of runs and the API."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.options import choice_or_404
from scoring.analyses.requests import request_analyses, result_of
from scoring.baselines.analysis import BASELINE, AgainstOne
from scoring.core.data.trec_eval_lines import has_topic_lines
from scoring.core.measures.measure import Measure
from scoring.core.statistics.undefined import none_if_nan
from scoring.models import Analysis

LEVEL: Final = 0.05


class NamedRun(Protocol):
    @property
    def run_id(self) -> str: ...

    @property
    def name(self) -> str: ...


Baseline = TypeVar("Baseline", bound=NamedRun)


@dataclass(frozen=True)
class Difference:
    """How much higher a run scores than the baseline, in units of the measure. None where there is
    no value: without common topics, and for tests with fewer than two."""

    difference: float | None
    low: float | None  # the 95 % confidence interval
    high: float | None
    effect: float | None  # Cohen's d_z
    p: float | None
    p_corrected: float | None  # by Holm's method, for all runs compared with the baseline
    topics: int

    @property
    def is_significant(self) -> bool:
        return self.p_corrected is not None and self.p_corrected <= LEVEL


@dataclass(frozen=True)
class Differences:
    """Of all runs by one measure, by public id; none until a worker has computed them."""

    analysis: Analysis | None = None
    by_run: Mapping[str, Difference] = field(default_factory=dict)

    @property
    def tested(self) -> int:
        """The number of runs that the correction is for."""
        return sum(each.p is not None for each in self.by_run.values())

    @property
    def is_pending(self) -> bool:
        return self.analysis is not None and self.analysis.state != Analysis.State.DONE


def chosen_baseline(baselines: Iterable[Baseline], name: str | None) -> Baseline | None:
    """One of the baselines by its public id; None without a name. Raises UnknownChoice."""
    by_id = {run.run_id: run for run in baselines}
    offered = {run_id: run.name for run_id, run in by_id.items()}
    return by_id.get(choice_or_404("baseline", name, offered))


def can_be_compared(measure: Measure) -> bool:
    return has_topic_lines(measure) and measure.family != "Judged"


def differences_from(
    viewer: Viewer, qrels: Qrels, baseline: str, measures: Sequence[Measure]
) -> dict[Measure, Differences]:
    """By measure, without those that have no scores by topic. Two queries if all are computed.

    The analyses are free: an organiser chooses the few baselines, and visitors only the measure.
    The viewer must be one who may see the board.
    """
    compared = [measure for measure in measures if can_be_compared(measure)]
    requests = [(qrels, BASELINE, AgainstOne(str(measure), baseline)) for measure in compared]
    analyses = request_analyses(viewer, requests, is_free=True) if requests else []
    return {
        measure: Differences(analysis, _by_run(analysis))
        for measure, analysis in zip(compared, analyses, strict=True)
    }


def _by_run(analysis: Analysis) -> dict[str, Difference]:
    if analysis.state != Analysis.State.DONE:
        return {}
    result = result_of(BASELINE, analysis)
    columns = (
        *(result.differences, result.low, result.high),
        *(result.effects, result.p_values, result.corrected),
    )
    numbers = zip(*(each.tolist() for each in columns), strict=True)
    rows = zip(result.run_ids.tolist(), numbers, result.topics.tolist(), strict=True)
    return {
        run_id: Difference(*map(none_if_nan, values), topics=topics)
        for run_id, values, topics in rows
    }
