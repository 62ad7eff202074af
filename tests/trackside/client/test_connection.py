"""Retries, redirects and errors, against a server that answers as it is told."""

import io
import json
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trackside as ts
from trackside.client.answers import Answer
from trackside.client.connection import Connection

RUN = b"1 Q0 a 1 2.0 mine\n"


@dataclass
class Script:
    """The answers to come, and the requests that came."""

    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    url: str = ""

    def add(self, status: int, body: Any = None, **headers: str) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.append((status, named, content))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(length)
            script.requests.append((self.command, self.path, dict(self.headers), body))
            status, headers, content = script.answers.pop(0)
            if status == 0:  # the connection breaks
                self.connection.close()
                return
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(time, "sleep", script.slept.append)
    monkeypatch.delenv("TRACKSIDE_TOKEN", raising=False)
    yield script
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_token_is_sent_and_never_shown(script: Script, monkeypatch) -> None:
    site = ts.Site(script.url + "/", "secret")
    script.add(200, [])
    assert len(site.campaigns()) == 0
    monkeypatch.setenv("TRACKSIDE_TOKEN", "of the environment")
    script.add(200, [])
    ts.Site(script.url).campaigns(stage="open")
    (_, first, headers, _), (_, second, others, _) = script.requests
    assert (first, headers["Authorization"]) == ("/api/campaigns/", "Token secret")
    assert second == "/api/campaigns/?stage=open"
    assert others["Authorization"] == "Token of the environment"
    assert repr(site) == f"<Site {script.url}/>"
    assert "secret" not in repr(vars(site))


def test_a_busy_site_is_asked_again_when_it_says(script: Script) -> None:
    script.add(429, {"code": "throttled", "message": "Too many."}, Retry_After="7")
    script.add(503, {"code": "away", "message": "Away."}, Retry_After=formatdate(0, usegmt=True))
    script.add(503, b"<html>")
    script.add(0)
    script.add(200, [{"slug": "a", "name": "A"}])
    found = ts.Site(script.url).campaigns()
    assert found["slug"] == ["a"]
    assert script.slept[:2] == [7.0, 0.0]
    assert 2.0 <= script.slept[2] <= 4.0  # half to all of 0.5 * 2**3
    assert 4.0 <= script.slept[3] <= 8.0


def test_who_has_to_wait_for_hours_is_told_at_once(script: Script) -> None:
    script.add(429, {"code": "quota", "message": "Submit again tomorrow."}, Retry_After="40000")
    with pytest.raises(ts.SiteError, match=r"Submit again tomorrow\.") as refused:
        ts.Site(script.url).campaigns()
    assert (refused.value.code, refused.value.status, script.slept) == ("quota", 429, [])


def test_after_the_last_attempt_the_refusal_is_told(script: Script) -> None:
    for _ in range(3):
        script.add(503, {"code": "away", "message": "The site is away."}, Retry_After="1")
    with pytest.raises(ts.SiteError, match=r"The site is away\."):
        ts.Site(script.url, attempts=3).campaigns()
    assert script.slept == [1.0, 1.0]


def test_other_refusals_are_not_repeated(script: Script) -> None:
    problems = [
        {"line": 12, "message": "score is not finite", "field": 5, "value": "inf"},
        {"line": None, "message": "a topic is missing"},
    ]
    script.add(400, {"code": "file", "message": "The file was refused.", "problems": problems})
    with pytest.raises(ts.SiteError) as refused:
        ts.Site(script.url).runs("a")
    assert str(refused.value) == (
        "The file was refused.\nline 12: score is not finite ('inf')\na topic is missing"
    )
    assert refused.value.problems == ("line 12: score is not finite ('inf')", "a topic is missing")
    assert script.slept == []


def test_who_has_no_token_is_told_where_to_get_one(script: Script) -> None:
    message = "Authentication credentials were not provided."
    script.add(401, {"code": "not_authenticated", "message": message})
    with pytest.raises(ts.SiteError, match="Create a token on your account page") as refused:
        ts.Site(script.url).runs("a")
    assert str(refused.value).startswith(message)


def test_a_site_that_is_not_there_is_named(script: Script) -> None:
    with pytest.raises(ts.SiteError, match=r"http://127.0.0.1:9/ does not respond: "):
        ts.Site("http://127.0.0.1:9", attempts=2).campaigns()
    assert len(script.slept) == 1


@pytest.mark.parametrize(
    "url",
    [
        "trackside.example",
        "file:///etc/passwd",
        "",
        "https://",
        "http://a:b",
        "http://a:99999",
        "http://a b",
        None,  # of an environment variable that is not set
    ],
)
def test_other_urls_are_refused(url: Any) -> None:
    with pytest.raises(ts.SiteError, match="is not the URL of a site: write https://"):
        ts.Site(url)


