"""Relevant documents that only one run, or only one team, contributed to the pool."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import Reads, Study, declare
from scoring.core.judging.pooled_judgments import judged_places, sole_owners
from scoring.evaluation.rules import rules_of
from scoring.evaluation.scored_runs import ranked_and_scored
from scoring.evaluation.storage import load_ranking, load_table
from scoring.pools.pool import PoolFacts, pool_of


@dataclass(frozen=True)
class ToDepth:
    depth: str  # of the ranks that count; "any": any rank; "pool": the pool's own depth


@dataclass(frozen=True, eq=False)
class SoleFinds(PoolFacts):
    """Counts of relevant documents in the ranked runs that contributed to the pool."""

    run_ids: NDArray[np.str_]
    found: NDArray[np.int64]  # int64[runs]
    by_run: NDArray[np.int64]  # that no other run has
    by_team: NDArray[np.int64]  # that no run of another team has
    # The documents of `by_team`, by run, topic and position.
    run: NDArray[np.int64]
    row: NDArray[np.int64]  # of the topic
    position: NDArray[np.int64]
    grade: NDArray[np.int8]
    doc_id: NDArray[np.bytes_]
    is_by_run: NDArray[np.bool_]
    relevant: int  # that are known
    retrieved: int  # by any run


def compute(campaign: Campaign, qrels: Qrels, question: ToDepth) -> SoleFinds:
    rules, table = rules_of(campaign), load_table(qrels, campaign)
    runs = ranked_and_scored(campaign, qrels)
    places = [judged_places(load_ranking(run.ranking), table) for run in runs]
    pool = pool_of(runs, places, table, qrels)
    depth = pool.limit(question.depth)
    runs, places = pool.of_contributors(runs), pool.of_contributors(places)
    _, team_of = np.unique([run.team.public_id for run in runs], return_inverse=True)
    by_run = sole_owners(places, range(len(runs)), len(table.grades), depth=depth)
    by_team = sole_owners(places, team_of.tolist(), len(table.grades), depth=depth)
    is_relevant = table.grades >= rules.rel
    is_retrieved = np.zeros(len(table.grades), np.bool_)
    found, own, listed = [], [], []
    for at, place in enumerate(places):
        here = np.flatnonzero((place.positions < depth) & is_relevant[place.judgments])
        is_retrieved[place.judgments[here]] = True
        sole = here[by_team[place.judgments[here]] == team_of[at]]
        # By topic, then by rank: the last key of `lexsort` is the first in order.
        sole = sole[np.lexsort((place.positions[sole], place.rows[sole]))]
        judgments = place.judgments[sole]
        found.append(len(here))
        own.append((by_run[judgments] == at).sum())
        listed.append((np.full(len(sole), at), place.rows[sole], place.positions[sole], judgments))
    # Without contributing runs there are no columns to concatenate.
    run, row, position, judgment = (
        np.concatenate(column) if listed else np.empty(0, np.int64)
        for column in (zip(*listed, strict=True) if listed else ((), (), (), ()))
    )
    return SoleFinds(
        **pool.facts(),
        run_ids=np.array([run.public_id for run in runs], dtype=np.str_),
        found=np.array(found, np.int64),
        by_run=np.array(own, np.int64),
        by_team=np.bincount(run.astype(np.int64), minlength=len(runs)),
        run=run,
        row=row,
        position=position,
        grade=table.grades[judgment],
        doc_id=table.doc_ids[judgment],
        is_by_run=by_run[judgment] == run,
        relevant=int(is_relevant.sum()),
        retrieved=int(is_retrieved.sum()),
    )


UNIQUE_FINDS: Final = declare(
    Study(
        kind="unique_finds",
        title="unique relevant documents of each run",
        question=ToDepth,
        compute=compute,
        result=SoleFinds,
        reads=Reads.SCORES | Reads.POOL_DEPTH,
        seconds=lambda size, _: size.reading,
    )
)
