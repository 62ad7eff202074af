"""Teams and invitations: who joins what, and who does not."""

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from campaigns import lifecycle
from campaigns.errors import CannotJoin
from campaigns.models import Campaign, Invitation, Membership, User
from campaigns.people import membership as people
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user

pytestmark = pytest.mark.django_db


def signed_in(person: object) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_a_person_founds_a_team_and_is_in_it() -> None:
    alice, campaign = make_user(), make_campaign()
    team = people.create_own_team(campaign=campaign, person=alice, name="Alpha")
    membership = Membership.objects.get(person=alice)
    assert (membership.team, membership.role) == (team, Membership.Role.PARTICIPANT)


def test_an_operator_from_the_command_line_need_not_confirm_the_address(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "correct horse battery")
    call_command("createsuperuser", interactive=False, email="Ada@Example.org", verbosity=0)
    client = Client()
    sent = {"login": "ada@example.org", "password": "correct horse battery"}
    client.post(reverse("account_login"), sent)
    assert client.get(reverse("campaigns:account")).status_code == 200
    address = User.objects.get(email="ada@example.org").emailaddress_set.get()
    assert (address.email, address.verified, address.primary) == ("ada@example.org", True, True)


def test_an_operator_does_not_get_the_verified_address_of_another_person() -> None:
    make_user().emailaddress_set.create(email="ada@example.org", verified=True)
    with pytest.raises(CommandError, match="Another account has this email address"):
        call_command("createsuperuser", interactive=False, email="Ada@example.org")


def test_a_team_does_not_learn_the_address_of_an_organiser_who_made_its_link() -> None:
    campaign, alice = make_campaign(), make_user()
    team = people.create_own_team(campaign=campaign, person=alice, name="Alpha")
    organiser = make_organiser(campaign)
    assert organiser.name == ""
    people.invite(campaign=campaign, by=organiser, role=Membership.Role.PARTICIPANT, team=team)
    page = signed_in(alice).get(reverse("campaigns:team", args=[campaign.slug])).content.decode()
    assert "0 of 5 uses" in page
    assert organiser.email not in page


def test_a_person_is_in_one_team_of_a_campaign_only() -> None:
    alice, campaign = make_user(), make_campaign()
    people.create_own_team(campaign=campaign, person=alice, name="Alpha")
    with pytest.raises(CannotJoin):
        people.create_own_team(campaign=campaign, person=alice, name="Beta")
    other = make_team(campaign)
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.create(
            campaign=campaign, person=alice, role=Membership.Role.PARTICIPANT, team=other
        )
    # another campaign is another matter
    people.create_own_team(campaign=make_campaign(), person=alice, name="Alpha")


def test_only_a_participant_can_be_stored_with_a_team() -> None:
    campaign = make_campaign()
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.create(
            campaign=campaign,
            person=make_user(),
            role=Membership.Role.READER,
            team=make_team(campaign),
        )


def test_an_invitation_brings_a_team_mate() -> None:
    alice, bob, campaign = make_user(), make_user(), make_campaign()
    team = make_team(campaign, alice)
    page = signed_in(alice).post(reverse("campaigns:team-invite", args=[campaign.slug]))
    link = page.context["link"]
    assert link in page.content.decode()
    look = signed_in(bob).get(link)
    assert look.status_code == 200
    assert not team.memberships.filter(person=bob).exists()  # looking is not joining
    signed_in(bob).post(link)
    assert team.memberships.filter(person=bob).exists()
    signed_in(bob).post(link)  # a double click
    assert team.memberships.filter(person=bob).count() == 1


@pytest.mark.parametrize(
    ("stage", "role", "name"),
    [
        ("open", "assessor", "assess"),
        ("open", "reader", "campaign-detail"),
        ("draft", "organiser", "campaign-detail"),
        ("draft", "assessor", "campaign-list"),
        ("draft", "reader", "campaign-list"),
    ],
)
def test_accepting_an_invitation_redirects_to_a_visible_page(
    stage: str, role: str, name: str
) -> None:
    campaign, bob = make_campaign(stage=stage), make_user()
    _, token = people.invite(campaign=campaign, by=make_organiser(campaign), role=role)
    link = reverse("campaigns:invitation", args=[token])
    page = signed_in(bob).post(link, follow=True)
    where = [] if name == "campaign-list" else [campaign.slug]
    assert page.redirect_chain == [(reverse(f"campaigns:{name}", args=where), 302)]
    assert page.status_code == 200
    assert ("after its organisers open it" in page.content.decode()) == (name == "campaign-list")


def test_the_table_of_invitations_opens_no_door() -> None:
    campaign = make_campaign()
    organiser = make_organiser(campaign)
    invitation, token = people.invite(campaign=campaign, by=organiser, role="organiser")
    stored = Invitation.objects.values().get(pk=invitation.pk)
    assert token not in str(stored)
    assert people.find_invitation(token) == invitation
    assert people.find_invitation(stored["token_digest"]) is None