def test_the_token_does_not_follow_to_another_host(script: Script) -> None:
    script.add(302, b"", Location="http://localhost:1/api/campaigns/")
    with pytest.raises(ts.SiteError, match=r"redirects to http://localhost:1: use this URL"):
        ts.Site(script.url, "secret").campaigns()
    script.add(301, b"", Location="/api/campaigns/?again=1")
    script.add(200, [])
    ts.Site(script.url, "secret").campaigns()
    assert script.requests[-1][1] == "/api/campaigns/?again=1"


def test_what_is_posted_is_not_lost_in_a_redirect(script: Script) -> None:
    script.add(301, b"", Location="/api/elsewhere/")
    with pytest.raises(ts.SiteError, match=r"redirects to http://127\.0\.0\.1:\d+: use this"):
        ts.Site(script.url).submit("a", RUN)
    assert len(script.requests) == 1


def test_what_a_worker_computes_is_waited_for(script: Script) -> None:
    script.add(202, {"code": "computing", "state": "waiting"}, Retry_After="3")
    script.add(202, {"code": "computing", "state": "computing"})
    script.add(200, [{"a": "x", "b": "y", "p": 0.25, "significant": 0, "topics": None}])
    found = ts.Site(script.url).significance("a", "AP", test="t", qrels=2)
    assert script.requests[0][1] == "/api/campaigns/a/significance/?measure=AP&qrels=2&test=t"
    assert script.slept == [3.0, 2.0]
    assert (found[0].a, found[0].p, found[0].significant) == ("x", 0.25, 0)


def test_waiting_ends(script: Script) -> None:
    script.add(202, {"code": "computing"}, Retry_After="3")
    with pytest.raises(ts.SiteError, match="not computed this within 1 seconds"):
        ts.Site(script.url).significance("a", wait=1)


def test_nested_values_of_a_board_become_columns(script: Script) -> None:
    row = {"rank": 1, "run": "x", "base": 0.5, "topics": 3, "is_baseline": True}
    row |= {"columns": [{"measure": "AP", "base": 0.3, "residual": None}]}
    row |= {"ties": {"low": 0.4, "high": 0.6}}
    script.add(200, [row, row | {"rank": None, "run": "7", "ties": None}])
    board = ts.Site(script.url).board("a", "AP", columns=["AP", "P@10"], ties=True)
    assert script.requests[0][1].endswith("?measure=AP&columns=AP&columns=P%4010&ties=on")
    assert set(board.names) >= {"AP", "AP residual", "ties_low", "ties_high"}
    assert (board["run"], board["topics"].tolist()) == (["x", "7"], [3, 3])
    assert board["rank"][0] == 1.0
    assert board["rank"][1] != board["rank"][1]
    assert board["is_baseline"].tolist() == [True, True]
    assert (board[0].AP, next(row.ties_low for row in board)) == (0.3, 0.4)
    assert np.isnan(board["AP residual"]).all()
    assert "AP residual" in str(board).splitlines()[0]


def scored(**more: Any) -> dict[str, Any]:
    return {"id": "r1", "name": "mine", "status": "scored", "scores": [], **more}


def test_a_run_is_sent_again_whole_with_the_same_key(script: Script, tmp_path: Path) -> None:
    path = tmp_path / 'my "run".txt'
    path.write_bytes(RUN * 20_000)
    script.add(503, {"code": "away", "message": "Away."}, Retry_After="1")
    script.add(0)
    script.add(202, {"id": "r1", "status": "waiting", "url": "elsewhere"})
    script.add(200, scored(status="checking"))
    script.add(200, scored(scores=[{"measure": "AP", "base": 0.5, "residual": None, "topics": 1}]))
    told: list[str] = []
    found = ts.Site(script.url).submit(
        "a/b", path, description="zwölf", answers={"k1": 0.9}, progress=told.append
    )
    posts = [each for each in script.requests if each[0] == "POST"]
    assert len(posts) == 3
    assert len({headers["Idempotency-Key"] for _, _, headers, _ in posts}) == 1
    assert len({body for *_, body in posts}) == 1
    body = posts[0][3]
    assert b'name="answer_k1"\r\n\r\n0.9\r\n' in body
    assert b'name="description"\r\n\r\nzw\xc3\xb6lf\r\n' in body
    assert b'filename="my _run_.txt"' in body
    assert body.count(RUN) == 20_000
    assert posts[0][1] == "/api/campaigns/a%2Fb/runs/"
    assert script.requests[-1][1] == "/api/campaigns/a%2Fb/runs/r1/"  # not where `url` leads
    assert told[-3:] == ["uploaded 100 %", "checking", "scored"]
    assert (found.status, found.scores["measure"]) == ("scored", ["AP"])


