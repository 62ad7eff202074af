"""Scores estimated from a plan's stratified sample: what a program judges, corrected by people."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from campaigns.judging.program_judgments import grades_of
from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import Study, declare
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


@dataclass(frozen=True)
class OfSample:
    plan: int  # id
    measure: str
    program: int | None  # id; None: nobody corrects 0
    until: str | None  # the time up to which judgments of the program count
    to: str | None  # the run from which differences are taken


def no_run() -> NDArray[Any]:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class SampleEstimates:
    """Of each run from which the sample was drawn. No run if the rankings are others than those of
    the sample, or if people have not judged all sampled documents. Means are over all topics that
    are not held out.

    `base` and `residual` are by people's judgments alone, NaN for differences; `program` to `high`
    as in `MeanEstimates`; `people_errors` are the standard errors without a program.
    """

    is_changed: bool  # the rankings
    sampled: int  # documents
    judged: int  # of these, by people
    run_ids: NDArray[np.str_] = field(default_factory=no_run)
    base: NDArray[np.float64] = field(default_factory=no_run)
    residual: NDArray[np.float64] = field(default_factory=no_run)
    program: NDArray[np.float64] = field(default_factory=no_run)
    estimates: NDArray[np.float64] = field(default_factory=no_run)
    errors: NDArray[np.float64] = field(default_factory=no_run)
    degrees: NDArray[np.float64] = field(default_factory=no_run)
    low: NDArray[np.float64] = field(default_factory=no_run)
    high: NDArray[np.float64] = field(default_factory=no_run)
    people_errors: NDArray[np.float64] = field(default_factory=no_run)
    topics: int = 0
    documents: int = 0  # from which the sample was drawn
    by_program: int = 0  # of these, that the program has judged
    certain: int = 0  # that are in every sample


def compute(campaign: Campaign, qrels: Qrels, question: OfSample) -> SampleEstimates:
    plan = campaign.plans.get(pk=question.plan)
    plan.campaign = campaign
    drawn = load_sample(plan)
    sampled = plan.tasks.count()
    if drawn is None:
        return SampleEstimates(is_changed=True, sampled=sampled, judged=0)
    people = find_grades(
        drawn.candidates, load_people_table(qrels, campaign) or load_table(qrels, campaign)
    )
    by_people = people[drawn.sample.documents]
    judged = int((by_people != UNJUDGED).sum())
    if judged < sampled:
        return SampleEstimates(is_changed=False, sampled=sampled, judged=judged)
    program = np.full(len(drawn.candidates), UNJUDGED, np.int8)
    if question.program is not None:
        until = datetime.fromisoformat(question.until) if question.until else None
        grades = grades_of(campaign.programs.get(pk=question.program), until=until)
        table = table_of_grades(drawn.candidates.topics, grades, campaign.highest_grade)
        program = find_grades(drawn.candidates, table)
    return SampleEstimates(
        is_changed=False,
        sampled=sampled,
        judged=judged,
        **_estimated(campaign, drawn, people, program, question),
    )


def _estimated(
    campaign: Campaign,
    drawn: PlanSample,
    people: NDArray[np.int8],
    program: NDArray[np.int8],
    question: OfSample,
) -> dict[str, Any]:
    rules, candidates = rules_of(campaign), drawn.candidates
    worth = worth_of(parse_measure(question.measure), rules.gain_map, drawn.depth)
    topics = ~rules.is_held_out(candidates.topics)
    by_people = people[drawn.sample.documents]

    def estimated(grades: NDArray[np.int8]) -> Estimates:
        scored = ProgramScores(candidates, worth, grades)
        found = estimate_scores(scored, drawn.sample, by_people)
        if not question.to:
            return found
        # Each run less the other one, which is one of them.
        rows = np.arange(len(drawn.run_ids))
        others = np.full(len(rows), drawn.run_ids.index(question.to))
        return found.differences(rows, others)

    # What the program has not judged counts as grade 0; the judgments of people correct this, too.
    known = np.where(program == UNJUDGED, 0, program).astype(np.int8)
    means = mean_estimates(estimated(known), level=LEVEL, topics=topics)
    # A program that finds nothing relevant leaves the estimate to the judgments of people.
    nobody = np.zeros_like(known)
    base, residual = _bounds(candidates, worth, people, topics)
    unknown = np.full(len(base), np.nan)
    return {
        "run_ids": np.array(drawn.run_ids, np.str_),
        "base": unknown if question.to else base,
        "residual": unknown if question.to else residual,
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


def _bounds(
    candidates: Candidates,
    worth: Worth,
    people: NDArray[np.int8],
    topics: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean base and residual of each run: what judged documents bring, and what the others could
    bring more."""
    # From one entry for each candidate to one for each place that it has in a run.
    grades = np.repeat(people, np.diff(candidates.starts))
    # UNJUDGED is negative, and a negative index would count from the end of the table.
    brought = worth.table[np.maximum(grades, 0), candidates.positions]
    most = worth.table.max(axis=0)[candidates.positions]
    parts = (np.where(grades != UNJUDGED, brought, 0.0), np.where(grades == UNJUDGED, most, 0.0))
    shape = candidates.runs, len(candidates.topics)
    base, residual = (
        weighted_counts(candidates.cells, part, shape[0] * shape[1]).reshape(shape)[:, topics]
        for part in parts
    )
    return base.mean(axis=1), residual.mean(axis=1)


SAMPLE_ESTIMATES: Final = declare(
    Study(
        kind="sample_estimates",
        title="scores estimated from a sample",
        question=OfSample,
        compute=compute,
        result=SampleEstimates,
        seconds=lambda size, _: 1e-6 * size.documents,
    )
)
