"""TREC-COVID's first round, judged anew through the site: its qrels hidden, a scripted assessor
answers from them (a document that they do not know: 0)."""

import gzip
import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from campaigns import scoring_hooks
from campaigns.judging import plans
from campaigns.judging.final_grades import final_grade_values
from campaigns.judging.tasks import claim_next
from campaigns.judging.tasks import judge as judge_document
from campaigns.manage.archiving import delete_campaign
from campaigns.models import Campaign, Judgment, Plan, Run, Task, User
from scoring.analyses.requests import result_of
from scoring.core.data.alignment import align
from scoring.core.data.ranking import Ranking
from scoring.core.measures.graded import GradedTopics, default_gain_map, evaluate
from scoring.core.measures.names import parse_measure
from scoring.evaluation.storage import load_ranking
from scoring.judging.analysis import JUDGING_PLAN
from scoring.judging.candidates import contributing_runs, table_of_grades
from scoring.judging.progress import progress_of
from scoring.models import Analysis, Job
from tests.campaigns.judging.making import make_assessor
from tests.flow_world import perform_jobs, wake_ups
from tests.making import make_organiser, make_user

__all__ = ["wake_ups"]

DATA = os.environ.get("TRACKSIDE_DATA")
pytestmark = [
    pytest.mark.long,
    pytest.mark.data,
    pytest.mark.django_db,
    pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs"),
]
FOLDER = Path(DATA or ".") / "trec-covid-round1"
RBP = parse_measure("RBP(p=0.8)")
STEP = 100  # judgments between two full scores


@pytest.fixture(scope="module")
def covid(
    django_db_setup: None,
    django_db_blocker: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Campaign]:
    """Topics and runs only: nobody has judged."""
    hidden = tmp_path_factory.mktemp("unjudged")
    for name in ("topics.xml", "runs"):
        (hidden / name).symlink_to(FOLDER / name)
    with django_db_blocker.unblock():
        table = FOLDER / "leaderboard.csv"
        out = io.StringIO()
        call_command("import_campaign", str(hidden), slug="unjudged", runs_table=table, stdout=out)
        Campaign.objects.filter(slug="unjudged").update(highest_grade=2)
        # In the order of their files: of equal ranks a pool takes the first run's document first.
        runs = Run.objects.filter(campaign__slug="unjudged")
        for number, run in enumerate(sorted(runs, key=lambda run: f"{run.tag}.gz")):
            Run.objects.filter(pk=run.pk).update(public_id=f"run{number:07}")
        yield Campaign.objects.get(slug="unjudged")
        Campaign.objects.filter(slug="unjudged").update(stage="draft")
        campaign = Campaign.objects.get(slug="unjudged")
        delete_campaign(campaign=campaign, actor=make_user(), typed_slug="unjudged")


@pytest.fixture(scope="module")
def rankings(covid: Campaign, django_db_blocker: pytest.FixtureRequest) -> list[Ranking]:
    with django_db_blocker.unblock():
        return [load_ranking(run.ranking) for run in contributing_runs(covid, None)]


@pytest.fixture(scope="module")
def answers() -> dict[tuple[str, str], int]:
    lines = gzip.decompress((FOLDER / "qrels.txt.gz").read_bytes()).decode().splitlines()
    columns = [line.split() for line in lines]
    return {(topic, document): int(grade) for topic, _, document, grade in columns}


def judge(tasks: list[Task], answers: dict[tuple[str, str], int], assessor: User) -> None:
    Judgment.objects.bulk_create(
        Judgment(
            campaign_id=task.plan.campaign_id,
            topic=task.topic,
            doc_id=task.doc_id,
            grade=max(0, answers.get((task.topic.code, task.doc_id), 0)),
            assessor=assessor,
            task=task,
        )
        for task in tasks
    )


def waiting(plan: Plan) -> list[Task]:
    tasks = plan.tasks.filter(judgments=None).select_related("topic", "plan")
    return list(tasks.order_by("turn"))


def assert_as_scored_in_full(plan: Plan, rankings: list[Ranking]) -> None:
    """Every run, whole, under the judgments as a table: the measure of the board."""
    progress = progress_of(plan)
    assert progress is not None
    grades = final_grade_values(plan.campaign)
    table = table_of_grades(progress.topics, grades, 2)
    for row, ranking in enumerate(rankings):
        graded = GradedTopics(
            grades=align(ranking, table, depth=ranking.max_length),
            grade_counts=np.ones((len(table.topics), 3), np.int64),
            gain_map=default_gain_map(2),
        )
        scores = evaluate([RBP], graded)[RBP]
        assert scores.residual is not None
        assert np.abs(progress.bounds.base[row] - scores.base).max() < 1e-12
        assert np.abs(progress.bounds.residual[row] - scores.residual).max() < 1e-12


