"""`python -m tools.record` compares what two commits answer, byte by byte."""

from pathlib import Path

import pytest
from django.http import HttpResponse, StreamingHttpResponse

from tools.record.__main__ import record
from tools.record.answers import LONGEST_NAME, Recording, answer_bytes, file_name
from tools.record.compare import compare, read_manifest, write_manifest
from tools.record.queries import queries_for
from tools.record.urls import routes

PATTERN = "campaigns/<slug:slug>/"
ANSWERS = {"open/rival/GET": b"200\n\nOne\nTwo\n", "open/reader/GET": b"404\n\nNot found\n"}


def recorded(folder: Path, answers: dict[str, bytes]) -> Path:
    recording = Recording(folder)
    for file, content in answers.items():
        recording.add(PATTERN, file, content)
    write_manifest(folder, list(recording.answers.values()))
    return folder


def test_equal_recordings_have_no_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = recorded(tmp_path / "a", ANSWERS), recorded(tmp_path / "b", ANSWERS)
    assert compare(first, second) == 0
    assert "2 answers compared: 2 equal, 0 differ" in capsys.readouterr().out


def test_a_changed_byte_is_reported_with_its_url_pattern(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = recorded(tmp_path / "a", ANSWERS)
    second = recorded(tmp_path / "b", ANSWERS | {"open/rival/GET": b"200\n\nOne\nTwO\n"})
    assert compare(first, second) == 1
    printed = capsys.readouterr().out
    assert "2 answers compared: 1 equal, 1 differ" in printed
    assert f"{PATTERN}: 1 differ\n    open/rival/GET\n" in printed
    assert "-Two\n+TwO\n" in printed


def test_an_end_of_line_is_a_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = recorded(tmp_path / "a", ANSWERS)
    second = recorded(tmp_path / "b", ANSWERS | {"open/rival/GET": b"200\n\nOne\r\nTwo\n"})
    assert compare(first, second) == 1
    assert "-One\n+One\\r\n" in capsys.readouterr().out


def test_a_long_line_is_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f'{{"rank": {rank}}}' for rank in range(100)]
    folders = []
    for name, second in (("a", '{"rank": 1}'), ("b", '{"rank": 2}')):
        body = ", ".join([rows[0], second, *rows[2:]]).encode()
        folders.append(recorded(tmp_path / name, {"GET": body}))
    assert compare(*folders) == 1
    assert '\n- {"rank": 1},\n+ {"rank": 2},\n' in capsys.readouterr().out


def test_an_answer_that_only_one_recording_has_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = recorded(tmp_path / "a", ANSWERS)
    second = recorded(tmp_path / "b", {"open/rival/GET": ANSWERS["open/rival/GET"]})
    assert compare(first, second) == 1
    assert f"1 only in {first}\n0 only in {second}\n" in capsys.readouterr().out


def test_an_answer_has_status_headers_cookies_and_body() -> None:
    response = HttpResponse("text", status=202, headers={"B": "2", "A": "1", "ETag": '"a"'})
    response.set_cookie("csrftoken", "secret")
    assert answer_bytes(response) == (
        b"202\nA: 1\nB: 2\nContent-Type: text/html; charset=utf-8\nETag: ...\n"
        b"Set-Cookie: csrftoken=...; Path=/\n\ntext"
    )


def test_a_streamed_answer_is_read() -> None:
    assert answer_bytes(StreamingHttpResponse([b"a", b"b"])).endswith(b"\n\nab")


@pytest.mark.parametrize(
    "text",
    [
        '<input type="hidden" name="csrfmiddlewaretoken" value="{}">',
        '<input type="hidden" name="key" value="{}">',
        """<body hx-headers='{{"X-CSRFToken": "{}"}}'>""",
        "request.headers['X-CSRFTOKEN'] = \"{}\"",
    ],
)
def test_tokens_are_replaced(text: str) -> None:
    assert answer_bytes(HttpResponse(text.format("one"))) == answer_bytes(
        HttpResponse(text.format("two"))
    )


def test_a_file_is_named_for_its_request() -> None:
    assert file_name("GET", "/campaigns/a/", "") == "campaigns/a/GET"
    assert file_name("GET", "/a.csv", "measure=P@5&x=a/b") == "a.csv/GET?measure=P@5&x=a%2Fb"
    long = [file_name("GET", "/", f"{'x' * 300}{end}") for end in "ab"]
    assert len(set(long)) == 2
    assert max(map(len, long)) < LONGEST_NAME + 20


def test_every_url_has_a_path() -> None:
    found = {route.pattern: route for route in routes()}
    route = found["campaigns/<slug:slug>/qrels/<int:old>-<int:new>.csv"]
    assert list(route.paths({"slug": ["a"], "old": [1], "new": [2, 3]})) == [
        "/campaigns/a/qrels/1-2.csv",
        "/campaigns/a/qrels/1-3.csv",
    ]
    for route in found.values():
        assert next(route.paths({})).startswith("/"), route


def test_results_are_asked_for_with_parameters() -> None:
    ids = {"run": "r", "other": "o", "team": "t", "program": "1"}
    significance = queries_for("campaigns/<slug:slug>/significance.csv", ids)
    assert {"measure=AP", "test=wilcoxon"} <= set(significance)
    assert "a=r&b=o" in queries_for("campaigns/<slug:slug>/compare/", ids)
    assert queries_for("campaigns/<slug:slug>/manage/people/", ids) == []


@pytest.mark.long
@pytest.mark.exhaustive
def test_two_recordings_of_a_commit_are_equal(tmp_path: Path) -> None:
    """Only of one page and its files. It takes a minute, because each recording makes the site."""
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        assert record("HEAD", folder, r"^campaigns/<slug:slug>/significance(/|\.csv|\.tex)$") == 0
    assert compare(*folders) == 0
    answers = read_manifest(folders[0])
    page = "published/anonymous/campaigns/whole/significance.csv/GET"
    assert {page, f"{page}.waiting", f"{page}?test=wilcoxon"} <= answers.keys()
    status = {file: (folders[0] / file).read_bytes()[:3] for file in (page, f"{page}.waiting")}
    assert status == {page: b"200", f"{page}.waiting": b"202"}
