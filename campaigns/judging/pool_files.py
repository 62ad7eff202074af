"""Export of a pool and import of judgments that were made with other tools.

The order of documents in a pool is random and depends on the documents only, so that it reveals
nothing about the runs. An import contains the judgments of one assessor: the exported file with
grades, or qrels lines. A file is imported completely or not at all, and the organiser sees
conflicts before anything is written.
"""

import hashlib
import io
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from uuid import uuid4

from defusedcsv import csv
from django.db import transaction
from django.utils import timezone

from campaigns import scoring_hooks
from campaigns.judging.final_grades import FinalGrade, Key, final_grades_now
from campaigns.judging.judgment_files import read_judgment_file, refuse_outdated
from campaigns.judging.plans import active_plan
from campaigns.lifecycle import lock_unarchived, refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Claim, Judgment, Plan, User

Pool: TypeAlias = Mapping[str, Sequence[str]]  # documents by topic, topics in the campaign's order

CSV_COLUMNS: Final = ("topic", "doc_id", "grade")  # assessors fill in the last one
# The fields of prels as NIST's own reader expects them (statAP_MQ_eval_v3.pl, published with
# the Million Query tracks and the Web track of 2009: trec.nist.gov/data/web/09/).
NOT_JUDGED: Final = -999  # the reader skips these; it counts -1 as judged and not relevant
SAMPLED: Final = 1  # the method; the reader ignores topics in which every line has method 0
PROBABILITY: Final = 1  # every document of a pool is judged
ROWS_AT_ONCE: Final = 1000
IMPORTED: Final = "outside "  # the key of an imported judgment begins with this


@dataclass(frozen=True)
class Conflict:
    """An imported grade, and a known grade of the document, if any."""

    topic: str
    doc_id: str
    grade: int
    known: int | None = None


@dataclass(frozen=True)
class ImportedJudgments:
    """The judgments of a file and their conflicts."""

    grades: Mapping[Key, int]  # to write
    unchanged: int  # this assessor has already given the same grade
    unjudged: int  # lines with a grade below 0
    changed: tuple[Conflict, ...]  # this assessor gave another grade, which is replaced
    disputed: tuple[Conflict, ...]  # other assessors gave another grade
    decided: tuple[Conflict, ...]  # an organiser decided on another grade, which stays
    outside: tuple[Conflict, ...]  # the plan has not selected the document

    @property
    def has_conflicts(self) -> bool:
        return bool(self.changed or self.disputed or self.decided or self.outside)


def pool_of(plan: Plan) -> Pool:
    """The documents that the plan has selected so far. One query."""
    pool: dict[str, list[str]] = {}
    tasks = plan.tasks.order_by("topic__position", "doc_id").values_list("topic__code", "doc_id")
    for topic, doc_id in tasks:
        pool.setdefault(topic, []).append(doc_id)
    return pool


def pool_csv(campaign: Campaign, pool: Pool) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows((topic, doc_id, "") for topic, doc_id in _shuffled(campaign, pool))
    return out.getvalue()


def pool_prels(campaign: Campaign, pool: Pool) -> str:
    """The format of the Million Query track: topic, document, grade, method, and probability of
    being in the sample."""
    return "".join(
        f"{topic} {doc_id} {NOT_JUDGED} {SAMPLED} {PROBABILITY}\n"
        for topic, doc_id in _shuffled(campaign, pool)
    )


def read_judgments(campaign: Campaign, assessor: User, data: bytes) -> ImportedJudgments:
    """Raises `FormatError` with line numbers if these are not judgments of this campaign."""
    _, grades = read_judgment_file(campaign, data)
    return _with_conflicts(campaign, assessor, grades)


def import_judgments(
    *, campaign: Campaign, assessor: User, data: bytes, actor: User
) -> tuple[ImportedJudgments, int]:
    """Adds the judgments of a file, and returns them with their number. Judgments that this
    assessor has already made are not added again. Raises `FormatError`, and `CannotJudge` if the
    campaign changed while the file was read."""
    refuse_archived(campaign)
    _, grades = read_judgment_file(campaign, data)
    with transaction.atomic():
        campaign = lock_unarchived(campaign)
        refuse_outdated(campaign, grades)
        judgments = _with_conflicts(campaign, assessor, grades)
        _store(campaign, assessor, judgments.grades)
        record(
            campaign,
            actor,
            "imported judgments",
            len(judgments.grades),
            assessor=assessor.pk,
            sha256=hashlib.sha256(data).hexdigest(),
        )
    return judgments, len(judgments.grades)


