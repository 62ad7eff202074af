"""Checks a run's file: reads it, ranks it, and accepts or refuses the run in one decision."""

from typing import NamedTuple

from django.db import transaction

from campaigns.models import Run
from campaigns.runs import decisions
from campaigns.trec.names import composed
from campaigns.trec.problems import FormatError, Problem
from scoring.core.data.ranking import Ranking
from scoring.evaluation.reading import parsed_run, ranking_of
from scoring.evaluation.requests import request_evaluation
from scoring.evaluation.storage import store_ranking
from scoring.evaluation.validation_report import (
    probing_flags,
    same_rankings,
    validation_report,
)
from scoring.jobs import queue, test_hooks
from scoring.jobs.timing import timed
from scoring.models import StoredRanking


class CheckedFile(NamedTuple):
    """What remains of a file. Its columns are discarded, because they are as large as the file."""

    tag: str
    warnings: tuple[Problem, ...]
    ranking: Ranking
    metadata: str


def check_run(attempt: queue.JobAttempt) -> None:
    """Ends with the run *accepted*, its ranking stored and its scores requested; or *checked*, if
    its team must accept it first; or *refused*, its problems stored and its file deleted."""
    run = Run.objects.select_related("campaign", "team").get(pk=attempt.subject)
    codes = list(run.campaign.topics.order_by("position").values_list("code", flat=True))
    try:
        checked = _checked(run, codes)
    except FormatError as error:
        problems = [p.as_dict() for p in error.problems]
        with transaction.atomic():
            queue.finish(attempt)
            decisions.refuse_run(run, problems=problems, total=error.total)
        return
    _pass(attempt, run, checked, codes)
    test_hooks.point("after-check-commit")


def _checked(run: Run, codes: list[str]) -> CheckedFile:
    with timed("parse"):
        parsed, metadata = parsed_run(run, codes)
    test_hooks.point("after-parse")
    with timed("rank"):
        ranking = ranking_of(parsed)
    return CheckedFile(parsed.tag, parsed.warnings, ranking, metadata)


def _pass(attempt: queue.JobAttempt, run: Run, checked: CheckedFile, codes: list[str]) -> None:
    tag, ranking = checked.tag, checked.ranking
    with timed("store files"):
        stored = store_ranking(ranking)
    warnings = [*checked.warnings, *_same_file_warnings(run)]
    with timed("validation report"):
        report = validation_report(checked.warnings, ranking, codes)
        report["flags"] = probing_flags(run, ranking)
        if checked.metadata:
            report["metadata"] = checked.metadata
    with transaction.atomic():
        # First: it raises LeaseLost if another worker repeats this check, and nothing is stored.
        queue.finish(attempt)
        # It locks the team: of two equal files that are checked at the same time, one has to find
        # the other, and of two equal names one has to get a number.
        run = decisions.lock_run(run)
        twin = decisions.same_file_of(run) if run.withdrawn_at is None else None
        if twin is not None:
            _refuse_same_file(run, twin)
            return
        report["same_as"] = same_rankings(run, stored.digest)
        # Typed names were normalized by the form, but the tag is as it stands in the file.
        name, renamed = given_name(run, run.name or composed(tag))
        warnings += renamed
        StoredRanking.objects.create(
            run=run,
            **stored._asdict(),
            topic_count=len(ranking.topics),
            document_count=len(ranking.doc_ids),
            tied_count=ranking.tied_documents,
            longest=int(ranking.lengths.max(initial=0)),
        )
        decisions.pass_check(
            run,
            tag=tag,
            name=name,
            warnings=[w.as_dict() for w in warnings],
            check_sheet=report,
            # Nobody can accept a run that was imported.
            now_accepted=not run.campaign.asks_acceptance or run.uploaded_by_id is None,
        )
        # Not for a run that was withdrawn during its check: only live runs are scored.
        if run.state == Run.State.ACCEPTED and run.withdrawn_at is None:
            request_evaluation(run, attempt.priority)


def _refuse_same_file(run: Run, twin: Run) -> None:
    problem = Problem(
        code="SAME_FILE",
        line=None,
        message="your team has already submitted this file: withdraw that run first, or replace it",
        value=str(twin),
    )
    decisions.refuse_run(run, problems=[problem.as_dict()], total=1, tag=twin.tag)


def given_name(run: Run, wished: str) -> tuple[str, list[Problem]]:
    """The name that the run gets, with a warning if another run of its team has the wished one."""
    name = decisions.free_name(run, wished)
    if name == wished:
        return name, []
    message = f"your team has another run of this name, so this run is named {name}"
    return name, [Problem(code="RENAMED", line=None, message=message, value=wished)]


def _same_file_warnings(run: Run) -> list[Problem]:
    """A warning if the file equals that of an earlier run, among the team's own runs only."""
    twin = run.team.runs.filter(digest=run.digest).exclude(pk=run.pk).first()
    if twin is None:
        return []
    return [
        Problem(
            code="SAME_FILE",
            line=None,
            message="the same file as an earlier run of your team",
            value=str(twin),
        )
    ]