@pytest.mark.parametrize(("method", "found"), [("A", 648), ("C", 665)])
def test_a_plan_of_1000_finds_what_the_simulation_says_and_bounds_follow(
    covid: Campaign,
    rankings: list[Ranking],
    answers: dict[tuple[str, str], int],
    method: str,
    found: int,
) -> None:
    assessor, made = make_user(), 0
    plan = Plan(campaign=covid, method=method, budget=1000, batch=100)
    plans.create_plan(plan=plan, actor=None)
    while perform_jobs(Job.Kind.LAY_OUT):
        tasks = waiting(plan)
        for start in range(0, len(tasks), STEP):
            judge(tasks[start : start + STEP], answers, assessor)
            made += len(tasks[start : start + STEP])
            if made % STEP == 0:
                assert_as_scored_in_full(plan, rankings)
        plan.refresh_from_db()
        if not plan.is_laid_out:
            scoring_hooks.enqueue_next_documents(plan)
    assert (made, plan.is_laid_out) == (1000, True)
    relevant = sum(grade >= covid.rel for grade in final_grade_values(covid).values())
    assert relevant == pytest.approx(found, rel=0.02)


@pytest.mark.skipif(not os.environ.get("LONG"), reason="minutes: make long")
@pytest.mark.parametrize("method", ["pooling", "A", "C"])
def test_2000_documents_one_by_one_at_the_page_end_where_the_page_says(
    covid: Campaign, rankings: list[Ranking], answers: dict[tuple[str, str], int], method: str
) -> None:
    """As an assessor of all topics meets them: each is claimed and judged, and the page leads on;
    after 1,000 a new plan goes on. What is found and left open is what docs/selection.md has of the
    method simulated on arrays, to the digits printed."""
    assessor = make_assessor(covid, topics=[topic.code for topic in covid.topics.all()])
    made = 0
    for judged in (1000, 2000):
        plan = Plan(campaign=covid, method=method, budget=1000)
        plans.create_plan(plan=plan, actor=None)
        perform_jobs(Job.Kind.LAY_OUT)
        for task in handed_out(covid, assessor):
            grade = max(0, answers.get((task.topic.code, task.doc_id), 0))
            judge_document(assessor=assessor, topic=task.topic, doc_id=task.doc_id, grade=grade)
            made += 1
            if made % STEP == 0:
                assert_as_scored_in_full(plan, rankings)
        assert made == judged
        standing = standing_now(plan, answers, rankings)
        assert standing == pytest.approx(row_of_page(judged, method), abs=0.00005 + 1e-12)
        plans.end_plan(plan=plan, actor=None)


def handed_out(campaign: Campaign, assessor: User) -> Iterator[Task]:
    """Document by document, as long as the page has some; a worker chooses between batches."""
    topic = campaign.topics.earliest("position")
    while True:
        given = claim_next(assessor=assessor, topic=topic)
        if given.task is not None:
            given.task.topic = topic
            yield given.task
        elif given.next_topic is not None:
            topic = given.next_topic
        elif not perform_jobs(Job.Kind.LAY_OUT):
            return


def row_of_page(judged: int, method: str) -> list[float]:
    """Relevant documents found, and mean residual of the top third."""
    page = (settings.BASE_DIR / "docs" / "selection.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in page.splitlines()]
    (row,) = (row for row in rows if row[:2] == [f"{judged:,}", method] and len(row) == 7)
    return [float(cell.replace(",", "")) for cell in row[2:4]]


def standing_now(
    plan: Plan, answers: dict[tuple[str, str], int], rankings: list[Ranking]
) -> list[float]:
    """The same, of the judgments made; the top third is that of all answers."""
    progress = progress_of(plan)
    assert progress is not None
    found = sum(grade >= plan.campaign.rel for grade in progress.grades.values())
    positions = {code: place for place, code in enumerate(progress.topics)}
    known = {(positions[topic], topic, doc_id): max(0, grade)
             for (topic, doc_id), grade in answers.items()}  # fmt: skip
    table = table_of_grades(progress.topics, known, 2)
    bases = [
        evaluate([RBP], GradedTopics(
            grades=align(ranking, table, depth=ranking.max_length),
            grade_counts=table.grade_counts, gain_map=default_gain_map(2),
        ))[RBP].base.mean()
        for ranking in rankings
    ]  # fmt: skip
    top = np.argsort(-np.array(bases), kind="stable")[: len(rankings) // 3]
    return [found, float(progress.bounds.residual[top].mean())]


def test_a_forecast_of_4000_documents_is_what_method_a_then_leaves(
    covid: Campaign, client: Client
) -> None:
    client.force_login(make_organiser(covid))
    asked = {"method": "A", "amount": "4000"}
    url = reverse("scoring:judging-plan", args=["unjudged"])
    client.get(url, asked)
    perform_jobs()
    page = client.get(url, asked)
    assert page.status_code == 200
    answer = result_of(JUDGING_PLAN, Analysis.objects.get(campaign=covid))
    assert answer is not None
    assert answer.chosen_by_topic.sum() == 4000
    plan = plans.create_plan(plan=page.context["form"].plan(4000), actor=None)
    perform_jobs(Job.Kind.LAY_OUT)
    judge(waiting(plan), {}, make_user())
    progress = progress_of(plan)
    assert progress is not None
    left = progress.bounds.residual.mean(axis=1)
    assert progress.run_ids == tuple(answer.run_ids.tolist())
    assert np.abs(left - answer.after[1]).max() < 1e-9  # plans look 100 documents deep
