"""Parquet files are read as the tables that they are."""

import gzip
import io
import sys

import pyarrow
import pytest
from pyarrow import parquet as files

from campaigns.trec import parquet
from campaigns.trec.documents import read_documents
from campaigns.trec.problems import FormatError
from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run, write_run
from campaigns.trec.topics import read_topics

TOPICS = ["q1", "q1", "q2"]
RUN = {
    "qid": pyarrow.array(TOPICS).dictionary_encode(),
    "docno": ["d1", "d2", 'd"3'],
    "score": [2.5, 0.001, -1.0],
    "vector": [[1.0], [2.0], [3.0]],
}
QRELS = {
    "query-id": TOPICS,
    "corpus-id": ["d1", "d2", "d1"],
    "score": pyarrow.array([2, 0, 1], pyarrow.int8()),
}


def parquet_of(columns, **options) -> bytes:
    out = io.BytesIO()
    table = columns if isinstance(columns, pyarrow.Table) else pyarrow.table(columns)
    files.write_table(table, out, **options)
    return out.getvalue()


def as_is(data: bytes) -> bytes:
    return data


@pytest.mark.parametrize("packed", [as_is, lambda data: gzip.compress(data, mtime=0)])
@pytest.mark.parametrize("rows", [1, 4096])
def test_a_run_is_read(packed, rows, monkeypatch):
    monkeypatch.setattr(parquet, "ROWS", rows)
    written = io.BytesIO()
    write_run(read_run(packed(parquet_of(RUN, row_group_size=2))), written)
    assert written.getvalue().splitlines() == [
        b"q1 Q0 d1 1 2.5 run",
        b"q1 Q0 d2 2 0.001 run",
        b'q2 Q0 d"3 1 -1.0 run',
    ]


def test_a_file_is_read_although_pyarrow_cannot_be_unloaded(monkeypatch):
    """On a busy machine the process can abort while it ends, after its last row."""
    command = parquet._command

    def aborting_at_exit(*limits):
        python, isolated, program, arguments = command(*limits)
        code = (
            "import atexit, os, runpy; atexit.register(os.abort); "
            f"runpy.run_path({program!r}, run_name='__main__')"
        )
        return [python, isolated, "-c", code, arguments]

    monkeypatch.setattr(parquet, "_command", aborting_at_exit)
    assert read_run(parquet_of(RUN)).line_count == 3
    with pytest.raises(FormatError, match="damaged"):
        read_run(parquet_of(RUN)[:-20] + b"PAR1")


def test_qrels_are_read():
    found = read_qrels(parquet_of(QRELS))
    lines = read_qrels(b"q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n")
    assert found.grades.tolist() == lines.grades.tolist()


def test_topics_and_documents_are_read():
    rows = {"_id": ["7", "8"], "title": ["A", ""], "text": ["trains", "rails"]}
    (first, _) = read_topics(parquet_of(rows))
    assert first.code == "7"
    assert [document.doc_id for document in read_documents(parquet_of(rows))] == ["7", "8"]


@pytest.mark.parametrize(
    ("columns", "words", "line"),
    [
        (
            {"qid": ["q1"], "docno": ["d1"]},
            "the object has qid, docno: qid",
            1,
        ),
        (RUN | {"score": [1.0, float("nan"), 2.0]}, "not finite", 2),
        (RUN | {"docno": ["d1", "d1", "d1"]}, "already on line 1", 2),
        (RUN | {"docno": ["d1", None, "d1"]}, "the document is missing", 2),
        (RUN | {"docno": ["d1", "d\t2", "d1"]}, "fields", 2),
    ],
)
def test_a_bad_row_is_named(columns, words, line):
    with pytest.raises(FormatError) as caught:
        read_run(parquet_of(columns))
    (problem, *_) = caught.value.problems
    assert problem.line == line
    assert words in problem.message


def test_a_text_that_many_rows_repeat_is_written_out_for_a_few_at_a_time(monkeypatch):
    """The file has a few kilobytes, and its rows a hundred megabytes."""
    monkeypatch.setattr(parquet, "PIECE_BYTES", 1 << 20)
    codes = pyarrow.array([0] * 1_000, pyarrow.int32())
    repeated = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(["t" * 100_000]))
    data = parquet_of({"_id": [str(n) for n in range(1_000)], "text": repeated})
    assert len(data) < 50_000
    pieces = [len(piece) for piece in parquet.json_lines(iter([data]), max_bytes=1 << 30)]
    assert max(pieces) < 2 << 20
    assert sum(pieces) > 1_000 * 100_000


def test_the_rows_before_a_text_that_is_too_long_are_handed_on(monkeypatch):
    """So that their problems are reported, too."""
    monkeypatch.setattr(parquet, "TEXT_BYTES", 100)
    monkeypatch.setattr(parquet, "ROWS", 1)
    data = parquet_of({"_id": ["1", "2", "3"], "text": ["a", "b", "c" * 101]})
    lines = parquet.json_lines(iter([data]), max_bytes=1 << 30)
    assert next(lines) == b'{"_id": "1", "text": "a"}\n{"_id": "2", "text": "b"}\n'
    with pytest.raises(FormatError, match="line 3: LINE_TOO_LONG"):
        next(lines)


