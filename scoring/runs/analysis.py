"""Relevant documents that only one run, or only one team, contributed to the pool."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from campaigns.models import Campaign, Qrels
from scoring.core.judging.pooled_judgments import judged_places, sole_owners
from scoring.evaluation.rules import rules_of
from scoring.evaluation.scored_runs import ranked_and_scored
from scoring.evaluation.storage import load_ranking, load_table
from scoring.pools.pool import pool_of


def compute(campaign: Campaign, qrels: Qrels, question: Mapping[str, Any]) -> dict[str, Any]:
    """Counts in the first `depth` ranks ("any": any rank; "pool": the pool's own depth) of the
    ranked runs that contributed to the pool. For each of `run_ids`, int64[runs]: `found` relevant
    documents, `by_run` that no other run has, `by_team` that no run of another team has. A list of
    the latter by run, topic and position: `run`, `row`, `position`, `grade`, `doc_id`,
    `is_by_run`. `relevant` are known in all, `retrieved` by any run.
    """
    rules, table = rules_of(campaign), load_table(qrels, campaign)
    runs = ranked_and_scored(campaign, qrels)
    places = [judged_places(load_ranking(run.ranking), table) for run in runs]
    pool = pool_of(runs, places, table, qrels)
    depth = pool.limit(question["depth"])
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
        sole = sole[np.lexsort((place.positions[sole], place.rows[sole]))]
        judgments = place.judgments[sole]
        found.append(len(here))
        own.append((by_run[judgments] == at).sum())
        listed.append((np.full(len(sole), at), place.rows[sole], place.positions[sole], judgments))
    run, row, position, judgment = (
        np.concatenate(column) if listed else np.empty(0, np.int64)
        for column in (zip(*listed, strict=True) if listed else ((), (), (), ()))
    )
    return {
        **pool.facts(),
        "run_ids": np.array([run.public_id for run in runs], dtype=np.str_),
        "found": np.array(found, np.int64),
        "by_run": np.array(own, np.int64),
        "by_team": np.bincount(run.astype(np.int64), minlength=len(runs)),
        "run": run,
        "row": row,
        "position": position,
        "grade": table.grades[judgment],
        "doc_id": table.doc_ids[judgment],
        "is_by_run": by_run[judgment] == run,
        "relevant": np.array(is_relevant.sum()),
        "retrieved": np.array(is_retrieved.sum()),
    }
