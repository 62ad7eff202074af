"""The pages of logging in, passwords and addresses, in this site's words."""

import re
from urllib.parse import urlencode

import pytest
from django.test import Client

from tests.making import make_user

pytestmark = pytest.mark.django_db


def text_of(client: Client, path: str) -> str:
    page = client.get(path).content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


@pytest.mark.parametrize(
    "path", ["login/", "signup/", "password/reset/", "password/change/", "email/"]
)
def test_no_label_is_in_capitals(client: Client, path: str) -> None:
    if path in ("password/change/", "email/"):
        client.force_login(make_user())
    page = client.get(f"/accounts/{path}").content.decode()
    labels = [" ".join(label.split()) for label in re.findall(r"<label for=[^>]*>([^<]+)", page)]
    assert labels
    assert [label for label in labels if re.search(r" [A-Z]|^Email$", label)] == []


def test_the_login_page_mentions_the_followed_invitation(client: Client) -> None:
    told = "You have followed an invitation link"
    for name in ("login", "signup"):
        assert told in text_of(client, f"/accounts/{name}/?next=/invitations/abc/")
        assert told not in text_of(client, f"/accounts/{name}/?next=/campaigns/abc/")


@pytest.mark.parametrize("name", ["login", "signup"])
def test_a_next_page_that_is_no_url_is_ignored(client: Client, name: str) -> None:
    for target in ("http://[", "//[", "http://[x]/invitations/abc/"):
        page = f"/accounts/{name}/?{urlencode({'next': target})}"
        assert client.get(page).status_code == 200
        assert client.post(page, {"next": target}).status_code == 200


def test_a_persons_addresses_can_be_added_to(client: Client) -> None:
    client.force_login(make_user("ann@example.org"))
    assert "Your account has one email address" in text_of(client, "/accounts/email/")
    client.post("/accounts/email/", {"email": "ann@example.com", "action_add": ""})
    page = text_of(client, "/accounts/email/")
    assert "2 email addresses" in page
    assert "ann@example.com not confirmed" in page
