"""What assessors do: claim a document, judge it, skip it, take it back.

Every act locks the plan's row first, so what it reads of claims holds until it is done: two people
never hold the same task unknowingly. No judgment is lost: one that comes when its lease has run
out, or when the plan has ended, is kept all the same, and said to be one more than was wanted
where somebody else has the task by now.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from campaigns import scoring_hooks
from campaigns.errors import CannotJudge
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Claim, Judgment, Plan, Task, Topic, User

HELD, JUDGED = Claim.End.NONE, Claim.End.JUDGED
SKIPPED, RELEASED = Claim.End.SKIPPED, Claim.End.RELEASED
NOTE_CHARACTERS = 1000


@dataclass(frozen=True)
class RecordedJudgment:
    """What became of a judgment that was sent."""

    judgment: Judgment
    is_repeat: bool = False  # it had come before: nothing was added
    is_further: bool = False  # somebody else has the task by now: it is one more than was wanted


@dataclass(frozen=True)
class NextTask:
    """What a look gives: the plan in force, the task that is held now, and all of the topic."""

    plan: Plan | None = None
    task: Task | None = None
    tasks: tuple[Task, ...] = ()  # as `current_judgment` has them
    elsewhere: Topic | None = None  # where nothing is left here: another topic of theirs


@transaction.atomic
def claim_next(*, assessor: User, topic: Topic) -> NextTask:
    """The task this assessor holds, or else the next one with room, with a new lease. Where there
    is none now in any topic of theirs, more are asked for, if the plan chooses as judgments come:
    each batch is to be judged before the next is chosen."""
    plan = _in_force(topic.campaign_id)
    if plan is None:
        return NextTask()
    now = timezone.now()
    tasks = tuple(current_judgment(assessor, plan.tasks.filter(topic=topic), now))
    if plan.state == Plan.State.PAUSED:
        return NextTask(plan, None, tasks)
    # What is held comes first, even past its lease as long as nobody else has taken it.
    left = [task for task in tasks if is_left(task, now)]
    task = min(left, key=lambda each: (each.my_end != HELD, each.turn), default=None)
    if task is None:
        elsewhere = _first_topic_left(assessor, plan, now)
        if elsewhere is None:
            scoring_hooks.enqueue_next_documents_if_due(plan)
        return NextTask(plan, None, tasks, elsewhere)
    Claim.objects.bulk_create(
        [Claim(task=task, assessor=assessor, until=_lease_end(plan, now))],
        update_conflicts=True,
        unique_fields=["task", "assessor"],
        update_fields=["until", "end"],
    )
    return NextTask(plan, task, tasks)


@transaction.atomic
def judge(
    *,
    assessor: User,
    topic: Topic,
    doc_id: str,
    grade: int,
    is_unsure: bool = False,
    note: str = "",
    key: str = "",
) -> RecordedJudgment:
    """Adds a judgment of a document that this assessor was given, and ends the claim. A later one
    of the same document supersedes; a repeated sending, told by its key, adds nothing."""
    claim, plan = _claim_and_plan(assessor, topic, doc_id)
    campaign = plan.campaign
    if not 0 <= grade <= campaign.highest_grade:
        raise CannotJudge(f"Grades go from 0 to {campaign.highest_grade}.")
    if sent := _sent_before(assessor, key):
        return RecordedJudgment(sent, is_repeat=True)
    now = timezone.now()
    is_first = claim.end != JUDGED
    is_held = claim.end == HELD and claim.until > now
    is_further = is_first and not is_held and _others_have(claim, now) >= claim.task.wanted
    judgment = _add(claim, grade, key, is_unsure=is_unsure, note=note[:NOTE_CHARACTERS])
    _end(claim, JUDGED, now)
    if is_first and not _is_any_unjudged(plan):
        scoring_hooks.enqueue_next_documents_if_due(plan)
    return RecordedJudgment(judgment, is_further=is_further)


@transaction.atomic
def skip(*, assessor: User, topic: Topic, doc_id: str) -> None:
    """Leaves a document to others; a judged one stays judged."""
    claim, _ = _claim_and_plan(assessor, topic, doc_id)
    if claim.end in (HELD, RELEASED):
        _end(claim, SKIPPED, timezone.now())


@transaction.atomic
def undo(*, assessor: User, topic: Topic, doc_id: str, key: str = "") -> bool:
    """Takes back a judgment, or a skip. Gives the document back to judge, in the place of the one
    that is held; False where somebody else has it by now."""
    claim, plan = _claim_and_plan(assessor, topic, doc_id)
    if claim.end not in (JUDGED, SKIPPED) or _sent_before(assessor, key):
        return claim.end == HELD
    if claim.end == JUDGED:
        _add(claim, None, key)
    now = timezone.now()
    if _others_have(claim, now) >= claim.task.wanted:
        _end(claim, RELEASED, now)
        return False
    _of(plan, assessor).filter(task__topic=topic, end=HELD).update(end=RELEASED, until=now)
    Claim.objects.filter(pk=claim.pk).update(end=HELD, until=_lease_end(plan, now))
    return True


@transaction.atomic
def reassign(*, campaign: Campaign, assessor: User, actor: User | None) -> int:
    """Frees what an assessor holds and has not judged, for others to judge; how many those are."""
    refuse_archived(campaign)
    plan = _in_force(campaign.pk)
    if plan is None:
        return 0
    freed = _of(plan, assessor).filter(end=HELD).update(end=RELEASED, until=timezone.now())
    if freed:
        record(campaign, actor, "freed claims", assessor=assessor.pk, count=freed)
    return freed


# --- how tasks stand for one assessor -------------------------------------------------------------


def current_judgment(assessor: User, tasks: QuerySet[Task], now: datetime) -> QuerySet[Task]:
    """Each task with `taken`, how many others have judged it or hold it, and with the assessor's
    own claim, `my_end` and `my_until`; these are None where there is none."""
    others = (Q(claims__end=JUDGED) | _live(now, "claims__")) & ~Q(claims__assessor=assessor)
    mine = Claim.objects.filter(task=OuterRef("pk"), assessor=assessor)
    return tasks.annotate(
        taken=Count("claims", filter=others),
        my_end=Subquery(mine.values("end")),
        my_until=Subquery(mine.values("until")),
    )


def is_left(task: Any, now: datetime) -> bool:
    """Whether the assessor may judge it now: neither judged nor skipped, and held or wanted."""
    if task.my_end in (JUDGED, SKIPPED):
        return False
    is_held = task.my_end == HELD and task.my_until > now
    return is_held or bool(task.taken < task.wanted)


def _first_topic_left(assessor: User, plan: Plan, now: datetime) -> Topic | None:
    """The first topic of this assessor with something to judge. One query."""
    tasks = plan.tasks.filter(topic__assessors__assessor=assessor).select_related("topic")
    ordered = current_judgment(assessor, tasks, now).order_by("topic__position")
    return next((task.topic for task in ordered if is_left(task, now)), None)


# --- what is locked, and looked at under the lock -------------------------------------------------


def _in_force(campaign_id: int) -> Plan | None:
    """The campaign's plan, locked."""
    return (
        Plan.objects.select_for_update(no_key=True)
        .filter(campaign=campaign_id)
        .exclude(state=Plan.State.ENDED)
        .first()
    )


