"""From sign-up to the permission to create campaigns: the request, the operators' decision."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import lifecycle
from campaigns.errors import CannotRequest
from campaigns.models import OrganiserRequest, User
from campaigns.people import organiser_requests
from tests.making import make_campaign, make_team, make_user
from tests.teamwork import signed_in

pytestmark = pytest.mark.django_db

CREATE, ASK = "/campaigns/new/", "/organise/"
LIST = "/organiser-requests/"
PURPOSE = "Search over <b>minutes</b>, for 30 students."
SIGN_UP = {"name": "Nora Newcomer", "email": "nora@example.org"} | dict.fromkeys(
    ("password1", "password2"), "a fine long password"
)


@pytest.fixture(autouse=True)
def site(settings: LazySettings) -> None:
    settings.WHO_MAY_CREATE_CAMPAIGNS = "approved"
    settings.SITE_URL = "https://evaluation.example.org"


@pytest.fixture
def operator() -> User:
    return make_user("operator@example.org", name="Otto Operator", is_staff=True)


def sent_mail() -> list[mail.EmailMessage]:
    sent, mail.outbox[:] = list(mail.outbox), []
    return sent


def text_of(client: Client, path: str) -> str:
    return client.get(path, follow=True).content.decode()


@pytest.mark.parametrize("confirms", [False, True], ids=["at once", "by a link"])
def test_sign_up_leads_to_what_a_person_can_do(settings: LazySettings, confirms: bool) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory" if confirms else "none"
    make_campaign(name="Open track")
    make_campaign(name="Closed track", stage="closed", is_accepting=False)
    make_campaign(name="Private class", is_private=True)
    make_campaign(name="Invited only", joining="invited")
    client = Client()
    answer = client.post(reverse("account_signup"), SIGN_UP)
    if confirms:
        (link,) = re.findall(r"https?://\S+", mail.outbox[-1].body)
        answer = client.post(link)
    assert answer.url == "/welcome/"
    page = text_of(client, "/welcome/")
    assert "Welcome, Nora Newcomer" in page
    assert "<b>Open track</b> is open to join" in page
    assert [name for name in ("Closed track", "Private class", "Invited only") if name in page] == (
        []
    )
    assert 'action="/organise/"' in page
    assert "/guides/participant/" in page


def test_sign_up_from_a_page_returns_to_it() -> None:
    campaign = make_campaign()
    path = f"/campaigns/{campaign.slug}/"
    assert f"/accounts/signup/?next={path}" in Client().get(path).content.decode()
    assert "/accounts/signup/?next" not in Client().get("/").content.decode()
    answer = Client().post(reverse("account_signup"), SIGN_UP | {"next": path})
    assert answer.url == path


def test_a_person_asks_and_an_operator_approves_with_one_press(operator: User) -> None:
    person = make_user("nora@example.org", name="Nora Newcomer")
    browser = signed_in(person)
    assert 'name="purpose"' in text_of(browser, CREATE)
    page = browser.post(ASK, {"purpose": PURPOSE}, follow=True).content.decode()
    assert "awaits their approval" in page
    assert "awaits their approval" in text_of(browser, CREATE)
    (to_operator,) = sent_mail()
    assert (to_operator.to, to_operator.reply_to) == (["operator@example.org"], [person.email])
    assert to_operator.subject == "Nora Newcomer wants to run a campaign"
    assert PURPOSE in to_operator.body
    assert "https://evaluation.example.org/organiser-requests/" in to_operator.body
    office = signed_in(operator)
    page = text_of(office, LIST)
    assert "One person asks to run a campaign." in page
    assert "&lt;b&gt;minutes&lt;/b&gt;" in page
    request = OrganiserRequest.objects.get()
    office.post(f"{LIST}{request.pk}/approve/", {"answer": "Welcome."})
    (to_person,) = sent_mail()
    assert to_person.to == [person.email]
    assert "approved" in to_person.subject
    assert "Welcome." in to_person.body
    assert "https://evaluation.example.org/campaigns/new/" in to_person.body
    assert lifecycle.may_create_campaigns(User.objects.get(pk=person.pk))
    assert browser.get(CREATE).status_code == 200
    assert browser.get(ASK).url == CREATE
    page = office.post(f"{LIST}{request.pk}/decline/", follow=True).content.decode()
    assert "already decided" in page
    assert "Otto Operator" in page
    assert sent_mail() == []


def test_without_an_address_of_the_site_the_email_names_the_page_and_the_command(
    operator: User, settings: LazySettings
) -> None:
    settings.SITE_URL = ""
    person = make_user()
    organiser_requests.request_permission(person=person, purpose="A test.")
    (to_operator,) = sent_mail()
    assert "on the page Organiser requests" in to_operator.body
    assert f"\ntrackside manage approve {person.email}\n" in to_operator.body


def test_a_declined_person_learns_why_and_when_to_ask_again(operator: User) -> None:
    person = make_user()
    request = organiser_requests.request_permission(person=person, purpose="A test.")
    sent_mail()
    signed_in(operator).post(f"{LIST}{request.pk}/decline/", {"answer": "Tell us more."})
    (told,) = sent_mail()
    assert "declined" in told.subject
    assert "Tell us more." in told.body
    page = text_of(signed_in(person), CREATE)
    assert "<dd>A test.</dd>" in page
    assert "<dd>Tell us more.</dd>" in page
    assert "”." not in page
    assert 'name="purpose"' not in page
    with pytest.raises(CannotRequest):
        organiser_requests.request_permission(person=person, purpose="Again.")
    week_ago = timezone.now() - timedelta(days=8)
    OrganiserRequest.objects.update(decided_at=week_ago)
    assert 'name="purpose"' in text_of(signed_in(person), CREATE)
    organiser_requests.request_permission(person=person, purpose="Again.")
    assert not lifecycle.may_create_campaigns(person)


def test_one_request_at_a_time_and_none_without_words(operator: User) -> None:
    browser = signed_in(make_user())
    for purpose in ("", "   ", "​", "x" * 501):
        assert browser.post(ASK, {"purpose": purpose}).status_code == 400
    for _ in range(3):
        browser.post(ASK, {"purpose": PURPOSE})
    assert OrganiserRequest.objects.count() == 1
    assert len(sent_mail()) == 1


def test_only_operators_see_and_decide_requests(operator: User) -> None:
    person = make_user(is_approved=True)
    request = organiser_requests.request_permission(person=make_user(), purpose=PURPOSE)
    for client in (Client(), signed_in(person), signed_in(request.person)):
        assert client.get(LIST).status_code in (302, 404)
        assert client.post(f"{LIST}{request.pk}/approve/").status_code in (302, 404)
        assert "Organiser requests" not in text_of(client, "/")
    assert organiser_requests.open_requests().get() == request
    assert "Organiser requests" in text_of(signed_in(operator), "/")
    assert signed_in(operator).post(f"{LIST}{request.pk}/destroy/").status_code == 404


def test_where_operators_create_campaigns_an_approval_promises_one(
    settings: LazySettings, operator: User
) -> None:
    settings.WHO_MAY_CREATE_CAMPAIGNS = "staff"
    person = make_user()
    browser = signed_in(person)
    assert "create the campaign and invite you" in text_of(browser, CREATE)
    browser.post(ASK, {"purpose": PURPOSE})
    organiser_requests.decide(OrganiserRequest.objects.get(), approve=True, actor=operator)
    assert "The operator creates the campaign" in sent_mail()[-1].body
    assert "They create the campaign" in text_of(browser, CREATE)


def test_a_script_learns_where_to_ask() -> None:
    answer = signed_in(make_user()).post("/api/campaigns/", {"name": "A", "slug": "a"})
    assert answer.status_code == 403
    assert "/organise/" in answer.json()["message"]


def test_the_command_lists_approves_and_declines() -> None:
    def run(*arguments: str) -> str:
        call_command("approve", *arguments, stdout=(out := StringIO()))
        return out.getvalue()

    assert run() == "No request awaits a decision.\n"
    nora, paul = make_user("nora@example.org", name="Nora"), make_user("paul@example.org")
    for person in (nora, paul):
        organiser_requests.request_permission(person=person, purpose=PURPOSE)
    assert f"nora@example.org (Nora): {PURPOSE}" in run()
    assert run("NORA@example.org") == "NORA@example.org can create campaigns.\n"
    assert run("paul@example.org", "--decline", "--answer", "Not yet.") == (
        "The request of paul@example.org is declined.\n"
    )
    assert ["Not yet." in message.body for message in sent_mail()] == [False, True]
    with pytest.raises(CommandError, match="no request"):
        run("paul@example.org", "--decline")
    assert run("nora@example.org", "--revoke").endswith("can no longer create campaigns.\n")
    assert list(User.objects.filter(is_approved=True)) == []


# --- names ----------------------------------------------------------------------------------------


def test_sign_up_asks_for_a_name() -> None:
    for name in ("", "  ", "​"):
        answer = Client().post(reverse("account_signup"), SIGN_UP | {"name": name})
        assert answer.status_code == 200
        assert "name" in answer.context["form"].errors
    Client().post(reverse("account_signup"), SIGN_UP)
    assert User.objects.get().name == "Nora Newcomer"


def test_a_name_can_be_changed_and_not_removed() -> None:
    person = make_user(name="Nora")
    browser = signed_in(person)
    browser.post("/account/", {"name": "Nora N."})
    assert browser.post("/account/", {"name": ""}).status_code == 200
    person.refresh_from_db()
    assert (person.name, person.gets_notices) == ("Nora N.", False)
    nameless = make_user()
    signed_in(nameless).post("/account/", {"name": ""})  # they can stop emails all the same
    nameless.refresh_from_db()
    assert not nameless.gets_notices


def test_lists_show_no_address_of_a_person_without_a_name() -> None:
    campaign = make_campaign()
    mate, person = make_user("mate@example.org"), make_user("ann@example.org", name="Ann Lee")
    make_team(campaign, mate, person)
    page = text_of(signed_in(person), f"/campaigns/{campaign.slug}/team/")
    assert "2 members: mate@…, Ann Lee" in page
    assert "mate@example.org" not in page


@pytest.mark.parametrize("rule", ["approved", "staff"])
def test_who_may_not_create_campaigns_sees_whom_to_write_to(
    rule: str, settings: LazySettings
) -> None:
    settings.WHO_MAY_CREATE_CAMPAIGNS = rule
    client = Client()
    client.force_login(make_user())
    page = client.get("/campaigns/new/", follow=True)
    assert "Write to the operators" not in page.content.decode()
    settings.OPERATOR_EMAIL = "help@example.org"
    for path in ("/campaigns/new/", reverse("campaigns:welcome")):
        page = client.get(path, follow=True)
        assert '<a href="mailto:help@example.org">help@example.org</a>' in page.content.decode()
