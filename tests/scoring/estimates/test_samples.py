"""Stratified samples as plans: what is drawn, how it is planned and forecast, and who judges it."""

import csv
import io
import re

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

import trackside as ts
from campaigns.judging import plans
from campaigns.judging.gold import mark
from campaigns.judging.program_judgments import import_grades
from campaigns.judging.tasks import left_by_campaign
from campaigns.manage.archiving import delete_campaign
from campaigns.models import Judgment, Plan, Sample, SampledDocument
from campaigns.trec.problems import FormatError
from tests.campaigns.judging.making import make_assessor
from tests.campaigns.judging.programs import client_of_program, make_program
from tests.flow_world import perform_jobs
from tests.scoring.estimates.test_estimates import SAID, Sampled, ordered, sampled

pytestmark = pytest.mark.usefixtures("wake_ups")
__all__ = ["sampled"]  # the fixture


@pytest.mark.parametrize(("method", "p"), [("RBPsample", 0.5), ("APsample", None)])
def test_the_plan_is_the_sample_that_the_library_draws(
    sampled: Sampled, method: str, p: float | None
) -> None:
    plan = sampled.plan(method=method)
    seed = Sample.objects.get(plan=plan).seed
    drawn = ts.sample(sampled.files, budget=10, p=p, seed=seed)
    stored = {
        (each.task.topic.code, each.task.doc_id): (each.probability, each.joint_probability)
        for each in SampledDocument.objects.select_related("task__topic")
    }
    assert stored == {
        (row.topic, row.doc_id): (row.probability, row.joint_probability) for row in drawn
    }
    assert plan.laid_out == plan.tasks.count() == len(stored) == 10


def test_a_sample_needs_two_documents_of_each_topic_and_no_judgments(sampled: Sampled) -> None:
    with pytest.raises(ValidationError, match="two documents of each topic, 4 in all"):
        sampled.plan(budget=3)
    with pytest.raises(ValidationError, match=r"a p of at most 0\.99"):
        sampled.plan(persistence=0.991)
    qrels = sampled.world.add_qrels(b"1 0 d01 1\n2 0 d02 1\n")
    with pytest.raises(ValidationError, match="Choose no existing judgments"):
        sampled.plan(starts_from=qrels)
    url = reverse("scoring:judging-plan", args=[sampled.world.campaign.slug])
    query = {"method": "APsample", "amount": "3", "unit": "documents", "start": "1", "p": "0.995"}
    page = sampled.world.organiser_client.get(url, query).content.decode()
    assert "two documents of each topic, 4 in all" in page
    assert "Choose no existing judgments" in page
    assert "needs a p of at most 0.99" in page


def test_the_forecast_shows_the_documents_of_the_plan(sampled: Sampled) -> None:
    url = reverse("scoring:judging-plan-topics-csv", args=[sampled.world.campaign.slug])
    query = {"method": "RBPsample", "p": "0.5", "amount": "10", "unit": "documents"}
    browser = sampled.world.organiser_client
    assert browser.get(url, query).status_code == 202
    perform_jobs()
    rows = list(csv.DictReader(io.StringIO(browser.get(url, query).content.decode())))
    page = browser.get(reverse("scoring:judging-plan", args=[sampled.world.campaign.slug]), query)
    assert "a stratified sample by the weights of RBP" in page.content.decode()
    plan = sampled.plan()
    planned = [str(plan.tasks.filter(topic__code=topic).count()) for topic in "12"]
    assert [row["planned"] for row in rows] == planned
    judging = reverse("scoring:judging", args=[sampled.world.campaign.slug])
    assert browser.get(judging, {"after": "3"}).status_code == 200


def test_a_second_sample_does_not_have_judged_documents_judged_again(sampled: Sampled) -> None:
    world, browser = sampled.world, sampled.world.organiser_client
    first = sampled.plan(budget=12)
    sampled.judge(first)
    plans.end_plan(plan=first, actor=world.organiser)
    known = set(first.tasks.values_list("topic__code", "doc_id"))
    url = reverse("scoring:judging-plan", args=[world.campaign.slug])
    query = {"method": "RBPsample", "p": "0.8", "amount": "20", "unit": "documents"}
    browser.get(url, query)
    perform_jobs()
    page = browser.get(url, query)
    forecast = page.context["forecast"]
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))

    second = sampled.plan(persistence=0.8, budget=20)
    drawn = set(second.tasks.values_list("topic__code", "doc_id"))
    old, new = len(drawn & known), len(drawn - known)
    assert old
    assert new
    assert (forecast.chosen, forecast.already) == (new, old)
    assert sum(topic.planned for topic in forecast.topics) == forecast.curve[-1].documents == new
    assert f"{new} more documents by a stratified sample" in text
    assert f"The sample has 20 documents. {old} of them are judged already" in text
    assert "short of its budget" not in text
    person = make_assessor(world.campaign, topics=("1", "2"))
    now = timezone.now()
    assert left_by_campaign(person, [world.campaign.pk], now)[world.campaign.pk] == new


