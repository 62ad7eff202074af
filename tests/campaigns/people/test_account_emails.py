"""The emails about accounts speak of Trackside, and say what to do."""

import re
from urllib.parse import quote

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse

from campaigns.models import User
from tests.making import make_user

pytestmark = pytest.mark.django_db
KNOWN, UNKNOWN = "known@example.org", "unknown@example.org"
PASSWORDS = {"password1": "a fine long password", "password2": "a fine long password"}


@pytest.fixture(autouse=True)
def confirming(settings: LazySettings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    make_user(KNOWN)


def sent(name: str, fields: dict[str, str]) -> EmailMessage:
    Client().post(reverse(name), fields)
    (message,) = mail.outbox
    return message


@pytest.mark.parametrize(
    ("name", "fields", "subject", "way"),
    [
        (
            "account_signup",
            {"email": UNKNOWN, "name": "Ann"} | PASSWORDS,
            "Confirm your email address",
            "/accounts/confirm-email/",
        ),
        (
            "account_signup",
            {"email": KNOWN, "name": "Ann"} | PASSWORDS,
            "You already have an account",
            "/accounts/login/",
        ),
        (
            "account_reset_password",
            {"email": KNOWN},
            "Reset your password",
            "/accounts/password/reset/key/",
        ),
        (
            "account_reset_password",
            {"email": UNKNOWN},
            "No account with this email address",
            "/accounts/signup/",
        ),
    ],
)
def test_an_email_says_what_happened_and_where_to_go(
    name: str, fields: dict[str, str], subject: str, way: str
) -> None:
    message = sent(name, fields)
    assert message.subject == f"Trackside: {subject}"
    body = str(message.body)
    assert re.search(f"^http://testserver{way}", body, re.MULTILINE)
    assert "Somebody, perhaps you," in body
    assert body.rstrip().endswith("because somebody gave this address to Trackside.")
    assert "Hello" not in body


def test_an_email_tells_of_a_changed_password(client: Client, settings: LazySettings) -> None:
    settings.OPERATOR_EMAIL = "help@example.org"
    person = make_user("third@example.org")
    person.set_password("the old long password")
    person.save()
    client.force_login(person)
    client.post(
        reverse("account_change_password"), {"oldpassword": "the old long password"} | PASSWORDS
    )
    (message,) = mail.outbox
    assert message.subject == "Trackside: Your password was changed"
    assert "Your account on Trackside has changed:\nThe password was changed." in message.body
    assert "tell the operator of the site: help@example.org" in message.body
    assert "IP address: 127.0.0.1" in message.body


def test_the_old_address_is_told_that_another_one_replaces_it_and_the_new_one_of_its_removal(
    client: Client,
) -> None:
    person = make_user("old@example.org")
    for email, is_primary in (("old@example.org", True), ("new@example.org", False)):
        person.emailaddress_set.create(email=email, verified=True, primary=is_primary)
    client.force_login(person)
    url = reverse("account_email")
    for act, email in (("action_primary", "new@example.org"), ("action_remove", "old@example.org")):
        client.post(url, {act: "", "email": email})
    assert [(each.to, each.subject.partition(": ")[2]) for each in mail.outbox] == [
        (["old@example.org"], "Your email address was changed"),
        (["new@example.org"], "An email address was removed"),
    ]
    assert "changed from old@example.org to new@example.org." in mail.outbox[0].body


def test_a_confirmation_link_that_was_used_leads_to_where_the_person_wanted_to_go(
    client: Client,
) -> None:
    """They confirm in another browser, return to the first, and open the email there too."""
    path, login = "/invitations/abc/", f"{reverse('account_login')}?next="
    form = {"email": UNKNOWN, "name": "New", "next": path} | PASSWORDS
    page = client.post(reverse("account_signup"), form, follow=True)
    assert f'href="{login}{reverse("campaigns:welcome")}"' in page.content.decode()
    (confirm,) = re.findall(r"https?://\S+", str(mail.outbox[-1].body))
    Client().post(confirm.split("?")[0], {"next": path})
    on = login + quote(path, safe="")
    assert f'href="{on}"' in client.get(confirm).content.decode()
    client.force_login(User.objects.get(email=UNKNOWN))
    assert f'href="{on}"' in client.get(confirm).content.decode()
    assert client.get(on).url == path
    assert client.get(f"{login}https://elsewhere.example/").url == "/"
