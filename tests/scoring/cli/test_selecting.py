"""`select`: Table 1 of the strategic judgments paper, and judging that is played."""

import csv
import io

import pytest

import trackside as ts
from scoring.cli.usage.select import METHODS

TABLE_1 = [
    "18 22 15 13 11 25 10 84",
    "22 10 11 19 38 18 33 17",
    "21 35 16 11 38 33 18 17",
    "10 18 11 22 87 13 17 20",
]


def rows(found):
    assert found.status == 0, found.err
    return list(csv.DictReader(io.StringIO(found.out)))


@pytest.fixture
def runs(trackside):
    return [
        trackside.write(
            f"run{number}",
            "".join(
                f"7 Q0 {document} {rank} {-rank} run{number}\n"
                for rank, document in enumerate(row.split(), start=1)
            ),
        )
        for number, row in enumerate(TABLE_1, start=1)
    ]


@pytest.fixture
def qrels(trackside):
    """All that the runs have is judged; 18, 10 and 84 are relevant."""
    documents = sorted({document for row in TABLE_1 for document in row.split()})
    lines = [f"7 0 {document} {int(document in ('18', '10', '84'))}\n" for document in documents]
    return trackside.write("full", "".join(lines))


def test_method_a_on_table_1(trackside, runs):
    found = rows(trackside("select", *runs, "--method", "A", "--p", 0.8, "--budget", 6))
    assert " ".join(row["doc_id"] for row in found) == "18 22 11 10 21 13"
    weights = [float(row["weight"]) for row in found]
    assert weights == pytest.approx([0.478, 0.4624, 0.4403, 0.4124, 0.2, 0.1679], abs=5e-5)
    assert [(row["order"], row["topic"]) for row in found] == [(str(i), "7") for i in range(1, 7)]


def test_pooling_takes_first_documents_first(trackside, runs):
    found = rows(trackside("select", *runs, "--method", "pool", "--p", 0.8, "--budget", 5))
    assert " ".join(row["doc_id"] for row in found) == "18 22 10 21 35"  # as named
    assert float(found[-1]["weight"]) == pytest.approx(0.16)


@pytest.mark.parametrize(
    ("method", "scope"),
    [*((method, "run") for method in METHODS), ("B", "topic"), ("C", "topic")],
)
def test_every_document_is_chosen_once(trackside, runs, method, scope):
    arguments = ("--method", method, "--p", 0.8, "--budget", "5,100", "--scope", scope)
    found = rows(trackside("select", *runs, *arguments))
    documents = {document for row in TABLE_1 for document in row.split()}
    assert sorted(row["doc_id"] for row in found) == sorted(documents)


def test_b_weighs_anew_after_every_batch(trackside, runs):
    arguments = ("select", *runs, "--method", "B", "--p", 0.8, "--budget", 17)
    at_once, one_by_one = (
        [(row["doc_id"], row["weight"]) for row in rows(trackside(*arguments, "--batch", batch))]
        for batch in (17, 1)
    )
    assert at_once[0] == one_by_one[0] == ("18", "0.4779648")
    assert at_once != one_by_one
    assert all(float(weight) < 0.4779648 for _, weight in one_by_one[1:])


def test_what_is_judged_is_not_asked_again(trackside, runs):
    judged = trackside.write("judged", "7 0 18 1\n7 0 11 0\n")
    for method in METHODS:
        arguments = ("--method", method, "--p", 0.8, "--budget", 100, "--judged", judged)
        found = [row["doc_id"] for row in rows(trackside("select", *runs, *arguments))]
        assert len(found) == 15
        assert not {"18", "11"} & set(found)


def test_depth_leaves_out_what_lies_deeper(trackside, runs):
    arguments = ("--method", "A", "--p", 0.8, "--budget", 100, "--depth", 1)
    found = rows(trackside("select", *runs, *arguments))
    assert sorted(row["doc_id"] for row in found) == ["10", "18", "21", "22"]


