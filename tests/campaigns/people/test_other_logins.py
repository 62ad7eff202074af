"""Logging in with the OpenID Connect server of an institution and with ORCID, whose answers are
given at the network's edge."""

import html
import re
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import responses
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.conf import LazySettings
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import Client
from requests import ConnectionError

from campaigns.models import User
from tests.making import make_user
from tests.teamwork import signed_in
from trackside.environment import Environment
from trackside.login_providers import login_providers

pytestmark = pytest.mark.django_db

SERVER = "https://login.university.example"
LOGIN = "/accounts/oidc/institution/login/"
NAMES = {
    "ORCID_CLIENT_ID": "APP-1", "ORCID_SECRET": "s",
    "OIDC_CLIENT_ID": "trackside", "OIDC_SECRET": "s", "OIDC_SERVER_URL": SERVER,
    "OIDC_NAME": "University of Somewhere",
}  # fmt: skip
ANN = {"sub": "42", "name": "Ann Lee", "email": "ann@university.example", "email_verified": True}


@pytest.fixture(autouse=True)
def configured(settings: LazySettings) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = login_providers(Environment(NAMES))
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


@pytest.fixture
def network() -> Iterator[responses.RequestsMock]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        mock.get(
            f"{SERVER}/.well-known/openid-configuration",
            json={
                "issuer": SERVER,
                "authorization_endpoint": f"{SERVER}/authorize",
                "token_endpoint": f"{SERVER}/token",
                "userinfo_endpoint": f"{SERVER}/userinfo",
                "jwks_uri": f"{SERVER}/keys",
            },
        )
        yield mock


def start(client: Client, query: str = "") -> str:
    """The address at the other site to which the button leads."""
    page = client.post(LOGIN + query)
    assert page.status_code == 200
    (target,) = set(re.findall(r'href="(https://[^"]+)"', page.content.decode()))
    return html.unescape(target)


def log_in(
    client: Client,
    network: responses.RequestsMock,
    facts: dict[str, Any],
    query: str = "",
    *,
    in_token: dict[str, Any] | None = None,
) -> HttpResponse:
    """The whole way: the button, the other site, and back. `in_token` are facts of the token, if
    they differ."""
    target = start(client, query)
    assert target.startswith(f"{SERVER}/authorize?")
    sent = parse_qs(urlsplit(target).query)
    assert sent["code_challenge_method"] == ["S256"]
    claims = {"iss": SERVER, "aud": "trackside", "iat": int(time.time())} | (in_token or facts)
    token = jwt.encode(claims | {"exp": int(time.time()) + 60}, "k" * 32)
    answer = {"access_token": "a", "token_type": "Bearer", "id_token": token}
    network.upsert("POST", f"{SERVER}/token", json=answer)
    network.upsert("GET", f"{SERVER}/userinfo", json=facts)
    back = urlsplit(sent["redirect_uri"][0]).path
    return client.get(back, {"code": "c", "state": sent["state"][0]})


def test_a_new_person_gets_an_account_with_name_and_confirmed_address(network) -> None:
    client = Client()
    assert log_in(client, network, ANN).url == "/welcome/"
    person = User.objects.get()
    assert (person.name, person.email) == ("Ann Lee", "ann@university.example")
    assert not person.has_usable_password()
    assert EmailAddress.objects.get().verified
    assert "Welcome, Ann Lee" in client.get("/welcome/").content.decode()
    client.post("/accounts/logout/")
    assert log_in(client, network, ANN | {"name": "Ann Other"}).status_code == 302
    assert User.objects.count() == 1
    assert "Set password" in client.get("/account/").content.decode()


def test_an_unconfirmed_address_must_be_confirmed_first(network) -> None:
    client = Client()
    answer = log_in(client, network, ANN | {"email_verified": False})
    assert answer.url == "/accounts/confirm-email/"
    assert client.get("/account/").status_code == 302
    (message,) = mail.outbox
    assert "/accounts/confirm-email/" in message.body


def test_a_login_that_comes_from_a_page_returns_to_it(network) -> None:
    assert log_in(Client(), network, ANN, "?next=/guides/").url == "/guides/"
    assert log_in(Client(), network, ANN, "?next=//elsewhere.example/").url == "/"


@pytest.mark.parametrize("is_confirmed", [True, False], ids=["confirmed there", "unconfirmed"])
@pytest.mark.parametrize("is_own", [True, False], ids=["confirmed here", "unconfirmed here"])
def test_an_equal_address_opens_nobodys_account(network, is_confirmed: bool, is_own: bool) -> None:
    owner = make_user(ANN["email"], name="Owner")
    EmailAddress.objects.create(user=owner, email=owner.email, verified=is_own, primary=True)
    client = Client()
    answer = log_in(client, network, ANN | {"email_verified": is_confirmed})
    assert answer.url == "/accounts/confirm-email/"  # as for a new address
    assert client.get("/account/").status_code == 302
    assert not SocialAccount.objects.exists()
    (message,) = mail.outbox
    assert "already exists" in message.body
    assert "connect" in message.body


def test_the_owner_connects_the_account_and_disconnects_it(network) -> None:
    owner = make_user("owner@example.org")
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    client = signed_in(owner)
    page = client.get("/accounts/3rdparty/").content.decode()
    assert "Connect University of Somewhere" in page
    assert "Connect ORCID" in page
    log_in(client, network, ANN, "?process=connect")
    account = SocialAccount.objects.get()
    assert account.user == owner
    page = client.get("/accounts/3rdparty/").content.decode()
    assert "University of Somewhere: ann@university.example" in page
    stranger = Client()
    log_in(stranger, network, ANN)
    assert str(owner.pk) == stranger.session["_auth_user_id"]
    data = client.get("/account/data.json").json()
    assert [each["uid"] for each in data["connected_accounts"]] == ["42"]
    client.post("/accounts/3rdparty/", {"account": account.pk})
    assert not SocialAccount.objects.exists()
    assert [(each.to, each.subject) for each in mail.outbox] == [
        ([owner.email], f"Trackside: A login was {change}")
        for change in ("connected", "disconnected")
    ]
    assert "A login with University of Somewhere now opens the account." in mail.outbox[0].body
    assert (
        "A login with University of Somewhere no longer opens the account." in mail.outbox[1].body
    )


