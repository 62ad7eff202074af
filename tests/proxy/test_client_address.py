"""Through the proxy itself, alone and with another one that ends TLS in front: every limit counts
the client's own address, and no header that a client sends changes which one that is."""

import re
from http.client import HTTPConnection
from urllib.parse import urlencode

import pytest
from django.conf import LazySettings
from django.core.cache import caches
from pytest_django.live_server_helper import LiveServer
from rest_framework.throttling import SimpleRateThrottle

from tests.making import make_user
from tests.patience import PATIENCE
from tests.proxy.conftest import StartProxy, ask
from trackside import settings as site
from trackside.processes import HOST

pytestmark = pytest.mark.django_db(transaction=True)
ALICE, MALLORY = "127.0.0.11", "127.0.0.66"
FORGED = [
    {"X-Forwarded-For": "{alice}"},
    {"X-Forwarded-For": "{alice}, 127.0.0.1, 127.0.0.2"},
    {"X-Forwarded-For": "nonsense, , 1.2.3.4.5"},
    {"Forwarded": "for={alice}", "X-Real-IP": "{alice}"},
]


@pytest.fixture(params=[False, True], ids=["one deep", "two deep"])
def port(
    request: pytest.FixtureRequest,
    start_proxy: StartProxy,
    live_server: LiveServer,
    settings: LazySettings,
) -> int:
    settings.NUM_PROXIES = 1  # as in docker-compose.yml, however many stand before ours
    settings.ACCOUNT_RATE_LIMITS = site.ACCOUNT_RATE_LIMITS
    for each in caches.all():
        each.clear()
    return start_proxy([live_server.url.removeprefix("http://")], terminator=request.param)


def log_in(
    port: int, password: str, *, client: str, email: str, headers: dict[str, str] | None = None
) -> int:
    """Opens the form and sends it: 302 where it let this person in, 200 with the fault or 429."""
    connection = HTTPConnection(HOST, port, timeout=PATIENCE, source_address=(client, 0))
    connection.request("GET", "/accounts/login/")
    answer = connection.getresponse()
    page = answer.read().decode()
    cookie = (answer.headers["Set-Cookie"] or "").split(";")[0]
    found = re.search(r'csrfmiddlewaretoken" value="(\w+)"', page)
    assert found, page
    sent = {"login": email, "password": password, "csrfmiddlewaretoken": found[1]}
    connection.request(
        "POST", "/accounts/login/", urlencode(sent),
        {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"} | (headers or {}),
    )  # fmt: skip
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def test_wrong_logins_from_one_address_close_the_login_for_no_other(port: int) -> None:
    make_user("alice@example.org")
    for number in range(14):
        log_in(port, "wrong", client=MALLORY, email=f"nobody{number}@example.org")
    assert log_in(port, "a long password", client=ALICE, email="alice@example.org") == 302


def test_a_forged_header_neither_frees_the_sender_nor_harms_another(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = SimpleRateThrottle.THROTTLE_RATES | {"anon": "2/hour"}
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", rates)

    def statuses(client: str, headers: dict[str, str]) -> list[int]:
        asked = [ask(port, "/api/campaigns/", client=client, headers=headers) for _ in range(3)]
        return [answer.status for answer, _ in asked]

    for number, forged in enumerate(FORGED):
        mallory, alice = f"127.0.1.{number}", f"127.0.2.{number}"
        headers = {name: value.format(alice=alice) for name, value in forged.items()}
        assert statuses(mallory, headers) == [200, 200, 429]
        assert statuses(mallory, {}) == [429, 429, 429]  # one client, with the header or without
        assert statuses(alice, {}) == [200, 200, 429]
