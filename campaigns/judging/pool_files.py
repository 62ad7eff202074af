"""A pool for judging elsewhere, and the answers that come back.

The documents of a topic stand in an order that is drawn by lot from the documents alone: it tells
nothing of the runs. Answers are of one assessor: the pool with its grades filled in, or qrels
lines. They are taken whole or not at all,
and what they would contradict is shown before anything is written.
"""

import hashlib
import io
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from uuid import uuid4

from defusedcsv import csv
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from campaigns import scoring_hooks
from campaigns.judging.final_grades import FinalGrade, Key, final_grades_now
from campaigns.judging.plans import plan_in_force
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Claim, Judgment, Plan, User
from campaigns.trec.answers import as_qrels
from campaigns.trec.compression import plain_blocks
from campaigns.trec.problems import SHOWN_PROBLEMS, FormatError, Problem
from campaigns.trec.qrels import ParsedQrels, read_qrels

Pool: TypeAlias = Mapping[str, Sequence[str]]  # documents by topic, topics in the campaign's order

CSV_COLUMNS: Final = ("topic", "doc_id", "grade")  # the last to be filled in
# The fields of prels as NIST's own reader takes them (statAP_MQ_eval_v3.pl, which came with
# the Million Query tracks and the Web track of 2009: trec.nist.gov/data/web/09/).
NOT_JUDGED: Final = -999  # it passes these over; -1 would count as judged and not relevant
SAMPLED: Final = 1  # the method: topics that have only 0, of no sample, it does not evaluate at all
FOR_CERTAIN: Final = 1  # the probability: all of a pool is to be judged
ROWS_AT_ONCE: Final = 1000
FROM_OUTSIDE: Final = "outside "  # so begins the key of an answer


@dataclass(frozen=True)
class Conflict:
    """An answer, and what is known of the document already; None: nothing."""

    topic: str
    doc_id: str
    grade: int
    known: int | None = None


@dataclass(frozen=True)
class ImportedJudgments:
    """What a file says, sorted by what it would do."""

    grades: Mapping[Key, int]  # to be written
    unchanged: int  # this assessor has judged so before
    unjudged: int  # lines of a grade below 0
    changed: tuple[Conflict, ...]  # this assessor has judged otherwise: the answer replaces it
    disputed: tuple[Conflict, ...]  # others have judged otherwise
    decided: tuple[Conflict, ...]  # an organiser has decided otherwise: the decision stays
    outside: tuple[Conflict, ...]  # the plan does not ask for it

    @property
    def has_conflicts(self) -> bool:
        return bool(self.changed or self.disputed or self.decided or self.outside)


def pool_of(plan: Plan) -> Pool:
    """What the plan has laid out so far. One query."""
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
    """As the Million Query track wrote them: topic, document, grade, method, probability of being
    in the sample. Nothing is judged yet; a pool is a sample that takes in everything."""
    return "".join(
        f"{topic} {doc_id} {NOT_JUDGED} {SAMPLED} {FOR_CERTAIN}\n"
        for topic, doc_id in _shuffled(campaign, pool)
    )


def read_judgments(campaign: Campaign, assessor: User, data: bytes) -> ImportedJudgments:
    """Raises `FormatError`, with line numbers, where the file is not judgments of this campaign."""
    codes = dict(campaign.topics.values_list("code", "position"))
    data = as_qrels(data)
    parsed = read_qrels(data, known_topics=codes, max_seconds=settings.MAX_READING_SECONDS)
    _refuse_high_grades(data, parsed, campaign.highest_grade)
    said = {
        (codes[parsed.topics[topic]], parsed.topics[topic], doc_id.decode()): grade
        for topic, doc_id, grade in zip(
            parsed.topic_index.tolist(),
            parsed.doc_ids.tolist(),
            parsed.grades.tolist(),
            strict=True,
        )
    }
    return _sorted(campaign, assessor, said)


