"""OIDC_TRUST_EMAIL: which accounts a login of the institution opens by their email address."""

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.socialaccount.models import SocialAccount
from django.conf import LazySettings
from django.core import mail
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import Client
from responses import RequestsMock

from campaigns.models import User
from campaigns.people.accounts import close_account
from tests.campaigns.people.test_other_logins import (
    ANN,
    NAMES,
    log_in,
    log_in_with_orcid,
    network,
)
from tests.campaigns.people.test_second_factor import code_of
from tests.making import make_user
from tests.teamwork import signed_in
from trackside.environment import Environment
from trackside.login_providers import INSTITUTION, login_providers

__all__ = ["network"]  # a fixture
pytestmark = pytest.mark.django_db

TRUSTED = NAMES | {"OIDC_TRUST_EMAIL": "on"}


@pytest.fixture(autouse=True)
def trusted(settings: LazySettings) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = login_providers(Environment(TRUSTED))
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.SECOND_FACTOR = "optional"
    cache.clear()


def make_owner(email: str = ANN["email"], *, is_confirmed: bool = True, **facts: bool) -> User:
    owner = make_user(email, name="Owner", **facts)
    EmailAddress.objects.create(user=owner, email=email, verified=is_confirmed, primary=True)
    return owner


def person_of(client: Client) -> str | None:
    """The id of the account to which the client is logged in."""
    found: str | None = client.session.get("_auth_user_id")
    return found


def opens_nothing(client: Client, answer: HttpResponse, *, accounts: int = 0) -> None:
    """The page and the email of the account that exists, as without trust."""
    assert answer.url == "/accounts/confirm-email/"
    assert person_of(client) is None
    assert SocialAccount.objects.count() == accounts
    (message,) = mail.outbox
    assert "already exists" in message.body


@pytest.mark.parametrize("email", [ANN["email"], "Ann@University.Example"], ids=["equal", "case"])
def test_an_address_that_both_have_verified_opens_and_connects(
    network: RequestsMock, email: str
) -> None:
    owner = make_owner()
    client = Client()
    assert log_in(client, network, ANN | {"email": email}, "?next=/account/").url == "/account/"
    assert person_of(client) == str(owner.pk)
    assert SocialAccount.objects.get().user == owner
    owner.refresh_from_db()
    assert (User.objects.count(), owner.name, owner.email) == (1, "Owner", ANN["email"])
    assert owner.has_usable_password()
    (message,) = mail.outbox
    assert (message.to, message.subject) == ([owner.email], "Trackside: A login was connected")
    assert "now opens the account" in message.body
    again = Client()  # the connection holds if the institution gives the person another address
    log_in(again, network, ANN | {"email": "lee@university.example"})
    assert person_of(again) == str(owner.pk)


def test_a_further_verified_address_of_the_account_opens_it(network: RequestsMock) -> None:
    owner = make_owner("ann@home.example")
    EmailAddress.objects.create(user=owner, email=ANN["email"], verified=True)
    client = Client()
    log_in(client, network, ANN)
    assert person_of(client) == str(owner.pk)


def test_the_account_that_verified_the_address_wins_over_one_that_only_claims_it(
    network: RequestsMock,
) -> None:
    make_owner(is_confirmed=False)
    owner = make_owner("ann@home.example")
    EmailAddress.objects.create(user=owner, email=ANN["email"], verified=True)
    client = Client()
    log_in(client, network, ANN)
    assert person_of(client) == str(owner.pk)


@pytest.mark.parametrize("claim", [False, None, "true", "True", 1, [True], {"value": True}])
def test_an_address_that_the_institution_has_not_verified_opens_nothing(
    network: RequestsMock, claim: object
) -> None:
    make_owner()
    client = Client()
    opens_nothing(client, log_in(client, network, ANN | {"email_verified": claim}))


