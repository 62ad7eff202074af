"""Runs and qrels in other layouts than TREC's, as public tools and collections write them: read as
if they were TREC's, with the lines of the file in every problem."""

import gzip
import io
import tracemalloc

import pytest

from campaigns.trec import layouts
from campaigns.trec.problems import FormatError, Problem, ProblemList, shown
from campaigns.trec.qrels import read_qrels, write_qrels
from campaigns.trec.runs import read_run, write_run

QRELS = {
    # beir-cellar/beir, datasets: qrels/test.tsv with a header
    "BEIR": b"query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1\n",
    # BEIR's data sets with numbers only, CRLF and a byte order mark
    "BEIR from Windows": b"\xef\xbb\xbfquery-id\tcorpus-id\tscore\r\nq1\td1\t2\r\nq1\td2\t0\r\n"
    b"q2\td1\t1\r\n",
    # embeddings-benchmark/mteb: rows of the qrels' data set as JSON, grades as floating point
    "MTEB": b'{"query-id":"q1","corpus-id":"d1","score":2.0}\n'
    b'{"query-id":"q1","corpus-id":"d2","score":0.0}\n'
    b'{"query-id":"q2","corpus-id":"d1","score":1.0}\n',
    # cvangysel/pytrec_eval and AmenRa/ranx: a dictionary of dictionaries
    "pytrec_eval": b'{"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}',
    "ranx": b'{\n  "q1": {\n    "d1": 2,\n    "d2": 0\n  },\n  "q2": {"d1": 1}\n}\n',
    # allenai/ir_datasets, export qrels --format tsv with --fields
    "ir_datasets": b"query_id\tdoc_id\trelevance\titeration\nq1\td1\t2\t0\nq1\td2\t0\t0\n"
    b"q2\td1\t1\t0\n",
    # terrier-org/pyterrier: the data frame of topics' qrels, to_csv
    "PyTerrier": b'qid,docno,label\nq1,"d1",2\nq1,d2,0\nq2,d1,1\n',
    "a spreadsheet": b"Topic;Document;Grade\nq1;d1;2\nq1;d2;0\nq2;d1;1\n",
    "TREC with a header": b"topic iteration docno relevance\nq1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n",
}
RUNS = {
    "pytrec_eval": b'{"q1": {"d1": 2.5, "d2": 1e-3}, "q2": {"d1": -1}}',
    "ranx": b'{"q1":{"d1":2.5,"d2":0.001},\n"q2":{"d1":-1.0}}\n',
    # terrier-org/pyterrier, the data frame of a transformer, to_csv
    "PyTerrier": b"qid,docid,docno,rank,score,query\nq1,7,d1,0,2.5,hello\n"
    b'q1,9,d2,1,0.001,"a, b"\nq2,7,d1,0,-1.0,c\n',
    # ranx, Run.to_dataframe().to_csv(sep="\t")
    "ranx as a table": b"q_id\tdoc_id\tscore\nq1\td1\t2.5\nq1\td2\t0.001\nq2\td1\t-1\n",
    "JSON lines": b'{"qid": "q1", "docno": "d1", "score": 2.5}\n'
    b'{"qid": "q1", "docno": "d2", "score": 1e-3}\n{"qid": "q2", "docno": "d1", "score": -1}',
    "TREC with a header": b"qid Q0 docno rank score tag\nq1 Q0 d1 1 2.5 run\n"
    b"q1 Q0 d2 2 .001 run\nq2 Q0 d1 1 -1 run\n",
}


@pytest.fixture(params=["whole", "cut"], autouse=True)
def pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "cut":
        monkeypatch.setattr("campaigns.trec.compression.READ_BYTES", 23)


def as_is(data: bytes) -> bytes:
    return data


@pytest.mark.parametrize("packed", [as_is, gzip.compress])
@pytest.mark.parametrize("name", QRELS)
def test_qrels_of_a_layout(name, packed):
    qrels = read_qrels(packed(QRELS[name]))
    written = io.BytesIO()
    write_qrels(qrels, written)
    assert written.getvalue() == b"q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n"


@pytest.mark.parametrize("packed", [as_is, gzip.compress])
@pytest.mark.parametrize("name", RUNS)
def test_a_run_of_a_layout(name, packed):
    run = read_run(packed(RUNS[name]))
    written = io.BytesIO()
    write_run(run, written)
    assert written.getvalue().splitlines() == [
        b"q1 Q0 d1 1 2.5 run",
        b"q1 Q0 d2 2 0.001 run",
        b"q2 Q0 d1 1 -1.0 run",
    ]


