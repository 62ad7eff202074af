"""An OpenID Connect server that answers nonsense, or nothing: a page with the way out, and nothing
is stored."""

import html
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.conf import LazySettings
from django.http import HttpResponse
from django.test import Client
from responses import RequestsMock

from campaigns.models import User
from campaigns.people import social_adapter
from tests.campaigns.people.test_other_logins import (
    ANN,
    LOGIN,
    NAMES,
    SERVER,
    configured,
    log_in,
    network,
)
from trackside.environment import Environment
from trackside.login_providers import login_providers

__all__ = ["configured", "network"]  # fixtures
pytestmark = pytest.mark.django_db

DISCOVERY = f"{SERVER}/.well-known/openid-configuration"
DESCRIPTION = b'{"authorization_endpoint": "https://login.example/", "token_endpoint": ""}'
ANSWERS: dict[str, dict[str, Any]] = {
    "no JSON": {"body": "<html>"},
    "empty": {"body": ""},
    "a list": {"json": ["x"]},
    "a text": {"json": "x"},
    "null": {"json": None},
    "an empty object": {"json": {}},
    "an error": {"json": {"error": "server_error"}, "status": 500},
    "not found": {"body": "no", "status": 404},
    "no connection": {"body": requests.ConnectionError("away")},
    "no answer in time": {"body": requests.Timeout("late")},
}
CONFIGURATIONS: dict[str, dict[str, Any]] = ANSWERS | {
    "numbers": {"json": {"authorization_endpoint": 1, "token_endpoint": 2, "userinfo_endpoint": 3}},
    "no token endpoint": {"json": {"authorization_endpoint": f"{SERVER}/authorize"}},
    "no https": {
        "json": {
            "authorization_endpoint": "javascript:alert(1)",
            "token_endpoint": f"{SERVER}/token",
        }
    },
}
TOKENS: dict[str, dict[str, Any]] = ANSWERS | {
    "a number": {"json": {"access_token": 5, "token_type": "Bearer"}},
    "no id token": {"json": {"access_token": "a", "token_type": "Bearer"}},
    "an id token that is none": {"json": {"access_token": "a", "id_token": "a.b.c"}},
    "an id token that is a list": {"json": {"access_token": "a", "id_token": [1]}},
    "times that are none": {"json": {"access_token": "a", "expires_in": "soon"}},
}
LONG = "x" * 10_000
PEOPLE: dict[str, dict[str, Any]] = ANSWERS | {
    "nobody": {"json": {"sub": None}},
    "an empty name": {"json": ANN | {"sub": ""}},
    "a number": {"json": ANN | {"sub": 42}},
    "an object": {"json": ANN | {"sub": {"id": "42"}}},
    "a long identifier": {"json": ANN | {"sub": LONG}},
    "somebody else": {"json": ANN | {"sub": "43"}},
    "an address that is a number": {"json": ANN | {"email": 7}},
    "a name that is an object": {"json": ANN | {"name": {"first": "Ann"}}},
}


def start(client: Client, network: RequestsMock) -> tuple[HttpResponse, dict[str, list[str]]]:
    page = client.post(LOGIN)
    found = re.findall(r'href="(https://[^"]+)"', page.content.decode())
    return page, parse_qs(urlsplit(html.unescape(found[0])).query) if found else {}


def refused(page: HttpResponse) -> None:
    assert page.status_code in (200, 401, 403, 502, 503)
    assert "Login failed" in page.content.decode()
    assert not User.objects.exists()
    assert not SocialAccount.objects.exists()
    assert not EmailAddress.objects.exists()


@pytest.mark.parametrize("answer", CONFIGURATIONS)
def test_nonsense_about_the_server(network: RequestsMock, answer: str) -> None:
    network.replace("GET", DISCOVERY, **CONFIGURATIONS[answer])
    client = Client()
    page, sent = start(client, network)
    if not sent:
        refused(page)
        return
    refused(client.get(f"{LOGIN}callback/", {"code": "c", "state": sent["state"][0]}))


@pytest.mark.parametrize("answer", TOKENS)
def test_nonsense_in_place_of_a_token(network: RequestsMock, answer: str) -> None:
    client = Client()
    _, sent = start(client, network)
    network.post(f"{SERVER}/token", **TOKENS[answer])
    network.get(f"{SERVER}/userinfo", json={})
    refused(client.get(f"{LOGIN}callback/", {"code": "c", "state": sent["state"][0]}))


@pytest.mark.parametrize("answer", PEOPLE)
def test_nonsense_about_a_person(network: RequestsMock, answer: str) -> None:
    client = Client()
    _, sent = start(client, network)
    claims = {"iss": SERVER, "aud": "trackside", "iat": int(time.time()), "sub": "42"}
    token = jwt.encode(claims | {"exp": int(time.time()) + 60}, "k" * 32)
    network.post(f"{SERVER}/token", json={"access_token": "a", "id_token": token})
    network.get(f"{SERVER}/userinfo", **PEOPLE[answer])
    refused(client.get(f"{LOGIN}callback/", {"code": "c", "state": sent["state"][0]}))


@pytest.mark.parametrize(
    "email", [f"{LONG}@university.example", [ANN["email"]]], ids=["long", "list"]
)
def test_an_address_that_is_none_is_asked_for(network: RequestsMock, email: object) -> None:
    answer = log_in(Client(), network, ANN | {"email": email})
    assert answer.url == "/accounts/3rdparty/signup/"
    assert not User.objects.exists()


@pytest.mark.parametrize("claim", ["false", "true", 1, None, ["x"]])
def test_only_true_verifies_an_address(network: RequestsMock, claim: object) -> None:
    answer = log_in(Client(), network, ANN | {"email_verified": claim})
    assert answer.url == "/accounts/confirm-email/"
    assert not EmailAddress.objects.filter(verified=True).exists()


@pytest.fixture
def slow_server() -> Iterator[str]:
    """The address of a server that describes itself byte by byte, each in time."""
    is_over = Event()

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            for byte in DESCRIPTION:
                self.wfile.write(bytes([byte]))
                if is_over.wait(0.1):
                    return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    is_over.set()
    server.shutdown()
    server.server_close()


def test_an_answer_that_drips_is_given_up(
    slow_server: str, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(social_adapter, "LONGEST_ANSWER", 0.5)
    names = NAMES | {"OIDC_SERVER_URL": slow_server}
    settings.SOCIALACCOUNT_PROVIDERS = login_providers(Environment(names))
    page = Client().post(LOGIN)
    assert page.status_code == 503
    refused(page)


def test_a_request_that_waits_for_the_others_is_given_up_and_not_sent_later(
    network: RequestsMock, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_over = Event()
    monkeypatch.setattr(social_adapter, "LONGEST_ANSWER", 0.1)
    with ThreadPoolExecutor(1) as threads:
        monkeypatch.setattr(social_adapter, "_REQUESTS", threads)
        threads.submit(is_over.wait)
        with pytest.raises(TimeoutError):
            social_adapter.SocialAccountAdapter().get_requests_session().get(DISCOVERY)
        is_over.set()
    assert not network.calls