def test_a_missing_claim_opens_nothing(network: RequestsMock) -> None:
    make_owner()
    client = Client()
    facts = {name: value for name, value in ANN.items() if name != "email_verified"}
    opens_nothing(client, log_in(client, network, facts))


def test_an_address_that_the_site_has_not_verified_opens_nothing(network: RequestsMock) -> None:
    owner = make_owner(is_confirmed=False)
    client = Client()
    opens_nothing(client, log_in(client, network, ANN))
    owner.refresh_from_db()
    assert owner.has_usable_password()


def test_an_address_that_only_the_account_has_opens_nothing(network: RequestsMock) -> None:
    make_user(ANN["email"])
    client = Client()
    opens_nothing(client, log_in(client, network, ANN))


@pytest.mark.parametrize(
    "facts",
    [{"is_staff": True}, {"is_superuser": True}, {"is_active": False}],
    ids=["operator", "superuser", "deactivated"],
)
def test_an_account_of_an_operator_or_a_deactivated_one_stays_closed(
    network: RequestsMock, facts: dict[str, bool]
) -> None:
    make_owner(**facts)
    client = Client()
    opens_nothing(client, log_in(client, network, ANN))


def test_an_operator_connects_the_account_after_a_login(network: RequestsMock) -> None:
    operator = make_owner(is_staff=True)
    log_in(signed_in(operator), network, ANN, "?process=connect")
    client = Client()
    log_in(client, network, ANN)
    assert person_of(client) == str(operator.pk)


def test_a_closed_account_is_not_opened_again(network: RequestsMock) -> None:
    owner = make_owner()
    close_account(person=owner)
    client = Client()
    log_in(client, network, ANN)
    assert person_of(client) not in (None, str(owner.pk))
    assert User.objects.count() == 2


def test_the_next_owner_of_an_address_does_not_get_the_account_of_the_first(
    network: RequestsMock,
) -> None:
    make_owner()
    log_in(Client(), network, ANN)
    mail.outbox.clear()
    client = Client()
    answer = log_in(client, network, ANN | {"sub": "43", "name": "Ann Other"})
    opens_nothing(client, answer, accounts=1)


def test_the_second_factor_is_asked_for(network: RequestsMock) -> None:
    owner = make_owner()
    secret = generate_totp_secret()
    TOTP.activate(owner, secret)
    client = Client()
    assert log_in(client, network, ANN).url.startswith("/accounts/2fa/authenticate/")
    assert person_of(client) is None
    assert client.get("/account/").status_code == 302
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert person_of(client) == str(owner.pk)


def test_a_person_connects_the_account_to_the_one_they_chose(network: RequestsMock) -> None:
    make_owner()
    chosen = make_owner("ann@home.example")
    client = signed_in(chosen)
    log_in(client, network, ANN, "?process=connect")
    assert SocialAccount.objects.get().user == chosen
    assert person_of(client) == str(chosen.pk)


def test_a_server_that_names_two_people_opens_nothing(network: RequestsMock) -> None:
    make_owner()
    client = Client()
    page = log_in(client, network, ANN, in_token=ANN | {"sub": "43"})
    assert "Login failed" in page.content.decode()
    assert person_of(client) is None
    assert not SocialAccount.objects.exists()


def test_orcid_is_never_trusted(network: RequestsMock) -> None:
    make_owner()
    client = Client()
    email = {"email": ANN["email"], "primary": True, "verified": True}
    log_in_with_orcid(client, network, emails={"email": [email]})
    assert person_of(client) is None
    assert not SocialAccount.objects.exists()


def test_it_is_off_by_default_and_refuses_what_is_neither_on_nor_off() -> None:
    app = login_providers(Environment(NAMES))["openid_connect"]["APPS"][0]
    assert (app["provider_id"], app["settings"]["email_authentication"]) == (INSTITUTION, False)
    with pytest.raises(ImproperlyConfigured, match="OIDC_TRUST_EMAIL"):
        login_providers(Environment(NAMES | {"OIDC_TRUST_EMAIL": "perhaps"}))
