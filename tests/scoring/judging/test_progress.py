"""The progress of judging: bounds that follow every judgment, the page, and the stopping rule."""

import csv
import io
import random
from datetime import timedelta

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from campaigns import scoring_hooks
from campaigns.judging import plans
from campaigns.judging.final_grades import final_grade_values
from campaigns.models import Campaign, Judgment, Membership, Plan, User
from scoring.core.judging.candidates import find_outcomes
from scoring.core.judging.selection import bounds_of_runs
from scoring.judging import forecast_analysis
from scoring.judging.candidates import candidates_of_campaign, table_of_grades
from scoring.judging.progress import progress_of
from tests.flow_world import perform_jobs
from tests.making import give_file, make_campaign, make_organiser, make_qrels, make_user
from tests.ranked_runs import ranked_run
from tests.scoring.judging.test_plan_page import text_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("wake_ups", "files_of_its_own"),
]

TOPICS = tuple(str(number) for number in range(1, 9))


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(topics=TOPICS, slug="planned")
    drawn = random.Random(1)
    for number in range(5):
        lists = {topic: drawn.sample([f"d{x}" for x in range(20)], 8) for topic in TOPICS}
        ranked_run(campaign, lists, tag=f"run{number}")
    return campaign


@pytest.fixture
def organiser_client(campaign: Campaign) -> Client:
    browser = Client()
    browser.force_login(make_organiser(campaign))
    return browser


def made(campaign: Campaign, **facts: object) -> Plan:
    plan = Plan(campaign=campaign, **{"method": "A", "budget": 30} | facts)
    made = plans.create_plan(plan=plan, actor=None)
    perform_jobs()
    return made


def act(plan: Plan, topic: int, doc_id: str, grade: int | None, by: User, **facts: object) -> None:
    Judgment.objects.create(
        campaign_id=plan.campaign_id, topic=plan.campaign.topics.get(position=topic),
        doc_id=doc_id, grade=grade, assessor=by, **facts,
    )  # fmt: skip


