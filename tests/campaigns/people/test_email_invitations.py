"""Invitations by email: one link for each address."""

import re
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Campaign
from campaigns.people import email_invitations
from campaigns.people.email_invitations import Sent, read_addresses
from campaigns.people.membership import remove_role
from tests.campaigns.people.test_campaign_links import campaign
from tests.making import make_organiser, make_team, make_user
from tests.teamwork import signed_in, url_of

pytestmark = pytest.mark.django_db
__all__ = ["campaign"]  # the fixture


def invite_by_email(campaign: Campaign, addresses: str, role: str = "participant") -> object:
    client = signed_in(make_organiser(campaign, make_user(name="Olga")))
    return client.post(
        url_of("email-invite", campaign), {"role": role, "addresses": addresses}, follow=True
    )


def test_each_address_gets_its_own_link_and_the_page_lists_who_came(campaign: Campaign) -> None:
    pasted = "Lee, Ann <Ann@example.org>; Bo <bo@example.org>\ncat@example.org dan@example.org"
    page = invite_by_email(campaign, pasted)
    assert "4 invitations sent." in page.content.decode()
    assert [each.to for each in mail.outbox] == [
        [f"{name}@example.org"] for name in ("ann", "bo", "cat", "dan")
    ]
    first = mail.outbox[0]
    assert first.subject == "Search class: invitation for a participant"
    assert "Olga invites you to Search class" in first.body
    links = [re.search(r"http://testserver(\S+)", each.body)[1] for each in mail.outbox]
    assert len(set(links)) == 4
    ann, warning = (
        make_user("ann.lee@example.com", name="Ann Lee"),
        "not confirmed for your account",
    )
    page = signed_in(ann).get(links[0]).content.decode()
    assert warning in page
    other = f'href="{reverse("account_logout")}?next={links[0]}"'
    assert other in page
    assert "ann@example.org" not in page
    address = ann.emailaddress_set.create(email="ann@example.org", verified=False)
    assert warning in signed_in(ann).get(links[0]).content.decode()
    ann.emailaddress_set.filter(pk=address.pk).update(verified=True)
    assert warning not in signed_in(ann).get(links[0]).content.decode()
    assert warning not in signed_in(make_user("Bo@example.org")).get(links[1]).content.decode()
    signed_in(ann).post(links[0])
    page = signed_in(make_user()).get(links[0])
    assert page.status_code == 404  # one person can use it
    assert other in page.content.decode()
    organiser = campaign.memberships.filter(role="organiser").get().person
    rows = signed_in(organiser).get(url_of("people", campaign)).context["invited"].object_list
    assert {
        row.invitation.email: row.member.person.name if row.member else None for row in rows
    } == {"ann@example.org": "Ann Lee", "bo@example.org": None,
          "cat@example.org": None, "dan@example.org": None}  # fmt: skip


def test_an_invitation_is_sent_again_with_the_same_link_and_not_at_once(
    campaign: Campaign,
) -> None:
    invite_by_email(campaign, "bo@example.org")
    page = invite_by_email(campaign, "bo@example.org")
    assert "Invited less than an hour ago: bo@example.org." in page.content.decode()
    assert len(mail.outbox) == 1
    before = timezone.now() - timedelta(days=29)
    campaign.invitations.update(sent_at=before, expires_at=timezone.now() + timedelta(days=1))
    invite_by_email(campaign, "bo@example.org")
    assert len(mail.outbox) == 2
    assert campaign.invitations.count() == 1
    first, again = (re.search(r"http://\S+", each.body)[0] for each in mail.outbox)
    assert first == again
    assert campaign.invitations.get().expires_at > timezone.now() + timedelta(days=29)


@pytest.mark.usefixtures("own_connections")
def test_a_double_click_sends_one_email(campaign: Campaign) -> None:
    facts = {
        "campaign": campaign, "by": make_organiser(campaign), "role": "participant",
        "addresses": ["bo@example.org"],
    }  # fmt: skip
    second: list[Future[Sent]] = []

    def send_again() -> Sent:
        try:
            return email_invitations.invite_by_email(**facts, link_of=str)
        finally:
            connection.close()

    def link_of(token: str) -> str:
        """Called before the first request commits."""
        second.append(threads.submit(send_again))
        wait(second, timeout=0.5)
        return token

    with ThreadPoolExecutor() as threads:
        first = email_invitations.invite_by_email(**facts, link_of=link_of)
    assert first.count == 1
    assert second[0].result() == Sent(0, [], ["bo@example.org"], [])
    assert len(mail.outbox) == 1
    assert campaign.invitations.count() == 1


