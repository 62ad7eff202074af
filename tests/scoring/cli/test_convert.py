"""`trackside convert`."""

import gzip
import json

import pytest

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n"
RUN = "q1 Q0 d1 1 2.5 mine\nq1 Q0 d2 2 0.001 mine\nq2 Q0 d1 1 -1.0 mine\n"
LAYOUTS = ("trec", "json", "tsv", "csv", "jsonl")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_qrels_there_and_back_are_equal(trackside, layout):
    file = trackside.write("qrels.txt", QRELS)
    there = trackside("convert", "--qrels", file, "--to", layout)
    assert (there.status, there.err) == (0, "")
    back = trackside("convert", "--qrels", trackside.write("there", there.out), "--to", "trec")
    assert (back.status, back.out) == (0, QRELS)


@pytest.mark.parametrize("layout", ["trec", "tsv", "csv", "jsonl"])
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_qrels_are_recognised(trackside, layout, packed):
    there = trackside("convert", "--qrels", trackside.write("qrels.txt", QRELS), "--to", layout)
    file = trackside.write("there", packed(there.out.encode()))
    back = trackside("convert", file, "--to", "trec")
    assert (back.status, back.out, back.err) == (0, QRELS, "")


def test_qrels_after_comments_are_recognised(trackside):
    file = trackside.write("qrels.txt", f"\ufeff# judged by hand\n\n{QRELS}")
    assert trackside("convert", file, "--to", "trec").out == QRELS


@pytest.mark.parametrize(
    ("names", "score", "is_qrels"),
    [
        ("query-id corpus-id score", "1.0", True),  # of MTEB
        ("query-id corpus-id score", "0.5", False),
        ("query-id docno score", "1", False),
        ("qid docno label", "1", True),
        ("qid docno label score", "1", False),
    ],
)
def test_json_lines_are_qrels_by_their_names(trackside, names, score, is_qrels):
    row = dict.fromkeys(names.split(), "a") | {"score": float(score), "label": 1}
    row = {name: row[name] for name in names.split()}
    found = trackside("convert", trackside.write("x.jsonl", json.dumps(row)), "--to", "trec")
    assert (found.out == "a 0 a 1\n") == is_qrels


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_run_there_and_back_is_equal(trackside, layout):
    there = trackside("convert", trackside.write("run.txt", RUN), "--to", layout)
    assert (there.status, there.err) == (0, "")
    file = trackside.write("there", there.out)
    back = trackside("convert", file, "--to", "trec", "--tag", "mine")
    assert (back.status, back.out) == (0, RUN)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_converted_run_has_the_same_scores(trackside, layout):
    trackside("convert", trackside.run, "--to", layout, "-o", trackside.folder / "there")
    measures = ("-m", "map", "-m", "P.5", "-q")
    original = trackside("evaluate", *measures, trackside.qrels, trackside.run)
    again = trackside("evaluate", *measures, trackside.qrels, trackside.folder / "there")
    assert again.out == original.out


def test_the_layouts_themselves(trackside):
    run, qrels = trackside.write("run.txt", RUN), trackside.write("qrels.txt", QRELS)
    assert json.loads(trackside("convert", run, "--to", "json").out) == {
        "q1": {"d1": 2.5, "d2": 0.001},
        "q2": {"d1": -1.0},
    }
    assert trackside("convert", "--qrels", qrels, "--to", "tsv").out == (
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1\n"
    )


def test_names_in_tables_and_json_lines(trackside):
    run, qrels = trackside.write("run.txt", RUN), trackside.write("qrels.txt", QRELS)
    assert trackside("convert", run, "--to", "csv").out.startswith("qid,docno,score\nq1,d1,2.5\n")
    line = trackside("convert", "--qrels", qrels, "--to", "jsonl").out.splitlines()[0]
    assert json.loads(line) == {"query-id": "q1", "corpus-id": "d1", "score": 2}
    table = trackside("convert", "--qrels", qrels, "--to", "csv").out
    assert table.startswith("qid,docno,label\nq1,d1,2\n")
    assert (
        "--tag: qrels have no tag" in trackside("convert", qrels, "--to", "csv", "--tag", "x").err
    )
    told = "--to msmarco: qrels of MS MARCO have TREC's layout: use --to trec"
    assert told in trackside("convert", "--qrels", qrels, "--to", "msmarco").err


