"""The second factor at login: an app, recovery codes, and organisers who need one."""

import re
from pathlib import Path

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.conf import LazySettings
from django.core import mail
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from campaigns.models import User
from campaigns.people.accounts import create_token
from tests.making import make_campaign, make_organiser, make_user
from tests.teamwork import signed_in
from trackside import settings as site

pytestmark = pytest.mark.django_db

PASSWORD = "a long password"
OFF = "Your second factor was turned off"
ACTIVATE, CODES = "/accounts/2fa/totp/activate/", "/accounts/2fa/recovery-codes/"


@pytest.fixture(autouse=True)
def offered(settings: LazySettings) -> None:
    settings.SECOND_FACTOR = "optional"
    cache.clear()


def logged_in(person: User) -> Client:
    client = Client()
    answer = client.post("/accounts/login/", {"login": person.email, "password": PASSWORD})
    assert answer.status_code == 302
    return client


def code_of(secret: str) -> str:
    """What an app shows now."""
    _, counter, _ = yield_hotp_counters_from_time()  # MFA_TOTP_TOLERANCE around it
    return format_hotp_value(hotp_value(secret, counter))


def turn_on(client: Client) -> tuple[str, list[str]]:
    """The secret of the app, and the recovery codes."""
    confirm = client.get(ACTIVATE)
    assert confirm.url.startswith("/accounts/reauthenticate/")
    client.post(confirm.url, {"password": PASSWORD})
    page = client.get(ACTIVATE).content.decode()
    secret = re.search(r'id="authenticator_secret" value="(\w+)"', page)
    assert secret is not None
    assert "data:image/svg+xml" in page
    assert client.post(ACTIVATE, {"code": "000000"}).status_code == 200
    answer = client.post(ACTIVATE, {"code": code_of(secret[1])})
    assert answer.url == CODES
    return secret[1], re.findall(r"<code>(\d{8})</code>", client.get(CODES).content.decode())


def test_a_password_alone_no_longer_logs_in() -> None:
    person = make_user()
    secret, codes = turn_on(logged_in(person))
    assert len(codes) == 10
    cache.clear()  # the same code cannot be used twice
    client = logged_in(person)
    assert client.get("/account/").status_code == 302
    page = client.get("/accounts/2fa/authenticate/").content.decode()
    assert "Enter the code from your authenticator app" in page
    assert "Incorrect" in client.post("/accounts/2fa/authenticate/", {"code": "1"}).content.decode()
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert client.get("/account/").status_code == 200


def test_a_recovery_code_logs_in_once() -> None:
    person = make_user()
    _, codes = turn_on(logged_in(person))
    for expected in (200, 302):
        client = logged_in(person)
        client.post("/accounts/2fa/authenticate/", {"code": codes[0]})
        assert client.get("/account/").status_code == expected


def test_codes_are_guessed_in_vain(settings: LazySettings) -> None:
    settings.ACCOUNT_RATE_LIMITS = site.ACCOUNT_RATE_LIMITS
    person = make_user()
    secret, _ = turn_on(logged_in(person))
    cache.clear()
    client = logged_in(person)
    for number in range(8):
        client.post("/accounts/2fa/authenticate/", {"code": f"{number:06}"})
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert client.get("/account/").status_code == 302


def test_turning_it_on_revokes_tokens_and_new_ones_work_without_a_code() -> None:
    person = make_user()
    client = logged_in(person)
    old = create_token(person)
    turn_on(client)
    new = create_token(person)
    statuses = [
        Client().get("/api/campaigns/", headers={"Authorization": f"Token {token}"}).status_code
        for token in (old, new)
    ]
    assert statuses == [401, 200]


def test_it_can_be_turned_off_after_the_identity_is_confirmed() -> None:
    person = make_user()
    client = logged_in(person)
    turn_on(client)
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    answer = client.get("/accounts/2fa/totp/deactivate/")
    assert "reauthenticate" in answer.url
    client.post(answer.url, {"password": PASSWORD})
    client.post("/accounts/2fa/totp/deactivate/")
    assert not Authenticator.objects.exists()
    client = logged_in(person)
    assert client.get("/account/").status_code == 200