def test_people_who_have_the_role_are_not_invited(campaign: Campaign) -> None:
    make_team(campaign, make_user("bo@example.org"))
    page = invite_by_email(campaign, "bo@example.org")
    assert "Already participant, and not invited again: bo@example.org." in page.content.decode()
    assert not mail.outbox


@pytest.mark.parametrize(
    "pasted",
    ["'ann@example.org' <ann@example.org>", "ann@\u200bexample.org\u200b", "\ufeffann@example.org"],
)
def test_what_programs_add_to_a_copied_address_is_no_part_of_it(pasted: str) -> None:
    assert email_invitations.read_addresses(pasted) == ["ann@example.org"]


@pytest.mark.parametrize("role", ["assessor", "reader"])
def test_nobody_is_invited_to_a_role_that_the_person_cannot_accept(
    campaign: Campaign, role: str
) -> None:
    """Participants without a team can become assessors, and organisers can be in a team."""
    make_team(campaign, make_user("member@example.org"))
    for email, other in (("alone@example.org", "participant"), ("judge@example.org", "assessor")):
        campaign.memberships.create(person=make_user(email), role=other)
    page = invite_by_email(campaign, "member@example.org alone@example.org", role)
    refused = "Not invited, because assessors and readers cannot be in a team:"
    assert f"1 invitation sent. {refused} member@example.org." in page.content.decode()
    page = invite_by_email(campaign, "judge@example.org member@example.org")
    assert f"member@example.org. {refused} judge@example.org." in page.content.decode()
    invite_by_email(campaign, "member@example.org", "organiser")
    assert [each.to for each in mail.outbox] == [["alone@example.org"], ["member@example.org"]]


@pytest.mark.parametrize(
    ("pasted", "told"),
    [
        (
            "ann@example.org\nbo at example.org",
            "Line 2: “bo at example.org” is not an email address.",
        ),
        ("Ann <ann@>", "Line 1: “ann@” is not an email address."),
        pytest.param(f"{'x' * 250}@example.org", f"“{'x' * 100}” is not an email", id="long"),
        ("", "This field is required."),
        (" ".join(f"p{n}@example.org" for n in range(501)), "Invite at most 500 at a time."),
    ],
)
def test_no_email_is_sent_if_one_address_is_wrong(
    campaign: Campaign, pasted: str, told: str
) -> None:
    page = invite_by_email(campaign, pasted)
    assert page.status_code == 400
    assert told in page.content.decode()
    assert '<a href="#id_email_addresses">Email addresses</a>' in page.content.decode()
    assert not mail.outbox
    assert not campaign.invitations.exists()


def test_a_list_of_names_is_refused_with_its_first_lines(campaign: Campaign) -> None:
    page = invite_by_email(campaign, "Ann\n" * 60).content.decode()
    assert page.count("“Ann” is not an email address.") == 25
    assert "And 35 more." in page


def test_each_broken_address_of_a_line_is_named(campaign: Campaign) -> None:
    page = invite_by_email(
        campaign, "ann@example.org, bo@, Cat, dan@example.org Eve Lee fay@example.org; @x"
    )
    for word in ("bo@", "Cat", "Eve Lee", "@x"):
        assert f"Line 1: “{word}” is not an email address." in page.content.decode()
    assert page.status_code == 400
    assert not campaign.invitations.exists()


@pytest.mark.parametrize(
    ("line", "faulty"),
    [
        ("bobuni.example, Ann <t@uni.example>", ["bobuni.example"]),
        ("bob at uni.example, Ann <t@uni.example>", ["bob at uni.example"]),
        ("carl(at)uni.example; Ann <t@uni.example>", ["carl(at)uni.example"]),
        ("carl(AT)uni, Ann <t@uni.example>", ["carl(AT)uni"]),
        ("Bob; Ann <t@uni.example>", ["Bob"]),
        ("Ann <t@uni.example>, Bob", ["Bob"]),
        ("Ann <t@uni.example> Bob; Cat <cat@uni.example", ["Bob", "Cat <cat@uni.example"]),
        ("bob@, Ann <t@uni.example>, <>", ["bob@", ""]),
        (f"Ann <{'x' * 65}@uni.example>", [f"{'x' * 65}@uni.example"]),
    ],
)
def test_nothing_beside_an_address_in_brackets_is_dropped_unless_it_is_its_name(
    line: str, faulty: list[str]
) -> None:
    with pytest.raises(ValidationError) as caught:
        read_addresses(line)
    told = [f"Line 1: “{word}” is not an email address." for word in faulty]
    assert caught.value.messages == told


