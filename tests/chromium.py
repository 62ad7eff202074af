"""A Chromium for all tests of a process.

Only `tests/conftest.py` imports the fixture: each module that imports a fixture of the session gets
its own, and Playwright's synchronous interface cannot be started twice in a thread.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.patience import MILLISECONDS

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        reason = f"{CHROMIUM} is missing"
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    # Playwright's synchronous interface runs an event loop in this thread, and Django would not
    # touch its database beside one.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=MILLISECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=ARGUMENTS, timeout=MILLISECONDS
        )
        yield browser
        browser.close()


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """One whose pages wait as patiently as all tests."""
    context = browser.new_context(**options)
    context.set_default_timeout(MILLISECONDS)
    return context
