"""What the proxy refuses by itself is a page of the site with a way back; scripts get JSON in the
shape of the API."""

import json
from pathlib import Path

import pytest

from tests.proxy.conftest import StartProxy, ask
from trackside import stack

TOO_LONG = "?" + "x" * 8100
REFUSALS = [
    (405, "method_not_allowed", "Method not allowed", {"method": "TRACE"}, ""),
    (
        413,
        "too_large",
        "The file is too large",
        {"headers": {"Content-Length": str(1 << 40)}},
        "",
    ),
    (414, "too_long", "The URL is too long", {}, TOO_LONG),
    (431, "too_long", "The request headers are too long", {"headers": {"Cookie": TOO_LONG}}, ""),
    (400, "bad_request", "The request is not valid", {"headers": {"Host": "a b"}}, ""),
    (
        501,
        "bad_request",
        "The request is not valid",
        {"headers": {"Transfer-Encoding": "gzip"}},
        "",
    ),
    (505, "bad_request", "The request is not valid", {"version": "HTTP/7.0"}, ""),
]


@pytest.mark.parametrize(("status", "code", "title", "sent", "query"), REFUSALS)
def test_a_refusal_of_the_proxy_is_the_site_s(
    start_proxy: StartProxy, status: int, code: str, title: str, sent: dict, query: str
) -> None:
    port = start_proxy(["127.0.0.1:9"])
    answer, page = ask(port, "/" + query, **sent)
    assert (answer.status, answer.headers["Content-Type"]) == (status, "text/html")
    assert f"<h1>{title}</h1>" in page.decode()
    assert '<a href="/">All campaigns</a>' in page.decode()
    assert b"<!--#" not in page
    answer, page = ask(port, "/api/campaigns/" + query, **sent)
    assert (answer.status, answer.headers["Content-Type"]) == (status, "application/json")
    assert json.loads(page)["code"] == code
    assert json.loads(page)["message"].startswith(title)


def test_no_access_log_of_the_proxy_names_the_addresses(
    start_proxy: StartProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """nginx's image has one for every site. Those of invitation links contain secrets."""
    log = tmp_path / "access.log"

    def write_http(folder: Path, site: str) -> Path:
        path = stack_write(folder, site)
        path.write_text(path.read_text().replace("access_log off;", f"access_log {log};", 1))
        return path

    stack_write = stack.write_http
    monkeypatch.setattr(stack, "write_http", write_http)
    port = start_proxy(["127.0.0.1:9"])
    for _ in range(2):  # the line of the first would be written before the second is read
        assert ask(port, "/invitations/secret/")[0].status == 503
    assert log.read_text() == ""
