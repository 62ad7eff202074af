"""Logins by a real OpenID Connect server on this machine, and the second factor, in a browser."""

import base64
import hashlib
import hmac
import re
import struct
import time
from collections.abc import Iterator

import oidc_provider_mock
import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.conf import LazySettings
from django.core.cache import cache
from playwright.sync_api import Page, expect

from campaigns.models import User
from tests.browser.conftest import Visitor
from tests.making import make_user
from trackside.login_providers import INSTITUTION

pytestmark = [
    pytest.mark.browser,
    pytest.mark.long,
    pytest.mark.django_db(transaction=True),
]
PASSWORD = "a long password"
ADDRESS = "ann@university.example"


@pytest.fixture(autouse=True)
def server(settings: LazySettings) -> Iterator[None]:
    claims = {"name": "Ann Lee", "email": ADDRESS, "email_verified": True}
    person = oidc_provider_mock.User(sub="ann", claims=claims)
    with oidc_provider_mock.run_server_in_thread(user_claims=[person]) as running:
        app = {
            "provider_id": INSTITUTION,
            "name": "University of Somewhere",
            "client_id": "trackside",
            "secret": "s",
            "settings": {"server_url": f"http://localhost:{running.server_port}"},
        }
        settings.SOCIALACCOUNT_PROVIDERS = {
            "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}
        }
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
        settings.SECOND_FACTOR = "optional"
        cache.clear()
        yield


def code_at(secret: str, moment: float) -> str:
    """RFC 6238, section 4, with RFC 4226, section 5.3."""
    key = base64.b32decode(secret)
    digest = hmac.digest(key, struct.pack(">Q", int(moment) // 30), hashlib.sha1)
    place = digest[-1] & 15
    (number,) = struct.unpack(">I", digest[place : place + 4])
    return f"{(number & 0x7FFFFFFF) % 10**6:06}"


def test_the_codes_are_those_of_the_standard() -> None:
    secret = base64.b32encode(b"12345678901234567890").decode()
    assert code_at(secret, 59) == "287082"  # appendix B of RFC 6238, last six digits
    assert code_at(secret, 1111111109) == "081804"


def log_in_elsewhere(page: Page) -> None:
    page.goto("/accounts/login/")
    page.get_by_role("button", name="University of Somewhere").click()
    confirm_elsewhere(page)


def confirm_elsewhere(page: Page) -> None:
    """On the page of the other server; the site opens it by a page of its own."""
    page.wait_for_url(re.compile(r"/oauth2/authorize|/authorize"))
    page.get_by_role("button", name="ann", exact=True).click()


def log_in_with_password(page: Page, person: User) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(person.email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()


def log_out(page: Page) -> None:
    page.context.clear_cookies()


def test_a_new_person_has_an_account_after_the_login_of_the_institution(visit: Visitor) -> None:
    page = visit("/").page
    log_in_elsewhere(page)
    expect(page.locator("body")).to_contain_text("Welcome, Ann Lee")
    assert User.objects.get().email == ADDRESS
    assert EmailAddress.objects.get().verified
    log_out(page)
    log_in_elsewhere(page)
    expect(page.get_by_role("link", name="Ann Lee")).to_be_visible()
    assert User.objects.count() == 1


def test_an_account_is_merged_by_its_owner_only(visit: Visitor) -> None:
    """With an equal address the login of the institution opens nothing; its owner connects it."""
    owner = make_user(ADDRESS, name="Owner")
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    page = visit("/").page
    log_in_elsewhere(page)
    page.wait_for_url("**/accounts/confirm-email/")
    assert not SocialAccount.objects.exists()

    log_out(page)
    log_in_with_password(page, owner)
    page.wait_for_url(lambda url: "login" not in url)
    page.goto("/accounts/3rdparty/")
    page.get_by_role("button", name="Connect University of Somewhere").click()
    confirm_elsewhere(page)
    expect(page.locator("main")).to_contain_text("University of Somewhere: ann@university.example")
    assert SocialAccount.objects.get().user == owner

    log_out(page)
    log_in_elsewhere(page)
    expect(page.get_by_role("link", name="Owner")).to_be_visible()
    assert User.objects.count() == 1


def test_a_trusted_institution_opens_the_account_of_its_owner(
    visit: Visitor, settings: LazySettings
) -> None:
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    app["settings"]["email_authentication"] = True
    owner = make_user(ADDRESS, name="Owner")
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    page = visit("/").page
    log_in_elsewhere(page)
    expect(page.get_by_role("link", name="Owner")).to_be_visible()
    page.goto("/accounts/3rdparty/")
    expect(page.locator("main")).to_contain_text("University of Somewhere: ann@university.example")
    assert SocialAccount.objects.get().user == owner
    assert User.objects.count() == 1


def test_a_lost_second_factor_is_recovered(visit: Visitor) -> None:
    person = make_user("bo@example.org", name="Bo")
    EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)
    page = visit("/accounts/login/").page
    log_in_with_password(page, person)
    page.wait_for_url(lambda url: "login" not in url)
    page.goto("/accounts/2fa/totp/activate/")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main form button.main").click()
    secret = page.get_by_label("Secret, if you cannot scan the code").input_value()
    page.get_by_label("Code that the app shows").fill(code_at(secret, time.time()))
    page.get_by_role("button", name="Turn on second factor").click()
    expect(page.locator("main code")).to_have_count(10)
    codes = page.locator("main code").all_inner_texts()

    log_out(page)
    cache.clear()  # a code works once
    log_in_with_password(page, person)
    page.wait_for_url("**/accounts/2fa/authenticate/")
    page.get_by_label("Code").fill(code_at(secret, time.time()))
    page.locator("main form button.main").click()
    expect(page.get_by_role("link", name="Bo", exact=True)).to_be_visible()

    log_out(page)  # and the phone with the app is lost
    log_in_with_password(page, person)
    page.wait_for_url("**/accounts/2fa/authenticate/")
    page.get_by_label("Code").fill(codes[0])
    page.locator("main form button.main").click()
    expect(page.get_by_role("link", name="Bo", exact=True)).to_be_visible()
