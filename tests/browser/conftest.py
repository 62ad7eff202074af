"""A Chromium that reads the live site, and notes what it has to complain of."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page

from campaigns.models import User
from tests.chromium import new_context


@dataclass
class Visit:
    """A page, and what went wrong in it: errors, violations of the policy, other hosts asked."""

    page: Page
    complaints: list[str] = field(default_factory=list)


class Visitor(Protocol):
    def __call__(
        self,
        path: str,
        *,
        person: User | None = None,
        width: int = 1280,
        is_dark: bool = False,
        has_scripts: bool = True,
    ) -> Visit: ...


@pytest.fixture
def visit(chromium: Browser, live_server) -> Iterator[Visitor]:
    """Opens a path of the site as a person, or as nobody in particular."""
    opened: list[BrowserContext] = []

    def open_page(
        path: str,
        *,
        person: User | None = None,
        width: int = 1280,
        is_dark: bool = False,
        has_scripts: bool = True,
    ) -> Visit:
        context = new_context(
            chromium,
            base_url=live_server.url,
            viewport={"width": width, "height": 900},
            color_scheme="dark" if is_dark else "light",
            java_script_enabled=has_scripts,
        )
        opened.append(context)
        if person is not None:
            context.add_cookies([_session_of(person, live_server.url)])
        visit = Visit(context.new_page())
        _note_complaints(visit, live_server.url)
        visit.page.goto(path)
        return visit

    yield open_page
    for context in opened:
        context.close()


def _session_of(person: User, url: str) -> dict[str, str]:
    client = Client()
    client.force_login(person)
    name = settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": url}


def _note_complaints(visit: Visit, url: str) -> None:
    page, complaints = visit.page, visit.complaints
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text) if message.type in {"error", "warning"} else None
        ),
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: (complaints.append("a dialog opened"), dialog.dismiss()))
    page.on(
        "request",
        lambda request: (
            complaints.append(f"asked {request.url}")
            if urlsplit(request.url).scheme not in {"data", "blob"}
            and not request.url.startswith(url)
            else None
        ),
    )
