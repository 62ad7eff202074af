"""What an assessor sees: one document, the progress of topics, and their own judgments.

Nothing here reads runs, scores, weights or other assessors' judgments.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any

from django.utils import timezone

from campaigns.judging.documents import url_of
from campaigns.judging.plans import active_plan
from campaigns.judging.tasks import JUDGED, SKIPPED, is_left, with_claims
from campaigns.models import Campaign, Claim, Document, Judgment, Plan, Topic, User

PACE_JUDGMENTS = 60  # the pace is measured over the latest judgments
LEAST_GAPS = 4
PAUSE = timedelta(minutes=15)  # a longer gap is a pause, not a judgment


@dataclass
class AssessorProgress:
    """One assessor's progress on one topic, in documents."""

    judged: int = 0
    skipped: int = 0
    left: int = 0  # this assessor may judge them now
    with_others: int = 0
    last: tuple[datetime, str, str] | None = None  # time, end and document of the last claim

    @property
    def total(self) -> int:
        return self.judged + self.skipped + self.left


@dataclass(frozen=True)
class DisplayedDocument:
    doc_id: str
    title: list[tuple[str, bool]]
    text: list[tuple[str, bool]]
    url: str


@dataclass(frozen=True)
class GradeOption:
    grade: int
    label: str


@dataclass
class JudgedDocument:
    """A document that this assessor judged or skipped."""

    doc_id: str
    at: datetime
    grade: int | None = None
    is_unsure: bool = False
    note: str = ""
    is_skipped: bool = False
    can_change: bool = True
    title: str = field(default="")
    topic: Topic | None = None  # if it may differ from the topic of the page


def scale_of(campaign: Campaign) -> list[GradeOption]:
    """Every grade with a label, as far as there are different words."""
    return [
        GradeOption(grade, _label(grade, campaign)) for grade in range(campaign.highest_grade + 1)
    ]


def progress_by_topic(
    plan: Plan | None, topics: Collection[Topic], person: User
) -> dict[int, AssessorProgress]:
    """One query. Without a plan, counts the judgments of ended plans."""
    if plan is None:
        judgments = Judgment.objects.filter(
            topic__in=topics, assessor=person, is_adjudication=False
        )
        rows = judgments.order_by("at", "pk").values_list("topic", "doc_id", "grade")
        latest = {(topic, doc_id): grade for topic, doc_id, grade in rows}
        progress: dict[int, AssessorProgress] = defaultdict(AssessorProgress)
        for (topic, _), grade in latest.items():
            # Without a grade, the latest judgment withdraws the one before.
            progress[topic].judged += grade is not None
        return progress
    return progress_of(with_claims(person, plan.tasks.filter(topic__in=topics), timezone.now()))


def left_for(campaign: Campaign, person: User) -> int:
    """How many documents this assessor has to judge; none while judging is paused. Two queries."""
    plan = active_plan(campaign)
    if plan is None or plan.state != Plan.State.OPEN or campaign.archived_at is not None:
        return 0
    topics = campaign.topics.filter(assessors__assessor=person)
    return sum(each.left for each in progress_by_topic(plan, topics, person).values())


def progress_of(tasks: Iterable[Any]) -> dict[int, AssessorProgress]:
    """By topic, from tasks with the annotations of `with_claims`."""
    by_topic: dict[int, AssessorProgress] = defaultdict(AssessorProgress)
    now = timezone.now()
    for task in tasks:
        progress, end = by_topic[task.topic_id], task.my_end
        if end in (JUDGED, SKIPPED):
            progress.judged += end == JUDGED
            progress.skipped += end == SKIPPED
            ended = (task.my_until, end, task.doc_id)
            # Tuples are compared by their first part, the time.
            progress.last = max(progress.last or ended, ended)
        elif is_left(task, now):
            progress.left += 1
        else:
            progress.with_others += 1
    return by_topic


def displayed_document(topic: Topic, campaign: Campaign, doc_id: str) -> DisplayedDocument:
    """The document with the topic's terms highlighted; one query."""
    document = Document.objects.filter(campaign=campaign, doc_id=doc_id).first()
    terms = terms_of(topic.title)
    return DisplayedDocument(
        doc_id=doc_id,
        title=highlighted(document.title, terms) if document else [],
        text=highlighted(document.text, terms) if document else [],
        url=url_of(campaign, doc_id),
    )


def recent(campaign: Campaign, person: User) -> list[Judgment]:
    """This assessor's latest judgments, newest first."""
    own = Judgment.objects.filter(campaign=campaign, assessor=person, is_adjudication=False)
    return list(own.order_by("-at", "-pk")[:PACE_JUDGMENTS])


def minutes_left(judgments: Iterable[Judgment], left: int) -> int | None:
    """The time for the rest at this assessor's pace; None if the pace is not known yet."""
    moments = sorted(judgment.at for judgment in judgments)
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    seconds = [gap.total_seconds() for gap in gaps if gap <= PAUSE]
    if len(seconds) < LEAST_GAPS or not left:
        return None
    # The median, which a few long documents do not change.
    return max(1, round(median(seconds) * left / 60))