def test_a_text_that_is_too_long_is_named_by_its_row(monkeypatch):
    monkeypatch.setattr(parquet, "TEXT_BYTES", 100)
    monkeypatch.setattr(parquet, "ROWS", 2)
    texts = ["a", None, "ü", "b" * 101, "c"]
    with pytest.raises(FormatError, match="LINE_TOO_LONG a text has more than 100 bytes") as caught:
        list(read_documents(parquet_of({"_id": list("12345"), "text": texts})))
    assert caught.value.problems[0].line == 4


def test_every_kind_of_text_column_is_read():
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        columns = {"qid": TOPICS, "docno": ["d1", "d2", "d1"]}
        texts = {name: pyarrow.array(values, kind) for name, values in columns.items()}
        assert len(read_run(parquet_of(texts | {"score": [3, 2, 1]})).doc_ids) == 3


def test_columns_that_cannot_be_told_apart_are_refused():
    text, number = pyarrow.array(TOPICS), pyarrow.array([2.5, 0.001, -1.0])
    nested = pyarrow.array([{"x": topic} for topic in TOPICS])
    for names, arrays in (
        (["qid", "docno", "score", "score"], [text, text, number, number]),
        (["qid", "qid", "docno", "score"], [text, text, text, number]),
        (["qid", "docno", "a.x", "a"], [text, text, text, nested]),
    ):
        data = parquet_of(pyarrow.Table.from_arrays(arrays, names=names))
        with pytest.raises(FormatError, match=r"TYPE two columns are called '(score|qid|a\.x)'"):
            read_run(data)


def test_a_damaged_file_is_refused():
    whole = parquet_of(RUN)
    said = r"TYPE the Parquet file is damaged \(.+\): save the table again, or as CSV$"
    for bad in (whole[:-1], whole[:40], whole[:60] + b"\xff" * 30 + whole[90:]):
        with pytest.raises(FormatError, match=said):
            read_run(bad)


def test_the_size_is_limited_before_rows_are_read():
    many = parquet_of({"qid": ["q"] * 9_999, "docno": [f"d{n:050}" for n in range(9_999)]})
    with pytest.raises(FormatError, match="larger than 1,000 bytes"):
        read_run(many, max_bytes=1_000)


def test_a_file_cannot_take_the_memory_of_the_site(monkeypatch):
    """Of three kilobytes pyarrow makes 300 MiB."""
    monkeypatch.setattr(parquet, "MEMORY", 256 << 20)
    columns = {"qid": ["q1"], "docno": ["d" * 80_000_000], "score": [1.0]}
    data = parquet_of(columns, compression="zstd")
    assert len(data) < 5_000
    with pytest.raises(FormatError, match="pyarrow needs more than 256 MiB of memory for it"):
        read_run(data)


@pytest.mark.parametrize(
    ("ending", "said"),
    [("SIGABRT", "TYPE the Parquet file is damaged"), ("SIGXCPU", "TOO_SLOW reading the file")],
)
def test_a_file_that_ends_the_process_of_pyarrow_is_refused(monkeypatch, tmp_path, ending, said):
    """Some bytes that are wrong make pyarrow end its process."""
    program = tmp_path / "ends.py"
    program.write_text(f"import os, signal; os.kill(os.getpid(), signal.{ending})")
    monkeypatch.setattr(parquet, "PROGRAM", program)
    with pytest.raises(FormatError, match=said):
        read_run(parquet_of(RUN), max_seconds=10)


def test_pyarrow_gets_nothing_of_the_environment_of_the_site(monkeypatch, tmp_path):
    program = tmp_path / "tells.py"
    program.write_text("import os, sys; sys.exit('SECRET_KEY' in os.environ)")
    monkeypatch.setattr(parquet, "PROGRAM", program)
    monkeypatch.setenv("SECRET_KEY", "secret")
    with pytest.raises(FormatError, match="EMPTY"):
        read_run(parquet_of(RUN))


def test_pyarrow_is_found_where_the_site_has_it_and_may_print_warnings(monkeypatch, tmp_path):
    """For example in a folder of PYTHONPATH, which a process of its own would not know."""
    (tmp_path / "elsewhere.py").write_text("import sys; sys.stderr.write('a warning\\n')")
    program = tmp_path / "program.py"
    source = parquet.PROGRAM.read_text().replace("    arrow =", "    import elsewhere\n    arrow =")
    program.write_text(source)
    monkeypatch.setattr(parquet, "PROGRAM", program)
    monkeypatch.syspath_prepend(tmp_path)
    assert read_run(parquet_of(RUN)).topics == ("q1", "q2")
    with pytest.raises(FormatError, match="two columns are called 'qid'"):
        read_run(parquet_of(pyarrow.Table.from_arrays([["q"]] * 2, names=["qid", "qid"])))


def test_a_reader_that_stops_ends_the_process(monkeypatch):
    monkeypatch.setattr(parquet, "READ_BYTES", 10)
    lines = parquet.json_lines(iter([parquet_of(RUN)]), max_bytes=1 << 20)
    assert len(next(lines)) == 10
    lines.close()


def test_without_pyarrow_the_way_out_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(FormatError, match=r"Parquet, which is not read here: install pyarrow"):
        read_run(parquet_of(RUN))
