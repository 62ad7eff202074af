"""Heavy questions: asked once, answered once, anew when what they hang on changes."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import numpy as np
import pytest
from django.db.models import F, QuerySet
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.access import Viewer
from campaigns.models import Audience, Campaign, Run
from scoring.analyses import requests
from scoring.analyses.requests import request_analysis, result_of
from scoring.analyses.studies import OfMeasure, Study
from scoring.assessors.analysis import ASSESSOR_BOARDS
from scoring.assessors.program_analysis import PROGRAM_BOARDS, OfProgram
from scoring.jobs import queue
from scoring.models import Analysis, Evaluation, Job
from scoring.queue.overview import retry
from scoring.significance.analysis import SIGNIFICANCE, PairTestQuestion
from scoring.worker import perform_waiting_jobs
from tests.crowd import crowd
from tests.making import make_campaign, make_qrels, make_run, make_scores, make_user

pytestmark = pytest.mark.django_db
RBP = "RBP(p=0.5)"
QUESTION = PairTestQuestion(RBP, test="t", tail="two", against="base", has_tukey=False)


@pytest.fixture
def campaign() -> Campaign:
    return make_board()


def make_board() -> Campaign:
    campaign = make_campaign(slug="asked")
    make_qrels(campaign)
    for base in (0.5, 0.3):
        make_scores(make_run(campaign), {RBP: (base, 0.1)})
    return campaign


def asked(campaign: Campaign, **changes: object) -> Analysis:
    fresh = Campaign.objects.select_related("active_qrels").get(pk=campaign.pk)
    viewer = Viewer(fresh, person=None, roles=frozenset({"organiser"}), team=None)
    return request_analysis(viewer, fresh.active_qrels, SIGNIFICANCE, replace(QUESTION, **changes))


def test_an_analysis_is_requested_once_and_computed_once(campaign: Campaign) -> None:
    first = asked(campaign)
    assert asked(campaign).pk == first.pk
    assert perform_waiting_jobs(campaign) == 1
    again = asked(campaign)
    assert (again.pk, again.state) == (first.pk, Analysis.State.DONE)
    assert perform_waiting_jobs(campaign) == 0
    run_ids = set(campaign.runs.values_list("public_id", flat=True))
    assert set(result_of(SIGNIFICANCE, again).run_ids.tolist()) == run_ids


def test_one_that_is_gone_before_it_can_be_read_is_created_again(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another request creates it at the same moment, and it gets the digest of a later state."""
    create, collisions = QuerySet.create, []

    def create_second(rows: QuerySet[Analysis], **facts: object) -> Analysis:
        if not collisions:
            collisions.append(create(rows, **facts))  # the exception takes it back
        return create(rows, **facts)

    monkeypatch.setattr(QuerySet, "create", create_second)
    analysis = asked(campaign)
    assert len(collisions) == 1
    assert Analysis.objects.get() == analysis
    assert Job.objects.get(kind=Job.Kind.ANALYSE).subject == analysis.pk


def test_another_question_is_another_analysis(campaign: Campaign) -> None:
    assert asked(campaign).pk != asked(campaign, test="wilcoxon").pk


def score_again(campaign: Campaign) -> None:
    Evaluation.objects.update(scored_at=F("scored_at") + timedelta(seconds=1))


def add_run(campaign: Campaign) -> None:
    make_scores(make_run(campaign), {RBP: (0.1, 0.1)})


def take_run_back(campaign: Campaign) -> None:
    Run.objects.filter(pk=campaign.runs.first().pk).update(withdrawn_at=timezone.now())


def disqualify(campaign: Campaign) -> None:
    verdict = {"disqualified_at": timezone.now(), "disqualified_reason": "used the qrels"}
    Run.objects.filter(pk=campaign.runs.first().pk).update(**verdict)


def add_qrels(campaign: Campaign) -> None:
    make_qrels(campaign, digest="2" * 64)