def judged_by(topic: Topic, campaign: Campaign, person: User) -> list[JudgedDocument]:
    """The documents that this assessor judged or skipped, latest first; two queries."""
    judgments = Judgment.objects.filter(topic=topic, assessor=person, is_adjudication=False)
    # In this order, so that of several plans the latest claim is kept.
    claims = Claim.objects.filter(task__topic=topic, assessor=person).order_by("task__plan")
    claimed = {
        doc_id: (end, until)
        for doc_id, end, until in claims.values_list("task__doc_id", "end", "until")
    }
    # In the order of time, so that of several judgments the latest is kept.
    rows = {
        each.doc_id: JudgedDocument(
            each.doc_id, each.at, each.grade, each.is_unsure, each.note,
            can_change=each.doc_id in claimed,
        )
        for each in judgments.order_by("at", "pk")
    }  # fmt: skip
    for doc_id, (end, until) in claimed.items():
        if end == SKIPPED:
            rows[doc_id] = JudgedDocument(doc_id, until, is_skipped=True)
    return sorted(rows.values(), key=lambda row: row.at, reverse=True)


def judged_before(topic: Topic, person: User, doc_id: str) -> JudgedDocument | None:
    """This assessor's latest judgment of a document; None if they never claimed it. Two
    queries."""
    claims = Claim.objects.filter(task__topic=topic, task__doc_id=doc_id, assessor=person)
    claim = claims.order_by("-task__plan").first()
    if claim is None:
        return None
    judgments = Judgment.objects.filter(
        topic=topic, doc_id=doc_id, assessor=person, is_adjudication=False
    )
    last = judgments.order_by("-at", "-pk").first()
    if last is None:
        return JudgedDocument(doc_id, claim.until, is_skipped=claim.end == SKIPPED)
    return JudgedDocument(doc_id, last.at, last.grade, last.is_unsure, last.note)


def last_judged(
    progress: AssessorProgress, judgments: Iterable[Judgment], topic: Topic
) -> JudgedDocument | None:
    """The document that undo returns to; `judgments` are this assessor's latest."""
    if progress.last is None:
        return None
    at, end, doc_id = progress.last
    grades = (j.grade for j in judgments if j.topic_id == topic.pk and j.doc_id == doc_id)
    return JudgedDocument(doc_id, at, next(grades, None), is_skipped=end == SKIPPED)


def last_judged_of_all_topics(
    plan: Plan | None, person: User, judgments: Iterable[Judgment]
) -> JudgedDocument | None:
    """The same over all topics of this assessor; one query."""
    if plan is None:
        return None
    ended = Claim.objects.filter(
        task__plan=plan,
        assessor=person,
        end__in=(JUDGED, SKIPPED),
        task__topic__assessors__assessor=person,
    )
    claim = ended.select_related("task__topic").order_by("-until", "-pk").first()
    if claim is None:
        return None
    topic, doc_id = claim.task.topic, claim.task.doc_id
    grades = (j.grade for j in judgments if j.topic_id == topic.pk and j.doc_id == doc_id)
    is_skipped = claim.end == SKIPPED
    return JudgedDocument(
        doc_id, claim.until, next(grades, None), is_skipped=is_skipped, topic=topic
    )


def undone_judgment(doc_id: str, recent: Iterable[Judgment], topic: Topic) -> Judgment | None:
    """The judgment that the assessor has just undone, so that the form can show its note again."""
    # The latest judgment withdraws the one before if it has no grade.
    judgments = [j for j in recent if j.topic_id == topic.pk and j.doc_id == doc_id][:2]
    return judgments[1] if len(judgments) == 2 and judgments[0].grade is None else None


def add_titles(rows: Collection[JudgedDocument], campaign: Campaign) -> None:
    """One query."""
    ids = [row.doc_id for row in rows]
    titles = dict(
        Document.objects.filter(campaign=campaign, doc_id__in=ids).values_list("doc_id", "title")
    )
    for row in rows:
        row.title = titles.get(row.doc_id, "")


def _label(grade: int, campaign: Campaign) -> str:
    if grade < campaign.rel:
        return "related" if grade else "not relevant"
    if grade == campaign.rel:
        return "relevant"
    steps = campaign.highest_grade - campaign.rel
    if steps == 1 or grade == campaign.rel + 1:
        return "highly relevant" if steps <= 2 else ""
    return "perfectly relevant" if steps == 2 else ""


WORD = re.compile(r"\w+(?:['’]\w+)*")
STOP_WORDS = """
a about after all also am an and any are as at be because been being between both but by can could
did do does for from had has have how i if in into is it its may more most no nor not of on or other
our over should so some such than that the their them then there these they this those through to
under up use used was we were what when where which while who whom why will with would you your
"""
IGNORED = frozenset(STOP_WORDS.split())


def terms_of(query: str) -> frozenset[str]:
    """The words of a query without stop words, with plurals folded."""
    words = (word.lower() for word in WORD.findall(query))
    return frozenset(folded(word) for word in words if word not in IGNORED and len(word) > 1)


def highlighted(text: str, terms: frozenset[str]) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is one of the terms."""
    return list(_pieces(text, terms))


def folded(word: str) -> str:
    """Folds simple plurals: memories to memory, boxes to box, masks to mask."""
    word = re.sub(r"['’]s?\Z", "", word)
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _pieces(text: str, terms: frozenset[str]) -> Iterator[tuple[str, bool]]:
    at = 0
    for word in WORD.finditer(text) if terms else ():
        if folded(word[0].lower()) in terms:
            if word.start() > at:
                yield text[at : word.start()], False
            yield word[0], True
            at = word.end()
    if at < len(text):
        yield text[at:], False
