"""Comparisons of two runs are kept in memory: what has changed since is seen at once."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Campaign
from scoring.comparison import page as comparison_page
from scoring.models import Evaluation, Score
from tests.caches import empty_caches
from tests.flow_world import World, perform_jobs
from tests.scoring.comparison.test_two_runs import board  # noqa: F401 - a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups")]


def page(shown: World) -> str:
    url = reverse("scoring:compare", args=[shown.campaign.slug])
    html = Client().get(url, {"measure": "AP"}).content.decode()
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", html)


def drawn_anew(shown: World) -> str:
    empty_caches()
    return page(shown)


def release_topics_later(campaign: Campaign) -> None:
    later = timezone.now() + timedelta(days=1)
    Campaign.objects.filter(pk=campaign.pk).update(topics_released_at=later)


def score_again(campaign: Campaign) -> None:
    evaluations = Evaluation.objects.filter(run__campaign=campaign)
    first, second = Score.objects.filter(evaluation__in=evaluations, measure="AP")[:2]
    Score.objects.filter(pk=first.pk).update(bases=second.bases)
    evaluations.update(scored_at=timezone.now())


CHANGES: dict[str, Callable[[Campaign], object]] = {
    "a topic's title": lambda c: c.topics.filter(code="1").update(fields=[["title", "Another"]]),
    "a name": lambda c: c.runs.filter(tag="moody").update(name="merry"),
    "scores": score_again,
    "who may have the files": lambda c: c.teams.update(shares_files=False),
    "topics that are not released": release_topics_later,
}


@pytest.fixture
def shown(board: World) -> World:  # noqa: F811 - the fixture
    """Everybody may see both rankings side by side."""
    board.change(qrels_audience=2, run_files_audience=2)
    board.campaign.teams.update(shares_files=True)
    assert "/compare/topics/" in page(board)
    return board


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_at_once(shown: World, change: str) -> None:
    before = page(shown)
    CHANGES[change](shown.campaign)
    after = page(shown)
    assert before != after == drawn_anew(shown)


def test_a_complete_comparison_is_drawn_once(shown: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before = page(shown)
    monkeypatch.setattr(comparison_page, "_render", None)
    assert page(shown) == before


def test_a_comparison_that_waits_for_a_worker_is_drawn_every_time(
    shown: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty_caches()
    monkeypatch.setattr("scoring.comparison.rows.AT_ONCE", 0)
    waiting = page(shown)
    assert "This page reloads automatically" in waiting
    perform_jobs()
    assert "bootstrap" in page(shown)