def test_playing_with_full_judgments(trackside, runs, qrels):
    arguments = ("--method", "A", "--p", 0.8, "--budget", "6,100", "--simulate", qrels)
    first, last = rows(trackside("select", *runs, *arguments))
    assert list(first) == [
        *("judged", "relevant_found", "mean_residual_top"),
        *("base_vs_base", "base_vs_top", "base_vs_projected"),
    ]
    assert (first["judged"], first["relevant_found"]) == ("6", "2")
    assert (last["judged"], last["relevant_found"]) == ("17", "3")
    # the top third of four runs is one: run 4, whose first two are relevant
    assert float(first["mean_residual_top"]) == pytest.approx(0.344, abs=5e-4)
    assert float(last["mean_residual_top"]) == pytest.approx(0.8**8)
    assert first["base_vs_base"] == ""  # one run has no pairs


def test_how_many_runs_are_at_the_top(trackside, runs, qrels):
    arguments = ("--method", "A", "--p", 0.8, "--budget", 6, "--simulate", qrels, "--top", 4)
    (row,) = rows(trackside("select", *runs, *arguments))
    residuals = (0.403, 0.446, 0.645, 0.344)
    assert float(row["mean_residual_top"]) == pytest.approx(sum(residuals) / 4, abs=5e-4)
    assert float(row["base_vs_base"]) == 0


def test_documents_without_judgment_may_be_passed_over(trackside, runs):
    some = trackside.write("some", "7 0 18 1\n7 0 13 1\n7 0 84 1\n")
    arguments = ("select", *runs, "--method", "A", "--p", 0.8, "--budget", 2, "--simulate", some)
    (deemed,) = rows(trackside(*arguments))
    (passed,) = rows(trackside(*arguments, "--unknown", "bypass"))
    assert (deemed["judged"], deemed["relevant_found"]) == ("2", "1")
    assert (passed["judged"], passed["relevant_found"]) == ("2", "2")


def test_no_common_topic(trackside, runs):
    other = trackside.write("other", "8 0 18 1\n")
    arguments = ("--method", "A", "--p", 0.8, "--budget", 2, "--simulate", other)
    found = trackside("select", *runs, *arguments)
    assert (found.status, found.out) == (2, "")
    assert found.err == f"{other}: no topic of the runs is in the qrels\n"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--top", 2), "--top says which runs --simulate compares: it needs --simulate\n"),
        (
            ("--unknown", "bypass"),
            "--unknown says what --simulate QRELS lack: it needs --simulate\n",
        ),
    ],
)
def test_what_only_a_simulation_asks_needs_one(trackside, runs, options, told):
    arguments = ("--method", "A", "--p", 0.8, "--budget", 2)
    found = trackside("select", *runs, *arguments, *options)
    assert (found.status, found.out, found.err) == (2, "", told)


@pytest.mark.parametrize("method", ["MTF", "Hedge", "MaxMean"])
def test_methods_that_do_not_use_p_need_none(trackside, runs, qrels, method):
    asked = ("select", *runs, "--method", method, "--budget", 5)
    without = trackside(*asked)
    assert without.status == 0
    assert without.out == trackside(*asked, "--p", 0.3).out
    assert without.out == ts.select(runs, method=method, budget=5).to_csv()
    found = trackside(*asked, "--simulate", qrels)
    assert (found.status, found.out) == (2, "")
    assert (
        found.err == "--p: give the persistence of RBP, of which a simulation computes residuals\n"
    )


@pytest.mark.parametrize("method", ["pool", "A", "B", "C"])
def test_methods_that_weigh_by_p_need_it(trackside, runs, method):
    told = f"method {method} needs the persistence of RBP; MTF, Hedge, MaxMean do not"
    found = trackside("select", *runs, "--method", method, "--budget", 5)
    assert (found.status, found.out, found.err) == (2, "", f"--p: {told}\n")
    with pytest.raises(ts.BadInput, match=f"^p: {told}$"):
        ts.select(runs, method=method, budget=5)


@pytest.mark.parametrize("method", ["pool", "A", "MTF", "Hedge", "MaxMean"])
def test_a_scope_that_the_method_does_not_use_is_refused(trackside, runs, qrels, method):
    asked = ("select", *runs, "--method", method, "--p", 0.8, "--budget", 5, "--scope", "topic")
    told = f"scope: method {method} does not use it, only B and C do: leave it out"
    for more in ((), ("--simulate", qrels)):
        found = trackside(*asked, *more)
        assert (found.status, found.out, found.err) == (2, "", f"--{told}\n")
    with pytest.raises(ts.BadInput, match=f"^{told}$"):
        ts.select(runs, method=method, p=0.8, budget=5, scope="topic")
    with pytest.raises(ts.BadInput, match=f"^{told}$"):
        ts.simulate(runs, qrels, method=method, p=0.8, budget=5, scope="topic")


