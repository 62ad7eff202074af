"""How long an analysis will take is estimated before a worker begins it: quick ones do not wait for
long ones, and one that would reach the time limit is not begun."""

from types import SimpleNamespace

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from campaigns.models import Audience, Campaign
from scoring.analyses import costs
from scoring.analyses.costs import Size, size_of, too_long
from scoring.analyses.studies import study_of
from scoring.models import Analysis, Job, StoredRanking
from scoring.significance.analysis import SIGNIFICANCE
from tests.scoring.analyses.test_analyses import RBP, asked, campaign

pytestmark = pytest.mark.django_db
__all__ = ["campaign"]  # the fixture

MS_MARCO = Size(runs=5, teams=5, topics=6_980, documents=34_900_000)
WIDE = Size(runs=2_000, teams=300, topics=50, documents=10_000_000)
CLASS = Size(runs=30, teams=15, topics=50, documents=150_000)
MEASURES = [f"P@{depth}" for depth in range(1, 10)]
T_TEST = {"test": "t", "has_tukey": False}
BOUNDS = {"runs": ["one", "two"], "persistences": [0.5, 0.8, 0.95]}
MEASURED = [  # seconds of one core
    ("significance", T_TEST, WIDE, 3.8),
    ("separated_counts", {"measures": MEASURES}, MS_MARCO, 26.1),
    ("separated_counts", {"measures": MEASURES}, WIDE, 117.2),
    ("pool_depths", {"measures": MEASURES}, MS_MARCO, 14.2),
    ("pool_depths", {"measures": MEASURES}, WIDE, 23.4),
    ("left_out", {}, MS_MARCO, 4.9),
    ("left_out", {}, WIDE, 63.0),
    ("run_bounds", BOUNDS, MS_MARCO, 61.9),
    ("run_bounds", BOUNDS, WIDE, 3.1),
    ("assessor_boards", {}, MS_MARCO, 4.0),
    ("assessor_boards", {}, WIDE, 2.0),
    ("unique_finds", {}, MS_MARCO, 3.9),
    ("unique_finds", {}, WIDE, 2.8),
    ("difference", {}, MS_MARCO, 2.7),
    ("rank_intervals", {"correction": "max-t"}, MS_MARCO, 4.5),
    ("rank_intervals", {"correction": "max-t"}, WIDE, 7.8),
    ("split_halves", {}, MS_MARCO, 4.4),
    ("split_halves", {}, WIDE, 14.0),
    ("variances", {"measures": MEASURES[1:]}, WIDE, 1.6),
    ("judging_plan", {"budget": 20_000}, MS_MARCO, 44.0),
    ("judging_plan", {"budget": 310_938}, MS_MARCO, 446.3),
    ("judging_plan", {"budget": 7_674}, WIDE, 62.0),
    ("judging_replay", {"budget": 7_674}, WIDE, 135.0),
]


def seconds_of(kind: str, size: Size, question: dict[str, object]) -> float:
    return study_of(kind).seconds(size, SimpleNamespace(**question))


@pytest.mark.parametrize(("kind", "question", "size", "seconds"), MEASURED)
def test_estimates_are_those_measured_within_a_factor_of_three(
    kind: str, question: dict[str, object], size: Size, seconds: float
) -> None:
    assert 1 / 3 < seconds_of(kind, size, question) / seconds < 3


@pytest.mark.parametrize(("kind", "question", "size", "seconds"), MEASURED)
def test_every_analysis_of_a_class_is_quick(
    kind: str, question: dict[str, object], size: Size, seconds: float
) -> None:
    of_a_class = question | ({"budget": 2_000} if "budget" in question else {})
    assert seconds_of(kind, CLASS, of_a_class) < costs.QUICK_SECONDS


def test_the_size_is_that_of_the_ranked_runs(campaign: Campaign) -> None:
    topics = campaign.topics.count()
    assert size_of(campaign) == Size(runs=0, teams=0, topics=topics, documents=0)
    for run in campaign.runs.all():
        StoredRanking.objects.create(
            run=run,
            storage_key=run.public_id,
            topic_count=topics,
            document_count=3_000,
            tied_count=0,
            longest=1_000,
        )
    assert size_of(campaign) == Size(runs=2, teams=2, topics=topics, documents=6_000)


@pytest.mark.parametrize("is_long", [False, True])
def test_a_job_knows_whether_it_is_long(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, is_long: bool
) -> None:
    seconds = costs.QUICK_SECONDS + (0.1 if is_long else -0.1)
    monkeypatch.setitem(vars(SIGNIFICANCE), "seconds", lambda *_: seconds)
    asked(campaign)
    assert Job.objects.get().is_long == is_long


def test_the_limit_is_that_of_a_job(settings: LazySettings) -> None:
    settings.CELERY_TASK_SOFT_TIME_LIMIT = 600
    assert too_long(600) == ""
    assert too_long(1500) == (
        "That would take a worker about 25 minutes, longer than the limit of 10 minutes. Choose "
        "fewer measures or a smaller budget if the page offers this."
    )
    longest = Analysis._meta.get_field("failure").max_length
    assert longest is not None
    assert len(too_long(10**9)) <= longest


def test_one_that_would_take_too_long_is_not_begun_and_says_so(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    Campaign.objects.update(board_audience=Audience.EVERYONE)
    monkeypatch.setitem(vars(SIGNIFICANCE), "seconds", lambda *_: 3_000)
    refused = asked(campaign)
    assert (refused.state, refused.pk) == (Analysis.State.FAILED, None)
    assert not Analysis.objects.exists()
    assert not Job.objects.exists()
    page = Client().get(reverse("scoring:significance", args=["asked"]), {"measure": RBP})
    text = page.content.decode()
    assert f"significance tests of all pairs for so large a campaign. {refused.failure}" in text
    assert "queue" not in text[text.index("This site does not") :].partition("</p>")[0]
    assert "Refresh" not in page
    table = Client().get(reverse("scoring:significance-csv", args=["asked"]), {"measure": RBP})
    assert table.status_code == 404
    assert refused.failure in table.content.decode()
    answer = Client().get(reverse("api:significance", args=["asked"]), {"measure": RBP})
    assert answer.status_code == 404
    assert refused.failure in answer.content.decode()
    monkeypatch.undo()
    assert asked(campaign).state == Analysis.State.WAITING