def computed_bounds(plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """Base and residual of all runs, from all acts at once."""
    proposals = candidates_of_campaign(plan.campaign, persistence=plan.persistence)
    assert proposals is not None
    candidates = proposals.candidates
    table = table_of_grades(candidates.topics, final_grade_values(plan.campaign), 1)
    outcomes = find_outcomes(candidates, table, rel=1)
    found = bounds_of_runs(candidates, outcomes, plan.persistence)
    return found.base, found.residual


def assert_cached_as_computed(plan: Plan) -> None:
    progress = progress_of(plan)
    assert progress is not None
    base, residual = computed_bounds(plan)
    assert np.abs(progress.bounds.base - base).max() < 1e-12
    assert np.abs(progress.bounds.residual - residual).max() < 1e-12
    assert progress.grades == final_grade_values(plan.campaign)


def test_bounds_follow_corrections_adjudications_and_undone_judgments(campaign: Campaign) -> None:
    plan, first, second = made(campaign), make_user(), make_user()
    drawn = random.Random(2)
    assert_cached_as_computed(plan)
    for _ in range(60):
        for _ in range(drawn.randint(1, 4)):
            act(
                plan, drawn.randrange(8), f"d{drawn.randrange(22)}", drawn.choice([None, 0, 1]),
                drawn.choice([first, second]), is_adjudication=drawn.random() < 0.1,
            )  # fmt: skip
        assert_cached_as_computed(plan)


def test_a_judgment_that_is_committed_late_is_not_missed(campaign: Campaign) -> None:
    plan, assessor = made(campaign), make_user()
    act(plan, 0, "d1", 1, assessor)
    act(plan, 0, "d2", 1, assessor)
    late = Judgment.objects.order_by("pk").first()
    assert late is not None
    Judgment.objects.filter(pk=late.pk).delete()  # its transaction is not committed yet
    assert_cached_as_computed(plan)
    late.save(force_insert=True)
    assert_cached_as_computed(plan)
    act(plan, 0, "d3", 0, assessor)
    Judgment.objects.filter(pk=late.pk).update(id=late.pk + 100)
    assert_cached_as_computed(plan)


def test_only_newer_judgments_are_read(
    campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    plan, assessor = made(campaign), make_user()
    act(plan, 0, "d1", 1, assessor)
    assert_cached_as_computed(plan)
    with django_assert_max_num_queries(3):  # runs, topics, how many acts
        progress_of(plan)
    act(plan, 1, "d1", 1, assessor)
    with django_assert_max_num_queries(5):
        progress_of(plan)


def test_a_plan_starts_from_qrels_until_a_document_is_judged_again(campaign: Campaign) -> None:
    qrels = give_file(make_qrels(campaign), b"1 0 d1 1\n")
    plan, assessor = made(campaign, starts_from=qrels), make_user()

    def base() -> float:
        progress = progress_of(plan)
        assert progress is not None
        return float(progress.bounds.base.sum())

    known = base()
    assert known > 0
    act(plan, 0, "d1", 0, assessor)
    assert base() == 0
    act(plan, 0, "d1", None, assessor)
    assert base() == known


def test_the_page_shows_progress_pace_and_what_is_left(
    campaign: Campaign, organiser_client: Client
) -> None:
    plan, assessor = made(campaign, overlap_percent=100), make_user()
    began = timezone.now() - timedelta(hours=1)
    for number, task in enumerate(plan.tasks.order_by("position")[:10]):
        judgment = Judgment.objects.create(
            campaign=campaign, topic=task.topic, doc_id=task.doc_id, grade=number % 2,
            assessor=assessor, task=task,
        )  # fmt: skip
        Judgment.objects.filter(pk=judgment.pk).update(at=began + timedelta(seconds=90 * number))
    page = text_of(organiser_client.get(reverse("scoring:judging", args=["planned"])))
    assert "10 of 30 documents judged, 30 tasks created" in page
    # 20 documents, each judged twice, 90 seconds each: an hour
    assert "about 1.0 hours of work for one assessor left, at 40 documents per hour" in page
    topics = organiser_client.get(
        reverse("scoring:judging-topics-csv", args=["planned"])
    ).content.decode()
    rows = list(csv.DictReader(io.StringIO(topics)))
    assert [row["topic"] for row in rows] == list(TOPICS)
    assert sum(int(row["created"]) for row in rows) == 30
    assert sum(int(row["judged"]) for row in rows) == 10
    assert sum(int(row["left"]) for row in rows) == 20


def test_the_page_says_stop_when_no_other_run_can_be_as_good(
    organiser_client: Client, campaign: Campaign
) -> None:
    """One run more, whose documents nobody else has: all relevant, while those of the others are
    not. Eight equal differences in one direction: 1 of 2^8 patterns of signs, and five tests."""
    lists = {topic: [f"best{x}" for x in range(8)] for topic in TOPICS}
    ranked_run(campaign, lists, tag="best")
    plan, assessor = made(campaign, budget=1000), make_user()

    def page(**params: str) -> str:
        return text_of(organiser_client.get(reverse("scoring:judging", args=["planned"]), params))

    assert "Nothing is judged yet" in page()
    assert (
        f"The plan ends after {plan.tasks.count()} documents, short of its budget of 1,000"
        in page()
    )
    tasks = list(plan.tasks.order_by("position"))
    for task in tasks[: len(tasks) // 2]:
        act(plan, task.topic.position, task.doc_id, int("best" in task.doc_id), assessor)
    assert "You can stop" not in page()
    for task in tasks[len(tasks) // 2 :]:
        act(plan, task.topic.position, task.doc_id, int("best" in task.doc_id), assessor)
    assert "You can stop. best leads with 0.832, and no other run could still be as good" in page()
    assert "corrected by Holm’s method for 5 tests" in page()
    rows = organiser_client.get(reverse("scoring:judging-csv", args=["planned"])).content.decode()
    read = {row["run"]: row for row in csv.DictReader(io.StringIO(rows))}
    assert read["best"]["p_corrected"] == ""
    p_values = [float(row["p_corrected"]) for tag, row in read.items() if tag != "best"]
    assert p_values == [5 / 2**8] * 5
    assert float(read["best"]["base"]) == pytest.approx(1 - 0.8**8, abs=1e-12)
    assert "You can stop" not in page(level="0.01")
    assert "too few for significant differences between 6 runs at the 1 % level" in page(
        level="0.01"
    )


def test_organisers_pause_resume_and_end_on_the_page(
    organiser_client: Client, campaign: Campaign
) -> None:
    plan = made(campaign)
    page = reverse("scoring:judging", args=["planned"])
    for name, state, shown in (
        ("pause", "paused", "Resume"), ("resume", "open", "Pause"), ("end", "ended", "Plan more"),
    ):  # fmt: skip
        url = reverse("scoring:judging-plan-act", args=["planned", name])
        assert organiser_client.post(url).headers["Location"] == page
        plan.refresh_from_db()
        assert plan.state == state
        assert shown in text_of(organiser_client.get(page))
    late = text_of(organiser_client.post(url, follow=True))  # from a tab that was open before
    assert "The plan has already ended." in late
    assert "assessor left" not in late
    unknown = reverse("scoring:judging-plan-act", args=["planned", "burn"])
    assert organiser_client.post(unknown).status_code == 404


def test_the_pages_take_few_queries(
    organiser_client: Client,
    campaign: Campaign,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    give_file(make_qrels(campaign), b"1 0 d1 1\n")
    plan, assessor = made(campaign), make_user()
    for name in ("judging", "judging-plan"):
        url = reverse(f"scoring:{name}", args=["planned"]) + "?method=C"
        organiser_client.get(url)
        perform_jobs()
        act(plan, 0, "d1", 1, assessor)
        if name == "judging-plan":
            organiser_client.get(url)
            perform_jobs()
        with django_assert_max_num_queries(12):
            assert organiser_client.get(url).status_code == 200


def test_assessors_see_the_mean_residual_only_if_the_plan_shows_it(campaign: Campaign) -> None:
    blind = made(campaign)
    assert scoring_hooks.mean_residual_of(blind) is None
    plans.end_plan(plan=blind, actor=None)
    plan, assessor = made(campaign, shows_residual=True), make_user()
    act(plan, 0, "d1", 1, assessor)
    _, residual = computed_bounds(plan)
    assert scoring_hooks.mean_residual_of(plan) == pytest.approx(residual.mean(), abs=1e-12)
    assert 0 < residual.mean() < 1


def test_organisers_and_assessors_have_links_to_their_own_pages(
    organiser_client: Client, campaign: Campaign
) -> None:
    assessor, browser = make_user(), Client()
    Membership.objects.create(campaign=campaign, person=assessor, role=Membership.Role.ASSESSOR)
    browser.force_login(assessor)
    home = reverse("campaigns:campaign-detail", args=["planned"])
    ours, theirs = (each.get(home).content.decode() for each in (organiser_client, browser))
    judging, assess = '/judging/"', '/assess/"'
    assert (judging in ours, assess in ours) == (True, False)
    assert (judging in theirs, assess in theirs) == (False, True)


def test_the_page_forecasts_the_next_documents(
    organiser_client: Client, campaign: Campaign
) -> None:
    """The forecast residual of method A equals the residual after its next documents are judged."""
    plan, assessor = made(campaign), make_user()
    tasks = list(plan.tasks.select_related("topic").order_by("position"))
    for task in tasks[:10]:
        act(plan, task.topic.position, task.doc_id, 1, assessor)

    def rows(**params: str) -> dict[str, dict[str, str]]:
        text = organiser_client.get(
            reverse("scoring:judging-csv", args=["planned"]), params
        ).content.decode()
        return {row["run"]: row for row in csv.DictReader(io.StringIO(text))}

    assert {row["residual_forecast"] for row in rows().values()} == {""}
    forecast = rows(after="5")
    page = text_of(
        organiser_client.get(reverse("scoring:judging", args=["planned"]), {"after": "5"})
    )
    assert "5 more documents would reduce the mean residual of the runs from" in page
    for task in tasks[10:15]:
        act(plan, task.topic.position, task.doc_id, 1, assessor)
    judged = rows(after="900")  # the plan has 15 left
    for tag, row in forecast.items():
        assert float(row["residual_forecast"]) == pytest.approx(
            float(judged[tag]["residual"]), abs=1e-12
        )
        assert float(row["base_forecast"]) >= float(row["base"])
        assert float(row["base_forecast"]) + float(row["residual_forecast"]) <= 1 + 1e-12
    assert "15 more documents would reduce" in text_of(
        organiser_client.get(reverse("scoring:judging", args=["planned"]), {"after": "900"})
    )
    for strange in ("-1", "x", "1" * 20, "²"):
        page = organiser_client.get(
            reverse("scoring:judging", args=["planned"]), {"after": strange}
        )
        assert page.status_code == 404


@pytest.mark.parametrize(("limit", "value"), [("AT_ONCE", 5 * 8 * 8 - 1), ("FILES_AT_ONCE", 4)])
def test_a_worker_computes_the_forecast_of_large_campaigns(
    limit: str,
    value: int,
    organiser_client: Client,
    campaign: Campaign,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same figures as at once; while people judge, the last ones with their age."""
    plan, assessor = made(campaign), make_user()
    tasks = list(plan.tasks.select_related("topic").order_by("position"))
    for task in tasks[:10]:
        act(plan, task.topic.position, task.doc_id, 1, assessor)
    table, page = (
        reverse(f"scoring:{name}", args=["planned"]) for name in ("judging-csv", "judging")
    )
    at_once = {more: organiser_client.get(table, {"after": more}).content for more in ("5", "900")}
    assert not campaign.analyses.exists()
    monkeypatch.setattr(forecast_analysis, limit, value)
    monkeypatch.setattr(forecast_analysis, "_cached_forecast", None)  # no web process computes it
    for more in at_once:
        answer = organiser_client.get(table, {"after": more})
        assert (answer.status_code, bool(answer["Retry-After"])) == (202, True)
        waiting = organiser_client.get(page, {"after": more})
        assert waiting["Refresh"]
        assert "Computing the forecast for these documents" in waiting.content.decode()
        assert waiting.context["judging"].ahead == min(int(more), 20)
    perform_jobs()
    for more, rows in at_once.items():
        assert organiser_client.get(table, {"after": more}).content == rows
        shown = organiser_client.get(page, {"after": more})
        assert "Refresh" not in shown
        assert "ago" not in text_of(shown).partition("would reduce the mean residual")[2][:200]
    for task in tasks[10:13]:
        act(plan, task.topic.position, task.doc_id, 1, assessor)
        shown = organiser_client.get(page, {"after": "5"})
    assert "Computed 3 judgments ago." in text_of(shown)
    assert campaign.analyses.filter(question__more=5).count() == 2  # done, and on its way
    perform_jobs()
    assert "Refresh" not in organiser_client.get(page, {"after": "5"})


@pytest.mark.parametrize("method", ["MTF", "Hedge", "MaxMean"])
def test_a_worker_computes_the_forecast_of_orders_that_look_at_many_documents(
    organiser_client: Client, campaign: Campaign, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """Each further document looks at the 40 ranked documents of its topic."""
    made(campaign, method=method)
    table = reverse("scoring:judging-csv", args=["planned"])
    monkeypatch.setattr(forecast_analysis, "AT_ONCE_BY_TOPIC", 2 * 40)
    assert organiser_client.get(table, {"after": "3"}).status_code == 202
    at_once = organiser_client.get(table, {"after": "2"})
    assert at_once.status_code == 200
    assert not campaign.analyses.filter(question__more=2).exists()
    monkeypatch.setattr(forecast_analysis, "AT_ONCE_BY_TOPIC", 2 * 40 - 1)
    assert organiser_client.get(table, {"after": "2"}).status_code == 202
    perform_jobs()
    assert organiser_client.get(table, {"after": "2"}).content == at_once.content


def test_an_ended_plan_has_no_forecast(organiser_client: Client, campaign: Campaign) -> None:
    plan = made(campaign)
    plans.end_plan(plan=plan, actor=None)
    page = organiser_client.get(reverse("scoring:judging", args=["planned"]), {"after": "5"})
    assert page.context["judging"].forecast is None
    assert 'name="after"' not in page.content.decode()