def test_the_only_login_is_not_disconnected_before_there_is_a_password(network) -> None:
    client = Client()
    log_in(client, network, ANN)
    form = {"account": SocialAccount.objects.get().pk}
    page = client.post("/accounts/3rdparty/", form).content.decode()
    assert "First set one under Your account → Set password." in page
    assert SocialAccount.objects.exists()


def test_a_person_without_a_name_is_asked_for_one(network) -> None:
    client = Client()
    facts = {"sub": "7", "email": "bo@university.example", "email_verified": True}
    assert log_in(client, network, facts).url == "/accounts/3rdparty/signup/"
    assert 'name="name"' in client.get("/accounts/3rdparty/signup/").content.decode()
    form = {"name": "Bo", "email": "bo@university.example"}
    client.post("/accounts/3rdparty/signup/", form)
    assert User.objects.get().name == "Bo"


def log_in_with_orcid(client: Client, network: responses.RequestsMock, **person: Any) -> str:
    """The identifier of the person, Josiah Carberry. ORCID states his name, and `person`."""
    orcid = "0000-0002-1825-0097"
    page = client.post("/accounts/orcid/login/").content.decode()
    (target,) = set(re.findall(r'href="(https://orcid.org/oauth/authorize[^"]+)"', page))
    state = parse_qs(urlsplit(html.unescape(target)).query)["state"][0]
    answer = {"access_token": "a", "token_type": "bearer", "orcid": orcid}
    network.post(re.compile(r"https://(?:\w+\.)?orcid\.org/oauth/token"), json=answer)
    name = {"given-names": {"value": "Josiah"}, "family-name": {"value": "Carberry"}}
    record = {
        "orcid-identifier": {"path": orcid, "uri": f"https://orcid.org/{orcid}"},
        "person": {"name": name} | person,
    }
    network.get(re.compile(rf"https://pub\.orcid\.org/.*{orcid}/record"), json=record)
    client.get("/accounts/orcid/login/callback/", {"code": "c", "state": state})
    return orcid


def test_orcid_gives_a_name_and_the_person_an_address(network) -> None:
    client = Client()
    orcid = log_in_with_orcid(client, network)
    page = client.get("/accounts/3rdparty/signup/").content.decode()
    assert 'value="Josiah Carberry"' in page
    form = {"name": "Josiah Carberry", "email": "jc@brown.example"}
    assert client.post("/accounts/3rdparty/signup/", form).url == "/accounts/confirm-email/"
    assert SocialAccount.objects.get().uid == orcid
    page = signed_in(User.objects.get()).get("/accounts/3rdparty/").content.decode()
    assert f"ORCID: {orcid}</label>" in page


def test_a_forged_or_failed_answer_logs_nobody_in(network) -> None:
    client = Client()
    network.post(f"{SERVER}/token", json={"error": "invalid_grant"}, status=400)
    for query in ({"code": "c", "state": "forged"}, {"error": "server_error"}, {}):
        page = client.get(f"{LOGIN}callback/", query)
        assert page.status_code in (200, 401, 403)
        assert "Login failed" in page.content.decode()
    assert not User.objects.exists()


def test_a_server_that_does_not_respond_is_a_page(network) -> None:
    address = f"{SERVER}/.well-known/openid-configuration"
    network.replace("GET", address, body=ConnectionError("away"))
    page = Client().post(LOGIN)
    assert page.status_code == 503
    assert "Login failed" in page.content.decode()


@pytest.mark.parametrize("error", ["server_error", "access_denied"])
def test_a_person_who_is_logged_in_learns_that_no_account_was_connected(
    network, error: str
) -> None:
    person = signed_in(make_user())
    state = parse_qs(urlsplit(start(person, "?process=connect")).query)["state"][0]
    page = person.get(f"{LOGIN}callback/", {"error": error, "state": state}, follow=True)
    text = page.content.decode()
    assert "so no account was connected." in text
    assert "you are not logged in" not in text
    assert 'href="/accounts/3rdparty/"' in text
    text = Client().get(f"{LOGIN}callback/", {"error": error}, follow=True).content.decode()
    assert "so you are not logged in." in text


def test_a_link_alone_starts_no_login(network) -> None:
    page = Client().get(LOGIN)
    assert "Log in with University of Somewhere" in page.content.decode()
    assert len(network.calls) == 0


def test_without_settings_there_are_no_other_logins(settings: LazySettings) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = {}
    person = signed_in(make_user())
    for path in (LOGIN, "/accounts/orcid/login/", "/accounts/3rdparty/", f"{LOGIN}callback/"):
        for client in (Client(), person):
            assert client.get(path).status_code == 404, path
            assert client.post(path).status_code in (404, 405), path
    for path in ("/accounts/login/", "/accounts/signup/"):
        assert "Log in with" not in Client().get(path).content.decode()
    assert "Connected accounts" not in person.get("/account/").content.decode()


def test_half_of_the_settings_are_an_error() -> None:
    half = {"OIDC_CLIENT_ID": "trackside", "OIDC_SERVER_URL": SERVER}
    with pytest.raises(ImproperlyConfigured, match="OIDC_SECRET"):
        login_providers(Environment(half))
    assert login_providers(Environment({})) == {}
