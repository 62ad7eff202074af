"""The parameters of a request about estimated scores, with the result if it is computed: the same
for page, downloads and API."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import numpy as np
from django.db.models import Count, Exists, Max, OuterRef
from django.http import QueryDict

from campaigns.access import Viewer
from campaigns.judging.program_judgments import judgments_until
from campaigns.models import Plan, Program, ProgramJudgment, Qrels
from campaigns.options import choice_or_404
from scoring.analyses.requests import request_analysis, result_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import make_measure, parse_measure, with_default_rel
from scoring.core.sampling.worth import can_be_estimated, suits, worth_of
from scoring.estimates.analysis import SAMPLE_ESTIMATES, OfSample
from scoring.estimates.rows import EstimatedRun, EstimatedScores, estimated_scores
from scoring.evaluation.rules import rules_of
from scoring.judging.samples import rank_weights
from scoring.models import Analysis
from scoring.results.options import chosen_version, versions_offered
from scoring.results.runs import BoardRun
from scoring.results.vectors import visible_means

PEOPLE: Final = "none"  # in place of a program


@dataclass(frozen=True, eq=False)
class EstimatesQuery:
    """The parameters, and the estimates if they are computed."""

    versions: list[Qrels]
    qrels: Qrels | None
    plan: Plan | None = None  # whose documents are the sample; None: there is none
    measures: tuple[Measure, ...] = ()
    measure: Measure | None = None
    programs: dict[str, str] = field(default_factory=dict)  # id: name
    program: str = PEOPLE
    until: datetime | None = None  # judgments of the program count; None: all
    runs: tuple[BoardRun, ...] = ()
    to: str = ""  # run id
    analysis: Analysis | None = None
    found: EstimatedScores | None = None

    @property
    def rows(self) -> tuple[EstimatedRun, ...]:
        return self.found.rows if self.found else ()

    @property
    def other(self) -> str:
        """The name of the run from which differences are taken."""
        return next((run.name for run in self.runs if run.run_id == self.to), "")


def estimates_query(viewer: Viewer, params: QueryDict) -> EstimatesQuery:
    """The viewer must be one who may see the board."""
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, params.get("qrels"), versions) or viewer.campaign.active_qrels
    plan = viewer.campaign.plans.filter(sample__isnull=False).order_by("-pk").first()
    if qrels is None or plan is None:
        return EstimatesQuery(versions, qrels, plan)
    measures = measures_offered(viewer, plan)
    names = [str(measure) for measure in measures]
    name = choice_or_404("measure", params.get("measure"), names, usual=names[0])
    programs = programs_offered(viewer, versions)
    # By default the first program, or nobody if no program has judged.
    program = choice_or_404(
        "program", params.get("program"), programs, usual=next(iter(programs)), called="program"
    )
    ranked, _, _ = visible_means(viewer, qrels, rules_of(viewer.campaign).measures[:1])
    runs = tuple(sorted(ranked, key=lambda run: run.name.lower()))
    labels = {run.run_id: run.name for run in runs}
    to = choice_or_404("to", params.get("to"), labels, called="run")
    until = None if program == PEOPLE else frozen_at(qrels, programs[program])
    question = OfSample(
        plan=plan.pk,
        measure=name,
        program=None if program == PEOPLE else int(program),
        until=until.isoformat() if until else None,
        to=to or None,
    )
    stamp = _stamp(program, until)
    analysis = request_analysis(viewer, qrels, SAMPLE_ESTIMATES, question, stamp=stamp)
    found = None
    if analysis.state == Analysis.State.DONE:
        found = estimated_scores(runs, result_of(SAMPLE_ESTIMATES, analysis), to)
    return EstimatesQuery(
        versions=versions,
        qrels=qrels,
        plan=plan,
        measures=measures,
        measure=parse_measure(name),
        programs=programs,
        program=program,
        until=until,
        runs=runs,
        to=to,
        analysis=analysis,
        found=found,
    )


def measures_offered(viewer: Viewer, plan: Plan) -> tuple[Measure, ...]:
    """RBP with the sample's own p, and the measures of the campaign for which the sample suits."""
    rules = rules_of(viewer.campaign)
    own = with_default_rel(make_measure("RBP", p=plan.persistence), viewer.campaign.rel)
    gains = tuple(rules.gain_map.tolist())
    suited = _suited(rules.measures, gains, plan.method, plan.persistence)
    # The campaign may score by the same RBP.
    return tuple(dict.fromkeys((own, *suited)))


@lru_cache(maxsize=64)
def _suited(
    measures: tuple[Measure, ...], gains: tuple[float, ...], method: str, persistence: float
) -> tuple[Measure, ...]:
    """Cached, because at a p of .99 it takes some seconds for a hundred measures."""
    weights = rank_weights(method, persistence)
    depth = len(weights)
    return tuple(
        measure
        for measure in measures
        if can_be_estimated(measure, depth)
        and suits(worth_of(measure, np.array(gains), depth), weights)
    )


def programs_offered(viewer: Viewer, versions: list[Qrels]) -> dict[str, str]:
    """By id, and nobody at last. Organisers see all programs that have judged; others those whose
    judgments are in a version that they may see, because it states them."""
    has_judged = Exists(ProgramJudgment.objects.filter(program=OuterRef("pk")))
    programs = viewer.campaign.programs.filter(has_judged).order_by("name")
    if not viewer.is_organiser:
        stated = {name for qrels in versions for name in _programs_in(qrels)}
        programs = programs.filter(name__in=stated)
    return {str(each.pk): each.name for each in programs} | {PEOPLE: "none: people alone"}


def frozen_at(qrels: Qrels, program: str) -> datetime | None:
    """When the judgments of the program were frozen, so that they change no figures of a published
    version afterwards: with the version, or with the first one that states the program, if that is
    later. None if none does, so that only organisers see the program. One query."""
    versions = qrels.campaign.qrels.order_by("version")
    times = (each.created_at for each in versions if program in _programs_in(each))
    first = next(times, None)
    return None if first is None else max(first, qrels.created_at)


def _programs_in(qrels: Qrels) -> list[str]:
    """The names of the programs whose judgments the version states."""
    return [each["name"] for each in qrels.provenance.get("programs", ())]


def _stamp(program: str, until: datetime | None) -> list[Any]:
    """Another one after each judgment of the program that counts. Two queries."""
    # People's judgments are in the qrels, on which the analysis depends anyway.
    if program == PEOPLE:
        return []
    judgments = judgments_until(Program.objects.get(pk=program), until)
    totals = judgments.aggregate(count=Count("pk"), last=Max("pk"))
    return [totals["count"], totals["last"]]
