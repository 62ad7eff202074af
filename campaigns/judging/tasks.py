"""The actions of assessors: claim a document, judge it, skip it, undo.

Every action locks the plan's row first, so that the claims that it reads do not change until it
ends. No judgment is lost: a judgment after the end of its lease or of the plan is stored too, and
reported as additional if another assessor has claimed the task.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
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
    judgment: Judgment
    is_repeat: bool = False  # the same request came before, so nothing was added
    is_additional: bool = False  # the task already has as many assessors as it wants


@dataclass(frozen=True)
class NextTask:
    """The active plan, the assessor's current task, and all tasks of the topic."""

    plan: Plan | None = None
    task: Task | None = None
    tasks: tuple[Task, ...] = ()  # with the annotations of `with_claims`
    next_topic: Topic | None = None  # set if nothing is left in this topic


@transaction.atomic
def claim_next(*, assessor: User, topic: Topic) -> NextTask:
    """The task that this assessor has claimed, or else the next free one, with a new lease. If no
    topic of the assessor has a task left, the next batch is requested, because each batch is
    judged before the plan selects the next."""
    plan = _active_plan(topic.campaign_id)
    if plan is None:
        return NextTask()
    now = timezone.now()
    tasks = tuple(with_claims(assessor, plan.tasks.filter(topic=topic), now))
    if plan.state == Plan.State.PAUSED:
        return NextTask(plan, None, tasks)
    # The claimed task comes first, even after its lease, unless somebody else has claimed it.
    left = [task for task in tasks if is_left(task, now)]
    task = min(left, key=lambda each: (each.my_end != HELD, each.turn), default=None)
    if task is None:
        of_assessor = plan.tasks.filter(topic__assessors__assessor=assessor).select_related("topic")
        ordered = with_claims(assessor, of_assessor, now).order_by("topic__position")
        next_topic = next((each.topic for each in ordered if is_left(each, now)), None)
        if next_topic is None:
            scoring_hooks.enqueue_next_documents_if_due(plan)
        return NextTask(plan, None, tasks, next_topic)
    Claim.objects.bulk_create(
        [Claim(task=task, assessor=assessor, until=_lease_end(plan, now))],
        # A claim that this assessor had before is taken up again.
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
    """Adds a judgment of a document that this assessor has claimed, and ends the claim. A later
    judgment replaces an earlier one. A repeated request, recognised by its key, adds nothing."""
    claim, plan = _claim_and_plan(assessor, topic, doc_id)
    campaign = plan.campaign
    if not 0 <= grade <= campaign.highest_grade:
        raise CannotJudge(f"Choose a grade from 0 to {campaign.highest_grade}.")
    # Under the lock, so that of two equal requests the second one finds the judgment of the first.
    if sent := _sent_before(assessor, key):
        return RecordedJudgment(sent, is_repeat=True)
    now = timezone.now()
    is_first = claim.end != JUDGED
    is_live = claim.end == HELD and claim.until > now
    is_additional = is_first and not is_live and _other_claims(claim, now) >= claim.task.wanted
    judgment = _add(claim, grade, key, is_unsure=is_unsure, note=note[:NOTE_CHARACTERS])
    _end(claim, JUDGED, now)
    # The next batch follows once every task of the plan has a judgment.
    judged = Claim.objects.filter(task=OuterRef("pk"), end=JUDGED)
    if is_first and not plan.tasks.exclude(Exists(judged)).exists():
        scoring_hooks.enqueue_next_documents_if_due(plan)
    return RecordedJudgment(judgment, is_additional=is_additional)


@transaction.atomic
def skip(*, assessor: User, topic: Topic, doc_id: str) -> None:
    """Leaves a document to other assessors. A judged document stays judged."""
    claim, _ = _claim_and_plan(assessor, topic, doc_id)
    if claim.end in (HELD, RELEASED):
        _end(claim, SKIPPED, timezone.now())


@transaction.atomic
def undo(*, assessor: User, topic: Topic, doc_id: str, key: str = "") -> bool:
    """Withdraws a judgment or a skip, and claims the document again in place of the current one.
    False if another assessor has claimed it in the meantime."""
    claim, plan = _claim_and_plan(assessor, topic, doc_id)
    if claim.end not in (JUDGED, SKIPPED) or _sent_before(assessor, key):
        return claim.end == HELD
    if claim.end == JUDGED:
        _add(claim, None, key)
    now = timezone.now()
    if _other_claims(claim, now) >= claim.task.wanted:
        _end(claim, RELEASED, now)
        return False
    # An assessor holds one document of a topic at a time.
    _of(plan, assessor).filter(task__topic=topic, end=HELD).update(end=RELEASED, until=now)
    Claim.objects.filter(pk=claim.pk).update(end=HELD, until=_lease_end(plan, now))
    return True


@transaction.atomic
def release_claims(*, campaign: Campaign, assessor: User, actor: User | None) -> int:
    """Releases the documents that an assessor has claimed and not judged. Returns their number."""
    refuse_archived(campaign)
    plan = _active_plan(campaign.pk)
    if plan is None:
        return 0
    freed = _of(plan, assessor).filter(end=HELD).update(end=RELEASED, until=timezone.now())
    if freed:
        record(campaign, actor, "released documents", assessor=assessor.pk, count=freed)
    return freed


# --- tasks from the view of one assessor ----------------------------------------------------------


def with_claims(assessor: User, tasks: QuerySet[Task], now: datetime) -> QuerySet[Task]:
    """Annotates each task with `taken`, how many others have judged or claimed it, and with
    `my_end` and `my_until` of the assessor's own claim, which are None without one."""
    others = (Q(claims__end=JUDGED) | _live(now, "claims__")) & ~Q(claims__assessor=assessor)
    mine = Claim.objects.filter(task=OuterRef("pk"), assessor=assessor)
    return tasks.annotate(
        taken=Count("claims", filter=others),
        my_end=Subquery(mine.values("end")),
        my_until=Subquery(mine.values("until")),
    )


def is_left(task: Any, now: datetime) -> bool:
    """Whether the assessor may judge the task now."""
    if task.my_end in (JUDGED, SKIPPED):
        return False
    is_claimed = task.my_end == HELD and task.my_until > now
    return is_claimed or bool(task.taken < task.wanted)


def left_by_campaign(assessor: User, campaigns: Collection[int], now: datetime) -> Counter[int]:
    """How many documents this assessor has to judge, by campaign; none while judging is paused.
    One query."""
    tasks = Task.objects.filter(
        plan__state=Plan.State.OPEN,
        plan__campaign__in=campaigns,
        topic__assessors__assessor=assessor,
    )
    can_be_claimed = Q(taken__lt=F("wanted")) | Q(my_end=HELD, my_until__gt=now)
    open_tasks = with_claims(assessor, tasks, now).filter(
        # In SQL, NULL is not outside a list: without `my_end=None`, free tasks would be missing.
        can_be_claimed,
        Q(my_end=None) | ~Q(my_end__in=[JUDGED, SKIPPED]),
    )
    # A query of its own, because the annotations of `with_claims` would change the groups.
    left = Task.objects.filter(pk__in=open_tasks.values("pk")).values_list("plan__campaign")
    return Counter(dict(left.annotate(Count("pk"))))


# --- rows read under the lock ---------------------------------------------------------------------


def _active_plan(campaign_id: int) -> Plan | None:
    """The campaign's plan, locked."""
    return (
        Plan.objects.select_for_update(no_key=True)
        .filter(campaign=campaign_id)
        .exclude(state=Plan.State.ENDED)
        .first()
    )


def _claim_and_plan(assessor: User, topic: Topic, doc_id: str) -> tuple[Claim, Plan]:
    """This assessor's latest claim on the document, and its plan, which is locked."""
    refuse_archived(topic.campaign)
    claims = Claim.objects.filter(assessor=assessor, task__topic=topic, task__doc_id=doc_id)
    plan_id = claims.order_by("-task__plan").values_list("task__plan", flat=True).first()
    if plan_id is None:
        raise CannotJudge("This document is not assigned to you.")
    plan = (
        Plan.objects.select_for_update(no_key=True, of=("self",))
        .select_related("campaign")
        .get(pk=plan_id)
    )
    return claims.select_related("task").get(task__plan=plan), plan


def _live(now: datetime, path: str = "") -> Q:
    return Q(**{f"{path}end": HELD, f"{path}until__gt": now})


def _other_claims(claim: Claim, now: datetime) -> int:
    """How many others have judged the task or have a live claim on it."""
    others = Claim.objects.filter(task=claim.task_id).exclude(pk=claim.pk)
    return others.filter(Q(end=JUDGED) | _live(now)).count()


def _sent_before(assessor: User, key: str) -> Judgment | None:
    return Judgment.objects.filter(assessor=assessor, key=key).first() if key else None


def _of(plan: Plan, assessor: User) -> QuerySet[Claim]:
    return Claim.objects.filter(task__plan=plan, assessor=assessor)


# --- rows written ---------------------------------------------------------------------------------


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
