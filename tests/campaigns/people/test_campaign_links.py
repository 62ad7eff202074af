"""A link for the participants of a campaign: from its creation to the teams of those who came."""

import html
import re
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import access
from campaigns.errors import CannotJoin
from campaigns.models import Campaign, Invitation, Membership, Team, User
from campaigns.people import announcements, teams
from campaigns.people import membership as people
from campaigns.people.sign_up_limits import take_attempt
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user
from tests.teamwork import signed_in, url_of

pytestmark = pytest.mark.django_db

PARTICIPANT = Membership.Role.PARTICIPANT
PASSWORD = "correct horse battery"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(is_private=True, name="Search class")


def make_link(campaign: Campaign, **facts: object) -> tuple[Invitation, str]:
    return people.invite(campaign=campaign, by=make_organiser(campaign), role=PARTICIPANT, **facts)


def join(campaign: Campaign, invitation: Invitation) -> User:
    person = make_user()
    people.accept_invitation(invitation=invitation, person=person)
    return person


def path_of(token: str) -> str:
    return reverse("campaigns:invitation", args=[token])


def test_a_stranger_sees_which_campaign_the_link_is_for_and_how_to_accept(
    campaign: Campaign, client: Client
) -> None:
    campaign.terms = "Secret terms"
    campaign.save()
    _, token = make_link(campaign)
    page = client.get(path_of(token))
    text = page.content.decode()
    assert page.status_code == 200
    assert "Invitation to Search class" in text
    for name in ("account_signup", "account_login"):
        assert f"{reverse(name)}?next=%2Finvitations%2F{token}%2F" in text
    assert "Secret terms" not in text
    answer = client.post(path_of(token))
    assert answer.url.startswith(reverse("account_login"))
    assert path_of(token) in answer.url