def test_a_document_that_is_marked_as_gold_before_a_sample_is_drawn_can_be_drawn(
    sampled: Sampled,
) -> None:
    campaign, actor = sampled.world.campaign, sampled.world.organiser
    plan = Plan(campaign=campaign, method="RBPsample", persistence=0.5, budget=10)
    plans.create_plan(plan=plan, actor=None)
    for topic in "12":
        for doc_id in sampled.seen:
            mark(campaign=campaign, topic=topic, doc_id=doc_id, grade=1, actor=actor)
    perform_jobs()
    plan.refresh_from_db()
    assert plan.laid_out == SampledDocument.objects.count() == 10
    assert plan.tasks.count() == 2 * len(sampled.seen)


def test_a_sample_that_is_judged_already_can_be_planned(sampled: Sampled) -> None:
    for doc_id in sampled.seen:
        for topic in sampled.world.campaign.topics.all():
            Judgment.objects.create(
                campaign=sampled.world.campaign, topic=topic, doc_id=doc_id, grade=0,
                assessor=sampled.world.organiser,
            )  # fmt: skip
    url = reverse("scoring:judging-plan", args=[sampled.world.campaign.slug])
    query = {"method": "RBPsample", "p": "0.5", "amount": "10", "unit": "documents"}
    browser = sampled.world.organiser_client
    browser.get(url, query)
    perform_jobs()
    page = browser.get(url, query).content.decode()
    assert "All documents of this sample are judged already" in page
    assert "Create this plan" in page


def test_a_program_may_judge_what_no_plan_has_selected_but_a_run_has(sampled: Sampled) -> None:
    program = make_program(sampled.world.campaign, sampled.world.organiser, name="Judge")
    document = ordered("a")[0]
    import_grades(
        program=program, data=f"1 0 {document} 1\n".encode(), actor=sampled.world.organiser
    )
    with pytest.raises(FormatError, match="no run has this document"):
        import_grades(program=program, data=b"1 0 other 1\n", actor=sampled.world.organiser)
    slug = sampled.world.campaign.slug
    here = reverse("campaigns:judging-program", args=[slug, program.pk])
    page = sampled.world.organiser_client.get(here).content.decode()
    assert "a ranked run must contain it" in page


def test_a_program_judges_by_api_all_from_which_the_sample_was_drawn(sampled: Sampled) -> None:
    """The documents of the sample first."""
    plan, slug = sampled.plan(), sampled.world.campaign.slug
    program = make_program(sampled.world.campaign, sampled.world.organiser, name="Judge")
    client = client_of_program(program)
    read = client.get(f"/api/campaigns/{slug}/judging/next/", {"limit": 200}).json()
    keys = [(row["topic"], row["doc_id"]) for row in read["documents"]]
    assert set(keys[:10]) == set(plan.tasks.values_list("topic__code", "doc_id"))
    assert sorted(keys) == sorted((topic, doc) for topic in "12" for doc in sampled.seen)
    only = client.get(f"/api/campaigns/{slug}/judging/next/", {"limit": 200, "topic": "2"}).json()
    assert {row["topic"] for row in only["documents"]} == {"2"}
    assert len(only["documents"]) == len(sampled.seen)
    grades = [{"topic": topic, "doc_id": doc, "grade": SAID[topic, doc]} for topic, doc in keys]
    sent = client.post(
        f"/api/campaigns/{slug}/judging/judgments/", {"judgments": grades}, format="json"
    ).json()
    assert (sent["added"], sent["selected"], sent["left"]) == (len(keys), len(keys), 0)
    assert client.get(f"/api/campaigns/{slug}/judging/next/").json()["documents"] == []
    wrong = [{"topic": "1", "doc_id": "unknown", "grade": 1}]
    refused = client.post(
        f"/api/campaigns/{slug}/judging/judgments/", {"judgments": wrong}, format="json"
    )
    assert refused.status_code == 400
    sampled.judge(plan)
    rows = sampled.rows(program=str(program.pk))
    assert [row["program"] for row in rows] != [row["estimate"] for row in rows]


def test_a_deleted_campaign_takes_its_sample_along(sampled: Sampled) -> None:
    sampled.plan()
    sampled.world.change(stage="closed", archived_at="2026-01-01T00:00:00Z")
    delete_campaign(
        campaign=sampled.world.campaign, actor=sampled.world.organiser,
        typed_slug=sampled.world.campaign.slug,
    )  # fmt: skip
    assert not SampledDocument.objects.exists()
