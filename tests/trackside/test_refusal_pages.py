"""Whatever refuses a request, a person gets a page of the site with a way back and a script a code.
Limits on sign-ups let a class pass."""

import json
from dataclasses import dataclass

import pytest
from allauth.core.internal import ratelimit
from django.conf import LazySettings
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.models import User
from trackside import settings as site

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
TWICE = {"password1": "a fine long password", "password2": "a fine long password"}


def is_page(answer: HttpResponse, title: str) -> bool:
    page = answer.content.decode()
    is_whole = f"<h1>{title}</h1>" in page and '<a href="/">All campaigns</a>' in page
    return is_whole and "Content-Security-Policy" in answer


def sign_up(number: int) -> HttpResponse:
    sent = {"email": f"person{number}@example.org", "name": "Ann"} | TWICE
    return Client(headers=BROWSER).post(reverse("account_signup"), sent)


@pytest.mark.django_db
def test_a_class_of_thirty_signs_up_behind_one_address(settings: LazySettings) -> None:
    settings.ACCOUNT_RATE_LIMITS = site.ACCOUNT_RATE_LIMITS
    before = User.objects.count()
    statuses = {sign_up(number).status_code for number in range(30)}
    assert (statuses, User.objects.count() - before) == ({302}, 30)


@pytest.mark.django_db
def test_more_than_that_is_refused_by_a_page_that_says_when_to_come_back(
    settings: LazySettings,
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"signup": "2/m/ip"}
    cache.clear()
    before = User.objects.count()
    answers = [sign_up(number) for number in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert is_page(answers[2], "Too many requests")
    assert answers[2]["Retry-After"] == "60"
    assert 'href="/accounts/signup/">Back to the page' in answers[2].content.decode()
    assert User.objects.count() == before + 2
    script = Client().post(reverse("account_signup"))
    assert (script.status_code, script["Content-Type"]) == (429, "text/plain")


@dataclass
class SlowLock:
    """A clock, and a cache in which somebody else holds every lock for some seconds of it."""

    held: float
    now: float = 0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def add(self, *args: object, **kwargs: object) -> bool:
        return self.now >= self.held

    def delete(self, key: str) -> None:
        assert key.endswith(":lock")


@pytest.mark.parametrize(("held", "is_counted"), [(0, True), (4, True), (12, True), (16, False)])
def test_a_sign_up_waits_until_others_of_its_address_are_counted(
    held: float, is_counted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = SlowLock(held)
    monkeypatch.setattr(ratelimit, "time", lock)
    monkeypatch.setattr(ratelimit, "cache", lock)
    with ratelimit.cache_lock("an address") as counted:
        assert counted is is_counted


def test_sign_ups_of_an_hour_are_fewer_than_allauth_allows() -> None:
    rates = site.ACCOUNT_RATE_LIMITS["signup"].split(",")
    by_hour = [int(rate.split("/")[0]) for rate in rates if "/h/" in rate]
    assert max(by_hour) < 20 * 60  # 20/m/ip


def test_a_host_that_is_not_the_site_s_gets_a_page_or_a_code(settings: LazySettings) -> None:
    settings.ALLOWED_HOSTS = ["evaluation.example.org"]
    client = Client(headers=BROWSER | {"Host": "evil.example"})
    answer = client.get("/")
    assert answer.status_code == 400
    assert is_page(answer, "The request is not valid")
    answer = client.get("/api/campaigns/")
    assert answer.status_code == 400
    assert json.loads(answer.content)["code"] == "bad_request"


def test_a_url_with_a_nul_is_refused_alike() -> None:
    answer = Client(headers=BROWSER).get("/campaigns/?q=%00")
    assert answer.status_code == 400
    assert is_page(answer, "The request is not valid")


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/account/tokens/"])
def test_a_method_that_a_page_does_not_offer_is_refused_in_words(path: str) -> None:
    client = Client(headers=BROWSER)
    client.force_login(User.objects.create_user("alice@example.org"))
    answer = client.generic("TRACE", path)
    assert answer.status_code == 405
    assert is_page(answer, "Method not allowed")
    assert answer["Allow"]


@pytest.mark.django_db
def test_a_form_without_its_token_is_refused_by_a_page() -> None:
    client = Client(enforce_csrf_checks=True, headers=BROWSER)
    answer = client.post(reverse("account_login"), {"login": "a@example.org", "password": "x"})
    assert answer.status_code == 403
    assert "All campaigns" in answer.content.decode()
