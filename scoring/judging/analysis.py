"""The forecast of a judging plan: the residual of each run, the documents of each topic, and the
overlap with the documents that other methods and other values of p would choose."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import Reads, Study, declare
from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import Candidates, candidates_of, candidates_to_depth
from scoring.core.judging.planned_judging import (
    common_share,
    expected_bounds,
    expected_shares,
    plan_judging,
    residual_curve,
)
from scoring.core.judging.selection import (
    METHODS,
    RunBounds,
    Scope,
    Strategy,
    bounds_of_runs,
)
from scoring.core.measures.arrays import Scores
from scoring.core.statistics.projection import projections
from scoring.judging import samples
from scoring.judging.candidates import (
    candidates_of_campaign,
    contributing_runs,
    depth_of,
    known_outcomes,
)

POINTS: Final = 41  # of the curve, from nothing more to the whole budget


@dataclass(frozen=True, eq=False)
class JudgingState:
    """The candidates of all ranked runs and of the contributing runs, and their known outcomes."""

    run_ids: tuple[str, ...]
    names: tuple[tuple[str, str], ...]  # tag and team of each
    counts: NDArray[np.bool_]  # bool[runs]: it contributes documents
    everything: Candidates
    offered: Candidates  # by the contributing runs
    places: NDArray[np.int64] | None  # int64[offered], its index in everything; None: the same
    outcomes: NDArray[np.int8]  # int8[everything]

    @property
    def known(self) -> NDArray[np.int8]:
        """int8[offered]."""
        return self.of_offered(self.outcomes)

    def of_offered(self, values: NDArray[Any]) -> NDArray[Any]:
        """Of an array with an entry for each of everything, those of the offered."""
        return values if self.places is None else values[self.places]

    def in_everything(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """The indices in everything of some of the offered."""
        return chosen if self.places is None else self.places[chosen]


def judging_state(
    campaign: Campaign, *, p: float, priority: int | None, starts_from: Qrels | None, depth: int
) -> JudgingState | None:
    """Runs up to this judging priority contribute, or all. None if none of them has a candidate."""
    run_candidates = candidates_of_campaign(campaign, persistence=p, depth=depth)
    contributing = {run.public_id for run in contributing_runs(campaign, priority)}
    if run_candidates is None or not contributing:
        return None
    everything = run_candidates.candidates
    counts = np.array([run_id in contributing for run_id in run_candidates.run_ids])
    # If all runs contribute, both are the same arrays, so that none is copied.
    offered, places = (everything, None) if counts.all() else candidates_of(everything, counts)
    outcomes = known_outcomes(campaign, everything, starts_from=starts_from)
    return JudgingState(
        run_candidates.run_ids, run_candidates.names, counts, everything, offered, places, outcomes
    )


@dataclass(frozen=True)
class PlanQuestion:
    """A judging plan. The version of the qrels is the one that it starts from."""

    method: str
    p: float
    scope: Scope
    priority: int | None
    budget: int
    batch: int
    persistences: Sequence[float]
    seed: int = 0  # of a stratified sample


@dataclass(frozen=True, eq=False)
class PlanArrays:
    run_ids: NDArray[np.str_]
    tags: NDArray[np.str_]
    teams: NDArray[np.str_]
    topics: NDArray[np.str_]
    counts: NDArray[np.bool_]  # bool[runs]: it contributes documents
    share: float  # of relevant documents among those judged
    judged: int
    relevant: int
    chosen: int  # documents to judge
    already: int  # further documents of a sample, which are judged
    open: int  # unjudged candidates of the contributing runs
    pool_depth: int
    points: NDArray[np.int64]  # numbers of judged documents
    curve: NDArray[np.float64]  # [points, runs]: mean residuals
    before: NDArray[np.float64]  # [3, runs]: mean base, residual and projection
    after: NDArray[np.float64]
    chosen_by_topic: NDArray[np.int64]
    judged_by_topic: NDArray[np.int64]
    # Documents that two plans have in common, by `methods_compared` and by `persistences`.
    shared_methods: NDArray[np.int64]
    shared_p: NDArray[np.int64]


def compute(campaign: Campaign, qrels: Qrels | None, question: PlanQuestion) -> PlanArrays | None:
    """None if no contributing run has a candidate."""
    p = question.p
    state = judging_state(
        campaign, p=p, priority=question.priority, starts_from=qrels, depth=depth_of(campaign, p)
    )
    if state is None:
        return None
    shares = expected_shares(state.everything, state.outcomes, p)
    methods = methods_compared(question.method)
    plans = {method: _planned(state, question, method, p) for method in methods}
    selected = plans[question.method]
    chosen = selected[state.outcomes[selected] == UNJUDGED]  # of a sample, some may be judged
    # With fewer documents than points, some points coincide.
    points = np.unique(np.linspace(0, len(chosen), POINTS).round().astype(np.int64))
    topics = len(state.everything.topics)
    return PlanArrays(
        run_ids=np.array(state.run_ids, np.str_),
        tags=np.array([tag for tag, _ in state.names], np.str_),
        teams=np.array([team for _, team in state.names], np.str_),
        topics=np.array(state.everything.topics, np.str_),
        counts=state.counts,
        share=common_share(state.outcomes),
        judged=int((state.outcomes != UNJUDGED).sum()),
        relevant=int((state.outcomes == 1).sum()),
        chosen=len(chosen),
        already=len(selected) - len(chosen),
        open=int((state.known == UNJUDGED).sum()),
        pool_depth=_pool_depth(state, chosen),
        points=points,
        curve=residual_curve(
            state.everything, state.outcomes, chosen, points=points, persistence=p
        ),
        before=_means(bounds_of_runs(state.everything, state.outcomes, p)),
        after=_means(
            expected_bounds(state.everything, state.outcomes, chosen, shares=shares, persistence=p)
        ),
        chosen_by_topic=np.bincount(state.everything.topic_rows[chosen], minlength=topics),
        judged_by_topic=np.bincount(
            state.everything.topic_rows[state.outcomes != UNJUDGED], minlength=topics
        ),
        shared_methods=_shared(list(plans.values())),
        shared_p=_shared(
            [_planned(state, question, question.method, p) for p in question.persistences]
        ),
    )


JUDGING_PLAN: Final = declare(
    Study(
        kind="judging_plan",
        title="forecast of a judging plan",
        question=PlanQuestion,
        compute=compute,
        result=PlanArrays,
        reads=Reads.RANKINGS | Reads.JUDGMENTS,
        seconds=lambda size, question: 5e-6 * size.candidates + 1e-3 * question.budget,
        version=2,
    )
)


def methods_compared(method: str) -> tuple[str, ...]:
    """All that follow the runs, and the stratified sample if it is the plan's."""
    return METHODS if method in METHODS else (*METHODS, method)


