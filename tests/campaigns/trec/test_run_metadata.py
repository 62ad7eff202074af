"""Runs that begin with ir_metadata's YAML in comments (irgroup/repro_eval writes the marks)."""

import gzip

import pytest

from campaigns.trec.run_metadata import MAX_CHARACTERS, read_metadata
from campaigns.trec.runs import read_run

LINES = b"1 Q0 d1 1 2.5 ours\n"
HEADER = b"""# ir_metadata.start
# schema-version: 0.1
# method:
#   retrieval:
#     - name: bm25
# ir_metadata.end
"""


@pytest.mark.parametrize("packed", [lambda data: data, lambda data: gzip.compress(data, mtime=0)])
@pytest.mark.parametrize("header", [HEADER, b"\xef\xbb\xbf" + HEADER.replace(b"\n", b"\r\n")])
def test_the_text_is_read_with_its_indentation(packed, header):
    found = read_metadata(packed(header + LINES))
    assert found == "schema-version: 0.1\nmethod:\n  retrieval:\n    - name: bm25"


def test_the_lines_below_are_the_run_with_their_numbers():
    run = read_run(HEADER + LINES)
    assert (run.tag, run.topics) == ("ours", ("1",))
    assert [warning.code for warning in run.warnings] == ["COMMENT"]


@pytest.mark.parametrize("data", [LINES, b"", b"# a comment\n" + HEADER + LINES, LINES + HEADER])
def test_other_comments_are_no_metadata(data):
    assert read_metadata(data) == ""


def test_what_has_no_end_or_is_too_long_is_cut():
    assert read_metadata(HEADER.rpartition(b"# ir")[0] + LINES).endswith("name: bm25")
    assert len(read_metadata(b"# ir_metadata.start\n" + b"# x: y\n" * 100_000)) == MAX_CHARACTERS
    assert read_metadata(b"# ir_metadata.start\n# a\x1b[31m\xff\n") == "a [31m�\n"[:-1]
