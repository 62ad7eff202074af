"""The parameters of a request about significance, with the result if it is computed: the same for
page, downloads and API."""

from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from campaigns import access
from campaigns.models import Qrels
from campaigns.options import choice_or_404
from scoring.analyses.requests import request_analysis, result_of
from scoring.models import Analysis
from scoring.results.options import chosen_version, versions_offered
from scoring.significance.analysis import SIGNIFICANCE
from scoring.significance.counts import CountRow, count_rows
from scoring.significance.counts_analysis import SEPARATED_COUNTS, CountsOfMeasures
from scoring.significance.options import OFFERED, TestChoices, chosen_test, tested_measures
from scoring.significance.rows import RankedRuns, Significance, ranked_runs, significance

COUNTS_OFFERED = {
    "correction": {"none": "none", "holm": "Holm", "bh": "Benjamini-Hochberg"},
    "tail": OFFERED["tail"],
}


@dataclass(frozen=True, eq=False)
class SignificanceQuery:
    """The parameters, and the result if it is computed."""

    choices: TestChoices
    versions: list[Qrels]
    qrels: Qrels | None
    ranked: RankedRuns | None = None
    analysis: Analysis | None = None
    result: Significance | None = None


@dataclass(frozen=True, eq=False)
class CountsQuery:
    correction: str
    tail: str
    versions: list[Qrels]
    qrels: Qrels | None
    analysis: Analysis | None = None
    rows: list[CountRow] = field(default_factory=list)


def significance_query(viewer: access.Viewer, params: QueryDict) -> SignificanceQuery:
    """For page, CSV and API. The viewer must be one who may see the board."""
    choices = chosen_test(viewer, params)
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, params.get("qrels"), versions) or viewer.campaign.active_qrels
    if qrels is None:
        return SignificanceQuery(choices, versions, None)
    ranked = ranked_runs(viewer, qrels, choices.measure)
    has_answer = choices.against == "base" or ranked.has_residuals
    if len(ranked.runs) < 2 or choices.fault or not has_answer:
        return SignificanceQuery(choices, versions, qrels, ranked)
    analysis = request_analysis(viewer, qrels, SIGNIFICANCE, choices.question)
    is_done = analysis.state == Analysis.State.DONE
    result = significance(choices, ranked, result_of(SIGNIFICANCE, analysis)) if is_done else None
    return SignificanceQuery(choices, versions, qrels, ranked, analysis, result)


def counts_query(viewer: access.Viewer, params: QueryDict) -> CountsQuery:
    chosen: dict[str, Any] = {
        name: choice_or_404(name, params.get(name), offered, usual=next(iter(offered)))
        for name, offered in COUNTS_OFFERED.items()
    }
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, params.get("qrels"), versions) or viewer.campaign.active_qrels
    measures = tested_measures(viewer)
    if qrels is None or viewer.campaign.runs.ranked().count() < 2:
        return CountsQuery(**chosen, versions=versions, qrels=qrels)
    question = CountsOfMeasures([str(each) for each in measures], chosen["tail"])
    analysis = request_analysis(viewer, qrels, SEPARATED_COUNTS, question)
    is_done = analysis.state == Analysis.State.DONE
    rows = count_rows(measures, result_of(SEPARATED_COUNTS, analysis)) if is_done else []
    return CountsQuery(**chosen, versions=versions, qrels=qrels, analysis=analysis, rows=rows)