@pytest.mark.parametrize(
    ("line", "addresses"),
    [
        ('"Lee; Ann B.Sc." <t@uni.example>, Bo <b@uni.example>', ["t", "b"]),
        ('"t@uni.example" <t@uni.example>', ["t"]),
        ("Lee, Ann J.R. <t@uni.example>; Dr. Bo O'Neil <b@uni.example>;", ["t", "b"]),
        ("b@uni.example Ann <t@uni.example> c@uni.example", ["b", "t", "c"]),
        (f"{'x' * 64}@uni.example", ["x" * 64]),
    ],
)
def test_names_before_addresses_in_brackets_are_skipped(line: str, addresses: list[str]) -> None:
    assert read_addresses(line) == [f"{each}@uni.example" for each in addresses]


def test_a_class_that_is_invited_again_is_named_by_its_first_addresses(campaign: Campaign) -> None:
    addresses = " ".join(f"p{number:03}@example.org" for number in range(100))
    invite_by_email(campaign, addresses)
    (message,) = invite_by_email(campaign, addresses).context["messages"]
    assert "p023@example.org, p024@example.org and 75 more." in str(message)
    assert "p025@example.org" not in str(message)


def test_of_500_pasted_addresses_each_broken_one_is_named_and_then_all_are_invited(
    campaign: Campaign,
) -> None:
    addresses = [f"student-{number}@example.org" for number in range(1, 501)]
    broken = [
        each.replace("@", " at ") if at % 50 == 7 else each for at, each in enumerate(addresses)
    ]
    page = invite_by_email(campaign, "\n".join(broken))
    assert page.status_code == 400
    named = re.findall(r"Line (\d+): “student-(\d+) at example.org” is", page.content.decode())
    assert named == [(str(line), str(line)) for line in range(8, 501, 50)]
    assert not campaign.invitations.exists()
    with CaptureQueriesContext(connection) as few:
        invite_by_email(campaign, "more@example.org")
    with CaptureQueriesContext(connection) as many:
        page = invite_by_email(campaign, "\n".join(addresses))
    assert "500 invitations sent." in page.content.decode()
    assert len(mail.outbox) == 501
    assert len(many) - len(few) <= 9 * 499


def test_an_open_bracket_before_many_spaces_takes_no_time() -> None:
    began = time.thread_time()
    with pytest.raises(ValidationError, match="is not an email address"):
        read_addresses("<" + 2_000 * " " + "bo@")
    assert time.thread_time() - began < 1


def test_a_removed_person_can_be_invited_again_by_the_same_link(campaign: Campaign) -> None:
    invite_by_email(campaign, "bo@example.org")
    bo, olga = make_user("bo@example.org"), campaign.memberships.get().person
    member = make_team(campaign, bo).memberships.get()
    remove_role(membership=member, actor=olga)
    link = re.search(r"http://testserver(\S+)", mail.outbox[0].body)[1]
    assert signed_in(bo).post(link).status_code == 400
    campaign.invitations.update(sent_at=timezone.now() - timedelta(days=1))
    invite_by_email(campaign, "bo@example.org")
    assert signed_in(bo).post(link).status_code == 302


def test_a_campaign_cannot_send_spam(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("campaigns.people.email_invitations.MOST_PER_DAY", 2)
    invite_by_email(campaign, "a@example.org b@example.org")
    page = invite_by_email(campaign, "c@example.org")
    assert "at most 2 invitations" in page.content.decode()
    assert len(mail.outbox) == 2


def test_a_site_without_a_mail_server_says_so(campaign: Campaign, settings: LazySettings) -> None:
    settings.EMAIL_URL = ""
    page = invite_by_email(campaign, "a@example.org")
    assert "This site sends no email." in page.content.decode()
    assert not campaign.invitations.exists()
