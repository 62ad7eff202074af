"""How soon a first visitor over a slow line reads the table of a page and sees its chart.

    python -m tools.bench.first_visit http://127.0.0.1:8000/campaigns/robust-2026/leaderboard/

Chromium loads the page with an empty cache over a line of 1.6 Mbit/s and 150 ms. Start the site as
in production, because only there static files are compressed.
"""

import sys
from pathlib import Path
from typing import Final, NamedTuple

from playwright.sync_api import Browser, sync_playwright

from tools.bench.clock import ROUNDS, median

CHROMIUM: Final = Path("/usr/bin/chromium")
BITS_A_SECOND: Final = 1_600_000
LATENCY: Final = 150  # milliseconds
PATIENCE: Final = 120_000  # milliseconds
LINE: Final = {
    "offline": False,
    "latency": LATENCY,
    "downloadThroughput": BITS_A_SECOND / 8,
    "uploadThroughput": BITS_A_SECOND / 8,
}
# The footer follows the table. Two frames later the browser has painted it.
NOTES_WHAT_IS_SEEN: Final = """
window.seen = {};
const note = (name) => requestAnimationFrame(() => requestAnimationFrame(() => {
  window.seen[name] ??= performance.now() / 1000;
}));
new MutationObserver(() => {
  if (document.body && document.querySelector("footer")) note("table");
  if (document.querySelector("[data-drawn]")) note("chart");
}).observe(document, { subtree: true, childList: true, attributes: true });
"""


class Visit(NamedTuple):
    """Seconds until the table and the chart are seen, and bytes on the wire until then."""

    table: float
    chart: float
    bytes: int


def first_visit(browser: Browser, url: str) -> Visit:
    context = browser.new_context()
    page = context.new_page()
    line = context.new_cdp_session(page)
    received: list[int] = []  # headers and body of each response
    line.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", LINE)
    page.add_init_script(NOTES_WHAT_IS_SEEN)
    page.goto(url, wait_until="commit", timeout=PATIENCE)
    page.locator("[data-drawn]").first.wait_for(state="attached", timeout=PATIENCE)
    page.wait_for_timeout(500)
    seen = page.evaluate("window.seen")
    context.close()
    return Visit(seen["table"], seen["chart"], sum(received))


def main(urls: list[str]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for url in urls:
            visits = [first_visit(browser, url) for _ in range(ROUNDS)]
            table, chart, size = (median(each) for each in zip(*visits, strict=True))
            print(f"{url}\n  table {table:.1f} s, chart {chart:.1f} s, {size / 1000:.0f} kB")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