def _store(campaign: Campaign, assessor: User, grades: Mapping[Key, int]) -> None:
    plan = active_plan(campaign)
    tasks = _tasks(plan)
    topics = dict(campaign.topics.values_list("position", "pk"))
    Judgment.objects.bulk_create(
        (
            Judgment(
                campaign=campaign,
                topic_id=topics[key[0]],
                doc_id=key[2],
                grade=grade,
                assessor=assessor,
                task_id=tasks.get(key),
                # The database allows each key once for an assessor.
                key=f"{IMPORTED}{uuid4()}",
            )
            for key, grade in grades.items()
        ),
        batch_size=ROWS_AT_ONCE,
    )
    if plan is not None:
        _end_tasks(plan, assessor, [tasks[key] for key in grades if key in tasks])


def _shuffled(campaign: Campaign, pool: Pool) -> Iterator[tuple[str, str]]:
    """Shuffles sorted documents, so that the runs do not affect the order and the same pool
    always has the same order."""
    for topic, documents in pool.items():
        shuffled = sorted(documents)
        random.Random(f"{campaign.pk}/{topic}").shuffle(shuffled)  # noqa: S311 - no secret
        for doc_id in shuffled:
            yield topic, doc_id


def _with_conflicts(
    campaign: Campaign, assessor: User, imported: Mapping[Key, int]
) -> ImportedJudgments:
    judged = final_grades_now(campaign)
    plan = active_plan(campaign)
    tasks = _tasks(plan)
    grades: dict[Key, int] = {}
    by_kind: dict[str, list[Conflict]] = {
        name: [] for name in ("changed", "disputed", "decided", "outside")
    }
    unchanged = 0
    for key, grade in imported.items():
        if grade < 0:
            continue
        known = judged.get(key, FinalGrade())
        if known.by_assessor.get(assessor.pk) == grade:
            unchanged += 1
            continue
        grades[key] = grade
        for name, other in _conflicts(known, assessor, grade):
            by_kind[name].append(Conflict(key[1], key[2], grade, other))
        if plan is not None and key not in tasks:
            by_kind["outside"].append(Conflict(key[1], key[2], grade))
    return ImportedJudgments(
        grades=grades,
        unchanged=unchanged,
        unjudged=sum(grade < 0 for grade in imported.values()),
        **{name: tuple(conflicts) for name, conflicts in by_kind.items()},
    )


def _conflicts(known: FinalGrade, assessor: User, grade: int) -> Iterator[tuple[str, int]]:
    own = known.by_assessor.get(assessor.pk)
    if own is not None:
        yield "changed", own
    others = [other for who, other in known.by_assessor.items() if who != assessor.pk]
    if any(other != grade for other in others):
        # The latest of them, because `by_assessor` is in the order of the last judgments.
        yield "disputed", next(other for other in reversed(others) if other != grade)
    if known.decided is not None and known.decided != grade:
        yield "decided", known.decided


def _tasks(plan: Plan | None) -> dict[Key, int]:
    if plan is None:
        return {}
    rows = plan.tasks.values_list("topic__position", "topic__code", "doc_id", "pk")
    return {(position, code, doc_id): pk for position, code, doc_id, pk in rows}


def _end_tasks(plan: Plan, assessor: User, tasks: Sequence[int]) -> None:
    """Marks the tasks as judged. If no task is left, a plan that selects documents in batches
    selects the next batch."""
    # The actions of assessors hold this lock too, so that their claims do not change meanwhile.
    plan = Plan.objects.select_for_update(no_key=True).get(pk=plan.pk)
    now = timezone.now()
    Claim.objects.bulk_create(
        (Claim(task_id=task, assessor=assessor, until=now, end=Claim.End.JUDGED) for task in tasks),
        batch_size=ROWS_AT_ONCE,
        update_conflicts=True,
        unique_fields=["task", "assessor"],
        update_fields=["until", "end"],
    )
    is_left = plan.tasks.exclude(claims__end=Claim.End.JUDGED).exists()
    if plan.state == Plan.State.OPEN and not plan.is_laid_out and not is_left:
        scoring_hooks.enqueue_next_documents(plan)
