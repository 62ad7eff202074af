"""Takes the pictures of the README from the demo: `make screenshots`.

Needs Debian's Chromium. A demo of its own is started, photographed and stopped.
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "screenshots"
CHROMIUM = "/usr/bin/chromium"
QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
BOARD = "/campaigns/demo-rail-reports/leaderboard/?measure=RBP(p%3D0.8)"


def main() -> None:
    port = _free_port()
    demo = subprocess.Popen(
        [sys.executable, "-m", "config.demo"],
        cwd=ROOT,
        env=os.environ | {"PORT": str(port), "DEMO_DIR": str(ROOT / "var" / "screenshots")},
        start_new_session=True,
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            _photograph(page, f"http://127.0.0.1:{port}{BOARD}", "leaderboard")
            browser.close()
    finally:
        demo.send_signal(signal.SIGINT)
        demo.wait(30)


def _photograph(page: Page, address: str, name: str) -> None:
    page.goto(address)
    for _ in range(60):  # a worker tests all pairs; the strokes of the groups come with it
        if page.locator(".board .strokes").count():
            break
        time.sleep(1)
        page.reload()
    page.locator("#canvas[data-drawn]").wait_for()
    page.screenshot(path=PICTURES / f"{name}.png")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(address: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(OSError), urllib.request.urlopen(address):  # noqa: S310  our own address
            return
        time.sleep(0.3)
    raise SystemExit(f"{address} does not answer")


if __name__ == "__main__":
    main()
