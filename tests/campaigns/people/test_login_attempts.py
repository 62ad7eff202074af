"""Guessing a password is stopped, however many processes serve the guesses; and the pages' control
forms keep nothing of an earlier visit."""

import re
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.cache.backends import locmem
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.making import make_user

pytestmark = pytest.mark.django_db
TEMPLATES = Path(__file__).resolve().parents[3] / "templates"


def log_in(password: str) -> HttpResponse:
    url = reverse("account_login")
    return Client().post(url, {"login": "alice@example.org", "password": password})


def another_process() -> None:
    """What this one keeps in its memory is not there."""
    for kept in (*locmem._caches.values(), *locmem._expire_info.values()):
        kept.clear()


def test_failed_logins_are_counted_by_all_processes_together(settings: LazySettings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "3/5m/key"}
    make_user("alice@example.org")
    for _ in range(3):
        assert log_in("a wrong password").status_code == 200
        another_process()
    assert "Too many failed login attempts" in log_in("a long password").content.decode()
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM shared_counts")  # as time does
    assert log_in("a long password").status_code == 302


def test_a_control_form_is_filled_in_by_its_address_alone() -> None:
    """A browser that goes back would else put the choices of another page into it."""
    forms = [
        form
        for path in TEMPLATES.rglob("*.html")
        for form in re.findall(r"<form [^>]*method=\"get\"[^>]*>", path.read_text())
    ]
    assert len(forms) > 10
    assert [form for form in forms if 'autocomplete="off"' not in form] == []
