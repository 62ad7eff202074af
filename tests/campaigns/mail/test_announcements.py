"""Announcements: on the overview of members, by email, and how organisers edit and delete them."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import LazySettings
from django.core import mail
from django.test import Client
from django.urls import reverse

from campaigns.models import Announcement, User
from campaigns.people import announcements
from tests.campaigns.mail.test_notices import send_all, signed_in
from tests.making import make_campaign, make_organiser, make_team, make_user

pytestmark = pytest.mark.django_db


def test_an_announcement_is_emailed_and_shown_on_the_overview_of_members() -> None:
    campaign = make_campaign()
    olga, alice = make_organiser(campaign), make_user()
    make_team(campaign, alice)
    said = {"subject": "Topics", "body": "Topic **7** is withdrawn. <script>x</script>"}
    client = signed_in(olga)
    url = reverse("campaigns:announce", args=[campaign.slug])
    client.post(url, said)
    client.post(url, said)  # a double click
    send_all()
    assert [message.to for message in mail.outbox] == [[alice.email]]
    assert "Topic **7**" in mail.outbox[0].body
    overview = reverse("campaigns:campaign-detail", args=[campaign.slug])
    page = signed_in(alice).get(overview).content.decode()
    assert "Topic <strong>7</strong>" in page
    assert "<script>x" not in page
    assert "Topic <strong>7</strong>" not in Client().get(overview).content.decode()
    assert signed_in(alice).post(url, said).status_code == 404


@pytest.fixture
def announced() -> SimpleNamespace:
    campaign = make_campaign(contact="help@example.org")
    olga, alice = make_organiser(campaign), make_user()
    make_team(campaign, alice)
    said = {"subject": "Topics", "body": "Topic **7** is withdrawn."}
    made = announcements.announce(campaign=campaign, by=olga, **said)
    send_all()
    mail.outbox.clear()
    return SimpleNamespace(campaign=campaign, olga=olga, alice=alice, announcement=made)


def test_a_preview_sends_nothing() -> None:
    campaign = make_campaign()
    url = reverse("campaigns:announce", args=[campaign.slug])
    said = {"subject": "Topics", "body": "Topic **7**", "act": "preview"}
    page = signed_in(make_organiser(campaign)).post(url, said).content.decode()
    assert "Topic <strong>7</strong>" in page
    assert 'value="Topics"' in page
    assert not campaign.announcements.exists()


def test_an_edit_keeps_the_earlier_text_and_is_emailed_on_request(announced) -> None:
    url = reverse(
        "campaigns:announcement-edit", args=[announced.campaign.slug, announced.announcement.pk]
    )
    client = signed_in(announced.olga)
    shown = client.get(url).context["form"]
    said = {"subject": "Topics", "body": "Topic **8** is withdrawn.", "seen": shown["seen"].value()}
    for _ in range(2):  # a double click
        assert client.post(url, said).status_code in (302, 400)
    send_all()
    assert mail.outbox == []
    overview = reverse("campaigns:campaign-detail", args=[announced.campaign.slug])
    page = signed_in(announced.alice).get(overview).content.decode()
    assert page.index("Topic <strong>8</strong>") < page.index("Topic <strong>7</strong>")
    assert announced.announcement.versions.count() == 1
    later = client.post(url, said | {"body": "Topic **9**"})  # from the first page
    assert "Another organiser has edited" in later.content.decode()
    fresh = client.get(url).context["form"]["seen"].value()
    client.post(url, said | {"body": "Topic **9**", "seen": fresh, "sends_email": "on"})
    send_all()
    assert [message.to for message in mail.outbox] == [[announced.alice.email]]
    assert "Topic **9**" in mail.outbox[0].body
    verbs = announced.campaign.log.order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["announced", "edited announcement", "edited announcement"]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (
            lambda one, by: announcements.edit(announcement=one, subject="T", body="New.", by=by),
            "Another organiser has edited this announcement",
        ),
        (
            lambda one, by: announcements.delete(announcement=one, by=by),
            "Another organiser has deleted this announcement.",
        ),
    ],
)
def test_an_edit_at_the_same_moment_is_not_overwritten(
    announced: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[Announcement, User], object],
    said: str,
) -> None:
    """The other organiser is between the check of the form and the lock."""
    edit, other = announcements.edit, make_organiser(announced.campaign)

    def edit_second(**facts: Any) -> Announcement:
        monkeypatch.setattr(announcements, "edit", edit)
        act(Announcement.objects.get(), other)
        return edit(**facts)

    monkeypatch.setattr(announcements, "edit", edit_second)
    url = reverse(
        "campaigns:announcement-edit", args=[announced.campaign.slug, announced.announcement.pk]
    )
    client = signed_in(announced.olga)
    seen = client.get(url).context["form"]["seen"].value()
    sent = {"subject": "Topics", "body": "Topic **8**.", "seen": seen}
    page = client.post(url, sent)
    assert page.status_code == 400
    assert said in page.content.decode()
    assert "Topic **8**." in page.content.decode()
    assert not announced.campaign.announcements.exclude(body="New.").exists()


def test_a_deleted_announcement_is_gone_and_the_log_keeps_its_subject(announced) -> None:
    url = reverse(
        "campaigns:announcement-delete", args=[announced.campaign.slug, announced.announcement.pk]
    )
    client = signed_in(announced.olga)
    assert signed_in(announced.alice).post(url).status_code == 404
    assert client.post(url).status_code == 302
    assert client.post(url).status_code == 404  # the second of two clicks
    assert not announced.campaign.announcements.exists()
    assert announced.campaign.log.filter(verb="deleted announcement", subject="Topics").exists()


@pytest.mark.parametrize(
    ("contact", "reply_to", "expected"),
    [
        ("help@example.org", "", ["help@example.org"]),
        ("help@example.org", "olga@example.org", ["olga@example.org"]),
        ("https://example.org/track", "olga@example.org", ["olga@example.org"]),
        ("https://example.org/track", "", []),
        ("", "", []),
    ],
)
def test_replies_go_to_the_address_that_organisers_give(
    contact: str, reply_to: str, expected: list[str]
) -> None:
    campaign = make_campaign(contact=contact, reply_to=reply_to)
    make_team(campaign, make_user())
    olga = make_organiser(campaign)
    announcements.announce(campaign=campaign, subject="News", body="None.", by=olga)
    send_all()
    assert [message.reply_to for message in mail.outbox] == [expected]
    assert (f"Contact: {contact}\n" in mail.outbox[0].body) == bool(contact)


@pytest.mark.parametrize("stage", ["draft", "open"])
def test_an_email_links_to_the_overview_only_if_the_recipient_can_open_it(
    stage: str, settings: LazySettings
) -> None:
    settings.SITE_URL = "https://evaluation.example.org"
    campaign = make_campaign(stage=stage)
    alice, olga = make_user(), make_organiser(campaign)
    make_team(campaign, alice)
    announcements.announce(campaign=campaign, subject="News", body="None.", by=olga)
    body = campaign.notices.get(recipient=alice).body
    overview = reverse("campaigns:campaign-detail", args=[campaign.slug])
    can_open = signed_in(alice).get(overview).status_code == 200
    assert (f"{settings.SITE_URL}{overview}\n" in body) == can_open == (stage == "open")
    assert ("You can see the campaign after its organisers open it." in body) != can_open
