"""Two runs of a board by topic: their differences, and whether these are significant."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from django.db.models import TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from django.http import QueryDict
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.options import choice_or_404
from scoring.analyses.requests import request_analysis, result_of
from scoring.comparison.analysis import (
    DIFFERENCE,
    SAMPLES,
    TwoRuns,
    differences_of,
    interval_of,
)
from scoring.core.measures.catalogue import is_lower_better, sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.intervals import effect_sizes
from scoring.core.statistics.pairs import EXACT, NO_SPREAD, lowest_p
from scoring.core.statistics.signed_ranks import wilcoxon
from scoring.core.statistics.significance import paired_t
from scoring.models import Analysis
from scoring.results.options import sees_topic_means
from scoring.results.runs import BoardRun
from scoring.results.vectors import Vectors, vectors_of, visible_means

LEVEL = 0.05
AT_ONCE: Final = 3_000_000  # draws of the bootstrap that a page computes in a tenth of a second


class TopicDifference(NamedTuple):
    """How much higher the first run scores on a topic, with the bounds of the difference over all
    judgments of the unjudged documents of both; None if the measure has no residual."""

    code: str
    title: str
    first: float
    second: float
    difference: float
    lowest: float | None
    highest: float | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Topics with the largest gain of the first run first; tests are two-tailed.

    `interval` is None until it is requested, and until a worker has computed it (`analysis`)."""

    measure: Measure
    qrels: Qrels
    first: BoardRun
    second: BoardRun
    topics: tuple[TopicDifference, ...]
    differences: NDArray[np.float64]  # float64[1, topics], of all topics by position
    is_lower_better: bool
    difference: float  # mean over the common topics; NaN without any
    effect: float  # Cohen's d_z
    t_p: float
    wilcoxon_p: float
    has_spread: bool  # else the t test has no p-value
    is_exact: bool  # Wilcoxon's p is that of the exact distribution
    interval: tuple[float, float] | None = None  # 95 % of the bootstrap (BCa)
    analysis: Analysis | None = None

    @cached_property
    def wins(self) -> int:
        """Topics on which the first run does better."""
        sign = -1 if self.is_lower_better else 1
        return int(np.count_nonzero(sign * self.differences > 0))

    @property
    def losses(self) -> int:
        return len(self.topics) - self.wins - self.draws

    @cached_property
    def draws(self) -> int:
        return int(np.count_nonzero(self.differences == 0))

    @property
    def lowest_wilcoxon_p(self) -> float:
        """The lowest that Wilcoxon's test can have on this many topics."""
        return lowest_p("wilcoxon", len(self.topics), samples=0)

    @property
    def is_too_coarse(self) -> bool:
        """Whether Wilcoxon's test cannot find any difference significant."""
        return self.lowest_wilcoxon_p > LEVEL

    @property
    def is_significant(self) -> bool:
        """Whether the difference is significant at the 5 % level by both tests."""
        return self.t_p <= LEVEL and self.wilcoxon_p <= LEVEL

    @property
    def is_disputed(self) -> bool:
        """Whether the difference is significant by one test only."""
        return (self.t_p <= LEVEL) != (self.wilcoxon_p <= LEVEL)


def ranked_runs(viewer: Viewer, qrels: Qrels, measure: Measure) -> tuple[BoardRun, ...]:
    """The ranked runs, best first by the measure's own direction; one query. Only the team's own,
    if the viewer sees no others by topic."""
    runs, bases, _ = visible_means(viewer, qrels, [measure])
    sign = sign_of(measure)
    # Runs without a score come last, whatever the direction of the measure.
    keys = np.where(np.isnan(bases[0]), -np.inf, sign * bases[0]) if len(runs) else bases[0]
    ordered = (runs[at] for at in np.argsort(-keys, kind="stable").tolist())
    sees_all = sees_topic_means(viewer)
    return tuple(run for run in ordered if sees_all or run.is_own)


