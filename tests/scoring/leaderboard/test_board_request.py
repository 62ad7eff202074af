"""What a request asks is resolved once, and then handed on."""

from unittest import mock

import pytest
from django.test import Client

from campaigns.models import Campaign
from scoring.evaluation import rules
from scoring.leaderboard import query
from tests.making import make_campaign, make_qrels, make_run, make_scores, make_team, make_user
from tests.scoring.leaderboard.test_board_page import SCORES, SHOWN

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(slug="asked", **SHOWN)
    make_qrels(campaign)
    for name in ("one", "other"):
        team = make_team(campaign, make_user(f"{name}@example.org"), name=name)
        make_scores(make_run(campaign, team, tag=name), SCORES)
    return campaign


@pytest.mark.parametrize(
    "path",
    [
        "/campaigns/asked/leaderboard/",
        "/campaigns/asked/leaderboard.csv",
        "/api/campaigns/asked/leaderboard/",
    ],
)
def test_measure_qrels_and_rules_are_resolved_once(campaign: Campaign, path: str) -> None:
    rules._rules_of.cache_clear()
    with (
        mock.patch.object(query, "chosen_measure", wraps=query.chosen_measure) as measure,
        mock.patch.object(query, "chosen_version", wraps=query.chosen_version) as version,
    ):
        response = Client().get(path, {"measure": "AP", "qrels": 1, "ties": "on", "ranks": "on"})
    assert response.status_code in (200, 202)
    assert (measure.call_count, version.call_count) == (1, 1)
    assert rules._rules_of.cache_info().misses == 1


def facts_of(found: rules.ScoringRules) -> dict[str, object]:
    return vars(found) | {"gain_map": found.gain_map.tolist()}


def test_rules_follow_each_setting_that_they_depend_on(campaign: Campaign) -> None:
    before = rules.rules_of(campaign)
    assert rules.rules_of(campaign) is before
    changes = {
        "persistences": [0.7],
        "measures": ["RR"],
        "leading_measure": "AP",
        "highest_grade": 3,
        "rel": 2,
        "gain_map": [0, 0.5],
        "no_relevant": "zero",
        "feedback_topics": ["1"],
    }
    for field, value in changes.items():
        kept = getattr(campaign, field)
        assert kept != value
        setattr(campaign, field, value)
        assert facts_of(rules.rules_of(campaign)) != facts_of(before), field
        setattr(campaign, field, kept)
    assert rules.rules_of(campaign) is before


def test_nobody_changes_the_gains_that_others_share(campaign: Campaign) -> None:
    with pytest.raises(ValueError, match="read-only"):
        rules.rules_of(campaign).gain_map[0] = 1
