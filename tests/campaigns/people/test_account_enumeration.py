"""Nothing that a stranger can ask tells by its work whether an address has an account: the hash of
a password, which takes longer than all else, is computed as often, and as many mails are sent."""

import pytest
from django.conf import LazySettings
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.making import make_user

pytestmark = pytest.mark.django_db
KNOWN, UNKNOWN = "known@example.org", "unknown@example.org"
TWICE = {"password1": "a fine long password", "password2": "a fine long password"}
ACTS = {
    "account_login": lambda email: {"login": email, "password": "a wrong password"},
    "account_signup": lambda email: {"email": email, "name": "Ann"} | TWICE,
    "account_reset_password": lambda email: {"email": email},
}
QUERIES_APART = 12  # none of them takes as long as a hundredth of a hash


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> list[str]:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    passwords: list[str] = []
    encode = MD5PasswordHasher.encode

    def counted(self: MD5PasswordHasher, password: str, salt: str) -> str:
        passwords.append(password)
        return str(encode(self, password, salt))

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    make_user(KNOWN)
    return passwords


@pytest.mark.parametrize("name", ACTS)
def test_known_and_unknown_addresses_cost_the_same(name: str, hashed: list[str]) -> None:
    work = []
    for email in (KNOWN, UNKNOWN):
        hashed.clear()
        mail.outbox.clear()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            answer = Client().post(reverse(name), ACTS[name](email))
        work.append((answer.status_code, answer.get("Location"), len(hashed), len(mail.outbox)))
        work.append(len(queries))
    assert work[0] == work[2]
    assert abs(work[1] - work[3]) <= QUERIES_APART