@pytest.mark.parametrize(
    "run",
    [RUN, io.BytesIO(RUN), io.StringIO(RUN.decode()), {"1": {"a": 2.0}}, ts.read_run(RUN)],
    ids=["bytes", "binary", "text", "dictionary", "run"],
)
def test_a_run_in_memory_is_written_as_a_file(script: Script, run: Any) -> None:
    script.add(202, {"id": "r1"})
    script.add(200, scored())
    ts.Site(script.url).submit("a", run, name="mine", key="first")
    _, _, headers, body = script.requests[0]
    assert b"\r\n\r\n" + RUN + b"\r\n--" in body
    assert headers["Idempotency-Key"] == "first"


def test_a_name_with_spaces_is_a_tag_without(script: Script) -> None:
    script.add(202, {"id": "r1"})
    script.add(200, scored())
    ts.Site(script.url).submit("a", {"1": {"a": 2.0}}, name="my run")
    body = script.requests[0][3]
    assert b'name="name"\r\n\r\nmy run\r\n' in body
    assert b"1 Q0 a 1 2.0 my_run\n" in body


def test_a_refused_run_is_told_with_its_lines(script: Script) -> None:
    script.add(202, {"id": "r1"})
    script.add(200, scored(status="refused", problems=[{"line": 3, "message": "no score"}]))
    with pytest.raises(ts.SiteError, match=r"The run was refused\.\nline 3: no score"):
        ts.Site(script.url).submit("a", RUN)


def test_without_waiting_the_state_is_returned(script: Script) -> None:
    script.add(202, {"id": "r1"})
    script.add(200, scored(status="waiting"))
    assert ts.Site(script.url).submit("a", RUN, wait=0).status == "waiting"
    assert script.slept == []


def test_a_run_that_is_no_run_is_refused_before_it_is_sent(script: Script) -> None:
    with pytest.raises(ts.BadInput, match="document 'a': the score is not finite"):
        ts.Site(script.url).submit("a", {"1": {"a": float("nan")}})
    with pytest.raises(ts.BadInput, match=r"nowhere\.txt: No such file"):
        ts.Site(script.url).submit("a", "nowhere.txt")
    for send in (ts.Site(script.url).submit, ts.Site(script.url).try_file):
        with pytest.raises(ts.BadInput, match=r"^/tmp: Is a directory$"):
            send("a", Path("/tmp"))
    with pytest.raises(ts.BadInput, match="description: it contains half of a surrogate pair"):
        ts.Site(script.url).submit("a", RUN, description="\ud800")
    assert script.requests == script.slept == []


def test_a_key_that_no_header_can_have_is_refused(script: Script) -> None:
    with pytest.raises(ts.SiteError, match="No request can have these characters: "):
        ts.Site(script.url).submit("a", RUN, key="ключ")
    assert script.requests == script.slept == []


def test_a_response_that_is_cut_off_is_requested_again(script: Script) -> None:
    script.add(202, {"id": "r1"})
    whole = json.dumps(scored()).encode()
    script.add(200, whole[:20], Content_Type="application/json")
    script.add(200, whole[:20], Content_Length=str(len(whole)))
    script.add(200, whole, Content_Type="application/json")
    assert ts.Site(script.url).submit("a", RUN, key="first").status == "scored"
    for _ in range(2):
        script.add(200, whole[:20], Content_Type="application/json")
    with pytest.raises(ts.SiteError, match="instead of JSON"):
        ts.Site(script.url, attempts=2).run("a", "r1")


def test_one_text_is_one_measure(script: Script) -> None:
    script.add(200, [])
    ts.Site(script.url).board("a", columns="AP")
    script.add(200, [])
    ts.Site(script.url).agreement("a", "AP")
    assert [path.partition("?")[2] for _, path, *_ in script.requests] == ["columns=AP", "m=AP"]


def test_files_of_the_site_are_read(script: Script) -> None:
    script.add(200, b"1 0 a 2\n")
    assert ts.Site(script.url).read_qrels("a", 2).to_dict() == {"1": {"a": 2}}
    script.add(200, RUN)
    assert ts.Site(script.url).read_run("a", "r1").tag == "mine"
    assert [path for _, path, *_ in script.requests] == [
        "/api/campaigns/a/qrels/2/",
        "/api/campaigns/a/runs/r1/file/",
    ]


# --- what is no Trackside site, or one of another version -----------------------------------------

PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in &ndash;\n Proxy</title></head>"
RUNS = "/api/campaigns/a/runs/"


@pytest.mark.parametrize(
    ("body", "came"),
    [
        (PAGE, "the HTML page “Sign in – Proxy”, instead of JSON"),
        (b"", "no content, instead of JSON"),
        (b"OK\x1b[2J", "content of type unknown, “OK [2J”, instead of JSON"),
        (b"\xff" * 100, f"content of type unknown, “{60 * chr(0xFFFD)}…”, instead of JSON"),
        (b"[" * 100_000, f"content of type unknown, “{60 * '['}…”, instead of JSON"),
        (b'{"detail": "ok"}', "JSON that is not a list of objects: an object, “{'detail': 'ok'}”"),
        (b"null", "JSON that is not a list of objects: null, “None”"),
        (b"[1]", "JSON that is not a list of objects: a list, “[1]”"),
        (b'[{"uid": 7}]', "JSON without the field id: an object, “{'uid': 7}”"),
    ],
    ids=["page", "nothing", "text", "binary", "nested", "object", "null", "numbers", "field"],
)
def test_what_is_no_trackside_site_is_described(script: Script, body: bytes, came: str) -> None:
    script.add(200, body)
    with pytest.raises(ts.SiteError) as refused:
        ts.Site(script.url, "secret").runs("a", team="t1")
    message = str(refused.value)
    assert message.startswith(f"{script.url}{RUNS} answered with status 200 and {came}. ")
    assert message.endswith(
        "This is not a Trackside site, or a proxy or a site of another version responds. Check the "
        f"URL. This client is trackside {ts.__version__}, with version 1 of the API."
    )
    error = refused.value
    assert (error.code, error.status) == ("unexpected_response", 200)
    assert error.url == script.url + RUNS
    assert "secret" not in message


@pytest.mark.parametrize(
    ("body", "came"),
    [
        (b"<html>", "content of type text/html, “<html>”, instead of JSON"),
        (b"[1]", "JSON that is not a refusal of the API: a list, “[1]”"),
        (b'{"message": "Not Found"}', "JSON that is not a refusal of the API: an object, “{'mess"),
        (b'{"code": 5, "message": "x"}', "JSON that is not a refusal of the API: an object"),
        (b'{"code": "a", "message": "x", "problems": [1]}', "JSON that is not a refusal of the"),
    ],
    ids=["page", "list", "message alone", "number", "problems"],
)
def test_a_404_of_another_product_is_described(script: Script, body: bytes, came: str) -> None:
    script.add(404, body, Content_Type="text/html; charset=utf-8")
    with pytest.raises(ts.SiteError) as refused:
        ts.Site(script.url).runs("a")
    assert f"{RUNS} answered with status 404 and {came}" in str(refused.value)
    assert "This is not a Trackside site" in str(refused.value)
    assert (refused.value.code, refused.value.status) == ("unexpected_response", 404)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_page_of_a_proxy_without_its_site_asks_for_patience(script: Script, status: int) -> None:
    script.add(status, b"<html><title>Bad Gateway</title>")
    with pytest.raises(ts.SiteError) as refused:
        ts.Site(script.url, attempts=1).campaigns()
    assert str(refused.value) == (
        f"{script.url}/api/campaigns/ answered with status {status} and the HTML page “Bad "
        "Gateway”, instead of JSON. The site or its proxy is temporarily unavailable. Try again "
        "later."
    )


def test_a_server_that_does_not_know_the_method_is_no_trackside_site(script: Script) -> None:
    """As Python's own server of files responds to an upload."""
    script.add(501, b"<html><title>Error response</title>")
    with pytest.raises(ts.SiteError, match=r"status 501 and .* This is not a Trackside site"):
        ts.Site(script.url).submit("a", RUN)


def test_where_a_redirect_within_the_site_ends_is_named_without_its_query(script: Script) -> None:
    script.add(302, b"", Location="/login?state=secret")
    script.add(200, PAGE)
    with pytest.raises(ts.SiteError, match=r"/login answered with status 200 and the HTML page"):
        ts.Site(script.url).campaigns()


@pytest.mark.parametrize("status", [200, 400, 404])
def test_another_version_of_the_api_is_named(script: Script, status: int) -> None:
    body = [{"id": "1"}] if status == 200 else {"code": "api_version", "message": "Another."}
    script.add(status, body, Trackside_API_Version="2")
    with pytest.raises(ts.SiteError) as refused:
        ts.Site(script.url).runs("a")
    assert str(refused.value) == (
        f"{script.url}{RUNS} has version 2 of the API, and this client, trackside "
        f"{ts.__version__}, has version 1. Install the release of trackside that the site has."
    )
    error = refused.value
    assert (error.code, error.status, error.url) == ("api_version", status, script.url + RUNS)
    assert script.requests[0][2]["Trackside-Api-Version"] == "1"  # so that the site can refuse it


