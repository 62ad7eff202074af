"""Topics: added, mended, taken out while nothing rests on them, and kept back until released."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from campaigns.errors import CannotRemoveTopics
from campaigns.models import Campaign, LogEntry, Membership, Qrels
from campaigns.qrels import versions
from campaigns.qrels.topics import add_topics, remove_topics
from campaigns.trec.problems import FormatError
from campaigns.trec.topics import read_topics
from tests.flow_world import QRELS, World, logged_in
from tests.making import make_user

pytestmark = pytest.mark.usefixtures("wake_ups")

RELEASED = datetime(2026, 6, 1, 12, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)


def codes(world: World) -> list[tuple[int, str]]:
    return list(world.campaign.topics.order_by("position").values_list("position", "code"))


def remove(world: World, *gone: str) -> int:
    return remove_topics(campaign=world.campaign, codes=gone, actor=world.organiser)


def test_a_corrected_topic_keeps_its_position_and_is_logged(world: World) -> None:
    topics = read_topics(b"1\tmended\n3\tnew\n")
    assert add_topics(campaign=world.campaign, topics=topics, actor=None) == 1
    assert codes(world) == [(0, "1"), (1, "2"), (2, "3")]
    verbs = set(LogEntry.objects.values_list("verb", "details__count"))
    assert verbs == {("added topics", 1), ("changed topics", 1)}


def test_the_same_topics_again_change_nothing(world: World) -> None:
    for _ in range(2):
        topics = read_topics(b"1\tmended\n")
        add_topics(campaign=world.campaign, topics=topics, actor=None)
    assert LogEntry.objects.count() == 1


def test_the_positions_of_removed_topics_are_closed(world: World) -> None:
    topics = read_topics(b"3\tx\n4\ty\n")
    add_topics(campaign=world.campaign, topics=topics, actor=None)
    world.change(feedback_topics=["1", "4"])
    assert remove(world, "1", "3") == 2
    assert codes(world) == [(0, "2"), (1, "4")]
    world.campaign.refresh_from_db()
    assert world.campaign.feedback_topics == ["4"]
    entry = LogEntry.objects.get(verb="removed topics")
    assert (entry.actor, entry.details["topics"]) == (world.organiser, ["1", "3"])


def test_an_unknown_topic_among_them_takes_none_out(world: World) -> None:
    with pytest.raises(CannotRemoveTopics, match="no topic 9"):
        remove(world, "1", "9")
    assert len(codes(world)) == 2


def test_an_open_campaign_keeps_a_topic(world: World) -> None:
    with pytest.raises(CannotRemoveTopics, match="at least one"):
        remove(world, "1", "2")
    world.change(stage=Campaign.Stage.DRAFT)
    assert remove(world, "1", "2") == 2


def test_judged_topics_stay(world: World) -> None:
    world.add_qrels()
    with pytest.raises(CannotRemoveTopics, match="judgments"):
        remove(world, "2")
    assert len(codes(world)) == 2


def test_an_archived_campaign_keeps_its_topics(world: World) -> None:
    world.change(archived_at=RELEASED)
    page = world.organiser_client.post(
        reverse("campaigns:topics-remove", args=[world.campaign.slug]), {"codes": "2"}, follow=True
    )
    assert "archived" in page.content.decode()
    assert len(codes(world)) == 2


def test_qrels_of_a_topic_that_is_removed_during_the_upload_are_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = versions._store

    def slowly(data: bytes) -> str:
        remove(world, "2")
        return store(data)

    monkeypatch.setattr(versions, "_store", slowly)
    with pytest.raises(FormatError, match="removed in the meantime"):
        world.add_qrels(QRELS)
    assert Qrels.objects.count() == 0


@pytest.mark.parametrize(
    ("moment", "expected"),
    [(RELEASED - INSTANT, 404), (RELEASED, 200)],
    ids=["an instant before", "at the release"],
)
def test_topics_are_kept_back_until_they_are_released(
    world: World, moment: datetime, expected: int
) -> None:
    world.change(topics_released_at=RELEASED)
    assessor = make_user()
    Membership.objects.create(
        campaign=world.campaign, person=assessor, role=Membership.Role.ASSESSOR
    )
    url = reverse("campaigns:topics-file", args=[world.campaign.slug])
    with time_machine.travel(moment, tick=False):
        assert Client().get(url).status_code == expected
        assert logged_in(world.participant).get(url).status_code == expected
        assert logged_in(world.organiser).get(url).status_code == 200
        assert logged_in(assessor).get(url).status_code == 200
