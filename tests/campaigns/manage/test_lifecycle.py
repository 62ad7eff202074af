"""A campaign goes from stage to stage along the allowed ways, and shows at each what its table
says of it."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaigns import lifecycle
from campaigns.access import Viewer
from campaigns.errors import CannotChangeStage
from campaigns.lifecycle import STEPS
from campaigns.manage import archiving
from campaigns.models import Audience, Campaign, Membership
from campaigns.models.showing import CLOSED, TABLES, trec_style
from tests.making import make_campaign, make_qrels, make_run

pytestmark = pytest.mark.django_db

ALLOWED = {
    "draft": {"open", "publish"},
    "open": {"close", "judge", "draft", "publish"},
    "closed": {"open", "judge", "publish"},
    "judging": {"open", "stop-judging", "publish"},
    "published": {"unpublish"},
}
# Written down a second time, from the words on the page and not from the code: who sees runs, own
# means, the board, scores by topic, qrels and run files, as teams (1) and everyone (2) see them;
# then whether a team sees its own scores by topic, and its own documents.
NOTHING = (0, False, 0, 0, 0, 0, False, False)
LIVE = (2, True, 2, 0, 0, 0, False, False)
COURSE = (1, True, 1, 0, 0, 0, True, False)
IN_THE_END = (2, True, 2, 2, 0, 0, False, False)
EXPECTED = {
    "trec": [NOTHING, NOTHING, NOTHING, NOTHING, IN_THE_END],
    "live": [NOTHING, LIVE, LIVE, LIVE, IN_THE_END],
    "classroom": [NOTHING, COURSE, COURSE, COURSE, (1, True, 1, 1, 1, 0, True, False)],
}
WAY_TO = {
    "draft": (),
    "open": ("open",),
    "closed": ("open", "close"),
    "judging": ("open", "judge"),
    "published": ("open", "close", "publish"),
}


def current_switches(campaign: Campaign) -> dict:
    return Campaign.objects.values(*CLOSED).get(pk=campaign.pk)


@pytest.mark.parametrize("stage", Campaign.Stage.values)
@pytest.mark.parametrize("step", STEPS)
def test_only_valid_steps_are_possible(stage: str, step: str) -> None:
    campaign = make_campaign(stage=stage)
    make_qrels(campaign)
    if step in ALLOWED[stage]:
        STEPS[step](campaign=campaign, actor=None)
        assert campaign.log.count() == 1
        return
    before = Campaign.objects.values().get(pk=campaign.pk)
    with pytest.raises(CannotChangeStage):
        STEPS[step](campaign=campaign, actor=None)
    assert Campaign.objects.values().get(pk=campaign.pk) == before
    assert campaign.log.count() == 0


def test_an_old_tab_does_not_open_a_published_campaign() -> None:
    stale = make_campaign(stage="closed")
    make_qrels(stale)
    lifecycle.publish(campaign=Campaign.objects.get(pk=stale.pk), actor=None)
    with pytest.raises(CannotChangeStage):
        lifecycle.open_submissions(campaign=stale, actor=None)
    assert stale.stage == Campaign.Stage.PUBLISHED


def test_an_old_tab_that_would_begin_judging_does_not_unpublish() -> None:
    stale = make_campaign(stage="closed")
    make_qrels(stale)
    lifecycle.publish(campaign=Campaign.objects.get(pk=stale.pk), actor=None)
    with pytest.raises(CannotChangeStage):
        lifecycle.start_judging(campaign=stale, actor=None)
    assert stale.board_audience == Audience.EVERYONE


def test_unpublishing_takes_no_runs_and_shows_nothing() -> None:
    campaign = make_campaign()
    make_qrels(campaign)
    lifecycle.publish(campaign=campaign, actor=None)
    lifecycle.unpublish(campaign=campaign, actor=None)
    assert current_switches(campaign) == CLOSED
    assert not campaign.is_accepting
    assert campaign.published_at is None


def test_nothing_opens_without_topics_or_is_published_without_qrels() -> None:
    campaign = make_campaign(topics=(), stage="draft")
    for step in (lifecycle.open_submissions, lifecycle.publish):
        with pytest.raises(CannotChangeStage):
            step(campaign=campaign, actor=None)


def test_a_campaign_with_a_run_cannot_return_to_draft() -> None:
    campaign = make_campaign()
    make_run(campaign)
    with pytest.raises(CannotChangeStage, match="Teams have submitted runs"):
        lifecycle.return_to_draft(campaign=campaign, actor=None)


def test_publishing_notes_when_the_qrels_were_first_published() -> None:
    campaign = make_campaign()
    qrels = make_qrels(campaign)
    lifecycle.publish(campaign=campaign, actor=None)
    qrels.refresh_from_db()
    first = qrels.published_at
    assert first is not None
    lifecycle.unpublish(campaign=campaign, actor=None)
    lifecycle.publish(campaign=campaign, actor=None)
    qrels.refresh_from_db()
    assert qrels.published_at == first


@pytest.mark.parametrize("stage", Campaign.Stage.values)
@pytest.mark.parametrize("preset", EXPECTED)
def test_each_preset_shows_at_each_stage_what_its_words_say(preset: str, stage: str) -> None:
    campaign = make_campaign(stage="draft", is_accepting=False)
    make_qrels(campaign)
    lifecycle.change_visibility(
        campaign=campaign, preset=preset, table=TABLES[preset](), actor=None
    )
    for step in WAY_TO[stage]:
        STEPS[step](campaign=campaign, actor=None)
    assert campaign.stage == stage
    expected = EXPECTED[preset][Campaign.Stage.values.index(stage)]
    assert tuple(current_switches(campaign).values()) == expected
    public = Viewer(campaign, None, frozenset(), None)
    run = make_run(campaign)
    team = Viewer(campaign, None, frozenset({Membership.Role.PARTICIPANT}), run.team)
    runs, _, board, _, qrels, _, own_topics, own_documents = expected
    assert [public.can_see_runs, team.can_see_runs] == [runs == 2, runs >= 1]
    assert [public.can_see_board, team.can_see_board] == [board == 2, board >= 1]
    assert [public.can_see_qrels, team.can_see_qrels] == [qrels == 2, qrels >= 1]
    assert team.can_see_own_topic_scores == own_topics
    assert team.can_see_documents_of(run) == (own_documents or qrels >= 1)


def test_a_change_of_the_current_stage_takes_effect_at_once_and_of_another_does_not() -> None:
    campaign = make_campaign()
    stale = Campaign.objects.get(pk=campaign.pk)
    table = trec_style()
    table["judging"] = table["judging"] | {"runs_audience": Audience.EVERYONE.value}
    lifecycle.change_visibility(campaign=campaign, preset="own", table=table, actor=None)
    assert current_switches(campaign) == CLOSED
    # The tab of somebody else, who does not know of the change and steps on.
    lifecycle.start_judging(campaign=stale, actor=None)
    assert current_switches(campaign)["runs_audience"] == Audience.EVERYONE
    table = {**table, "judging": dict(CLOSED)}
    lifecycle.change_visibility(campaign=campaign, preset="own", table=table, actor=None)
    assert current_switches(campaign) == CLOSED
    assert campaign.log.filter(verb="changed visibility").first().details["changed"] == {
        "judging: runs_audience": [2, 0]
    }


@pytest.mark.parametrize(
    ("stage", "switches"),
    [
        ("draft", {"runs_audience": 2}),
        ("open", {"board_audience": 2}),  # a board of runs that nobody may see
        ("open", {"per_topic_audience": 1}),  # topics without means
        ("open", {"shows_own_topics": True}),
        ("open", {"shows_own_documents": True}),  # judgments tell the means
        ("published", {"shows_own_documents": 1}),
        ("open", {"runs_audience": 3}),
        ("open", {"runs_audience": "2"}),
        ("open", {"runs_audience": True}),
        ("open", {"shows_own_scores": 1}),
        ("open", {"strange": 1}),
    ],
)
def test_a_table_that_contradicts_itself_is_refused_whole(stage: str, switches: dict) -> None:
    campaign = make_campaign()
    table = trec_style()
    table[stage] = table[stage] | switches
    with pytest.raises(ValidationError):
        lifecycle.change_visibility(campaign=campaign, preset="own", table=table, actor=None)
    campaign.refresh_from_db()
    assert campaign.stage_switches == trec_style()
    assert current_switches(campaign) == CLOSED


def test_the_name_of_a_preset_is_found_from_its_table() -> None:
    assert [lifecycle.preset_of(make()) for make in TABLES.values()] == list(EXPECTED)
    table = trec_style()
    table["open"]["runs_audience"] = 1
    assert lifecycle.preset_of(table) == "own"


ACTS = st.one_of(
    st.sampled_from(sorted(STEPS)),
    st.sampled_from([f"show {preset}" for preset in EXPECTED]),
    st.sampled_from(["archive", "bring back"]),
)


def act(name: str, campaign: Campaign) -> None:
    if name.startswith("show "):
        preset = name.removeprefix("show ")
        lifecycle.change_visibility(
            campaign=campaign, preset=preset, table=TABLES[preset](), actor=None
        )
    elif name == "archive":
        archiving.archive(campaign=campaign, actor=None)
    elif name == "bring back":
        archiving.unarchive(campaign=campaign, actor=None)
    else:
        STEPS[name](campaign=campaign, actor=None)


@settings(
    max_examples=min(60, settings().max_examples),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(acts=st.lists(ACTS, min_size=5, max_size=25))
def test_on_any_walk_what_is_seen_is_what_the_table_says_of_the_stage(acts: list[str]) -> None:
    """The rows are changed through objects that are now and then stale, as tabs are."""
    campaign = make_campaign(stage="draft", is_accepting=False)
    make_qrels(campaign)
    tabs = [campaign, Campaign.objects.get(pk=campaign.pk)]
    for number, name in enumerate(acts):
        before = Campaign.objects.values().get(pk=campaign.pk)
        try:
            act(name, tabs[number % 2])
        except CannotChangeStage:
            assert Campaign.objects.values().get(pk=campaign.pk) == before
        now = Campaign.objects.get(pk=campaign.pk)
        assert current_switches(campaign) == now.stage_switches[now.stage]
        assert now.is_accepting == (now.stage == Campaign.Stage.OPEN)
        assert (now.published_at is not None) == (now.stage == Campaign.Stage.PUBLISHED)
        if before["archived_at"] and now.archived_at:
            assert Campaign.objects.values().get(pk=campaign.pk) == before


def test_the_nearest_date_to_come_is_found_among_all_of_them() -> None:
    now = timezone.now()
    hour = timedelta(hours=1)
    campaign = Campaign(
        topics_released_at=now - hour,
        opens_at=now + hour,
        closes_at=now + 2 * hour,
        grace_minutes=30,
        reveals_teams_at=now + 9 * hour,
    )
    told = []
    moment = now
    while (moment := lifecycle.next_moment(campaign, moment)) is not None:
        told.append(moment - now)
    assert told == [hour, 2 * hour, 2.5 * hour, 9 * hour]