def test_organisers_without_it_are_led_to_turn_it_on(settings: LazySettings) -> None:
    settings.SECOND_FACTOR = "organisers"
    campaign = make_campaign()
    organiser, person = make_organiser(campaign), make_user()
    manage = f"/campaigns/{campaign.slug}/manage/"
    token = create_token(organiser)
    client = logged_in(organiser)
    for path in (manage, "/", f"/campaigns/{campaign.slug}/"):
        assert client.get(path).url == ACTIVATE
        assert client.post(path).url == ACTIVATE
    told = client.get(ACTIVATE, follow=True).content.decode()
    assert "requires a second factor of organisers" in told
    for path in ("/account/", "/guides/", "/accounts/logout/"):
        assert client.get(path).status_code == 200
    api = f"/api/campaigns/{campaign.slug}/"
    assert client.get(api).json()["code"] == "second_factor"
    refused = Client().get(api, headers={"Authorization": f"Token {token}"})
    assert (refused.status_code, refused.json()["code"]) == (403, "second_factor")
    assert logged_in(person).get("/").status_code == 200
    operator = logged_in(make_user(is_staff=True))
    assert operator.get("/").url == ACTIVATE
    turn_on(client)
    assert client.get(manage).status_code == 200
    page = client.get("/accounts/2fa/totp/deactivate/").content.decode()
    assert "so you cannot turn it off" in page
    client.post("/accounts/2fa/totp/deactivate/")
    assert Authenticator.objects.filter(user=organiser, type="totp").exists()


def test_a_person_who_has_lost_all_sees_whom_to_ask(settings: LazySettings) -> None:
    person = make_user()
    turn_on(logged_in(person))
    client = logged_in(person)
    page = client.get("/accounts/2fa/authenticate/").content.decode()
    assert "Ask the operator of this site." in page
    settings.OPERATOR_EMAIL = "help@example.org"
    page = client.get("/accounts/2fa/authenticate/").content.decode()
    assert 'this site: <a href="mailto:help@example.org">help@example.org</a>' in page


def test_an_operator_removes_a_lost_factor_by_command() -> None:
    person = make_user("lost@example.org")
    turn_on(logged_in(person))
    mail.outbox.clear()
    call_command("remove_second_factor", "Lost@example.org")
    (message,) = mail.outbox
    assert (message.to, message.subject) == ([person.email], f"Trackside: {OFF}")
    assert "By: an operator of the site" in message.body
    assert "IP address" not in message.body
    assert logged_in(person).get("/account/").status_code == 200
    with pytest.raises(CommandError, match="has a second factor"):
        call_command("remove_second_factor", "lost@example.org")


@pytest.mark.django_db(transaction=True)
def test_the_person_is_emailed_of_each_change() -> None:
    person = make_user("changing@example.org")
    client = logged_in(person)
    turn_on(client)
    client.post("/accounts/2fa/recovery-codes/generate/")
    client.post("/accounts/2fa/totp/deactivate/")
    assert not Authenticator.objects.exists()
    assert [(each.to, each.subject) for each in mail.outbox] == [
        ([person.email], f"Trackside: {subject}")
        for subject in ("Your second factor was turned on", "You have new recovery codes", OFF)
    ]
    assert "IP address: 127.0.0.1" in mail.outbox[0].body


def test_a_closed_account_keeps_no_second_factor() -> None:
    person = make_user("leaving@example.org")
    client = logged_in(person)
    turn_on(client)
    kinds = {each["type"] for each in client.get("/account/data.json").json()["second_factors"]}
    assert kinds == {"totp", "recovery_codes"}
    client.post(reverse("campaigns:account-close"), {"email": person.email})
    assert not Authenticator.objects.exists()


def test_where_it_is_off_nothing_shows_it(settings: LazySettings) -> None:
    person = make_user()
    turn_on(logged_in(person))
    settings.SECOND_FACTOR = "off"
    client = logged_in(person)  # the operator has turned it off since
    assert client.get("/account/").status_code == 200
    assert "Second factor" not in client.get("/account/").content.decode()
    for path in ("/accounts/2fa/", ACTIVATE, CODES, "/accounts/2fa/authenticate/"):
        assert client.get(path).status_code == 404


def test_the_site_needs_no_setting_for_any_of_this() -> None:
    """The embedded site and the demo."""
    text = Path("trackside/settings.py").read_text()
    assert 'env.choice("SECOND_FACTOR", ["off", "optional", "organisers"], default="off")' in text
    assert signed_in(make_user()).get("/").status_code == 200