@pytest.mark.parametrize("spoil", ["expire", "revoke"])
def test_an_old_or_revoked_link_opens_nothing(spoil: str) -> None:
    campaign = make_campaign()
    invitation, token = people.invite(
        campaign=campaign, by=make_organiser(campaign), role="organiser"
    )
    if spoil == "revoke":
        people.revoke(invitation)
    else:
        past = timezone.now() - timedelta(seconds=1)
        Invitation.objects.filter(pk=invitation.pk).update(expires_at=past)
    assert people.find_invitation(token) is None
    answer = signed_in(make_user()).get(reverse("campaigns:invitation", args=[token]))
    assert answer.status_code == 404
    assert "This invitation link is not valid" in answer.content.decode()


def test_a_member_of_one_team_cannot_follow_a_link_of_another() -> None:
    campaign = make_campaign()
    bob = make_user()
    make_team(campaign, bob, name="Beta")
    alpha = make_team(campaign, make_user(), name="Alpha")
    _, token = people.invite(
        campaign=campaign, by=make_organiser(campaign), role="participant", team=alpha
    )
    page = signed_in(bob).post(reverse("campaigns:invitation", args=[token]))
    assert "You are already in a team of this campaign." in page.content.decode()
    assert not alpha.memberships.filter(person=bob).exists()


def test_people_are_shown_without_their_address() -> None:
    alice = make_user("alice@secret.example")
    assert "secret" not in people.display_name(alice)


@pytest.mark.parametrize(
    ("rule", "facts", "may"),
    [
        ("anyone", {}, True),
        ("approved", {}, False),
        ("approved", {"is_approved": True}, True),
        ("staff", {"is_approved": True}, False),
        ("staff", {"is_staff": True}, True),
    ],
)
def test_who_may_create_a_campaign_is_a_setting(
    rule: str, facts: dict[str, bool], may: bool, settings: LazySettings
) -> None:
    settings.WHO_MAY_CREATE_CAMPAIGNS = rule
    person = make_user(**facts)
    assert lifecycle.may_create_campaigns(person) is may
    answer = signed_in(person).get(reverse("campaigns:campaign-create"))
    assert answer.status_code == (200 if may else 302)
    if not may:
        assert answer.url == reverse("campaigns:organiser-request")


def test_signing_up_founding_a_team_and_making_a_campaign_from_the_browser() -> None:
    client = Client()
    secret = "three words and more"
    client.post(
        reverse("account_signup"),
        {"name": "New", "email": "new@people.example", "password1": secret, "password2": secret},
    )
    client.post(reverse("account_logout"))
    client.post(reverse("account_login"), {"login": "new@people.example", "password": secret})
    campaign = make_campaign()
    client.post(reverse("campaigns:team", args=[campaign.slug]), {"name": "Newcomers"})
    assert campaign.teams.filter(name="Newcomers").exists()


def test_a_new_campaign_is_its_makers_draft() -> None:
    maker = make_user(is_approved=True)
    url = reverse("campaigns:campaign-create")
    form = signed_in(maker).get(url).context["form"]
    said = {field.html_name: field.value() for field in form if field.value() is not None}
    said |= {
        "name": "A track",
        "slug": "a-track",
        "highest_grade": "2",
        "gain_map": "0, 0.5, 1",
        "persistences": "0.5, 0.8",
    }
    answer = signed_in(maker).post(url, said)
    assert answer.status_code == 302
    campaign = Campaign.objects.get(slug="a-track")
    assert campaign.stage == Campaign.Stage.DRAFT
    assert (campaign.gain_map, campaign.persistences) == ([0, 0.5, 1], [0.5, 0.8])
    assert signed_in(maker).get(answer["Location"]).status_code == 200
    assert Client().get(reverse("campaigns:campaign-detail", args=["a-track"])).status_code == 404


def test_a_token_lets_a_script_in_until_it_is_revoked() -> None:
    alice = make_user()
    campaign = make_campaign()
    run = make_run(campaign, make_team(campaign, alice))
    token = signed_in(alice).post(reverse("campaigns:token-create")).context["token"]
    url = reverse("api:run-detail", args=[campaign.slug, run.public_id])
    header = {"Authorization": f"Token {token}"}
    assert Client().get(url).status_code == 404
    assert Client().get(url, headers=header).status_code == 200
    key = AuthToken.objects.get().token_key
    assert (
        signed_in(make_user()).post(reverse("campaigns:token-revoke", args=[key])).status_code
        == 404
    )  # another's
    signed_in(alice).post(reverse("campaigns:token-revoke", args=[key]))
    assert Client().get(url, headers=header).status_code == 401
    assert token not in str(list(AuthToken.objects.values()))


def test_an_approved_person_may_create_campaigns(settings) -> None:
    settings.WHO_MAY_CREATE_CAMPAIGNS = "approved"
    person = make_user("somebody@example.org")
    url = reverse("campaigns:campaign-create")
    assert signed_in(person).get(url).status_code == 302
    call_command("approve", "Somebody@Example.org")
    assert signed_in(person).get(url).status_code == 200
    call_command("approve", "somebody@example.org", "--revoke")
    assert signed_in(person).get(url).status_code == 302
    with pytest.raises(CommandError, match="Nobody has an account"):
        call_command("approve", "nobody@example.org")
