"""Scores of a team's runs without the judgments of documents that only they contributed."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import Reads, Study, declare
from scoring.core.data.judgments import JudgmentTable
from scoring.core.judging.pooled_judgments import (
    JudgedPlaces,
    Losses,
    counts_under,
    grades_after,
    grades_under,
    judged_places,
    losses_of,
    sole_owners,
)
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.graded import GradedTopics, Scores, evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.ranks import shared_ranks
from scoring.core.statistics.undefined import nan_if_none
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.evaluation.scored_runs import board_mean, ranked_and_scored
from scoring.evaluation.storage import load_ranking, load_table
from scoring.pools.pool import PoolFacts, pool_of

_CELLS = 1 << 22  # ranks graded at a time, so that memory stays bounded


@dataclass(frozen=True)
class LeaveTeamsOut:
    measure: str
    depth: str  # of the pool; "any": any rank; "pool": the pool's own depth


@dataclass(frozen=True, eq=False)
class WithoutOwnDocuments(PoolFacts):
    """Scores of each run without the judgments that only the pooled runs of its team contribute to
    the pool, NaN where not defined, and the numbers of these judgments. The rank is among all runs,
    each scored with the remaining judgments."""

    run_ids: NDArray[np.str_]
    base: NDArray[np.float64]
    residual: NDArray[np.float64]
    rank: NDArray[np.float64]
    lost: NDArray[np.int64]
    lost_relevant: NDArray[np.int64]


def compute(campaign: Campaign, qrels: Qrels, question: LeaveTeamsOut) -> WithoutOwnDocuments:
    rules, table = rules_of(campaign), load_table(qrels, campaign)
    measure = parse_measure(question.measure)
    runs = ranked_and_scored(campaign, qrels)
    places = [judged_places(load_ranking(run.ranking), table) for run in runs]
    teams, team_of = np.unique([run.team.public_id for run in runs], return_inverse=True)
    pool = pool_of(runs, places, table, qrels)
    owners = sole_owners(
        pool.of_contributors(places),
        pool.of_contributors(team_of.tolist()),
        len(table.grades),
        depth=pool.limit(question.depth),
    )
    losses = losses_of(owners, table)
    means = np.full((2, len(teams), len(runs)), np.nan)
    for at, run in enumerate(places):
        means[:, :, at] = _means_without(run, table, losses, len(teams), measure, rules)
    ranks = [shared_ranks(sign_of(measure) * row) for row in means[0]]
    # Of each run the scores without its own team.
    own = (team_of, np.arange(len(runs)))
    lost = np.array([owners == team for team in range(len(teams))], dtype=bool)
    counts = counts_under(table, lost.reshape(len(teams), len(owners)))
    return WithoutOwnDocuments(
        **pool.facts(),
        run_ids=np.array([run.public_id for run in runs], dtype=np.str_),
        base=means[0][own],
        residual=means[1][own],
        rank=np.array(ranks, dtype=np.float64).reshape(means[0].shape)[own],
        lost=counts.sum(axis=(1, 2))[team_of],
        lost_relevant=counts[:, :, rules.rel :].sum(axis=(1, 2))[team_of],
    )


def _means_without(
    run: JudgedPlaces,
    table: JudgmentTable,
    losses: Losses,
    teams: int,
    measure: Measure,
    rules: ScoringRules,
) -> NDArray[np.float64]:
    """float64[2, teams]: mean base and residual of a run without the judgments of each team."""
    all_judgments = np.ones((1, len(table.grades)), np.bool_)
    complete = _scores(
        grades_under(run, table, all_judgments)[0], table.grade_counts, measure, rules
    )
    # Only the topics on which a team loses judgments: all others keep their scores.
    after = _scores(grades_after(run, table, losses), losses.grade_counts, measure, rules)
    means = np.full((2, teams), np.nan)
    for team in range(teams):
        is_own = losses.owner == team
        rows = losses.row[is_own]
        base, residual = complete.base.copy(), None
        base[rows] = after.base[is_own]
        if complete.residual is not None and after.residual is not None:
            residual = complete.residual.copy()
            residual[rows] = after.residual[is_own]
        mean = board_mean(Scores(base, residual), measure, table, rules)
        means[:, team] = mean.base, nan_if_none(mean.residual)
    return means


def _scores(
    grades: NDArray[np.int8], counts: NDArray[np.int64], measure: Measure, rules: ScoringRules
) -> Scores:
    """The scores of each row, in blocks."""
    step = max(_CELLS // grades.shape[1], 1)
    # One block even without rows, because np.concatenate needs one.
    starts = range(0, max(len(grades), 1), step)
    parts = [
        evaluate(
            [measure],
            GradedTopics(
                grades=grades[start : start + step],
                grade_counts=counts[start : start + step],
                gain_map=rules.gain_map,
            ),
        )[measure]
        for start in starts
    ]
    residuals = [part.residual for part in parts if part.residual is not None]
    return Scores(
        np.concatenate([part.base for part in parts]),
        np.concatenate(residuals) if residuals else None,
    )


LEFT_OUT: Final = declare(
    Study(
        kind="left_out",
        title="scores without each team",
        question=LeaveTeamsOut,
        compute=compute,
        result=WithoutOwnDocuments,
        reads=Reads.SCORES | Reads.POOL_DEPTH,
        seconds=lambda size, _: size.reading + 2e-6 * size.runs * size.teams * size.topics,
    )
)