def chosen_runs(runs: tuple[BoardRun, ...], params: QueryDict) -> tuple[BoardRun, BoardRun] | None:
    """The runs `a` and `b` of the parameters, or the first two of `run`; by default the best runs.
    None if there are fewer than two runs. Raises UnknownChoice for a run that is not on the
    board."""
    if len(runs) < 2:
        return None
    by_id = {run.run_id: run for run in runs}
    names = {run.run_id: run.name for run in runs}
    # A selection in the table of the board can have more than two runs.
    selected = [choice_or_404("run", name, names) for name in selected_runs(params)][:2]
    first, second = [*selected, "", ""][:2]
    first = choice_or_404("a", params.get("a"), names, called="run") or first or runs[0].run_id
    second = choice_or_404("b", params.get("b"), names, called="run") or second
    # By default the best run that is not the first of the two.
    return by_id[first], by_id[second or next(name for name in by_id if name != first)]


def selected_runs(params: QueryDict) -> list[str]:
    """The runs that are selected in the table of the board, each once."""
    return list(dict.fromkeys(name for name in params.getlist("run") if name))


def compared(
    viewer: Viewer, qrels: Qrels, measure: Measure, first: BoardRun, second: BoardRun
) -> Comparison:
    """Without the interval. The viewer must be one who may see scores by topic. Three queries."""
    run_ids = (first.run_id, second.run_id)
    (vectors,) = vectors_of(viewer.campaign, qrels, [measure], run_ids=run_ids)
    differences = differences_of(vectors, *run_ids)
    t, ranks = paired_t(differences), wilcoxon(differences)
    sizes = effect_sizes(differences)
    return Comparison(
        measure=measure,
        qrels=qrels,
        first=first,
        second=second,
        topics=_by_topic(viewer, vectors, *map(vectors.run_ids.index, run_ids)),
        differences=differences,
        is_lower_better=is_lower_better(measure),
        difference=float(sizes.mean_differences[0]),
        effect=float(sizes.standardised[0]),
        t_p=float(t.p_values[0]),
        wilcoxon_p=float(ranks.p_values[0]),
        has_spread=int(t.methods[0]) != NO_SPREAD,
        is_exact=int(ranks.methods[0]) == EXACT,
    )


def with_interval(viewer: Viewer, comparison: Comparison) -> Comparison:
    """Adds the bootstrap interval: at once for few topics, else when a worker has computed it.
    Three queries for many topics."""
    if SAMPLES * len(comparison.topics) <= AT_ONCE:
        return replace(comparison, interval=interval_of(comparison.differences))
    first, second = comparison.first.run_id, comparison.second.run_id
    question = TwoRuns(str(comparison.measure), first, second)
    analysis = request_analysis(viewer, comparison.qrels, DIFFERENCE, question)
    if analysis.state != Analysis.State.DONE:
        return replace(comparison, analysis=analysis)
    interval = result_of(DIFFERENCE, analysis)
    return replace(comparison, interval=(interval.low, interval.high))


def _by_topic(viewer: Viewer, vectors: Vectors, a: int, b: int) -> tuple[TopicDifference, ...]:
    """The topics on which both have a score. No Topic objects: thousands of them would take longer
    than all the rest."""
    topics = viewer.campaign.topics.order_by("position")
    title = Coalesce(KT("fields__0__1"), Value(""), output_field=TextField())  # as Topic.title
    rows = list(topics.values_list("position", "code", title))
    positions = [position for position, *_ in rows]
    first, second = (vectors.base[run, positions] for run in (a, b))
    differences = first - second
    bounds: list[list[float | None]] = [[None] * len(rows)] * 2
    if vectors.residual is not None:
        residuals = vectors.residual[[a, b]][:, positions]
        # At least: only the second run gains what its unjudged documents could add. At most: only
        # the first does.
        bounds = [(differences - residuals[1]).tolist(), (differences + residuals[0]).tolist()]
    columns = (first.tolist(), second.tolist(), differences.tolist(), *bounds)
    return tuple(
        TopicDifference(*rows[at][1:], *(column[at] for column in columns))
        # Equal differences stay in the order of the topics.
        for at in np.argsort(-differences, kind="stable").tolist()
        if not np.isnan(differences[at])
    )
