"""A campaign goes from stage to stage along the allowed ways, and along no other."""

import pytest

from campaigns import lifecycle
from campaigns.models import Audience, Campaign
from tests.making import make_campaign, make_qrels

pytestmark = pytest.mark.django_db

STEPS = {
    "open": lifecycle.open_for_runs,
    "close": lifecycle.close_for_runs,
    "publish": lifecycle.publish,
    "unpublish": lifecycle.unpublish,
}
ALLOWED = {
    "draft": {"open", "publish"},
    "open": {"close", "publish"},
    "closed": {"open", "publish"},
    "judging": {"open", "publish"},
    "published": {"unpublish"},
}


@pytest.mark.parametrize("stage", Campaign.Stage.values)
@pytest.mark.parametrize("step", STEPS)
def test_only_the_steps_that_lead_on_are_taken(stage: str, step: str) -> None:
    campaign = make_campaign(stage=stage)
    make_qrels(campaign)
    if step in ALLOWED[stage]:
        STEPS[step](campaign=campaign, actor=None)
        assert campaign.log.count() == 1
        return
    before = Campaign.objects.values().get(pk=campaign.pk)
    with pytest.raises(lifecycle.CannotStep):
        STEPS[step](campaign=campaign, actor=None)
    assert Campaign.objects.values().get(pk=campaign.pk) == before
    assert campaign.log.count() == 0


def test_a_stale_tab_does_not_open_what_was_published_meanwhile() -> None:
    stale = make_campaign(stage="closed")
    make_qrels(stale)
    lifecycle.publish(campaign=Campaign.objects.get(pk=stale.pk), actor=None)
    with pytest.raises(lifecycle.CannotStep):
        lifecycle.open_for_runs(campaign=stale, actor=None)
    assert stale.stage == Campaign.Stage.PUBLISHED


def test_unpublishing_takes_no_runs_and_shows_nothing() -> None:
    campaign = make_campaign()
    make_qrels(campaign)
    lifecycle.publish(campaign=campaign, actor=None)
    lifecycle.unpublish(campaign=campaign, actor=None)
    shown = (campaign.board_audience, campaign.per_topic_audience)
    assert shown == (Audience.ORGANISERS, Audience.ORGANISERS)
    assert not campaign.is_accepting
    assert not campaign.shows_own_scores


def test_nothing_opens_without_topics_or_is_published_without_qrels() -> None:
    campaign = make_campaign(topics=(), stage="draft")
    for step in (lifecycle.open_for_runs, lifecycle.publish):
        with pytest.raises(lifecycle.CannotStep):
            step(campaign=campaign, actor=None)