def test_judgments_of_other_topics_are_none(trackside, runs):
    other = trackside.write("other", "07 0 18 1\n")
    arguments = ("--method", "C", "--p", 0.8, "--budget", 2, "--judged", other)
    found = trackside("select", *runs, *arguments)
    assert (found.status, found.out) == (2, "")
    assert found.err == f"{other}: no topic of the runs is in the qrels\n"


def test_move_to_front_asks_for_the_next_document_of_the_run_that_found_one(trackside, runs):
    judged = trackside.write("judged", "7 0 10 0\n7 0 18 0\n7 0 21 0\n7 0 22 1\n")
    arguments = ("--method", "MTF", "--p", 0.8, "--budget", 3, "--judged", judged)
    found = rows(trackside("select", *runs, *arguments))
    # Runs 4, 1 and 3 are at -1. Run 2 found 22, and is at -1 too after 10. Run 1 comes to 22 at
    # rank 2 and is back at 0. Nobody has judged its 15 yet: it stays in front.
    assert [(row["doc_id"], float(row["weight"])) for row in found] == [
        ("15", 0.0),
        ("13", 0.0),
        ("11", 0.0),
    ]


def test_only_methods_that_follow_relevance_choose_by_the_grades_of_judgments(trackside, runs):
    def chosen(method, grade):
        judged = trackside.write("judged", f"7 0 18 {grade}\n")
        arguments = ("--method", method, "--p", 0.8, "--budget", 100, "--judged", judged)
        return trackside("select", *runs, *arguments)

    follow = [method for method in METHODS if chosen(method, 0) != chosen(method, 1)]
    assert follow == ["C", "MTF", "Hedge", "MaxMean"]


def test_max_mean_breaks_ties_by_tag_whatever_the_order_of_the_files(trackside, runs):
    """All runs are equal before the first judgment: run1 begins with 18, run2 with 22."""
    for files in (runs, runs[::-1]):
        found = trackside("select", *files, "--method", "MaxMean", "--budget", 1)
        assert rows(found)[0]["doc_id"] == "18"
        assert found.out == ts.select(files, method="MaxMean", budget=1).to_csv()
    found = ts.select(dict(zip("dcba", map(str, runs), strict=True)), method="MaxMean", budget=1)
    assert found["doc_id"] == ["10"]  # of run4, named a


def test_pooling_names_equal_ranks_run_by_run_down_to_the_depth(trackside):
    """y is first in the second run and third in the first, which is read before."""
    one = trackside.write("one", "7 Q0 a 1 3 one\n7 Q0 b 2 2 one\n7 Q0 y 3 1 one\n")
    two = trackside.write("two", "7 Q0 y 1 1 two\n")
    three = trackside.write("three", "7 Q0 x 1 1 three\n")

    def chosen(*arguments):
        pool = ("--method", "pool", "--p", 0.8, "--budget", 2)
        return [row["doc_id"] for row in rows(trackside("select", *pool, *arguments))]

    assert chosen(one, three, two) == ["a", "y"]
    assert chosen(one, three, two, "--depth", 1) == ["a", "x"]
    assert chosen(three, two, one) == ["x", "y"]
    told = " ".join(trackside("select", "--help").out.split())
    assert "in the order in which they first occur, run by run and topic by topic" in told
    assert "With the runs in another order, or with another depth" in told


@pytest.mark.data
@pytest.mark.parametrize(
    ("method", "expected"),
    [("A", [(648, 0.3405), (1021, 0.2234)]), ("pool", [(534, 0.4597), (701, 0.3848)])],
)
def test_trec_covid(trackside, data, method, expected):
    folder = data / "trec-covid-round1"
    runs = sorted((folder / "runs").glob("*.gz"))
    found = trackside(
        *("select", *runs, "--method", method, "--p", 0.8, "--budget", "1000,2000"),
        *("--simulate", folder / "qrels.txt.gz", "--depth", 100),
    )
    assert [
        (int(row["relevant_found"]), round(float(row["mean_residual_top"]), 4))
        for row in rows(found)
    ] == expected
