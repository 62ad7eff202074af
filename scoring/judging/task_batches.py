"""The next documents of a judging plan: a worker chooses them and creates tasks.

Pooling, method A and stratified samples create all tasks at once. The other methods create them
batch by batch: each batch is chosen by all judgments made so far, exactly as in the judging
simulation.
"""

import random

import numpy as np
from django.db import transaction

from campaigns.judging.final_grades import final_grade_values
from campaigns.judging.gold_tasks import assign_gold
from campaigns.models import Claim, Plan, Task
from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import find_outcomes
from scoring.core.judging.selection import Strategy, choose
from scoring.jobs import queue
from scoring.judging import samples
from scoring.judging.candidates import candidates_of_campaign, known_outcomes, table_of_grades
from scoring.models import Job

SHUFFLE_SEED = 20070723
ROWS_AT_ONCE = 1000
LIVE = (Job.State.WAITING, Job.State.RUNNING)


def create_tasks(attempt: queue.JobAttempt) -> None:
    """Creates the plan's next tasks as it finishes the job; none if the plan has ended or another
    job has created them."""
    plan = Plan.objects.select_related("campaign", "starts_from").get(pk=attempt.subject)
    chosen, drawn = _next_documents(plan)
    with transaction.atomic():
        locked = Plan.objects.select_for_update().get(pk=plan.pk)
        queue.finish(attempt)
        if locked.state == Plan.State.ENDED or locked.laid_out != plan.laid_out:
            return
        tasks = Task.objects.bulk_create(_tasks(locked, chosen), batch_size=ROWS_AT_ONCE)
        if drawn is not None:
            samples.keep(locked, drawn, tasks)
        Plan.objects.filter(pk=plan.pk).update(
            laid_out=plan.laid_out + len(chosen), is_exhausted=len(chosen) == 0
        )
        assign_gold(locked.campaign)


def _next_documents(plan: Plan) -> tuple[list[tuple[int, str]], samples.DrawnSample | None]:
    """Topic position and document id of each, in the order of judging; and the sample that they
    are, if the plan is one. A sample is drawn once."""
    left = plan.budget - plan.laid_out
    run_candidates = candidates_of_campaign(
        plan.campaign,
        persistence=plan.persistence,
        lowest_priority=plan.lowest_priority,
        depth=samples.depth_sampled(plan.persistence) if plan.is_sample else None,
    )
    if run_candidates is None or left <= 0 or (plan.is_sample and plan.laid_out):
        return [], None
    candidates = run_candidates.candidates
    drawn = samples.draw_for(plan, run_candidates) if plan.is_sample else None
    if drawn is not None:
        new = drawn.documents
    else:
        outcomes = known_outcomes(plan.campaign, candidates, starts_from=plan.starts_from)
        # The table has grade 0 for each task, to find the candidates among them.
        tasks = plan.tasks.values_list("topic__position", "topic__code", "doc_id")
        table = table_of_grades(candidates.topics, dict.fromkeys(tasks, 0), highest_grade=1)
        is_task = find_outcomes(candidates, table, rel=1) != UNJUDGED
        new = choose(
            candidates,
            Strategy(plan.method, plan.persistence, plan.scope),
            outcomes,
            count=left if plan.is_static else min(left, plan.batch),
            waiting=np.flatnonzero(is_task & (outcomes == UNJUDGED)),
        )
    rows, ids = candidates.topic_rows[new].tolist(), candidates.doc_ids[new].tolist()
    return [(row, doc_id.decode()) for row, doc_id in zip(rows, ids, strict=True)], drawn


def _tasks(plan: Plan, chosen: list[tuple[int, str]]) -> list[Task]:
    """Tasks in the order chosen, or shuffled within the batch if the plan hides the order."""
    topics = dict(plan.campaign.topics.values_list("position", "pk"))
    positions = range(plan.laid_out, plan.laid_out + len(chosen))
    judged: frozenset[tuple[int, str]] = frozenset()
    if plan.is_sample:
        # A sample draws judged documents like others. Other plans do not select them.
        grades = final_grade_values(plan.campaign)
        judged = frozenset((position, doc_id) for position, _, doc_id in grades)
    # With this seed, a job that is done again creates the same tasks.
    chance = random.Random(f"{SHUFFLE_SEED}/{plan.pk}/{plan.laid_out}")  # noqa: S311 - no secret
    turns = list(positions)
    if plan.is_shuffled:
        chance.shuffle(turns)
    tasks = [
        Task(
            plan=plan,
            topic_id=topics[row],
            doc_id=doc_id,
            position=position,
            turn=turn,
            batch=0 if plan.is_static else plan.laid_out // plan.batch,
            wanted=2 if chance.random() * 100 < plan.overlap_percent else 1,
        )
        for position, turn, (row, doc_id) in zip(positions, turns, chosen, strict=True)
    ]
    for task, key in zip(tasks, chosen, strict=True):
        task.wanted = 0 if key in judged else task.wanted
    return tasks


def is_due(plan: Plan) -> bool:
    """Whether the plan is open and has documents left, no job is choosing them, and a document was
    judged or skipped since the last job."""
    if plan.state != Plan.State.OPEN or plan.is_laid_out:
        return False
    last = Job.objects.filter(kind=Job.Kind.LAY_OUT, subject=plan.pk).order_by("-pk").first()
    if last is None:
        return True
    if last.state in LIVE:
        return False
    skipped = Claim.objects.filter(task__plan=plan, end=Claim.End.SKIPPED)
    return (
        plan.campaign.judgments.filter(at__gt=last.created_at).exists()
        or skipped.filter(until__gt=last.created_at).exists()
    )
