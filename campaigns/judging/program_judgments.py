"""The judgments of programs: documents to judge, grades, and files of grades.

A program judges all documents that the active plan has selected, whether people judge them or not.
If these are a sample, it judges all documents from which the sample was drawn, because scores are
estimated from both. It claims no task. Nothing here reads or writes judgments of people.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from campaigns import scoring_hooks
from campaigns.errors import CannotJudge
from campaigns.judging.final_grades import Key
from campaigns.judging.judgment_files import read_judgment_file, refuse_outdated
from campaigns.judging.plans import latest_plan
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import (
    Campaign,
    Document,
    Plan,
    Program,
    ProgramJudgment,
    Task,
    Topic,
    User,
)
from campaigns.trec.problems import FormatError, Problem, ProblemList
from campaigns.trec.qrels import ParsedQrels

ROWS_AT_ONCE: Final = 500  # databases limit the parameters of a query


class GivenGrade(NamedTuple):
    topic: str
    doc_id: str
    grade: int


class DocumentToJudge(NamedTuple):
    topic: Topic
    doc_id: str
    document: Document | None  # its text, if the campaign has it


class RecordedGrades(NamedTuple):
    """The number of documents by what became of their grades."""

    added: int
    changed: int  # the new grade replaces an earlier one
    unchanged: int  # the program had given the same grade

    @property
    def in_words(self) -> str:
        return f"{self.added:,} added, {self.changed:,} changed, {self.unchanged:,} already known."


@dataclass(frozen=True)
class ProgramProgress:
    """Counts of documents. `left` is what the program may still judge now."""

    selected: int  # by the active plan, or from which its sample was drawn
    judged: int  # all that the program has ever judged
    left: int
    quota_left: int | None  # None without a quota


def documents_to_judge(program: Program, *, limit: int, topic: str = "") -> list[DocumentToJudge]:
    """The next documents of the plan that the program has not judged. The same documents until they
    are judged. Raises `CannotJudge`."""
    refuse_archived(program.campaign)
    plan = _plan(program)
    if plan.state == Plan.State.PAUSED:
        raise CannotJudge("Judging is paused, so no further documents are given out.")
    tasks = _unjudged(program, plan).order_by("turn", "pk")
    if topic:
        tasks = tasks.filter(topic__code=topic)
    room = _quota_left(program)
    limit = limit if room is None else min(limit, room)
    keys = list(tasks.values_list("topic__code", "doc_id")[:limit])
    if len(keys) < limit and plan.is_sample:
        left = (key for key in _unjudged_of_sample(program, plan) if topic in ("", key[0]))
        # Each once, because the documents of the plan are among those from which it was drawn.
        keys = list(islice(dict.fromkeys(chain(keys, left)), limit))
    topics = {each.code: each for each in program.campaign.topics.all()}
    ids = [doc_id for _, doc_id in keys]
    texts = {each.doc_id: each for each in program.campaign.documents.filter(doc_id__in=ids)}
    return [DocumentToJudge(topics[code], doc_id, texts.get(doc_id)) for code, doc_id in keys]


def progress_of(program: Program) -> ProgramProgress:
    """At most five queries. Without an active plan nothing is left to judge."""
    plan = latest_plan(program.campaign)
    is_active = plan is not None and plan.state != Plan.State.ENDED
    room = _quota_left(program)
    if plan is None or not is_active:
        return ProgramProgress(0, _judged_count(program), 0, room)
    unjudged, selected = _unjudged(program, plan).count(), plan.tasks.count()
    if plan.is_sample and (drawn_from := scoring_hooks.documents_of_sample(plan)):
        unjudged, selected = len(_unjudged_of_sample(program, plan)), len(drawn_from)
    return ProgramProgress(
        selected=selected,
        judged=_judged_count(program),
        left=unjudged if room is None else min(unjudged, room),
        quota_left=room,
    )


@transaction.atomic
def record_grades(*, program: Program, given: Sequence[GivenGrade]) -> RecordedGrades:
    """Stores all grades or none. The same grade sent again adds nothing. Raises `CannotJudge`, and
    `ValidationError` with an error for each invalid entry."""
    program = _lock(program)
    plan = _plan(program)
    topics = program.campaign.topics.filter(code__in={each.topic for each in given})
    by_code = {topic.code: topic for topic in topics}
    _refuse_faults(given, program.campaign, by_code, _selected(plan, given))
    grades = {(by_code[each.topic].position, each.topic, each.doc_id): each.grade for each in given}
    return _store(program, by_code, grades, is_imported=False)


def import_grades(*, program: Program, data: bytes, actor: User | None) -> RecordedGrades:
    """Stores the grades of a file: those below 0 are skipped. Also possible without an active plan.
    Raises `FormatError` with line numbers, and `CannotJudge`."""
    refuse_archived(program.campaign)
    parsed, read = read_judgment_file(program.campaign, data)
    grades = {key: grade for key, grade in read.items() if grade >= 0}
    _refuse_unknown_documents(program.campaign, parsed, grades)
    with transaction.atomic():
        program = _lock(program)
        campaign = program.campaign
        refuse_outdated(campaign, grades)
        by_code = {topic.code: topic for topic in campaign.topics.all()}
        recorded = _store(program, by_code, grades, is_imported=True)
        record(
            campaign,
            actor,
            "imported judgments of program",
            program.name,
            count=recorded.added + recorded.changed,
            sha256=hashlib.sha256(data).hexdigest(),
        )
    return recorded


def judgments_until(program: Program, until: datetime | None) -> QuerySet[ProgramJudgment]:
    """Those that the program had made at this time; None: all."""
    return program.judgments.filter(at__lte=until) if until else program.judgments.all()


def grades_of(program: Program, *, until: datetime | None = None) -> dict[Key, int]:
    """The latest grade of each document, now or at a time, by topic and document. One query."""
    grades = _latest(judgments_until(program, until))
    return {key: grades[key] for key in sorted(grades)}


# --- the state that allows judging ----------------------------------------------------------------


def _lock(program: Program) -> Program:
    """Two requests of one program come one after the other, and never wait for people."""
    locked = (
        Program.objects.select_for_update(of=("self",), no_key=True)
        .select_related("campaign")
        .get(pk=program.pk)
    )
    refuse_archived(locked.campaign)
    if locked.retired_at is not None:
        raise CannotJudge(f"{locked.name} is retired, so it judges no more.")
    return locked


def _plan(program: Program) -> Plan:
    """The active plan. Raises `CannotJudge`."""
    plan = latest_plan(program.campaign)
    if plan is None:
        raise CannotJudge("There is no judging plan yet, so there are no documents to judge.")
    if plan.state == Plan.State.ENDED:
        raise CannotJudge("The judging plan has ended, so no further judgments are accepted.")
    return plan


def _quota_left(program: Program) -> int | None:
    return None if program.quota is None else max(program.quota - _judged_count(program), 0)


def _judged_count(program: Program) -> int:
    return program.judgments.values("topic", "doc_id").distinct().count()


def _unjudged(program: Program, plan: Plan) -> QuerySet[Task]:
    judged = program.judgments.filter(topic=OuterRef("topic"), doc_id=OuterRef("doc_id"))
    return plan.tasks.exclude(Exists(judged))


def _unjudged_of_sample(program: Program, plan: Plan) -> list[tuple[str, str]]:
    """What the program has not judged of all from which the sample was drawn. One query."""
    judged = set(program.judgments.values_list("topic__code", "doc_id"))
    return [key for key in scoring_hooks.documents_of_sample(plan) if key not in judged]


def _selected(plan: Plan, given: Iterable[GivenGrade]) -> set[tuple[str, str]]:
    """Which of these documents the program may judge now, by topic code."""
    if plan.is_sample and (drawn_from := scoring_hooks.documents_of_sample(plan)):
        return drawn_from.keys() & {(each.topic, each.doc_id) for each in given}
    ids = sorted({each.doc_id for each in given})
    found: set[tuple[str, str]] = set()
    for start in range(0, len(ids), ROWS_AT_ONCE):
        tasks = plan.tasks.filter(doc_id__in=ids[start : start + ROWS_AT_ONCE])
        found.update(tasks.values_list("topic__code", "doc_id"))
    return found


# --- faults ---------------------------------------------------------------------------------------


def _refuse_faults(
    given: Sequence[GivenGrade],
    campaign: Campaign,
    topics: Collection[str],
    selected: Collection[tuple[str, str]],
) -> None:
    """Raises `ValidationError` with the faults by field, such as judgments.3.grade."""
    faults: dict[str, Any] = {}
    first: dict[tuple[str, str], int] = {}
    for place, each in enumerate(given):
        where = f"judgments.{place}"
        if each.topic not in topics:
            message = f"The campaign has no topic {each.topic}."
            faults[f"{where}.topic"] = ValidationError(message, "unknown_topic")
        elif (each.topic, each.doc_id) not in selected:
            message = f"The judging plan has not selected {each.doc_id} for topic {each.topic}."
            faults[f"{where}.doc_id"] = ValidationError(message, "unknown_document")
        if not 0 <= each.grade <= campaign.highest_grade:
            message = f"Grades are whole numbers from 0 to {campaign.highest_grade}."
            faults[f"{where}.grade"] = ValidationError(message, "grade")
        elif first.setdefault((each.topic, each.doc_id), each.grade) != each.grade:
            message = f"The request gives {each.doc_id} of topic {each.topic} two different grades."
            faults[f"{where}.grade"] = ValidationError(message, "two_grades")
    if faults:
        raise ValidationError(faults)


def _refuse_unknown_documents(
    campaign: Campaign, parsed: ParsedQrels, grades: Collection[Key]
) -> None:
    """A document is known if a plan selected it for the topic, if the campaign has its text, or if
    a ranked run has it for the topic: a program may judge more than people do."""
    tasks = Task.objects.filter(plan__campaign=campaign)
    selected = set(tasks.values_list("topic__code", "doc_id"))
    texts = set(campaign.documents.values_list("doc_id", flat=True))
    unknown = {
        (code, doc_id)
        for _, code, doc_id in grades
        if doc_id not in texts and (code, doc_id) not in selected
    }
    if unknown:
        # Last, because it reads the rankings of all runs.
        unknown -= scoring_hooks.documents_of_runs(campaign)
    message = (
        "no run has this document for the topic, no plan has selected it, and the campaign does "
        "not have its text"
    )
    problems = ProblemList()
    problems.records = parsed.line_count
    for topic, doc_id, line in zip(
        parsed.topic_index.tolist(), parsed.doc_ids.tolist(), parsed.lines.tolist(), strict=True
    ):
        if (parsed.topics[topic], doc_id.decode()) in unknown:
            problems.add(Problem("UNKNOWN_DOCUMENT", line, message, 3, doc_id.decode()))
    if unknown:
        raise FormatError(problems.problems, problems.total)


# --- rows -----------------------------------------------------------------------------------------


def _latest(judgments: QuerySet[ProgramJudgment]) -> dict[Key, int]:
    rows = judgments.order_by("at", "pk").values_list(
        "topic__position", "topic__code", "doc_id", "grade"
    )
    return {(position, code, doc_id): grade for position, code, doc_id, grade in rows.iterator()}


def _store(
    program: Program, topics: dict[str, Topic], grades: dict[Key, int], *, is_imported: bool
) -> RecordedGrades:
    # By document id only, so that grades for other topics may be among them.
    ids = sorted({doc_id for _, _, doc_id in grades})
    known: dict[Key, int] = {}
    for start in range(0, len(ids), ROWS_AT_ONCE):
        known |= _latest(program.judgments.filter(doc_id__in=ids[start : start + ROWS_AT_ONCE]))
    new = {key: grade for key, grade in grades.items() if key not in known}
    changed = {key: grade for key, grade in grades.items() if key in known and known[key] != grade}
    room = _quota_left(program)
    if room is not None and len(new) > room:
        raise CannotJudge(
            f"The quota of {program.name} is {program.quota:,} documents, and {room:,} of it "
            f"{'is' if room == 1 else 'are'} left. The request judges {len(new):,} more. No "
            "judgment was stored."
        )
    ProgramJudgment.objects.bulk_create(
        (
            ProgramJudgment(
                program=program,
                topic=topics[code],
                doc_id=doc_id,
                grade=grade,
                is_imported=is_imported,
            )
            for (_, code, doc_id), grade in (new | changed).items()
        ),
        batch_size=ROWS_AT_ONCE,
    )
    return RecordedGrades(len(new), len(changed), len(grades) - len(new) - len(changed))