def test_the_ranks_of_ms_marco_become_scores_and_this_is_said():
    # microsoft/MSMARCO-Passage-Ranking, ms_marco_eval.py: query, passage, rank
    run = read_run(b"1048585\t7187158\t1\n1048585\t7187157\t2\n2\t4339068\t1\n")
    assert (run.tag, run.topics) == ("run", ("1048585", "2"))
    assert run.retrieval_scores.tolist() == [-1, -2, -1]
    (warning,) = run.warnings
    assert (warning.code, warning.line) == ("RANKS", 1)
    assert warning.message == "the file has topic, document and rank: rank r becomes score -r"


def test_ranks_of_ms_marco_may_be_in_any_order():
    run = read_run(b"1 a 3\n2 a 1\n1 b 1\n2 b 2\n1 c 2\n")
    assert run.retrieval_scores.tolist() == [-3, -1, -1, -2, -2]
    assert [warning.code for warning in run.warnings] == ["RANKS", "INTERLEAVED"]


def test_a_tag_in_a_column_is_that_of_the_run():
    assert read_run(b"qid,docno,score,run_id\n1,a,2,mine\n1,b,1,mine\n").tag == "mine"


def test_a_header_is_said_to_be_left_out():
    for data in (QRELS["BEIR"], QRELS["TREC with a header"]):
        (warning,) = read_qrels(data).warnings
        assert (warning.code, warning.line) == ("HEADER", 1)
        assert warning.message == "the header was left out"


@pytest.mark.parametrize(
    ("data", "warnings"),
    [
        (b"\nqid,docno,score\n1,a,2\n\n1,b,1\n", [("BLANK", 1), ("HEADER", 2)]),
        (b"qid,docno,score\n1,a,2\n1,,1\n", [("HEADER", 1)]),
        (b'{"qid":"1","docno":"a","score":1}\n{"qid":"1"}\n', []),
        (b"1 a 1\n1 b 1\n", [("RANKS", 1)]),
    ],
)
def test_a_header_and_a_faulty_row_are_no_blank_lines(data, warnings):
    try:
        found = read_run(data).warnings
    except FormatError as error:
        found = error.warnings
    assert [(each.code, each.line) for each in found] == warnings


def test_ids_keep_their_characters():
    qrels = read_qrels('{"é\\u0301": {"d\\"1": 1, "\\ud83d\\ude00": 0}}'.encode())
    assert qrels.topics == ("é\u0301",)
    assert [doc_id.decode() for doc_id in qrels.doc_ids.tolist()] == ['d"1', "\U0001f600"]


# --- bad rows ------------------------------------------------------------------------------------

