"""A campaign whose submissions are closed, or that is archived, invites nobody to create a team."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from campaigns.models import Audience, Campaign, Membership, User
from campaigns.people.membership import invite
from scoring.worker import perform_waiting_jobs
from tests.making import make_campaign, make_organiser, make_user
from tests.teamwork import signed_in

pytestmark = pytest.mark.django_db

INVITES = re.compile(r"Take part|take part at|create a team|create one|creates a team|team of your")
OF_OTHERS = re.compile(
    r"Take part|take part at|anyone can create|[Pp]eople can create|they can create"
)
PAST = timezone.now() - timedelta(days=1)
ENDED = {
    "published": {"stage": "published", "board_audience": Audience.EVERYONE},
    "closed": {"stage": "closed"},
    "judging": {"stage": "judging"},
    "after the closing date": {"stage": "open", "is_accepting": True, "closes_at": PAST},
    "archived": {"stage": "published", "archived_at": PAST},
    "archived with open submissions": {"stage": "open", "archived_at": PAST},
}


def pages(client: Client, campaign: Campaign, *, beneath: str) -> Iterator[tuple[str, str]]:
    """The pages of the campaign that links lead to, from its overview."""
    start = f"/campaigns/{campaign.slug}/"
    waiting, seen = [start, f"{start}team/", f"{start}submit/", f"{start}{beneath}"], set()
    while waiting:
        url = waiting.pop()
        if url in seen or not url.startswith(start):
            continue
        seen.add(url)
        answer = client.get(url, follow=True)
        if answer.get("Content-Type", "").startswith("text/html") and not answer.streaming:
            text = answer.content.decode()
            yield url, text
            waiting += re.findall(r'href="(/campaigns/[^"?#]+)', text)


@pytest.mark.parametrize("ended", ENDED)
def test_no_page_of_an_ended_campaign_invites_to_create_a_team(ended: str) -> None:
    campaign = make_campaign(**{"is_accepting": False} | ENDED[ended])
    reader, participant, organiser = make_user(), make_user(), make_organiser(campaign)
    for person, role in ((reader, "reader"), (participant, "participant")):
        Membership.objects.create(campaign=campaign, person=person, role=role)
    for person in (None, make_user(), reader, participant):
        assert inviting_pages(person, campaign) == [], person
    # Organisers can create teams for others at any time. The settings say who could join.
    settings = f"/campaigns/{campaign.slug}/manage/settings/"
    assert set(inviting_pages(organiser, campaign, OF_OTHERS)) <= {settings}


def inviting_pages(
    person: User | None, campaign: Campaign, invites: re.Pattern[str] = INVITES
) -> list[str]:
    client = signed_in(person) if person else Client()
    found = list(pages(client, campaign, beneath="manage/people/" if person else ""))
    assert len(found) > 3
    return sorted({url for url, text in found if invites.search(text)})


def test_an_invitation_to_an_ended_campaign_says_that_submissions_are_closed(settings) -> None:
    campaign = make_campaign(stage="published", is_accepting=False)
    organiser, person = make_organiser(campaign), signed_in(make_user())
    _, token = invite(campaign=campaign, by=organiser, role="participant")
    text = person.get(f"/invitations/{token}/").content.decode()
    assert "Submissions are closed, so you cannot create a team." in text
    signed_in(organiser).post(
        f"/campaigns/{campaign.slug}/manage/people/invite-by-email/",
        {"role": "participant", "addresses": "bo@example.org"},
    )
    perform_waiting_jobs(campaign)
    assert "Submissions are\nclosed" in mail.outbox[0].body
    assert not INVITES.search(mail.outbox[0].body)


@pytest.mark.parametrize("role", Membership.Role.values)
def test_a_link_of_an_archived_campaign_says_only_that_it_is_archived(role: str) -> None:
    campaign = make_campaign(stage="open")
    organiser = make_organiser(campaign)
    _, token = invite(campaign=campaign, by=organiser, role=role)
    Campaign.objects.filter(pk=campaign.pk).update(archived_at=PAST)
    person, url = make_user(), f"/invitations/{token}/"
    answers = [client.get(url) for client in (Client(), signed_in(person))] + [
        signed_in(person).post(url)
    ]
    for answer in answers:
        text = answer.content.decode()
        assert text.count("This campaign is archived, so nobody can join it.") == 1
        assert "Ask the person who sent the link" in text
        assert "You are invited" not in text
        assert "Sign up" not in text.partition("<main")[2]
    assert not campaign.memberships.filter(person=person).exists()


def test_a_script_without_a_team_is_not_told_to_create_one(client) -> None:
    campaign = make_campaign(stage="closed", is_accepting=False)
    client.force_login(make_user())
    answer = client.post(f"/api/campaigns/{campaign.slug}/runs/", {"file": b""})
    assert not INVITES.search(answer.content.decode()), answer.content
