"""Guessing is limited by the pair of account and address, and by account only for addresses from
which it never logged in: so nobody can lock somebody else out."""

import re
from pathlib import Path

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.models import EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from django.conf import LazySettings
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import LoginAddress, User
from campaigns.people import login_limits
from tests.making import make_user
from trackside import settings as site

pytestmark = pytest.mark.django_db
EMAIL, PASSWORD = "alice@example.org", "a long password"
HOME, HOTEL, MALLORY = "192.0.2.1", "192.0.2.77", "198.51.100.6"
CLOSED = "Too many failed login attempts"


@pytest.fixture
def alice(settings: LazySettings) -> User:
    settings.ACCOUNT_RATE_LIMITS = site.ACCOUNT_RATE_LIMITS
    return make_user(EMAIL)


def log_in(address: str, password: str = PASSWORD, email: str = EMAIL) -> str:
    """`in`, or the fault that the form shows."""
    client = Client(REMOTE_ADDR=address)
    answer = client.post(reverse("account_login"), {"login": email, "password": password})
    if answer.status_code == 302:
        return "in"
    found = re.search(r'class="errorlist nonfield"[^>]*>\s*<li>([^<]*)', answer.content.decode())
    assert found, answer.content.decode()
    return found[1]


def test_wrong_passwords_lock_an_account_for_their_sender_alone(alice: User) -> None:
    for _ in range(5):
        assert not log_in(MALLORY, "wrong").startswith(CLOSED)
    assert log_in(MALLORY).startswith(CLOSED)  # the right one no more
    assert log_in(HOME) == "in"


def test_guesses_from_many_addresses_close_an_account_only_where_it_never_logged_in(
    alice: User, settings: LazySettings
) -> None:
    settings.ACCOUNT_RATE_LIMITS = site.ACCOUNT_RATE_LIMITS | {"login_failed_account": "6/h/key"}
    assert log_in(HOME) == "in"
    for number in range(6):
        log_in(f"203.0.113.{number}", "wrong")
    assert log_in(HOTEL).startswith(CLOSED)
    assert log_in(HOME) == "in"


def test_one_address_cannot_use_up_the_limit_of_an_account(settings: LazySettings) -> None:
    def most(action: str) -> int:
        return max(int(rate.split("/")[0]) for rate in site.ACCOUNT_RATE_LIMITS[action].split(","))

    assert most("login_failed_account") >= 10 * most("login_failed")


def test_a_limit_does_not_tell_whether_there_is_an_account(alice: User) -> None:
    said = [
        [log_in(MALLORY, "wrong", email) for _ in range(7)]
        for email in (EMAIL, "nobody@example.org")
    ]
    assert said[0] == said[1]


def test_one_password_tried_on_many_accounts_is_stopped_and_a_class_is_not(
    alice: User, settings: LazySettings
) -> None:
    settings.ACCOUNT_RATE_LIMITS = site.ACCOUNT_RATE_LIMITS | {"login_failed_address": "6/m/ip"}
    for number in range(8):
        assert log_in(HOME) == "in", number  # eight people behind one address
    for number in range(6):
        log_in(MALLORY, "wrong", f"person{number}@example.org")
    assert log_in(MALLORY).startswith(CLOSED)


def test_after_a_password_reset_login_is_possible_at_once(alice: User) -> None:
    for _ in range(6):
        log_in(HOME, "wrong")
    assert log_in(HOME).startswith(CLOSED)
    client = Client(REMOTE_ADDR=HOME)
    uid, key = user_pk_to_url_str(alice), default_token_generator.make_token(alice)
    page = client.get(
        reverse("account_reset_password_from_key", kwargs={"uidb36": uid, "key": key}), follow=True
    )
    fresh = {"password1": "another long password", "password2": "another long password"}
    client.post(page.redirect_chain[-1][0], fresh)
    assert log_in(HOME, "another long password") == "in"


@pytest.fixture
def mallory(alice: User) -> User:
    """Alice's email address is on Mallory's account too, unverified: anybody can add it."""
    mallory = make_user("mallory@example.org")
    client = Client(REMOTE_ADDR=MALLORY)
    client.force_login(mallory)
    client.post(reverse("account_email"), {"action_add": "", "email": EMAIL})
    assert mallory.emailaddress_set.filter(email=EMAIL, verified=False).exists()
    return mallory


def test_a_new_password_does_not_lift_the_limit_for_an_unverified_address(mallory: User) -> None:
    for _ in range(5):
        log_in(MALLORY, "wrong")
    change_password(mallory, MALLORY)
    assert log_in(MALLORY, "wrong").startswith(CLOSED)


def change_password(person: User, address: str) -> None:
    client = Client(REMOTE_ADDR=address)
    client.force_login(person)
    fresh = {"password1": "another long password", "password2": "another long password"}
    answer = client.post(reverse("account_change_password"), {"oldpassword": PASSWORD} | fresh)
    assert answer.status_code == 302


def test_a_login_with_an_unverified_address_does_not_lift_its_limit(mallory: User) -> None:
    mallory.set_password("Mallory's own password")
    mallory.save()
    for _ in range(4):
        log_in(MALLORY, "wrong")
    log_in(MALLORY, "Mallory's own password")  # with Alice's address
    assert log_in(MALLORY, "wrong").startswith(CLOSED)


def test_the_limit_of_an_account_holds_where_somebody_else_lists_its_address(
    mallory: User, settings: LazySettings
) -> None:
    settings.ACCOUNT_RATE_LIMITS = site.ACCOUNT_RATE_LIMITS | {"login_failed_account": "6/h/key"}
    assert log_in(MALLORY, email=mallory.email) == "in"
    assert log_in(HOME) == "in"
    for number in range(6):
        log_in(f"203.0.113.{number}", "wrong")
    assert log_in(MALLORY).startswith(CLOSED)
    assert log_in(HOME) == "in"


