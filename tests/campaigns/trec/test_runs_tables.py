"""Runs tables: which columns are known, and what is refused where."""

from __future__ import annotations

import pytest

from campaigns.trec.problems import FormatError
from campaigns.trec.runs_table import RunsTableRow, read_runs_table


def test_known_columns_are_read_and_others_passed_over() -> None:
    data = (
        b"run,team,runtype,contributed judgments,MAP,note\n"
        b'run1,GUIR_S2,manual,yes,0.2663,"a, b"\n'
        b"run2,other,automatic,no,,\n"
        b"run3,,,,,\n"
    )
    assert read_runs_table(data).rows == (
        RunsTableRow("run1", "GUIR_S2", "manual", True),
        RunsTableRow("run2", "other", "automatic", False),
        RunsTableRow("run3", "", "", None),
    )


@pytest.mark.parametrize("separator", [";", "\t", ","])
def test_the_separator_is_that_of_the_header(separator: str) -> None:
    text = "run,team,note\nr1,x,\nr2,y,z\n".replace(",", separator)
    assert read_runs_table(f"\ufeff{text}".encode()).rows == (
        RunsTableRow("r1", "x", "", None),
        RunsTableRow("r2", "y", "", None),
    )


@pytest.mark.parametrize("title", ["run", "Tag", " TAG "])
def test_the_run_column_has_two_names_in_any_case(title: str) -> None:
    assert read_runs_table(f"{title}\nr1\n".encode()).rows[0].tag == "r1"


@pytest.mark.parametrize("title", ["runtype", "run type", "Type"])
def test_the_type_column_has_three_names(title: str) -> None:
    assert read_runs_table(f"run,{title}\nr1,manual\n".encode()).rows[0].run_type == "manual"


@pytest.mark.parametrize("title", ["pooled", "contributed judgments", "Contributed"])
@pytest.mark.parametrize(
    ("cell", "is_pooled"),
    [("yes", True), ("1", True), ("TRUE", True), ("no", False), ("0", False), ("", None)],
)
def test_the_pooled_column(title: str, cell: str, is_pooled: bool | None) -> None:
    assert read_runs_table(f"run,{title}\nr1,{cell}\n".encode()).rows[0].is_pooled is is_pooled


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "EMPTY"),
        (b"team\nx\n", "line 1: TABLE there is no column run or tag: add one"),
        (b"run,tag\nx,y\n", "line 1: TABLE this column means the same as column 'run'"),
        (b"run,a,a\nx,y,z\n", "line 1: TABLE a column name is repeated"),
        (b'run\nr1\n"open\n', "line 3: TABLE a quote is not closed"),
        (b"run\nr\xff\n", "line 2: ENCODING"),
        (b"run\nr\0\n", "line 2: NUL"),
        pytest.param(
            b"run\n" + b"".join(b"r%d\n" % k for k in range(100_001)),
            "line 100002: TOO_MANY",
            id="too many lines",
        ),
        (b",".join(b"c%d" % k for k in range(1001)), "line 1: TABLE more than 1,000 columns"),
    ],
)
def test_faults_of_the_whole_file_are_named_with_their_line(data: bytes, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_runs_table(data)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"run,team\nr1,x\nr2\n", "line 3: TABLE 1 columns, 2 expected"),
        (
            b"run,pooled\nr1,yes\n\nr2,maybe\n",
            "line 4: TABLE the value is neither yes nor no (field 2: 'maybe",
        ),
        (b"team,run\nx,r1\ny,two words\n", "line 3: TAG"),
        (b"run,run_name\nr1," + b"x" * 500, "line 2: TABLE a run name has at most 64 characters"),
        ("run,run_name\nr1,a\u202eb".encode(), "line 2: TABLE a run name contains only printable"),
        (b"run,run_name\nr1,=SUM(A1)", "line 2: TABLE a run name begins with a letter or a digit"),
        (b'run,note\nr1,"two\nlines"\nr1,x\n', "line 4: DUP run is already on line 2"),
        (b"run,n\nr," + b"x" * 10_001, "line 2: TABLE cell of 10,001 characters"),
        (b"run,team\nr," + b"x" * 101, "line 2: TABLE team name of more than 100 characters"),
    ],
)
def test_a_bad_row_is_left_out_and_named_with_its_line(data: bytes, said: str) -> None:
    table = read_runs_table(data)
    assert [str(problem)[: len(said)] for problem in table.problems] == [said]
    assert [row.tag for row in table.rows] in ([], ["r1"])
    assert table.bad_lines


def test_every_bad_row_is_named_and_the_runs_of_the_others_are_known() -> None:
    table = read_runs_table(
        b"run,team,pooled,file\ngood,A,yes,\nbad,B,maybe,\nshort,C\nshared,D,x,shared.1.gz\n"
        b"shared,E,no,shared.2.gz\ngood,F,no,\n"
    )
    assert [problem.line for problem in table.problems] == [3, 4, 5, 7]
    assert list(table.by_name) == ["good", "shared.2.gz"]
    assert table.bad_lines == {"bad": 3, "short": 4, "C": 4, "shared.1.gz": 5, "good": 7}


def test_an_unknown_run_type_is_a_warning_with_the_known_ones() -> None:
    table = read_runs_table(
        b"run,type\nr1,Manual\nr2,auto\nr3,\nr4,interactive\nr5,auto\nr6,auto\nr 7,wrong\n"
    )
    assert [row.known_type for row in table.rows] == ["manual", None, None, None, None, None]
    known = "the run type is not automatic, manual or feedback, and counts as automatic"
    assert [str(warning) for warning in table.warnings] == [
        f"line 3: RUN_TYPE this and 2 other rows: {known} ('auto')",
        f"line 5: RUN_TYPE {known} ('interactive')",
    ]
    assert [problem.line for problem in table.problems] == [8]


def test_names_are_read_in_one_encoding_and_tags_as_they_are() -> None:
    (row,) = read_runs_table("run,run_name,team\nCafe\u0301,The\u0301,Ane\u0301\n".encode()).rows
    assert (row.tag, row.name, row.team) == ("Cafe\u0301", "Th\xe9", "An\xe9")