def test_a_fault_of_a_site_of_the_same_version_is_not_blamed_on_the_url(script: Script) -> None:
    script.add(200, [{"uid": 7}], trackside_api_version="1")
    with pytest.raises(ts.SiteError) as refused:
        ts.Site(script.url).runs("a")
    assert str(refused.value).endswith(
        f"The site states version 1 of the API, as this client, trackside {ts.__version__}, has."
    )


def test_names_of_headers_have_no_case(script: Script) -> None:
    """Some proxies write them in lower case."""
    script.answers.append((429, {"retry-after": "7"}, b"{}"))
    script.add(200, [])
    ts.Site(script.url).campaigns()
    assert script.slept == [7.0]


@pytest.mark.parametrize("body", [PAGE, b"{}", b""], ids=["page", "JSON", "nothing"])
def test_a_page_is_not_read_as_a_file(script: Script, body: bytes) -> None:
    for read in (lambda site: site.read_run("a", "r1"), lambda site: site.read_qrels("a", 1)):
        script.add(200, body)
        with pytest.raises(ts.SiteError, match="which is not the file: ") as refused:
            read(ts.Site(script.url))
        assert refused.value.code == "unexpected_response"


def test_a_redirect_to_a_url_without_encryption_is_not_advised(
    tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Downgrade(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(301)
            self.send_header("Location", f"{script.url}{self.path}")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    key, certificate = tmp_path / "key", tmp_path / "certificate"
    command = "req -x509 -newkey rsa:2048 -nodes -subj /CN=x -addext subjectAltName=IP:127.0.0.1"
    subprocess.run(
        ["openssl", *command.split(), "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Downgrade)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    url = f"https://127.0.0.1:{server.server_port}"
    try:
        with pytest.raises(ts.SiteError) as refused:
            ts.Site(url, "secret").campaigns()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert str(refused.value) == (
        f"{url} redirects to {script.url}: the token was not sent there, because that URL is "
        "not encrypted"
    )
    assert script.requests == []


def test_a_token_of_a_file_may_end_with_a_line_break(script: Script) -> None:
    script.add(200, [])
    ts.Site(script.url, "secret\n").campaigns()
    assert script.requests[0][2]["Authorization"] == "Token secret"


@pytest.mark.parametrize("token", ["first\nsecond", "sécret", "a\0b"])
def test_a_token_that_no_header_can_have_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(ts.SiteError, match=r"has characters that no token has\. Copy") as refused:
        ts.Site("http://127.0.0.1:9", token)
    assert token not in str(refused.value)


FIELDS = (
    *("id", "name", "slug", "run", "topic", "scores", "problems", "message", "code", "columns"),
    *("measure", "base", "residual", "fields", "version", "tag", "topics", "lines", "a", "b"),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(2**70) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS) | st.text(), inner)
    ),
    max_leaves=12,
)
RECORDS = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, VALUES))
CALLS = {
    "campaigns": lambda site: site.campaigns(),
    "campaign": lambda site: site.campaign("a"),
    "topics": lambda site: site.topics("a"),
    "runs": lambda site: site.runs("a"),
    "run": lambda site: site.run("a", "r1"),
    "submit": lambda site: site.submit("a", RUN, wait=0),
    "try_file": lambda site: site.try_file("a", RUN),
    "board": lambda site: site.board("a"),
    "scores": lambda site: site.scores("a"),
    "topic_means": lambda site: site.topic_means("a"),
    "significance": lambda site: site.significance("a"),
    "agreement": lambda site: site.agreement("a"),
    "qrels": lambda site: site.qrels("a"),
    "read_qrels": lambda site: site.read_qrels("a", 1),
    "read_run": lambda site: site.read_run("a", "r1"),
}


@pytest.mark.parametrize("call", CALLS)
@given(
    body=VALUES | RECORDS | st.lists(RECORDS, max_size=3),
    status=st.sampled_from([200, 400, 404, 500]),
)
def test_whatever_json_comes_the_error_is_one_of_a_site(call: str, body: Any, status: int) -> None:
    site = ts.Site("http://127.0.0.1:9", attempts=1)
    answer = Answer("http://127.0.0.1:9/api/", status, Message(), json.dumps(body).encode())
    with patch.object(Connection, "_once", lambda *_: answer):
        try:
            found = CALLS[call](site)
        except ts.SiteError:
            return
    assert isinstance(repr(found), str)