BAD_QRELS = [
    # a fractional grade, in each layout
    (b"query-id\tcorpus-id\tscore\nq1\td1\t0.5\n", "GRADE", 2, "grades are 0, 1, 2 and so on"),
    (b'{"query-id":"q1","corpus-id":"d1","score":0.5}\n', "GRADE", 1, "grades are 0, 1, 2"),
    (b'{"q1": {"d1": 1,\n "d2": 0.5}}', "GRADE", 2, "grades are 0, 1, 2 and so on"),
    (b"qid,docno,label\n1,a,1\n\n1,b,.5\n", "GRADE", 4, "grades are 0, 1, 2 and so on"),
    # other grades
    (b"query-id\tcorpus-id\tscore\nq1\td1\t1e2\n", "GRADE", 2, "not a whole number"),
    (b"query-id\tcorpus-id\tscore\nq1\td1\tyes\n", "GRADE", 2, "not a whole number"),
    (b"query-id\tcorpus-id\tscore\nq1\td1\t+1\n", "GRADE", 2, "plus sign or leading zeros"),
    (b"query-id\tcorpus-id\tscore\nq1\td1\t200\n", "GRADE", 2, "outside -127..127"),
    (b'{"q1": {"d1": 200}}', "GRADE", 1, "outside -127..127"),
    (b'{"q1": {"d1": true}}', "JSON", 1, "not a number"),
    (b'{"q1": {"d1": "1"}}', "JSON", 1, "not a number"),
    (b'{"q1": {"d1": null}}', "JSON", 1, "not a number"),
    (b'{"q1": {"d1": +1}}', "JSON", 1, "not a number"),
    (b'{"q1": {"d1": 01}}', "JSON", 1, "not a number"),
    # cells
    (
        b"query-id\tcorpus-id\tscore\nq1\td1\n",
        "FIELDS",
        2,
        "2 columns, 3 expected, as in the header",
    ),
    (b"query-id\tcorpus-id\tscore\nq1 d1 1\n", "FIELDS", 2, "1 column, 3 expected"),
    (b"qid,docno,label\n1,a,1\n1,b,0,x\n", "FIELDS", 3, "4 columns, 3 expected"),
    (b'qid,docno,label\n1,"a\nb",1\n', "FIELDS", 2, "document contains white space"),
    (b"query-id\tcorpus-id\tscore\nq1\t\t1\n", "FIELDS", 2, "the document is missing"),
    (b"query-id\tcorpus-id\tscore\nq 1\td1\t1\n", "FIELDS", 2, "the topic contains white space"),
    (b"qid,docno,label\nq1,d1,\n", "FIELDS", 2, "the grade is missing"),
    (b'{"query-id":"q1","corpus-id":"d1","score":1}\n[1]\n', "FIELDS", 2, "not a JSON object"),
    (b'{"query-id":"q1","corpus-id":"d1","score":1}\n{"q', "FIELDS", 2, "not a JSON object"),
    (
        b'{"query-id":"q1","corpus-id":"d1","score":1}\n{"query-id":"q1"}',
        "FIELDS",
        2,
        "the document is missing",
    ),
    # repeated
    (b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t0\n", "DUP", 3, "already on line 2"),
    (b'{"q1": {"d1": 1,\n"d1": 0}}', "DUP", 2, "already on line 1"),
    (b'{"q1": {"d1": 1},\n\n"q1": {"d2": 0}}', "DUP", 3, "the topic is already in the file"),
    # JSON of another form
    (b'{"q1": {"d1": 1}', "JSON", 1, "a comma or a closing brace is missing"),
    (b'{"q1": {"d1": 1}}\n}', "JSON", 2, "text follows the closing brace"),
    (b'{"q1": {"d1": 1}}\n{"q2": {"d1": 1}}', "JSON", 2, "text follows the closing brace"),
    (b'{"q1": {"d1" 1}}', "JSON", 1, "a colon is missing"),
    (b'{"q1": {"d1": 1,}}', "JSON", 1, "a key in double quotes is missing"),
    (b"{'q1': {'d1': 1}}", "JSON", 1, "a key in double quotes is missing"),
    (b'{"q1": [1, 2]}', "JSON", 1, "an object is missing"),
    (b'{"q1": 1}', "JSON", 1, "the object has q1: qid, docno and grade are needed, or {"),
    (b'\n \n{"q1": 1}', "JSON", 3, "the object has q1: qid, docno and grade are needed, or {"),
    (b'{"q1": {"d1": {"x": 1}}}', "JSON", 1, "not a number"),
    (b'{"q1": {"d\\x": 1}}', "JSON", 1, "escape"),
    (b'{"q1": {"d 1": 1}}', "FIELDS", 1, "the id of the document is empty or contains white space"),
    (b'{"q1": {"": 1}}', "FIELDS", 1, "the id of the document is empty"),
    (b'{"": {"d1": 1}}', "FIELDS", 1, "the id of the topic is empty"),
    (b'{"q1": {"d1": 1},\n"q9": {"d1": 1}}', "UNKNOWN_TOPIC", 2, "not in the list of topics"),
    (b'{"q1": {"d1": 1, "\xff": 1}}', "ENCODING", 1, "UTF-8"),
    # half of a character, which Python's JSON accepts and UTF-8 cannot write
    (b'{"q1": {"d1": 1,\n"d\\ud83d": 1}}', "ENCODING", 2, "\\ud83d is half of a character: write"),
    (b'{"q1\\udfff": {"d1": 1}}', "ENCODING", 1, "\\udfff is half of a character"),
    (
        b'{"qid":"q1","docno":"d1","label":1}\n{"qid":"q1","docno":"\\ud800","label":1}',
        "ENCODING",
        2,
        "\\ud800 is half of a character: write both halves, or the character",
    ),
    (b"{}", "EMPTY", None, ""),
    (b"query-id\tcorpus-id\tscore\n", "EMPTY", None, "no judgment"),
    (b"1\t2\t1\n", "FIELDS", 1, "this looks like qrels of BEIR"),
]
BAD_RUNS = [
    (b'{"q1": {"d1": NaN}}', "JSON", 1, "not a number"),
    (b'{"q1": {"d1":\nInfinity}}', "JSON", 2, "not a number"),
    (b'{"q1": {"d1": 1e999}}', "SCORE", 1, "too large for a double"),
    (b'{"q1": {"d1": 1},\n "q9": {"d1": 1}}', "UNKNOWN_TOPIC", 2, "not in the list of topics"),
    (b'{"q1": {"d1": 1,\n "d\\u3164": 1}}', "INVISIBLE", 2, "HANGUL FILLER"),
    (b'{"q1": {"d\\ud800": 1}}', "ENCODING", 1, "half of a character"),
    (b'[{"q1": {"d1": 1}}]', "TYPE", 1, "a JSON array: write one object on each line, or one"),
    (b'\n[\n  {"qid": "q1", "docno": "d1", "score": 1}\n]\n', "TYPE", 2, "a JSON array"),
    (b"qid,docno,score\nq1,a,high\n", "SCORE", 2, "score is not a decimal number"),
    (b"qid,docno,score\nq1,a,1\nq1,a,2\n", "DUP", 3, "already on line 2"),
    (b"qid,docno,score\nq1,,1\n", "FIELDS", 2, "the document is missing"),
    (b"qid,docno,score\nq1,a,\n", "FIELDS", 2, "the score is missing"),
    (b'qid,docno,score\nq1,"a b",1\n', "FIELDS", 2, "the document contains white space"),
    (b'{"qid":"q1","docno":"a","score":1}\n{"qid":"q1"}', "FIELDS", 2, "the document is missing"),
    (b"qid,docno,score\nq1,a,1,2\n", "FIELDS", 2, "4 columns, 3 expected, as in the header"),
    (b"qid,docno,score,run\nq1,a,1,x\nq1,b,1,y\n", "TAG", 3, "differs from 'x' on line 2"),
    (b"qid,docno,rank\nq1,a,1\n", "FIELDS", 1, "this looks like CSV"),
    (b"q1\td1\t1\nq1\td2\t1\n", "RANK", 2, "rank 1 of topic 'q1' is already on line 1: give each"),
    (b"q1 a 4\nq2 a 1\nq1 b 5\nq2 b 2\nq1 c 4\n", "RANK", 5, "rank 4 of topic 'q1' is already"),
    (b"q1 a 1\nq1 b 2\nq1 c 9\nq1 d 9\n", "RANK", 4, "is already on line 3"),
    (b"q1\td1\t1\nq1\td2\tx\n", "FIELDS", 2, "3 fields, 6 expected"),
    (b"q1\td1\t1\nq1\td1\t2\n", "DUP", 2, "already on line 1"),
    (b"query-id\tcorpus-id\tscore\nq1\td1\t1\n", "TYPE", 1, "these are qrels of BEIR, not a run"),
    (b"\r\n\nquery-id\tcorpus-id\tscore\nq1\td1\t1\n", "TYPE", 3, "these are qrels of BEIR"),
    (b"q1 Q0 A x x r\nq1 Q0 A 1 0.0 r\n", "SCORE", 1, "this looks like a header: remove it"),
    (b"PAR1\x15" + b"\0" * 60, "TYPE", None, "the Parquet file is damaged"),
]


@pytest.mark.parametrize(("data", "code", "line", "words"), BAD_QRELS)
def test_bad_qrels(data, code, line, words):
    check_first_problem(read_qrels, data, code, line, words)


@pytest.mark.parametrize(("data", "code", "line", "words"), BAD_RUNS)
def test_bad_runs(data, code, line, words):
    check_first_problem(read_run, data, code, line, words)


def check_first_problem(read, data, code, line, words):
    with pytest.raises(FormatError) as caught:
        read(data, known_topics=["q1", "q2", "1"])
    problem: Problem = caught.value.problems[0]
    assert (problem.code, problem.line) == (code, line)
    assert words in problem.message


def test_one_fault_on_every_line_is_told_once():
    with pytest.raises(FormatError) as caught:
        read_qrels(b"query-id\tcorpus-id\tscore\n" + b"".join(b"q\td%d\n" % n for n in range(50)))
    (problem,) = caught.value.problems
    assert (problem.line, problem.count) == (2, 50)
    with pytest.raises(FormatError) as caught:
        read_qrels(b'{"q": {%s}}' % b",\n".join(b'"d%d": 0.5' % n for n in range(50)))
    (problem,) = caught.value.problems
    assert (problem.line, problem.count) == (1, 50)


def test_large_json_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(layouts, "MAX_JSON_BYTES", 100)
    with pytest.raises(FormatError, match="TOO_BIG JSON of more than 100 bytes: write TREC's"):
        read_run(b'{"q1": {%s}}' % b",".join(b'"d%d": 1' % n for n in range(50)))


def test_a_json_object_takes_little_more_memory_than_its_text():
    topic = b'"%d": {' + b",".join(b'"document-%d": 0.5' % n for n in range(100)) + b"}"
    data = b"{" + b",".join(topic % n for n in range(200)) + b"}"
    tracemalloc.start()
    list(layouts.trec_run(iter([data]), ProblemList()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * len(data)


def test_the_lines_of_a_json_object_come_in_pieces(monkeypatch):
    """The arrays of a reader are many times as large as a piece."""
    monkeypatch.setattr(layouts, "PIECE_BYTES", 7)
    pieces = list(layouts.trec_run(iter([RUNS["pytrec_eval"]]), ProblemList()))
    assert max(map(len, pieces)) == 7
    assert read_run(RUNS["pytrec_eval"]).retrieval_scores.tolist() == [2.5, 0.001, -1]
    with pytest.raises(FormatError, match="line 3: GRADE"):
        read_qrels(b'{"q1": {"d1": 1,\n"d2": 1,\n"d3": 0.5}}')


LONG = b" " * 140_000


@pytest.mark.parametrize("read", [read_run, read_qrels])
@pytest.mark.parametrize(
    "data",
    [
        b"qid,docno,score,label\n1,a,2,1\n1,b,1,0" + LONG + b"\n1,c,0,0\n",
        b'{"qid":"1","docno":"a","score":2,"label":1}\n\n{"qid":"1",' + LONG + b'"docno":"b"}\n',
    ],
    ids=["CSV", "JSON"],
)
def test_a_line_that_is_too_long_ends_the_file_with_an_error(data, read, monkeypatch):
    """What is read of it can be a whole row: the lines after it must not be lost."""
    monkeypatch.setattr("campaigns.trec.compression.READ_BYTES", 1 << 16)
    with pytest.raises(FormatError, match="line 3: LINE_TOO_LONG the line is longer than"):
        read(data)


def test_converted_lines_are_read_many_at_a_time():
    """A piece of one line takes the readers as long as one of a megabyte."""
    rows = b"".join(b"q1,d%d,1\n" % n for n in range(10_000))
    ranks = b"".join(b"q1 d%d %d\n" % (n, n) for n in range(1, 10_000))
    for data in (b"qid,docno,score\n" + rows, ranks):
        assert len(list(layouts.trec_run(iter([data]), ProblemList()))) == 1


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("bm25.json.gz", "bm25"),
        ("runs/of mine/BM25 (k1=0.9).jsonl", "BM25_(k1=0.9)"),
        ("C:\\runs\\dense.v2.TSV", "dense.v2"),
        ("é\u200bx\n.csv", "é_x"),
        ("x" * 63 + "é.txt", "x" * 63),
        ("(1) top10%..x.json", "1)_top10__x"),
        ("_%20.json", "20"),
        (".json", "run"),
        ("", "run"),
        ("___.csv", "run"),
    ],
)
@pytest.mark.parametrize("layout", ["pytrec_eval", "PyTerrier", "JSON lines"])
def test_the_name_of_a_file_is_the_tag_of_a_layout_without(name, tag, layout):
    run = read_run(RUNS[layout], file_name=name)
    assert run.tag == tag
    told = [each.message for each in run.warnings if each.code == "TAG_OF_FILE"]
    assert told == (
        [] if tag == "run" else [f"the file has no tag: its name became the tag '{shown(tag)}'"]
    )


@pytest.mark.parametrize(
    "data",
    [
        b"q1 Q0 d1 1 2.5 run\n",
        b"qid\tdocno\tscore\ttag\nq1\td1\t2.5\trun\n",
        b'{"qid": "q1", "docno": "d1", "score": 2.5, "run_name": "run"}\n',
    ],
)
def test_a_tag_in_the_file_stays(data):
    run = read_run(data, file_name="other.json")
    assert (run.tag, [each.code for each in run.warnings if each.code == "TAG_OF_FILE"]) == (
        "run",
        [],
    )
