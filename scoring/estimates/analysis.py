"""Scores estimated from a plan's stratified sample: what a program judges, corrected by people."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.judging.program_judgments import grades_of
from campaigns.models import Campaign, Qrels
from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import Candidates, find_grades
from scoring.core.measures.names import parse_measure
from scoring.core.sampling.difference import Estimates, ProgramScores, estimate_scores
from scoring.core.sampling.intervals import mean_estimates
from scoring.core.sampling.sizes import weighted_counts
from scoring.core.sampling.worth import Worth, worth_of
from scoring.evaluation.rules import rules_of
from scoring.evaluation.storage import load_people_table, load_table
from scoring.judging.candidates import table_of_grades
from scoring.judging.samples import PlanSample, load_sample

LEVEL = 0.95


def compute(campaign: Campaign, qrels: Qrels, question: Mapping[str, Any]) -> dict[str, Any]:
    """`question` holds `plan`, `measure`, `program` (an id, or None: nobody corrects 0), `until`,
    the time up to which judgments of the program count, or None, and `to`, the public id of the run
    from which differences are taken, or None.

    For each run from which the sample was drawn, in the order of `run_ids`: `base` and `residual`
    by people's judgments alone, NaN for differences, and `program`, `estimates`, `errors`,
    `degrees`, `low`, `high` as in `MeanEstimates`. `people_errors` are the standard errors without
    a program. Means are over all topics that are not held out. No run if the rankings are
    others than those of the sample (`is_changed`), or if people have not `judged` all `sampled`
    documents.
    """
    plan = campaign.plans.get(pk=question["plan"])
    plan.campaign = campaign
    drawn = load_sample(plan)
    counts = {"sampled": plan.tasks.count(), "judged": 0, "is_changed": drawn is None}
    if drawn is None:
        return counts | {"run_ids": np.empty(0, np.str_)}
    people = find_grades(
        drawn.candidates, load_people_table(qrels, campaign) or load_table(qrels, campaign)
    )
    by_people = people[drawn.sample.documents]
    counts["judged"] = int((by_people != UNJUDGED).sum())
    if counts["judged"] < counts["sampled"]:
        return counts | {"run_ids": np.empty(0, np.str_)}
    program = _grades_of_program(campaign, question, drawn.candidates)
    return counts | _estimated(campaign, drawn, people, program, question)


def _estimated(
    campaign: Campaign,
    drawn: PlanSample,
    people: NDArray[np.int8],
    program: NDArray[np.int8],
    question: Mapping[str, Any],
) -> dict[str, Any]:
    rules, candidates = rules_of(campaign), drawn.candidates
    worth = worth_of(parse_measure(question["measure"]), rules.gain_map, drawn.depth)
    topics = ~rules.is_held_out(candidates.topics)
    by_people = people[drawn.sample.documents]

    def estimated(grades: NDArray[np.int8]) -> Estimates:
        scored = ProgramScores(candidates, worth, grades)
        found = estimate_scores(scored, drawn.sample, by_people)
        return _differences(found, drawn.run_ids, question["to"]) if question["to"] else found

    known = np.where(program == UNJUDGED, 0, program).astype(np.int8)
    means = mean_estimates(estimated(known), level=LEVEL, topics=topics)
    nobody = np.zeros_like(known)
    base, residual = _bounds(candidates, worth, people, topics)
    unknown = np.full(len(base), np.nan)
    return {
        "run_ids": np.array(drawn.run_ids, np.str_),
        "base": unknown if question["to"] else base,
        "residual": unknown if question["to"] else residual,
        "program": means.program,
        "estimates": means.means,
        "errors": means.errors,
        "degrees": means.degrees,
        "low": means.low,
        "high": means.high,
        "people_errors": mean_estimates(estimated(nobody), level=LEVEL, topics=topics).errors,
        "topics": int(topics.sum()),
        "documents": len(candidates),
        "by_program": int((program != UNJUDGED).sum()),
        "certain": len(drawn.sample.certain),
    }


def _differences(found: Estimates, run_ids: tuple[str, ...], other: str) -> Estimates:
    """Each run less the other one, which is one of them."""
    rows = np.arange(len(run_ids))
    return found.differences(rows, np.full(len(rows), run_ids.index(other)))


def _grades_of_program(
    campaign: Campaign, question: Mapping[str, Any], candidates: Candidates
) -> NDArray[np.int8]:
    """int8[candidates], UNJUDGED where the program has not judged."""
    if question["program"] is None:
        return np.full(len(candidates), UNJUDGED, np.int8)
    until = datetime.fromisoformat(question["until"]) if question["until"] else None
    grades = grades_of(campaign.programs.get(pk=question["program"]), until=until)
    table = table_of_grades(candidates.topics, grades, campaign.highest_grade)
    return find_grades(candidates, table)


def _bounds(
    candidates: Candidates,
    worth: Worth,
    people: NDArray[np.int8],
    topics: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean base and residual of each run: what judged documents bring, and what the others could
    bring more."""
    grades = np.repeat(people, np.diff(candidates.starts))
    brought = worth.table[np.maximum(grades, 0), candidates.positions]
    most = worth.table.max(axis=0)[candidates.positions]
    parts = (np.where(grades != UNJUDGED, brought, 0.0), np.where(grades == UNJUDGED, most, 0.0))
    shape = candidates.runs, len(candidates.topics)
    base, residual = (
        weighted_counts(candidates.cells, part, shape[0] * shape[1]).reshape(shape)[:, topics]
        for part in parts
    )
    return base.mean(axis=1), residual.mean(axis=1)