def test_a_name_that_ends_in_gz_is_written_packed(trackside, tmp_path):
    run = trackside.write("run.txt", "q1 Q0 a 1 1.0 r\n")
    assert trackside("convert", run, "--to", "trec", "-o", str(tmp_path / "x.gz")).status == 0
    assert gzip.decompress((tmp_path / "x.gz").read_bytes()) == b"q1 Q0 a 1 1.0 r\n"


def test_ms_marco_has_the_ranks_of_the_scores(trackside):
    run = trackside.write("run.txt", "q2 Q0 z 1 1 r\nq1 Q0 a 1 1 r\nq2 Q0 y 2 5 r\n")
    there = trackside("convert", run, "--to", "msmarco")
    assert there.out == "q2\tz\t2\nq1\ta\t1\nq2\ty\t1\n"


def test_what_was_changed_is_told(trackside):
    file = trackside.write("marco.tsv", "q1\td1\t1\nq1\td2\t2\n")
    found = trackside("convert", file, "--to", "trec")
    assert found.out == "q1 Q0 d1 1 -1.0 marco\nq1 Q0 d2 2 -2.0 marco\n"
    assert "warning: line 1: RANKS the file has topic, document and rank" in found.err
    assert "TAG_OF_FILE the file has no tag: its name became the tag 'marco'" in found.err
    named = trackside("convert", file, "--to", "trec", "--tag", "mine")
    assert named.out.endswith(" mine\n")


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_the_metadata_of_a_run_stay_or_are_told(trackside, packed):
    metadata = "# ir_metadata.start\n# tag: r\n# a\u2028b\n# ir_metadata.end\n"
    written = packed((metadata + "# a comment\nq1 Q0 a 1 2.0 r\n").encode())
    file = trackside.write("run.txt", written)
    found = trackside("convert", file, "--to", "trec")
    assert (found.out, found.err) == (metadata + "q1 Q0 a 1 2.0 r\n", "")
    found = trackside("convert", file, "--to", "tsv")
    assert found.out == "qid\tdocno\tscore\nq1\ta\t2.0\n"
    assert (
        found.err
        == f"{file}: warning: the metadata at its beginning are left out: this layout has none\n"
    )


@pytest.mark.parametrize("mark", ["start", "end"])
def test_metadata_without_a_mark_are_comments(trackside, mark):
    file = trackside.write("run.txt", f"# ir_metadata.{mark}\nq1 Q0 a 1 2.0 r\n")
    assert trackside("convert", file, "--to", "trec").out == "q1 Q0 a 1 2.0 r\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--to", "trec", "--tag", "my run"], "--tag: "),
        (["--to", "trec", "-o", "/nowhere/run"], "/nowhere/run: No such file or directory"),
        (["--to", "yaml"], "invalid choice: 'yaml'"),
        (["--to", "xml"], "--to xml: no layout of runs. Use one of: trec, json, tsv, csv, jsonl"),
        (["--topics", "--to", "json"], "--to json: no layout of topics. Use one of: trec, xml"),
        (["--documents", "--to", "xml"], "--to xml: no layout of documents. Use one of: trec"),
        (["--topics", "--to", "trec", "--tag", "x"], "--tag: topics have no tag"),
        (["--topics", "--qrels", "--to", "trec"], "not allowed with argument"),
        (["--topics", "--to", "trec"], "run.txt: line 1: FIELDS 1 column, 2 expected"),
        (["--documents", "--to", "trec"], "run.txt: line 1: TYPE the file does not begin with"),
        (["--qrels", "--to", "trec"], "line 1: FIELDS 6 fields, 4 expected: this looks like a run"),
    ],
)
def test_what_it_refuses(trackside, arguments, told):
    found = trackside("convert", trackside.write("run.txt", RUN), *arguments)
    assert (found.status, found.out) == (2, "")
    assert told in found.err


def test_json_on_one_long_line_is_a_run(trackside):
    scores = ", ".join(f'"d{n}": {9000 - n}' for n in range(6_000))
    run = trackside.write("long.json", f'{{"1": {{{scores}}}}}')
    found = trackside("convert", run, "--to", "tsv")
    assert (found.status, found.out.count("\n")) == (0, 6_001)


def test_lines_that_end_in_cr_alone_are_read_however_many(trackside):
    rows = "".join(f"1,d{n},{n % 2}\r" for n in range(9_000))
    qrels = trackside.write("mac.csv", f"qid,docno,label\r{rows}")
    found = trackside("convert", qrels, "--to", "trec")
    assert (found.status, found.out.count("\n")) == (0, 9_000)
    assert found.out.startswith("1 0 d0 0\n")