@transaction.atomic
def import_judgments(
    *, campaign: Campaign, assessor: User, data: bytes, actor: User
) -> tuple[ImportedJudgments, int]:
    """Writes the answers as judgments of this assessor; what they say already is not written
    again, so the same file twice adds nothing. What was read, and how many were written."""
    held = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    refuse_archived(held)
    answers = read_judgments(held, assessor, data)
    plan = plan_in_force(held)
    tasks = _tasks(plan)
    topics = dict(held.topics.values_list("position", "pk"))
    Judgment.objects.bulk_create(
        (
            Judgment(
                campaign=held,
                topic_id=topics[key[0]],
                doc_id=key[2],
                grade=grade,
                assessor=assessor,
                task_id=tasks.get(key),
                key=f"{FROM_OUTSIDE}{uuid4()}",
            )
            for key, grade in answers.grades.items()
        ),
        batch_size=ROWS_AT_ONCE,
    )
    if plan is not None:
        _end_tasks(plan, assessor, [tasks[key] for key in answers.grades if key in tasks])
    record(
        held,
        actor,
        "took in answers",
        len(answers.grades),
        assessor=assessor.pk,
        sha256=hashlib.sha256(data).hexdigest(),
    )
    return answers, len(answers.grades)


def _shuffled(campaign: Campaign, pool: Pool) -> Iterator[tuple[str, str]]:
    """Drawn from the sorted documents: runs have no part in it, and the same pool comes out the
    same."""
    for topic, documents in pool.items():
        drawn = sorted(documents)
        random.Random(f"{campaign.pk}/{topic}").shuffle(drawn)  # noqa: S311 - no secret
        for doc_id in drawn:
            yield topic, doc_id


def _sorted(campaign: Campaign, assessor: User, said: Mapping[Key, int]) -> ImportedJudgments:
    judged = final_grades_now(campaign)
    plan = plan_in_force(campaign)
    asked_for = _tasks(plan)
    grades: dict[Key, int] = {}
    found: dict[str, list[Conflict]] = {
        name: [] for name in ("changed", "disputed", "decided", "outside")
    }
    unchanged = 0
    for key, grade in said.items():
        if grade < 0:
            continue
        known = judged.get(key, FinalGrade())
        if known.by_assessor.get(assessor.pk) == grade:
            unchanged += 1
            continue
        grades[key] = grade
        for name, other in _conflicts(known, assessor, grade):
            found[name].append(Conflict(key[1], key[2], grade, other))
        if plan is not None and key not in asked_for:
            found["outside"].append(Conflict(key[1], key[2], grade))
    return ImportedJudgments(
        grades=grades,
        unchanged=unchanged,
        unjudged=sum(grade < 0 for grade in said.values()),
        **{name: tuple(conflicts) for name, conflicts in found.items()},
    )


def _conflicts(known: FinalGrade, assessor: User, grade: int) -> Iterator[tuple[str, int]]:
    own = known.by_assessor.get(assessor.pk)
    if own is not None:
        yield "changed", own
    others = [other for who, other in known.by_assessor.items() if who != assessor.pk]
    if any(other != grade for other in others):
        yield "disputed", next(other for other in reversed(others) if other != grade)
    if known.decided is not None and known.decided != grade:
        yield "decided", known.decided


def _tasks(plan: Plan | None) -> dict[Key, int]:
    if plan is None:
        return {}
    rows = plan.tasks.values_list("topic__position", "topic__code", "doc_id", "pk")
    return {(position, code, doc_id): pk for position, code, doc_id, pk in rows}


def _end_tasks(plan: Plan, assessor: User, tasks: Sequence[int]) -> None:
    """Nobody is shown again what came back judged; a plan that chooses as judgments come chooses
    when nothing is left of what it chose."""
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


def _refuse_high_grades(data: bytes, parsed: ParsedQrels, highest: int) -> None:
    """Read a second time for the numbers of the lines, only where there is something to say."""
    total = int((parsed.grades > highest).sum())
    if not total:
        return
    text = b"".join(plain_blocks(io.BytesIO(data)))
    problems = []
    for number, fields in _lines(text):
        if int(fields[3]) > highest:
            message = f"grade is above {highest}, the campaign's highest"
            problems.append(Problem("GRADE", number, message, 4, fields[3].decode()))
        if len(problems) == SHOWN_PROBLEMS:
            break
    raise FormatError(tuple(problems), total=total)


def _lines(text: bytes) -> Iterator[tuple[int, list[bytes]]]:
    for number, line in enumerate(text.split(b"\n"), start=1):
        fields = line.split()
        if len(fields) == 4 and not fields[0].startswith(b"#"):
            yield number, fields
