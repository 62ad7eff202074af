"""Takes the screenshots of the README from the demo: `make screenshots`.

It needs Debian's Chromium. It starts a separate demo, takes the screenshots and stops the demo.
"""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from trackside.processes import free_port

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "screenshots"
CHROMIUM = "/usr/bin/chromium"
QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
ORGANISER, PASSWORD = "organiser@trackside.example", "trackside-demo"  # every demo prints them
CAMPAIGN = "/campaigns/demo-rail-reports"
# Each screenshot waits for its selector, because workers compute some pages.
PICTURED = {
    "leaderboard": ("/leaderboard/?measure=RBP(p%3D0.8)", ".board .bars"),
    "significance": ("/significance/?measure=RBP(p%3D0.8)", "#canvas[data-drawn], [data-drawn]"),
    "judging": (
        "/judging/plan/?method=A&scope=run&p=0.8&batch=20&amount=1000&unit=documents&per_hour=60"
        "&runs=all&start=nothing&overlap=0&lease=30",
        "[data-drawn]",
    ),
}


def main() -> None:
    port = free_port()
    demo = subprocess.Popen(
        [sys.executable, "-m", "trackside.demo"],
        cwd=ROOT,
        env=os.environ | {"PORT": str(port), "DEMO_DIR": str(ROOT / "var" / "screenshots")},
        start_new_session=True,
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            site = f"http://127.0.0.1:{port}"
            _log_in(page, site)
            for name, (path, drawn) in PICTURED.items():
                _photograph(page, f"{site}{CAMPAIGN}{path}", drawn, name)
            browser.close()
    finally:
        demo.send_signal(signal.SIGINT)
        demo.wait(30)


def _log_in(page: Page, site: str) -> None:
    """Log in as the organiser of the demo, because only organisers see judging plans."""
    page.goto(f"{site}/accounts/login/")
    page.locator("input[name=login]").fill(ORGANISER)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main button[type=submit]").click()
    page.wait_for_load_state()


def _photograph(page: Page, url: str, drawn: str, name: str) -> None:
    page.goto(url)
    for _ in range(60):
        if page.locator(drawn).count():
            break
        time.sleep(1)
        page.reload()
    page.locator(drawn).first.wait_for()
    page.screenshot(path=PICTURES / f"{name}.png")


def _wait_for(url: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(OSError), urllib.request.urlopen(url):  # noqa: S310  our own URL
            return
        time.sleep(0.3)
    raise SystemExit(f"{url} does not answer")


if __name__ == "__main__":
    main()