@pytest.mark.parametrize("browser", ["the same browser", "another browser"])
def test_the_link_survives_sign_up_and_confirmation(
    campaign: Campaign, client: Client, settings: LazySettings, browser: str
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    _, token = make_link(campaign)
    path = path_of(token)
    form = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
    client.post(reverse("account_signup"), form | {"name": "New", "next": path})
    (confirm,) = re.findall(r"https?://\S+", mail.outbox[-1].body)
    if browser == "another browser":
        client = Client()
    (on,) = re.findall(r'name="next" value="([^"]+)"', client.get(confirm).content.decode())
    page = client.post(confirm.split("?")[0], {"next": html.unescape(on)}, follow=True)
    if browser == "another browser":
        assert "Log in to see the invitation." in page.content.decode()
        assert "You have confirmed new@example.org" in page.content.decode()
        login = {"login": "new@example.org", "password": PASSWORD, "next": path}
        page = client.post(reverse("account_login"), login, follow=True)
    assert page.request["PATH_INFO"] == path
    page = client.post(path, follow=True)
    assert page.request["PATH_INFO"] == url_of("campaign-detail", campaign)
    assert url_of("team", campaign) in page.content.decode()


def test_a_new_person_is_welcomed_after_confirming_in_another_browser(
    client: Client, settings: LazySettings
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    form = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD, "name": "New"}
    client.post(reverse("account_signup"), form)
    (confirm,) = re.findall(r"https?://\S+", mail.outbox[-1].body)
    other, welcome = Client(), reverse("campaigns:welcome")
    (on,) = re.findall(r'name="next" value="([^"]+)"', other.get(confirm).content.decode())
    page = other.post(confirm.split("?")[0], {"next": html.unescape(on)}, follow=True)
    assert f'name="next" value="{welcome}"' in page.content.decode()
    assert "You have confirmed new@example.org" in page.content.decode()


def test_a_participant_creates_a_team_or_joins_one(campaign: Campaign) -> None:
    invitation, token = make_link(campaign)
    ann, bob = join(campaign, invitation), join(campaign, invitation)
    viewer = access.viewer_or_404(ann, campaign.slug)
    assert (viewer.team, viewer.is_participant) == (None, False)
    signed_in(ann).post(url_of("team", campaign), {"name": "Alpha"})
    team = Team.objects.get(name="Alpha")
    _, into = people.invite(campaign=campaign, by=ann, role=PARTICIPANT, team=team)
    signed_in(bob).post(path_of(into))
    assert {each.person for each in team.memberships.all()} == {ann, bob}
    assert campaign.memberships.filter(role=PARTICIPANT).count() == 2
    # the link of the campaign leads back to it, and does not count again
    assert signed_in(bob).get(path_of(token)).url == url_of("campaign-detail", campaign)
    signed_in(bob).post(path_of(token))
    invitation.refresh_from_db()
    assert invitation.uses == 2
    with pytest.raises(CannotJoin, match="already in a team"):
        people.create_own_team(campaign=campaign, person=bob, name="Beta")


def test_an_organiser_adds_a_participant_to_a_team_where_only_organisers_create_teams(
    campaign: Campaign,
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(joining="invited")
    invitation, _ = make_link(campaign)
    ann, olga = join(campaign, invitation), make_organiser(campaign)
    told = signed_in(ann).get(url_of("campaign-detail", campaign)).content.decode()
    assert "The organisers create the teams, and add you to one." in told
    team, waiting = make_team(campaign), make_team(campaign)
    Team.objects.filter(pk=waiting.pk).update(approved_at=None)
    member = campaign.memberships.get(person=ann)
    client, add = signed_in(olga), url_of("team-assign", campaign, member.pk)
    for wrong in (
        "",
        f"{team.public_id}\0",
        waiting.public_id,
        make_team(make_campaign()).public_id,
    ):
        assert client.post(add, {"team": wrong}).status_code == 404
    assert add in client.get(url_of("people", campaign)).content.decode()
    assert client.post(add, {"team": team.public_id}).status_code == 302
    member.refresh_from_db()
    assert member.team == team
    again = client.post(add, {"team": make_team(campaign).public_id}, follow=True)
    assert "is in a team already" in again.content.decode()
    reader = Membership.objects.create(campaign=campaign, person=make_user(), role="reader")
    client.post(url_of("team-assign", campaign, reader.pk), {"team": team.public_id})
    reader.refresh_from_db()
    assert reader.team is None


def test_a_participant_who_leaves_a_team_or_is_declined_stays_in_the_campaign(
    campaign: Campaign,
) -> None:
    invitation, _ = make_link(campaign)
    olga = make_organiser(campaign)
    ann, bob, cat = (join(campaign, invitation) for _ in range(3))
    left, declined, runs = (
        people.create_own_team(campaign=campaign, person=person, name=name)
        for person, name in ((ann, "Left"), (bob, "Declined"), (cat, "Runs"))
    )
    make_run(campaign, runs)
    Team.objects.filter(pk=declined.pk).update(approved_at=None)
    teams.leave(team=left, person=ann)
    teams.decide_team(team=declined, approve=False, actor=olga)
    assert [team.name for team in campaign.teams.all()] == ["Runs"]
    for person in (ann, bob):
        assert campaign.memberships.get(person=person).team is None
        people.create_own_team(campaign=campaign, person=person, name=f"Again {person.pk}")
    people.remove_role(membership=campaign.memberships.get(person=cat), actor=olga)
    assert not campaign.memberships.filter(person=cat).exists()


def test_a_removed_participant_cannot_come_back_and_the_link_stays_valid(
    campaign: Campaign,
) -> None:
    invitation, token = make_link(campaign)
    ann, olga = join(campaign, invitation), make_organiser(campaign)
    people.remove_role(membership=campaign.memberships.get(person=ann), actor=olga)
    assert signed_in(ann).post(path_of(token)).status_code == 400
    assert signed_in(make_user()).post(path_of(token)).status_code == 302


def test_a_participant_without_a_team_can_become_an_assessor_and_not_the_reverse(
    campaign: Campaign,
) -> None:
    invitation, token = make_link(campaign)
    ann = join(campaign, invitation)
    by = make_organiser(campaign)
    role, _ = people.invite(campaign=campaign, by=by, role="assessor")
    people.accept_invitation(invitation=role, person=ann)
    assert [each.role for each in ann.memberships.all()] == ["assessor"]
    refused = signed_in(ann).post(path_of(token))
    assert refused.status_code == 400
    assert "You have the role assessor" in refused.content.decode()


def test_an_organiser_can_show_the_link_again_with_its_code_and_the_people_who_came(
    campaign: Campaign, settings: LazySettings
) -> None:
    client = signed_in(make_organiser(campaign))
    made = client.post(url_of("role-invite", campaign, PARTICIPANT), {"max_uses": "30"})
    link = made.context["link"]
    invitation = campaign.invitations.get()
    assert invitation.max_uses == 30
    ann, bob = join(campaign, invitation), join(campaign, invitation)
    people.create_own_team(campaign=campaign, person=ann, name="Alpha")
    shown = url_of("invitation-link", campaign, invitation.pk)
    listed = client.get(url_of("people", campaign)).content.decode()
    assert shown in listed
    assert bob.email in listed.split('id="without"')[1].split("</table>")[0]
    page = client.get(shown)
    text = page.content.decode()
    assert page.context["link"] == link
    assert text.count("data:image/svg+xml") == 2  # the picture and the download
    assert "2 of 30 uses so far" in text
    assert [member.person for member in page.context["members"]] == [ann, bob]
    settings.SECRET_KEY = "another"
    settings.SECRET_KEY_FALLBACKS = []
    people_again = people.open_links(campaign).get()
    assert people.token_of(people_again) is None
    assert people.find_invitation(link.rsplit("/", 2)[-2]) == invitation  # and it still works
    people.revoke(invitation)
    assert signed_in(make_organiser(campaign)).get(shown).status_code == 404


def test_a_used_link_stays_in_the_list_with_the_people_who_came(campaign: Campaign) -> None:
    client = signed_in(make_organiser(campaign))
    invitation, token = make_link(campaign, max_uses=1)
    ann = join(campaign, invitation)
    listed = client.get(url_of("people", campaign)).content.decode().split('id="links"')[1]
    assert "used up" in listed
    assert "Show people" in listed
    assert url_of("invitation-revoke", campaign, invitation.pk) not in listed
    page = client.get(url_of("invitation-link", campaign, invitation.pk))
    assert token not in page.content.decode()
    assert "The link is used up" in page.content.decode()
    assert [member.person for member in page.context["members"]] == [ann]
    people.revoke(invitation)
    gone = client.get(url_of("invitation-link", campaign, invitation.pk))
    assert gone.status_code == 404


def test_people_without_a_team_are_counted_before_the_first_team(campaign: Campaign) -> None:
    client = signed_in(make_organiser(campaign))
    invitation, _ = make_link(campaign)
    for counted in ("One participant is", "Two participants are"):
        join(campaign, invitation)
        lead = client.get(url_of("people", campaign)).content.decode().split('class="lead"')[1]
        assert counted in lead.split("</p>")[0]


def test_the_code_is_dark_on_white_and_the_policy_allows_it(campaign: Campaign) -> None:
    client = signed_in(make_organiser(campaign))
    page = client.post(url_of("role-invite", campaign, PARTICIPANT))
    picture = page.context["qr_code"]
    assert "%23fff" in picture
    assert "%23000" in picture
    assert "img-src 'self' data:" in page.headers["Content-Security-Policy"]


def test_announcements_and_dates_reach_participants_without_a_team(campaign: Campaign) -> None:
    invitation, _ = make_link(campaign)
    ann, bob = join(campaign, invitation), make_user()
    make_team(campaign, bob)
    reader = make_user()
    Membership.objects.create(campaign=campaign, person=reader, role="reader")
    olga = make_organiser(campaign)
    announcements.announce(campaign=campaign, subject="Hello", body="All.", by=olga)
    told = campaign.notices.filter(subject__endswith="Hello").values_list("recipient", flat=True)
    assert sorted(told) == [ann.pk, bob.pk]


def test_whoever_joins_a_draft_sees_it_when_it_opens(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(stage="draft", is_accepting=False)
    _, token = make_link(campaign)
    client = signed_in(make_user())
    page = client.post(path_of(token), follow=True)
    assert "after its organisers open it" in page.content.decode()
    assert client.get(url_of("campaign-detail", campaign)).status_code == 404
    home, joined = reverse("campaigns:campaign-list"), "You have joined."
    assert client.get(home).content.decode().count(joined) == 1
    Campaign.objects.filter(pk=campaign.pk).update(stage="open", is_accepting=True)
    assert client.get(url_of("campaign-detail", campaign)).status_code == 200
    assert joined not in client.get(home).content.decode()


def test_home_names_a_draft_only_to_people_who_followed_a_link(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(stage="draft", is_accepting=False)
    invitation, _ = make_link(campaign)
    added, organiser, removed = make_user(), make_user(), join(campaign, invitation)
    campaign.memberships.create(person=added, role="assessor")
    campaign.memberships.create(person=organiser, role="organiser", invitation=invitation)
    campaign.memberships.filter(person=removed).delete()
    for person in (added, removed):
        assert campaign.name not in signed_in(person).get("/").content.decode()
    page = signed_in(organiser).get("/").content.decode()
    assert page.count(f">{campaign.name}<") == 1  # under My campaigns, with its page
    assert "You have joined." not in page


@pytest.mark.parametrize(
    ("facts", "told", "at"),
    [
        ({"is_private": True}, "Create a link for participants", "participant-link"),
        ({"stage": "draft"}, "Create a link for participants", "participant-link"),
        ({"is_private": False}, "Send people the URL of the campaign", "invite"),
        ({"is_private": False, "joining": "invited"}, "Create one for others", "new-team"),
    ],
)
def test_an_organiser_without_teams_reads_how_people_come(
    facts: dict[str, object], told: str, at: str
) -> None:
    campaign = make_campaign(**facts)
    client = signed_in(make_organiser(campaign))
    page = client.get(url_of("people", campaign)).content.decode()
    assert f'<a href="#{at}">{told}</a>' in page
    folds = re.findall(r"<details( open)?>\s*<summary>[^<]*</summary>\s*<form id=.([^\"]+)", page)
    assert [name for is_open, name in folds if is_open] == [at] * (at != "invite")
    url = f'value="http://testserver{url_of("campaign-detail", campaign)}"'
    assert (url in page) == (told.startswith("Send"))
    manage = client.get(url_of("campaign-manage", campaign)).content.decode()
    assert (f"{url_of('people', campaign)}#{at}" in manage) == (campaign.stage != "draft")


def test_a_script_creates_a_link_for_a_role(campaign: Campaign) -> None:
    client = signed_in(make_organiser(campaign))
    made = client.post(
        reverse("api:invitation-create", args=[campaign.slug]),
        {"role": "participant"},
        content_type="application/json",
    )
    assert made.status_code == 201
    assert made.json()["max_uses"] == 100
    path = made.json()["url"].removeprefix("http://testserver")
    assert signed_in(make_user()).post(path).status_code == 302
    assert campaign.memberships.filter(role=PARTICIPANT, team=None).count() == 1


class TestSignUpsOfACourse:
    """They come from one network address, whose limit would be reached."""

    @pytest.fixture(autouse=True)
    def one_an_hour(self, settings: LazySettings) -> None:
        settings.ACCOUNT_RATE_LIMITS = {"signup": "1/h/ip"}
        cache.clear()

    @staticmethod
    def sign_up(number: int, token: str = "", *, passwords: str = PASSWORD) -> int:
        form = {
            "name": f"Student {number}",
            "email": f"student-{number}@example.org",
            "password1": PASSWORD,
            "password2": passwords,
            "next": path_of(token) if token else "",
        }
        status: int = Client().post(reverse("account_signup"), form).status_code
        return status

    def test_those_by_a_link_count_for_the_link(self, campaign: Campaign) -> None:
        _, token = make_link(campaign, max_uses=people.MOST_USES)
        assert [self.sign_up(number, token) for number in range(5)] == [302] * 5
        assert [self.sign_up(number) for number in (10, 11)] == [302, 429]
        assert self.sign_up(12, token) == 302
        assert User.objects.filter(email__startswith="student-").count() == 7

    def test_a_link_allows_three_attempts_for_each_use(self, campaign: Campaign) -> None:
        _, token = make_link(campaign, max_uses=2)
        mistyped = [self.sign_up(number, token, passwords="other") for number in range(6)]
        assert mistyped == [200] * 6
        assert [self.sign_up(number, token) for number in range(2)] == [302, 429]

    def test_what_is_stored_does_not_grow_with_the_attempts(self, campaign: Campaign) -> None:
        """A link of a course can have 15,000."""
        _, token = make_link(campaign, max_uses=50)
        lengths = []
        for number in range(3):
            self.sign_up(number, token)
            with connection.cursor() as cursor:
                cursor.execute("SELECT sum(length(value)) FROM shared_counts")
                lengths.append(cursor.fetchone()[0])
        assert len({*lengths}) == 1, lengths

    def test_the_attempts_of_a_link_are_counted_by_day(
        self, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        link, _ = make_link(campaign, max_uses=1)
        today = timezone.now()
        assert [take_attempt(link) for _ in range(4)] == [True, True, True, False]
        monkeypatch.setattr(timezone, "now", lambda: today + timedelta(days=1))
        assert take_attempt(link)

    @pytest.mark.parametrize("why", ["revoked", "expired", "used up", "unknown"])
    def test_a_link_that_is_not_valid_lifts_no_limit(self, campaign: Campaign, why: str) -> None:
        invitation, token = make_link(campaign, max_uses=1)
        if why == "revoked":
            people.revoke(invitation, actor=invitation.created_by)
        elif why == "expired":
            Invitation.objects.update(expires_at=timezone.now())
        elif why == "used up":
            join(campaign, invitation)
        elif why == "unknown":
            token = "no-such-token"
        assert [self.sign_up(number, token) for number in range(2)] == [302, 429]