def _claim_and_plan(assessor: User, topic: Topic, doc_id: str) -> tuple[Claim, Plan]:
    """This assessor's latest claim on the document, of whatever plan, which is locked."""
    refuse_archived(topic.campaign)
    given = Claim.objects.filter(assessor=assessor, task__topic=topic, task__doc_id=doc_id)
    plan_id = given.order_by("-task__plan").values_list("task__plan", flat=True).first()
    if plan_id is None:
        raise CannotJudge("This document was not given to you.")
    plan = (
        Plan.objects.select_for_update(no_key=True, of=("self",))
        .select_related("campaign")
        .get(pk=plan_id)
    )
    return given.select_related("task").get(task__plan=plan), plan


def _live(now: datetime, path: str = "") -> Q:
    return Q(**{f"{path}end": HELD, f"{path}until__gt": now})


def _others_have(claim: Claim, now: datetime) -> int:
    """How many others have judged the task, or hold it now."""
    others = Claim.objects.filter(task=claim.task_id).exclude(pk=claim.pk)
    return others.filter(Q(end=JUDGED) | _live(now)).count()


def _sent_before(assessor: User, key: str) -> Judgment | None:
    return Judgment.objects.filter(assessor=assessor, key=key).first() if key else None


def _is_any_unjudged(plan: Plan) -> bool:
    """Whether a task waits that nobody has judged, however many are to judge it."""
    judged = Claim.objects.filter(task=OuterRef("pk"), end=JUDGED)
    return plan.tasks.exclude(Exists(judged)).exists()


def _of(plan: Plan, assessor: User) -> QuerySet[Claim]:
    return Claim.objects.filter(task__plan=plan, assessor=assessor)


# --- what is written ------------------------------------------------------------------------------


def _add(claim: Claim, grade: int | None, key: str, **facts: object) -> Judgment:
    task = claim.task
    return Judgment.objects.create(
        campaign_id=task.topic.campaign_id,
        topic_id=task.topic_id,
        doc_id=task.doc_id,
        assessor_id=claim.assessor_id,
        task=task,
        grade=grade,
        key=key,
        **facts,
    )


def _end(claim: Claim, end: Claim.End, now: datetime) -> None:
    Claim.objects.filter(pk=claim.pk).update(end=end, until=now)


def _lease_end(plan: Plan, now: datetime) -> datetime:
    return now + timedelta(minutes=plan.lease_minutes)