def _pool_depth(state: JudgingState, chosen: NDArray[np.int64]) -> int:
    """The depth of the deepest pool without unjudged documents once the chosen ones are judged."""
    is_open = state.outcomes == UNJUDGED
    is_open[chosen] = False
    # The first unjudged document that any run has ends the pools that are complete.
    left = state.offered.best_positions[state.of_offered(is_open)]
    return int(left.min()) if len(left) else int(state.offered.best_positions.max(initial=-1)) + 1


def _means(bounds: RunBounds) -> NDArray[np.float64]:
    """float64[3, runs]: base, residual, projection."""
    projected = projections(Scores(bounds.base, bounds.residual))
    if projected is None:
        raise ValueError("bounds have residuals")
    return np.array([each.mean(axis=1) for each in (bounds.base, bounds.residual, projected)])


def _planned(
    state: JudgingState, question: PlanQuestion, method: str, p: float
) -> NDArray[np.int64]:
    """int64[documents]: the candidates that the method would have judged, of everything."""
    if method not in METHODS:
        frame, places = candidates_to_depth(state.offered, samples.depth_sampled(p))
        drawn = samples.draw(frame, method, p, budget=question.budget, seed=question.seed)
        return state.in_everything(places[drawn.documents])
    chosen = plan_judging(
        state.offered,
        Strategy(method, p, question.scope),
        state.known,
        budget=question.budget,
        batch=question.batch,
        shares=expected_shares(state.everything, state.outcomes, p),
    )
    return state.in_everything(chosen)


def _shared(plans: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """int64[plans, plans]: how many documents each two have in common."""
    # No plan has a document twice.
    counts = [[len(np.intersect1d(a, b, assume_unique=True)) for b in plans] for a in plans]
    return np.array(counts, np.int64)
