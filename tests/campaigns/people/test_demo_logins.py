"""Logins without a password: in the demo only, and to its own accounts only."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from campaigns.people.demo_accounts import ACCOUNTS, READER
from tests.making import make_campaign, make_user

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[3]
LOGIN = reverse("campaigns:demo-login", args=[READER.key])


def is_logged_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


@pytest.fixture
def demo(settings: LazySettings) -> None:
    settings.DEMO_LOGINS = True
    make_user(READER.email)


def test_the_home_page_offers_the_accounts_that_exist(demo, client: Client) -> None:
    page = client.get("/").content.decode()
    assert [each.key for each in ACCOUNTS if f"/demo/login/{each.key}/" in page] == ["reader"]


def test_a_click_logs_in_and_changes_the_account(demo, client: Client) -> None:
    client.force_login(make_user())
    answer = client.post(LOGIN)
    assert answer.url == reverse(READER.page, args=[READER.slug])
    assert client.get("/").context["user"].email == READER.email


def test_another_site_has_no_such_login_whatever_accounts_it_has(client: Client) -> None:
    make_user(READER.email)
    make_campaign()
    assert "demo" not in client.get("/").content.decode()
    assert client.post(LOGIN).status_code == 404
    assert not is_logged_in(client)


def test_a_login_needs_a_post_with_its_token(demo) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.get(LOGIN).status_code == 405
    assert client.post(LOGIN).status_code == 403
    assert not is_logged_in(client)


@pytest.mark.parametrize("key", ["nobody", "other@example.org", READER.email])
def test_only_the_accounts_of_the_demo_are_logged_in(demo, client: Client, key: str) -> None:
    make_user("other@example.org")
    assert client.post(reverse("campaigns:demo-login", args=[key])).status_code == 404
    assert not is_logged_in(client)


@pytest.mark.parametrize("facts", [{"is_active": False}, {"is_staff": True}])
def test_closed_accounts_and_operators_are_not_logged_in(
    demo, client: Client, facts: dict[str, bool], django_user_model: type
) -> None:
    django_user_model.objects.filter(email=READER.email).update(**facts)
    assert READER.advice not in client.get("/").content.decode()
    assert client.post(LOGIN).status_code == 404


SERVED = {
    "a served host": {"ALLOWED_HOSTS": "localhost,evaluation.example.org"},
    "any host": {"ALLOWED_HOSTS": "*"},
    "a proxy": {"NUM_PROXIES": "1"},
    "HTTPS": {"HTTPS": "on", "SITE_URL": "https://evaluation.example.org"},
    "PostgreSQL": {"DATABASE_URL": "postgres://db/site", "BROKER_URL": "redis://queue/0"},
}


@pytest.mark.parametrize("name", SERVED)
def test_a_site_that_others_can_reach_does_not_start_with_demo_logins(
    name: str, tmp_path: Path
) -> None:
    assert "DEMO_LOGINS lets anybody log in" in said_at_start(tmp_path, **SERVED[name])


def test_the_demo_starts_with_demo_logins(tmp_path: Path) -> None:
    assert said_at_start(tmp_path) == ""


def said_at_start(folder: Path, **settings: str) -> str:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    found = subprocess.run(
        [sys.executable, "-c", "import trackside.settings"],
        cwd=ROOT,
        env=kept | {"VAR_DIR": str(folder), "DEMO_LOGINS": "on"} | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stderr
