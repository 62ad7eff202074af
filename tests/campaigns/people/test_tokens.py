"""Tokens end with the password that made them, and nobody collects them without a limit."""

from datetime import timedelta

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.conf import LazySettings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from campaigns.errors import TooManyTokens
from campaigns.models import User
from campaigns.people.accounts import create_token
from tests.making import make_user

pytestmark = pytest.mark.django_db
FRESH = {"password1": "another long password", "password2": "another long password"}


@pytest.fixture
def alice() -> User:
    person = make_user("alice@example.org")
    create_token(person)
    create_token(make_user("somebody.else@example.org"))
    return person


def is_accepted(token: str) -> bool:
    answer = Client(headers={"Authorization": f"Token {token}"}).get("/api/campaigns/")
    return answer.status_code == 200


def test_a_changed_password_revokes_every_token_and_the_pages_say_so(alice: User) -> None:
    token = create_token(alice)
    assert is_accepted(token)
    client = Client()
    client.force_login(alice)
    url = reverse("account_change_password")
    assert "revokes your API tokens" in client.get(url).content.decode()
    answer = client.post(url, {"oldpassword": "a long password"} | FRESH, follow=True)
    assert "Your API tokens are revoked" in answer.content.decode()
    assert not is_accepted(token)
    assert [token.user.email for token in AuthToken.objects.all()] == ["somebody.else@example.org"]


def test_a_reset_password_revokes_every_token(alice: User) -> None:
    client = Client()
    uid, key = user_pk_to_url_str(alice), default_token_generator.make_token(alice)
    page = client.get(
        reverse("account_reset_password_from_key", kwargs={"uidb36": uid, "key": key}), follow=True
    )
    assert "revokes your API tokens" in page.content.decode()
    done = client.post(page.redirect_chain[-1][0], FRESH, follow=True)
    assert "your API tokens are revoked" in done.content.decode()
    assert not AuthToken.objects.filter(user=alice).exists()


def test_an_operator_s_new_password_revokes_them_too(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getpass", lambda prompt: "another long password")
    call_command("changepassword", alice.email, stdout=open("/dev/null", "w"))  # noqa: SIM115
    assert not AuthToken.objects.filter(user=alice).exists()


def test_tokens_stay_while_the_password_stays(alice: User, settings: LazySettings) -> None:
    first = "django.contrib.auth.hashers.PBKDF2PasswordHasher"
    settings.PASSWORD_HASHERS = [first, *settings.PASSWORD_HASHERS]
    assert alice.check_password("a long password")  # hashed anew, by the first hasher
    alice.refresh_from_db()
    assert alice.password.startswith("pbkdf2_sha256$")
    alice.name = "Alice"
    alice.save()
    assert AuthToken.objects.filter(user=alice).count() == 1


def test_ten_tokens_are_the_limit_and_expired_ones_do_not_count(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    for _ in range(9):
        assert client.post(reverse("campaigns:token-create")).status_code == 200
    with pytest.raises(TooManyTokens, match="Revoke one first"):
        create_token(alice)
    answer = client.post(reverse("campaigns:token-create"), follow=True)
    assert "You have 10 tokens, which is the limit. Revoke one first." in answer.content.decode()
    assert "You have 10 of at most 10 tokens" in answer.content.decode()
    AuthToken.objects.filter(user=alice).update(expiry=timezone.now() - timedelta(seconds=1))
    assert is_accepted(create_token(alice))
    assert AuthToken.objects.filter(user=alice).count() == 1


def test_a_token_expires_after_a_year(alice: User) -> None:
    expiry = AuthToken.objects.get(user=alice).expiry
    assert timedelta(days=364) < expiry - timezone.now() <= timedelta(days=365)


@pytest.mark.parametrize("token", [b"\xff", "é".encode(), b"a\0b", b"-", b"\xed\xa0\x80"])
@pytest.mark.parametrize("path", ["/api/campaigns/", "/api/schema/", "/api/campaigns/none/runs/"])
def test_a_token_of_other_bytes_is_refused(token: bytes, path: str) -> None:
    given = (b"Token " + token).decode("latin-1")  # as WSGI has it
    answer = Client(raise_request_exception=False).get(path, headers={"Authorization": given})
    assert answer.status_code == 401
    assert answer.json()["message"] == "Invalid token."


@pytest.mark.parametrize(("scheme", "status"), [("Bearer", 401), ("bearer", 401), ("Basic", 200)])
def test_a_token_under_another_name_is_refused_with_the_right_one(
    scheme: str, status: int, client: Client
) -> None:
    """A script would get what the public sees, and not know why. The password of a proxy passes."""
    answer = client.get("/api/campaigns/", headers={"Authorization": f"{scheme} abc"})
    assert answer.status_code == status
    if status == 401:
        assert "Write Token instead of Bearer" in answer.json()["message"]