def test_an_address_is_known_for_the_email_address_of_its_login(
    alice: User, settings: LazySettings
) -> None:
    settings.ACCOUNT_RATE_LIMITS = site.ACCOUNT_RATE_LIMITS | {"login_failed_account": "6/h/key"}
    second = "alice@example.net"
    alice.emailaddress_set.create(email=second, verified=True)
    assert log_in(HOME, email=second) == "in"
    for email in (EMAIL, second):
        for number in range(6):
            log_in(f"203.0.113.{number}", "wrong", email)
    assert log_in(HOME, email=second) == "in"
    assert log_in(HOME).startswith(CLOSED)


def test_after_a_new_password_every_verified_address_logs_in_from_here(
    alice: User, settings: LazySettings
) -> None:
    settings.ACCOUNT_RATE_LIMITS = site.ACCOUNT_RATE_LIMITS | {"login_failed_account": "6/h/key"}
    second = "alice@example.net"
    alice.emailaddress_set.create(email=second, verified=True)
    change_password(alice, HOME)
    for email in (EMAIL, second):
        for number in range(6):
            log_in(f"203.0.113.{number}", "wrong", email)
        assert log_in(HOME, "another long password", email) == "in"


@pytest.mark.parametrize("is_second", [False, True])
def test_the_address_of_another_account_does_not_become_primary(
    mallory: User, settings: LazySettings, is_second: bool
) -> None:
    """Without a mail server nobody has a verified address, and allauth takes any."""
    settings.EMAIL_URL = ""
    if is_second:
        alice = User.objects.get(email=EMAIL)
        alice.emailaddress_set.create(email=EMAIL, verified=True)
        User.objects.filter(pk=alice.pk).update(email="alice@example.net")
    assert "Another account has this email address." in make_primary(mallory, EMAIL.upper())
    assert EMAIL not in mallory.own_emails()
    assert not mallory.emailaddress_set.get(email=EMAIL).primary
    make_primary(mallory, "new@example.org")
    assert mallory.email == "new@example.org"  # one that nobody else has


def test_an_unverified_address_does_not_become_primary_where_it_can_be_verified(
    mallory: User, settings: LazySettings
) -> None:
    """The answer is the same for an address that nobody has."""
    settings.EMAIL_URL = "smtp://localhost"
    for email in (EMAIL, "new@example.org"):
        assert "Confirm this email address first." in make_primary(mallory, email)
    assert mallory.email == "mallory@example.org"


def make_primary(person: User, email: str) -> str:
    client, url = Client(REMOTE_ADDR=HOME), reverse("account_email")
    client.force_login(person)
    client.post(url, {"action_add": "", "email": email})
    page = client.post(url, {"action_primary": "", "email": email}, follow=True)
    person.refresh_from_db()
    return page.content.decode()


def test_nobody_logs_in_with_an_unverified_further_address(alice: User, mallory: User) -> None:
    """Or Mallory guesses Alice's password with an address that he has made his own, and his own
    logins with it reset the count."""
    alice.emailaddress_set.create(email=mallory.email, verified=False)
    alice.set_password("Alice's own password")
    alice.save()
    assert log_in(MALLORY, "Alice's own password", mallory.email) != "in"
    assert log_in(MALLORY, PASSWORD, mallory.email) == "in"
    alice.emailaddress_set.create(email="alice@example.net", verified=True)
    assert log_in(MALLORY, "Alice's own password", "alice@example.net") == "in"


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_a_new_address_logs_in_from_where_it_was_chosen_or_confirmed(
    alice: User, settings: LazySettings, is_confirmed: bool
) -> None:
    settings.ACCOUNT_RATE_LIMITS = site.ACCOUNT_RATE_LIMITS | {"login_failed_account": "6/h/key"}
    settings.EMAIL_URL = ""
    email = "new@example.org"
    if is_confirmed:
        address = alice.emailaddress_set.create(email=email)
        key = EmailConfirmationHMAC(address).key
        Client(REMOTE_ADDR=HOME).post(reverse("account_confirm_email", args=[key]))
    else:
        make_primary(alice, email)
    assert email in alice.own_emails()
    for number in range(6):
        log_in(f"203.0.113.{number}", "wrong", email)
    assert log_in(HOTEL, email=email).startswith(CLOSED)
    assert log_in(HOME, email=email) == "in"


def test_addresses_are_kept_as_digests_and_not_for_ever(alice: User) -> None:
    assert log_in(HOME) == "in"
    assert HOME not in LoginAddress.objects.get().digest
    old = timezone.now() - login_limits.LIFETIME * 2
    LoginAddress.objects.update(last_used_at=old)
    for number in range(login_limits.REMEMBERED + 3):
        log_in(f"203.0.113.{number}")
    assert alice.login_addresses.count() == login_limits.REMEMBERED
    assert not alice.login_addresses.filter(last_used_at=old).exists()


@pytest.mark.parametrize("name", ["default", "throttles"])
def test_counts_of_other_names_do_not_push_out_those_of_an_account(name: str) -> None:
    cache = caches[name]
    for number in range(400):
        cache.set(f"count-{number}", [1], 300)
    assert len(cache.get_many([f"count-{number}" for number in range(400)])) == 400


def test_every_limit_in_use_has_a_rate() -> None:
    """allauth takes an unknown name for no limit."""
    source = Path(login_limits.__file__).read_text()
    asked = set(re.findall(r'"(login_failed\w*)"', source))
    assert asked
    assert asked <= set(site.ACCOUNT_RATE_LIMITS)
