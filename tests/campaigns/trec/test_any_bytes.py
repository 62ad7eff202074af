"""Any bytes: nothing but FormatError, and what is accepted is read again the same."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaigns.trec import compression
from campaigns.trec.problems import CODES, FormatError
from campaigns.trec.qrels import read_qrels, write_qrels
from campaigns.trec.runs import read_run, write_run
from campaigns.trec.runs_table import read_runs_table
from campaigns.trec.topics import read_topics, write_topics_xml
from tests.campaigns.trec.slow_twin import fast_judgments, fast_rows, slow_qrels, slow_run

pytestmark = pytest.mark.usefixtures("either_way")

TOPICS = st.sampled_from([b"1", b"2", b"01", b"301", b"mb1", b"#x", "é".encode()])
DOCS = st.one_of(
    st.sampled_from([b"A", b"#B", b"clueweb09-en0000-00-00000", b"x" * 1025, "e\u0301".encode()]),
    st.integers(0, 99).map(lambda n: b"D%d" % n),
    st.binary(min_size=1, max_size=3),
)
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: repr(x).encode()),
    st.sampled_from([b"1", b"0", b"-1", b"nan", b"1e999", b"1_0", b"3,5", b".5", b"x", b"1.0"]),
    st.integers(-200, 200).map(lambda n: b"%d" % n),
)
BLANKS = st.sampled_from([b" ", b"\t", b"  ", b" \t", b"\v", b"\xc2\xa0"])
ENDS = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b"\r", b"\n#c\n", b" \n", b"\x1a"])
GOOD_DOCS = st.integers(0, 10**9).map(lambda n: b"D%d" % n)


@st.composite
def run_lines(draw: st.DrawFn) -> bytes:
    blank = draw(BLANKS)
    rank = draw(st.sampled_from([b"1", b"2", b"0", b"007", b"x"]))
    tag = draw(st.sampled_from([b"r", b"r", b"r", b"q", b"-"]))
    fields = [draw(TOPICS), b"Q0", draw(DOCS), rank, draw(NUMBERS), tag]
    fields = fields[: draw(st.sampled_from([6, 6, 6, 6, 5, 4]))]
    return blank.join(fields) + draw(ENDS)


@st.composite
def good_run_lines(draw: st.DrawFn) -> bytes:
    score = draw(st.floats(-1e9, 1e9).map(lambda x: repr(x).encode()))
    fields = [
        draw(st.sampled_from([b"1", b"2", b"301"])),
        b"Q0",
        draw(GOOD_DOCS),
        b"1",
        score,
        b"r",
    ]
    return draw(st.sampled_from([b" ", b"\t", b"  "])).join(fields) + draw(
        st.sampled_from([b"\n", b"\n", b"\r\n", b"\n\n", b"\n# c\n"])
    )


@st.composite
def qrels_lines(draw: st.DrawFn) -> bytes:
    fields = [draw(TOPICS), b"0", draw(DOCS), draw(NUMBERS)]
    return draw(BLANKS).join(fields) + draw(ENDS)


@pytest.fixture(params=[1 << 18, 23], ids=["whole", "cut"], autouse=True)
def reads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "READ_BYTES", request.param)


often = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def assert_said_well(error: FormatError) -> None:
    assert 1 <= len(error.problems) <= 25
    assert error.total >= len(error.problems)
    places = [(problem.line or 0, problem.field or 0) for problem in error.problems]
    assert places == sorted(places)
    for problem in error.problems + error.warnings:
        assert problem.code in CODES
        assert str(problem).isprintable()
        assert len(problem.value) <= 40


def try_run(data: bytes) -> None:
    try:
        run = read_run(data)
    except FormatError as error:
        assert_said_well(error)
        return
    slow = slow_run(data)
    assert (run.tag, run.topics, fast_rows(run)) == (slow.tag, slow.topics, slow.rows)
    target = io.BytesIO()
    write_run(run, target)
    again = read_run(target.getvalue())
    assert (again.tag, again.topics, fast_rows(again)) == (run.tag, run.topics, fast_rows(run))


@often
@given(st.binary(max_size=300))
def test_runs_of_any_bytes(data: bytes) -> None:
    try_run(data)


@often
@given(st.lists(run_lines(), max_size=12).map(b"".join))
def test_runs_of_odd_lines(data: bytes) -> None:
    try_run(data)


@often
@given(st.lists(good_run_lines(), min_size=1, max_size=12, unique_by=lambda x: x.split()[2]))
def test_runs_of_good_lines_are_accepted(lines: list[bytes]) -> None:
    data = b"".join(lines)
    assert read_run(data).line_count == len(lines)
    try_run(data)


@often
@given(st.lists(qrels_lines(), max_size=12).map(b"".join) | st.binary(max_size=200))
def test_qrels_of_any_lines(data: bytes) -> None:
    try:
        qrels = read_qrels(data)
    except FormatError as error:
        assert_said_well(error)
        return
    assert fast_judgments(qrels) == slow_qrels(data)
    target = io.BytesIO()
    write_qrels(qrels, target)
    again = read_qrels(target.getvalue())
    assert again.topics == qrels.topics
    assert fast_judgments(again) == fast_judgments(qrels)


TAGS = ["<top>", "</top>", "<num>", "<title>", "Number:", "301", "<desc>", "<a>", "</a>", "<t "]
XML = ["<t number='1'>", "number='2'>", "</t>", "<query>", "</query>", "<?xml ", "<!DOCTYPE a>"]
JSON = ['{"id":1,"title":"x"}', '{"id": "2", "q": "\\u0007"}', "[]", "&amp;", "&lt;", "&x;"]
PARTS = st.sampled_from([*TAGS, *XML, *JSON, "1\ttext", "# ", "é", "\x00", "\ufffe", "\n", " "])


@often
@given(
    st.lists(PARTS | st.text(max_size=3), max_size=15)
    .map("".join)
    .map(lambda text: text.encode("utf-8", "replace"))
    | st.binary(max_size=200)
)
def test_topics_of_any_text(data: bytes) -> None:
    try:
        topics = read_topics(data)
    except FormatError as error:
        assert_said_well(error)
        return
    assert read_topics(write_topics_xml(topics)) == topics


@often
@given(
    st.dictionaries(
        st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9.-]{0,9}\Z"),
        st.lists(
            st.tuples(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=20)),
            min_size=1,
            max_size=4,
            unique_by=lambda field: field[0],
        ),
        min_size=1,
        max_size=5,
    )
)
def test_written_topics_read_back_equal(topics: dict[str, list[tuple[str, str]]]) -> None:
    lines = [json.dumps({"number": code} | dict(fields)) for code, fields in topics.items()]
    try:
        parsed = read_topics("\n".join(lines).encode())
    except FormatError as error:
        assert_said_well(error)
        return
    assert read_topics(write_topics_xml(parsed)) == parsed


@often
@given(st.text(max_size=100).map(lambda t: "run,pooled\n" + t) | st.text(max_size=100))
def test_runs_tables_of_any_text(text: str) -> None:
    try:
        read_runs_table(text.encode("utf-8", "replace"))
    except FormatError as error:
        assert_said_well(error)
