"""What a request asks about significance, and as much of the answer as there is: the same for page,
downloads and API."""

from dataclasses import dataclass, field
from typing import Any

from campaigns import access
from campaigns.models import Qrels
from campaigns.options import one_of
from scoring.analyses.ask import answer_of, ask
from scoring.models import Analysis
from scoring.results.options import chosen_version, versions_offered
from scoring.significance.counts import CountRow, count_rows
from scoring.significance.options import OFFERED, Choices, chosen_test, tested_measures
from scoring.significance.rows import Separation, Standing, separation, standing_of

COUNTS_OFFERED = {
    "correction": {"none": "none", "holm": "Holm", "bh": "Benjamini-Hochberg"},
    "tail": OFFERED["tail"],
}


@dataclass(frozen=True, eq=False)
class SignificanceQuery:
    """What an address asks for, and as much of the answer as there is."""

    choices: Choices
    versions: list[Qrels]
    qrels: Qrels | None
    standing: Standing | None = None
    analysis: Analysis | None = None
    found: Separation | None = None


@dataclass(frozen=True, eq=False)
class CountsQuery:
    correction: str
    tail: str
    versions: list[Qrels]
    qrels: Qrels | None
    analysis: Analysis | None = None
    rows: list[CountRow] = field(default_factory=list)


def separation_asked(viewer: access.Viewer, query: Any) -> SignificanceQuery:
    """For the page, the CSV and scripts. The viewer must be one who may see the board."""
    choices = chosen_test(viewer, query)
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, query.get("qrels"), versions) or viewer.campaign.active_qrels
    if qrels is None:
        return SignificanceQuery(choices, versions, None)
    standing = standing_of(viewer, qrels, choices.measure)
    has_answer = choices.against == "base" or standing.has_residuals
    if len(standing.runs) < 2 or choices.fault or not has_answer:
        return SignificanceQuery(choices, versions, qrels, standing)
    analysis = ask(viewer, qrels, "significance", choices.question)
    is_done = analysis.state == Analysis.State.DONE
    found = separation(choices, standing, answer_of(analysis)) if is_done else None
    return SignificanceQuery(choices, versions, qrels, standing, analysis, found)


def counts_asked(viewer: access.Viewer, query: Any) -> CountsQuery:
    chosen = {
        name: one_of(name, query.get(name), offered, usual=next(iter(offered)))
        for name, offered in COUNTS_OFFERED.items()
    }
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, query.get("qrels"), versions) or viewer.campaign.active_qrels
    measures = tested_measures(viewer)
    if qrels is None or viewer.campaign.runs.ranked().count() < 2:
        return CountsQuery(**chosen, versions=versions, qrels=qrels)
    question = {"measures": [str(measure) for measure in measures], "tail": chosen["tail"]}
    analysis = ask(viewer, qrels, "separated_counts", question)
    is_done = analysis.state == Analysis.State.DONE
    rows = count_rows(measures, answer_of(analysis)) if is_done else []
    return CountsQuery(**chosen, versions=versions, qrels=qrels, analysis=analysis, rows=rows)
