"""A leaderboard in a frame of another web site, in a browser."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Frame, Page, expect

from tests.browser.boards import make_published_board
from tests.browser.conftest import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class Lab(BaseHTTPRequestHandler):
    """Answers with a page that shows a URL in a frame."""

    def do_GET(self) -> None:
        (url,) = parse_qs(urlsplit(self.path).query).get("frame", [""])
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f'<h1>Our lab</h1><iframe src="{url}"></iframe>'.encode())

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def lab_port() -> Iterator[int]:
    """On this machine, because browsers let no other site read what is on it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Lab)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def framed(page: Page, site: str, url: str) -> Frame:
    page.goto(f"{site}/?frame={url}")
    expect(page.get_by_role("heading", name="Our lab")).to_be_visible()
    return page.frames[1]


def is_refusal(text: str) -> bool:
    return "frame-ancestors" in text


def test_a_listed_site_shows_the_leaderboard_and_no_other_site_does(
    visit: Visitor, live_server, lab_port: int
) -> None:
    listed, other = (f"http://{name}.localhost:{lab_port}" for name in ("lab", "other"))
    campaign = make_published_board("A", "B", embedding_origins=[listed])
    visited = visit("/healthz")
    page = visited.page
    board = f"{live_server.url}/campaigns/{campaign.slug}/leaderboard/"
    expect(framed(page, listed, f"{board}embedded/").locator("tbody tr")).to_have_count(2)
    assert page.context.cookies() == []

    assert not any(map(is_refusal, visited.complaints))
    for site, url in ((other, f"{board}embedded/"), (listed, board)):
        with page.expect_console_message(lambda message: is_refusal(message.text)):
            frame = framed(page, site, url)
        assert frame.locator("tbody tr").count() == 0
