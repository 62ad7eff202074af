"""At most one analysis of a question waits, for the newest state of the leaderboard. One that takes
too long fails for every state."""

from collections.abc import Callable

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.test import Client
from django.urls import reverse

from campaigns.models import Audience, Campaign
from scoring import worker
from scoring.analyses import requests
from scoring.analyses.requests import result_of
from scoring.models import Analysis, Job
from scoring.queue.overview import retry
from scoring.significance.analysis import SIGNIFICANCE, compute
from scoring.worker import perform_waiting_jobs
from tests.making import make_run, make_scores
from tests.scoring.analyses.test_analyses import (
    RBP,
    add_run,
    asked,
    campaign,
    change_rules,
    disqualify,
    make_board,
    make_campaign_beside,
    score_again,
    take_run_back,
)

pytestmark = pytest.mark.django_db
__all__ = ["campaign"]  # the fixture


@pytest.mark.parametrize(
    ("change", "scored"),
    [(score_again, 2), (add_run, 3), (take_run_back, 1), (disqualify, 1), (change_rules, 0)],
)
@pytest.mark.parametrize("is_requested_again", [True, False])
def test_one_that_waits_is_computed_for_the_newest_state(
    campaign: Campaign, change: Callable[[Campaign], None], scored: int, is_requested_again: bool
) -> None:
    before = asked(campaign)
    change(campaign)
    if is_requested_again:
        assert asked(campaign).pk == before.pk
    assert perform_waiting_jobs(campaign) == 1
    (after,) = Analysis.objects.all()
    assert asked(campaign) == after
    assert (after.state, result_of(SIGNIFICANCE, after).run_ids.size) == (
        Analysis.State.DONE,
        scored,
    )


def test_fifty_states_of_a_leaderboard_are_computed_twice_at_most(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each page request sees another state: half of them before a worker begins, and the others
    while it computes."""
    begun = 0

    def fifty_states() -> None:
        for _ in range(25):
            score_again(campaign)
            asked(campaign)

    def count(*given: object) -> object:
        nonlocal begun
        begun += 1
        if begun == 1:
            fifty_states()
        return compute(*given)

    monkeypatch.setitem(vars(SIGNIFICANCE), "compute", count)
    fifty_states()
    assert Job.objects.filter(kind=Job.Kind.ANALYSE).count() == 1
    perform_waiting_jobs(campaign)
    assert begun == 2
    assert asked(campaign).state == Analysis.State.DONE
    assert Analysis.objects.count() == 1


def test_several_that_wait_for_one_question_are_computed_once(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a site has them that upgrades on a deadline day, or after requests at the same moment."""
    begun: list[object] = []
    monkeypatch.setitem(
        vars(SIGNIFICANCE),
        "compute",
        lambda *given: begun.append(1) or compute(*given),
    )
    first = asked(campaign)
    for number in range(3):
        score_again(campaign)
        with monkeypatch.context() as at_the_same_moment:
            at_the_same_moment.setattr(requests, "_of_any_state", lambda *_: None)
            assert asked(campaign).pk == first.pk + number + 1
    perform_waiting_jobs(campaign)
    assert len(begun) == 1
    assert Analysis.objects.get() == asked(campaign)


def test_a_page_that_waits_says_how_many_analyses_were_requested_before(
    campaign: Campaign,
) -> None:
    Campaign.objects.update(board_audience=Audience.EVERYONE)
    other = make_campaign_beside()
    for _ in range(2):
        make_scores(make_run(other), {RBP: (0.3, 0.1)})

    def said(**params: str) -> str:
        url = reverse("scoring:significance", args=["asked"])
        page = Client().get(url, {"measure": RBP} | params).content.decode()
        return page[page.index("Computing") : page.index("This page reloads")].strip()

    assert said() == "Computing significance tests of all pairs."
    asked(other)
    assert said() == "Computing significance tests of all pairs."
    assert said(test="wilcoxon") == (
        "Computing significance tests of all pairs. Two other analyses were requested before it."
    )
    perform_waiting_jobs(other)
    assert said(test="wilcoxon") == (
        "Computing significance tests of all pairs. One other analysis was requested before it."
    )


@pytest.mark.django_db(transaction=True)
def test_one_that_reaches_the_time_limit_is_given_up_for_every_state_with_its_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Celery raises the exception in a worker at the soft time limit."""
    campaign = make_board()
    failed = asked(campaign)

    def take_too_long(*_: object) -> None:
        raise SoftTimeLimitExceeded

    with monkeypatch.context() as slow:
        slow.setitem(vars(SIGNIFICANCE), "compute", take_too_long)
        assert perform_waiting_jobs(campaign) == 1
    job = Job.objects.get()
    reason = "It took longer than 810 s, the limit for one job."
    assert (job.state, job.attempts, job.error) == (Job.State.FAILED, 1, reason)
    add_run(campaign)  # another state, of which it would take as long
    assert asked(campaign).pk == failed.pk
    assert asked(campaign, test="wilcoxon").pk != failed.pk
    Campaign.objects.filter(pk=campaign.pk).update(board_audience=Audience.EVERYONE)
    page = Client().get(reverse("scoring:significance", args=["asked"]))
    assert f"Computing significance tests of all pairs failed. {reason}" in page.content.decode()
    assert "Refresh" not in page
    assert retry(job, actor=None)
    perform_waiting_jobs(campaign)
    done = asked(campaign)
    assert (done.pk, done.state, done.failure) == (failed.pk, Analysis.State.DONE, "")
    assert result_of(SIGNIFICANCE, done).run_ids.size == 3


@pytest.mark.django_db(transaction=True)
def test_one_that_took_too_long_is_forgotten_when_a_later_one_did_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page requests the next one while the first computes, and a busy machine is free by then."""
    campaign = make_board()
    slow = asked(campaign)

    def take_too_long(*_: object) -> None:
        score_again(campaign)
        assert asked(campaign).pk != slow.pk
        raise SoftTimeLimitExceeded

    with monkeypatch.context() as busy:
        busy.setitem(vars(SIGNIFICANCE), "compute", take_too_long)
        worker.perform()
    score_again(campaign)
    assert asked(campaign).state == Analysis.State.WAITING
    perform_waiting_jobs(campaign)
    assert asked(campaign).state == Analysis.State.DONE
    score_again(campaign)
    assert asked(campaign).state == Analysis.State.WAITING