def change_rules(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(no_relevant="zero")


def change_measures(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(measures=["AP"])


@pytest.mark.parametrize(
    "change",
    [
        score_again,
        add_run,
        take_run_back,
        disqualify,
        add_qrels,
        change_rules,
        change_measures,
    ],
)
def test_a_change_of_any_input_requests_a_new_analysis(
    campaign: Campaign, change: Callable[[Campaign], None]
) -> None:
    before = asked(campaign)
    perform_waiting_jobs(campaign)
    change(campaign)
    assert asked(campaign).pk != before.pk


def test_a_change_of_anything_else_does_not(campaign: Campaign) -> None:
    before = asked(campaign)
    make_run(campaign)  # not scored
    make_scores(make_run(campaign, is_late=True), {RBP: (0.9, 0.0)})
    make_scores(make_run(make_campaign_beside()), {RBP: (0.9, 0.0)})
    Campaign.objects.filter(pk=campaign.pk).update(name="another name")
    assert asked(campaign).pk == before.pk


def make_campaign_beside() -> Campaign:
    beside = make_campaign()
    make_qrels(beside)
    return beside


def test_an_answer_takes_the_place_of_those_it_supersedes_and_of_no_other(
    campaign: Campaign,
) -> None:
    old, other = asked(campaign), asked(campaign, test="wilcoxon")
    perform_waiting_jobs(campaign)
    score_again(campaign)
    new = asked(campaign)
    assert Analysis.objects.filter(pk=old.pk).exists()  # until the new one is there
    perform_waiting_jobs(campaign)
    assert set(Analysis.objects.values_list("pk", flat=True)) == {other.pk, new.pk}


def test_a_board_that_changed_meanwhile_is_not_answered_for(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run is taken back while the worker computes, and put back: the old digest is the new
    one."""
    asked(campaign)
    run = Run.objects.filter(pk=campaign.runs.first().pk)
    with monkeypatch.context() as slow:
        slow.setitem(
            vars(SIGNIFICANCE),
            "compute",
            lambda *_: run.update(withdrawn_at=timezone.now()) and None,
        )
        perform_waiting_jobs(campaign)
    assert not Analysis.objects.exists()
    run.update(withdrawn_at=None)
    asked(campaign)
    perform_waiting_jobs(campaign)
    assert result_of(SIGNIFICANCE, Analysis.objects.get()).run_ids.size == 2


def test_asking_again_takes_two_queries(
    campaign: Campaign, django_assert_num_queries: Callable[..., object]
) -> None:
    asked(campaign)
    perform_waiting_jobs(campaign)
    fresh = Campaign.objects.select_related("active_qrels").get(pk=campaign.pk)
    viewer = Viewer(fresh, person=None, roles=frozenset({"organiser"}), team=None)
    with django_assert_num_queries(2):
        found = request_analysis(viewer, fresh.active_qrels, SIGNIFICANCE, QUESTION)
    with django_assert_num_queries(0):
        result_of(SIGNIFICANCE, found)


def test_blind_viewers_ask_nothing(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(board_audience=Audience.ORGANISERS)
    for person in (None, make_user()):
        client = Client()
        if person is not None:
            client.force_login(person)
        for name in ("significance", "significance-counts", "leaderboard"):
            assert client.get(reverse(f"scoring:{name}", args=["asked"])).status_code == 200
        for name in ("significance-csv", "significance-counts-csv"):
            assert client.get(reverse(f"scoring:{name}", args=["asked"])).status_code == 404
    assert not Analysis.objects.exists()
    assert not Job.objects.filter(kind=Job.Kind.ANALYSE).exists()


@pytest.mark.django_db(transaction=True)
def test_one_that_fails_is_tried_again_then_given_up_until_somebody_has_it_retried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign = make_board()
    failed = asked(campaign)
    with monkeypatch.context() as broken:
        broken.setitem(vars(SIGNIFICANCE), "compute", fail)
        perform_waiting_jobs(campaign)
    assert asked(campaign).pk == failed.pk
    assert asked(campaign).state == Analysis.State.FAILED
    job = Job.objects.get(kind=Job.Kind.ANALYSE)
    assert (job.state, job.attempts) == (Job.State.FAILED, 3)
    assert "the study is broken" in job.error
    page = Client()
    Campaign.objects.filter(pk=campaign.pk).update(board_audience=Audience.EVERYONE)
    text = page.get(reverse("scoring:significance", args=["asked"])).content.decode()
    assert "Computing significance tests of all pairs failed." in text
    assert page.get(reverse("scoring:significance-csv", args=["asked"])).status_code == 404
    assert retry(job, actor=None)
    perform_waiting_jobs(campaign)
    assert asked(campaign).state == Analysis.State.DONE


@pytest.mark.parametrize(
    ("study", "question"),
    [(ASSESSOR_BOARDS, OfMeasure(RBP)), (PROGRAM_BOARDS, OfProgram(RBP, 1))],
    ids=["assessors", "program"],
)
def test_boards_of_judgments_depend_on_the_rules_of_scoring(
    campaign: Campaign, study: Study[object, object], question: object
) -> None:
    def request() -> Analysis:
        fresh = Campaign.objects.get(pk=campaign.pk)
        viewer = Viewer(fresh, person=None, roles=frozenset({"organiser"}), team=None)
        return request_analysis(viewer, None, study, question)

    before = request().digest
    change_rules(campaign)
    assert request().digest[: requests.STABLE] != before[: requests.STABLE]


def fail(*_: object) -> None:
    raise ArithmeticError("the study is broken")


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_one_answers(own_connections: None) -> None:
    campaign = make_board()
    analysis = asked(campaign)
    job = Job.objects.get(kind=Job.Kind.ANALYSE)
    outcomes = crowd([partial(answer_if_free, job.pk) for _ in range(2)])
    assert sorted(outcomes, key=str) == [False, True]
    analysis.refresh_from_db()
    assert analysis.state == Analysis.State.DONE


def answer_if_free(job_id: int) -> bool:
    with queue.job_attempt(job_id) as attempt:
        if attempt is None:
            return False
        requests.compute_analysis(attempt)
        return True


@pytest.mark.django_db(transaction=True)
def test_who_lost_the_lease_stores_nothing() -> None:
    campaign = make_board()
    analysis = asked(campaign)
    slow = queue.claim(Job.objects.get(kind=Job.Kind.ANALYSE).pk)
    assert slow is not None
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    quick = queue.claim(slow.job_id)
    assert quick is not None
    with pytest.raises(queue.LeaseLost):
        requests.compute_analysis(slow)
    analysis.refresh_from_db()
    assert (analysis.state, analysis.answer) == (Analysis.State.COMPUTING, None)
    requests.compute_analysis(quick)
    analysis.refresh_from_db()
    assert np.isfinite(result_of(SIGNIFICANCE, analysis).differences).all()
