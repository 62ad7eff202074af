"""Judges half of a plan of the demo, as two assessors do it in the browser.

The grades are those of the simulated collection. Of the relevant documents that both assessors
judge, every second one gets a lower grade from the later assessor, so that they disagree.
"""

import io
import json
from collections.abc import Callable, Iterable, Sequence
from itertools import product

from django.db.models import Exists, OuterRef

from campaigns.judging import plans, tasks
from campaigns.judging.assignment import assign_evenly
from campaigns.judging.documents import add_documents
from campaigns.models import Campaign, Claim, Plan, User
from scoring.demo import simulation
from scoring.demo.simulation import Collection
from scoring.demo.texts import DocumentText
from scoring.worker import perform_waiting_jobs

PLAN_DOCUMENTS = 180
HALF = PLAN_DOCUMENTS // 2  # amid a batch, so that assessors find documents to judge


def add_texts(campaign: Campaign, texts: Iterable[DocumentText], actor: User) -> None:
    """Uploads the texts as a file of JSON lines. Texts that exist are replaced."""
    lines = [
        json.dumps({"docid": each.doc_id, "title": each.title, "text": each.text}) for each in texts
    ]
    add_documents(campaign=campaign, file=io.BytesIO("\n".join(lines).encode()), actor=actor)


def start_plan(campaign: Campaign, actor: User) -> Plan:
    """Creates a plan by method B, with every topic assigned to both assessors."""
    assign_evenly(campaign=campaign, each=2, actor=actor)
    plan = Plan(
        campaign=campaign,
        method=Plan.Method.B,
        persistence=0.8,
        budget=PLAN_DOCUMENTS,
        batch=40,
        overlap_percent=30,
    )
    return plans.create_plan(plan=plan, actor=actor)


def judge_half(
    plan: Plan,
    collection: Collection,
    assessors: Sequence[User],
    on_judged: Callable[[], object],
) -> None:
    """Both assessors judge in turns until half of the budget is judged."""
    topics = list(plan.campaign.topics.order_by("position"))
    grades = [
        dict(zip(map(simulation.doc_id, documents), grades, strict=True))
        for documents, grades in zip(
            collection.documents.tolist(), collection.grades.tolist(), strict=True
        )
    ]
    is_judged = Exists(Claim.objects.filter(task=OuterRef("pk"), end=Claim.End.JUDGED))
    judged = plan.tasks.filter(is_judged).count()
    shared = 0  # relevant documents that both assessors have judged
    has_tasks = True
    while judged < HALF and has_tasks:
        perform_waiting_jobs(plan.campaign)  # the plan selects its next batch
        has_tasks = False
        for topic, assessor in product(topics, assessors):
            task = tasks.claim_next(assessor=assessor, topic=topic).task
            if task is None:
                continue
            has_tasks = True
            grade = grades[topic.position].get(task.doc_id, 0)
            if task.taken and grade:
                shared += 1
                grade -= shared % 2
            tasks.judge(assessor=assessor, topic=topic, doc_id=task.doc_id, grade=grade)
            if not task.taken:
                judged += 1
                on_judged()
            if judged == HALF:
                return
