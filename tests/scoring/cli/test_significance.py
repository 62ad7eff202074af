"""`significance` on the command line."""

import pytest

import trackside as ts
from scoring.core.statistics.pairs import METHODS
from tests.scoring.cli.test_comparing import MATRIX, rows, runs

__all__ = ["runs"]  # the fixture


@pytest.fixture
def matrix(trackside):
    return trackside.write("matrix.csv", MATRIX)


def test_one_row_a_pair(trackside, matrix):
    found = rows(trackside("significance", "--scores", matrix, "--test", "t"))
    assert [(r["a"], r["b"]) for r in found] == [
        *(("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")),
    ]
    first, same = found[0], found[2]
    assert float(first["difference"]) == pytest.approx(0.46, abs=1e-12)
    assert float(first["p"]) == pytest.approx(0.01294, abs=5e-6)
    assert first["p_corrected"] == first["p"]
    assert first["method"] == "Student's t"
    assert (float(same["difference"]), float(same["p"])) == (0, 1)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation"])
@pytest.mark.parametrize("correction", ["none", "holm", "bh", "tukey"])
def test_corrections_never_lower_a_p_value(trackside, matrix, test, correction):
    arguments = ("--test", test, "--correction", correction, "--samples", 200)
    for row in rows(trackside("significance", "--scores", matrix, *arguments)):
        assert row["method"] in METHODS
        if correction != "tukey":
            assert float(row["p_corrected"]) >= float(row["p"])


def test_chance_is_repeatable(trackside, matrix):
    arguments = ("significance", "--scores", matrix, "--test", "randomisation")
    assert trackside(*arguments) == trackside(*arguments, "--seed", 2)  # all exchanges
    few = (*arguments, "--samples", 20)
    assert trackside(*few) == trackside(*few, "--seed", 1)
    assert trackside(*few) != trackside(*few, "--seed", 2)


@pytest.mark.parametrize(
    ("test", "p", "method"),
    [
        ("t", "", "no p-value: equal differences have no spread"),
        ("wilcoxon", "0.5", "exact null of the signed ranks"),
        ("randomisation", "0.5", "all sign flips"),
    ],
)
def test_two_equal_differences_are_never_significant(trackside, test, p, method):
    scores = trackside.write("two.csv", "topic,base,exp\n1,.3,.35\n2,.5,.55\n")
    arguments = ("significance", "--scores", scores, "--test", test)
    (row,) = rows(trackside(*arguments))
    assert (row["p"], row["p_corrected"], row["method"]) == (p, p, method)
    note = "note: no pair can be significant at 0.05: 2 topics leave no p below 0.5\n"
    assert trackside(*arguments, "--count") == (0, "0 1\n", note if p else "")


def test_one_tailed_the_better_run_comes_first(trackside, matrix):
    found = rows(trackside("significance", "--scores", matrix, "--test", "t", "--tail", "one"))
    two = rows(trackside("significance", "--scores", matrix, "--test", "t"))
    assert ("d", "b") in [(r["a"], r["b"]) for r in found]
    assert all(float(row["difference"]) >= 0 for row in found)
    assert float(found[0]["p"]) == pytest.approx(float(two[0]["p"]) / 2, abs=1e-15)


def test_options_of_wilcoxon(trackside, matrix):
    few = rows(trackside("significance", "--scores", matrix, "--test", "wilcoxon"))
    assert [row["p"] for row in few] == ["0.0625", "0.0625", "1.0", "0.25", "0.0625", "0.0625"]
    lines = MATRIX.splitlines()
    many = trackside.write("many.csv", "\n".join([lines[0], *lines[1:] * 6]))
    arguments = ("significance", "--scores", many, "--test", "wilcoxon")
    plain = rows(trackside(*arguments))
    assert plain[0]["method"] == "normal approximation with tie correction"
    assert [r["p"] for r in rows(trackside(*arguments, "--no-continuity"))] != [
        r["p"] for r in plain
    ]
    assert [r["p"] for r in rows(trackside(*arguments, "--zero", "pratt"))] != [
        r["p"] for r in plain
    ]


def test_count(trackside, matrix):
    found = trackside("significance", "--scores", matrix, "--test", "t", "--count")
    assert found == (0, "4 6\n", "")
    strict = trackside(
        *("significance", "--scores", matrix, "--test", "t", "--count", "--alpha", ".001")
    )
    assert strict.out == "2 6\n"


def test_all_runs_against_a_baseline(trackside, matrix):
    asked = ("significance", "--scores", matrix, "--baseline", "b", "--test")
    found = rows(trackside(*asked, "t"))
    assert [(r["a"], r["b"]) for r in found] == [("a", "b"), ("c", "b"), ("d", "b")]
    pairs = {(r["a"], r["b"]): r for r in rows(trackside(*asked[:3], "--test", "t"))}
    assert found[0] == pairs["a", "b"]
    assert float(found[1]["difference"]) == -float(pairs["b", "c"]["difference"])
    assert found[1]["p"] == pairs["b", "c"]["p"]
    (better, worse) = (rows(trackside(*asked, "t", "--tail", "one"))[at] for at in (0, 1))
    assert float(better["p"]) == pytest.approx(float(found[0]["p"]) / 2, abs=1e-15)
    assert float(worse["p"]) == pytest.approx(1 - float(found[1]["p"]) / 2, abs=1e-15)
    best = rows(trackside(*asked, "t", "--top", 1))
    assert [(r["a"], r["b"]) for r in best] == [("a", "b")]


def test_the_greatest_t_of_all_runs_against_a_baseline(trackside):
    """Worked by hand in tests/scoring/core/test_max_t.py, which b and c are a and a run above."""
    scores = trackside.write("m.csv", "topic,bm25,b,c\n1,.4,.5,.6\n2,.4,.6,.5\n3,.4,.7,.3\n")
    asked = ("significance", "--scores", scores, "--test", "randomisation")
    found = rows(trackside(*asked, "--baseline", "bm25", "--correction", "max-t"))
    assert [(r["a"], r["p"], r["p_corrected"]) for r in found] == [
        ("b", "0.25", "0.5"), ("c", "0.75", "0.75"),
    ]  # fmt: skip
    assert {row["method"] for row in found} == {"all sign flips"}
    counted = trackside(*asked, "--baseline", "bm25", "--correction", "max-t", "--count")
    limit = "note: no pair can be significant at 0.05: 3 topics leave no p below 0.25\n"
    assert counted == (0, "0 2\n", limit)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--correction", "max-t"), "--correction max-t is for runs against a baseline; name one"),
        (
            ("--baseline", "b", "--correction", "tukey"),
            "--correction tukey is for all pairs; for runs against a baseline, take max-t",
        ),
        (
            ("--baseline", "b", "--correction", "max-t", "--tail", "one"),
            "--correction max-t is two-tailed, and against base",
        ),
        (("--baseline", "z"), "baseline: no run is named z, of a, b, c, d"),
    ],
)
def test_a_correction_that_does_not_go_with_the_others(trackside, matrix, options, said):
    refused = trackside(*("significance", "--scores", matrix, "--test", "randomisation", *options))
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err


def test_max_t_is_a_randomisation_test(trackside, matrix):
    refused = trackside(
        *("significance", "--scores", matrix, "--test", "t"),
        *("--baseline", "b", "--correction", "max-t"),
    )
    assert "--correction max-t is by random signs; take the randomisation test" in refused.err


def test_only_the_best(trackside, matrix):
    found = rows(trackside("significance", "--scores", matrix, "--test", "t", "--top", 2))
    assert [(r["a"], r["b"]) for r in found] == [("a", "d")]


def test_a_measure_of_runs(trackside, runs):
    found = rows(
        trackside("significance", trackside.qrels, *runs, "-m", "AP", "--test", "wilcoxon")
    )
    assert [(r["a"], r["b"]) for r in found] == [
        *(("one", "two"), ("one", "three"), ("two", "three")),
    ]
    # topics 1, 10, 2, 3: one .5 1 0 0, three 0 0 0 .5
    assert float(found[1]["difference"]) == pytest.approx(0.25)


def test_a_difference_keeps_its_sign_where_lower_is_better(trackside, runs):
    found = rows(
        trackside(
            *("significance", trackside.qrels, *runs[:2], "-m", "ESL(n=1)"),
            *("--test", "t", "--tail", "one"),
        )
    )
    assert (found[0]["a"], found[0]["b"]) == ("one", "two")
    assert float(found[0]["difference"]) == -0.5


def test_against_what_the_other_could_still_be(trackside, runs):
    def difference(against):
        found = trackside(
            *("significance", trackside.qrels, *runs[:2], "-m", "RBP(p=0.5)"),
            *("--test", "wilcoxon", "--tail", "one", "--against", against),
        )
        (row,) = rows(found)
        assert (row["a"], row["b"]) == ("one", "two")
        return float(row["difference"])

    base, top, projected = map(difference, ("base", "top", "projected"))
    assert base == pytest.approx((0.5 - 0.375) / 4)
    # upper bounds of two: .5 on topic 1, 1 on the others
    assert top == pytest.approx((1 - 3.5) / 4)
    assert top < projected < base


def test_two_tails_against_top_say_how_many_pairs_they_count_for_the_other_run(trackside):
    """One finds the relevant document of each of six topics, two finds nothing that is judged:
    every topic could be its by .5, which six signs out of six separate."""
    topics = range(1, 7)
    qrels = trackside.write("six", "".join(f"{t} 0 A 1\n" for t in topics))
    one = trackside.write("one.run", "".join(f"{t} Q0 A 1 1 one\n" for t in topics))
    two = trackside.write("two.run", "".join(f"{t} Q0 X{t} 1 1 two\n" for t in topics))
    asked = ("significance", qrels, one, two, "-m", "RBP(p=0.5)", "--test", "wilcoxon")
    found = trackside(*asked, "--against", "top", "--count")
    none_judged, _, note = found.err.partition("\n")
    assert "no document of the run is judged" in none_judged
    told = (
        "note: in 1 of the 1 significant pairs a falls behind b, which two tails count too;"
        " a one-tailed test leaves these out\n"
    )
    assert (found.status, found.out, note) == (0, "1 1\n", told)
    found = trackside(*asked, "--against", "top", "--tail", "one", "--count")
    assert (found.out, found.err) == ("0 1\n", f"{none_judged}\n")
    assert "two-tailed" not in trackside(*asked, "--count").err


def test_randomisation_with_holm_says_when_no_sample_could_separate(trackside):
    """2^7 ways to exchange the scores of a pair are more than 100 samples."""
    lines = [f"{t},.{9 - t},.{t + 1},.{t * 3 % 8},.{t * 5 % 9}\n" for t in range(7)]
    matrix = trackside.write("seven.csv", "topic,A,B,C,D\n" + "".join(lines))
    asked = ("significance", "--scores", matrix, "--test", "randomisation", "--count")
    few = trackside(*asked, "--correction", "holm", "--samples", 100)
    assert few.out == "0 6\n"
    assert few.err == (
        "note: no pair can be significant at 0.05: 100 samples leave no p below 0.0099, and"
        " Holm multiplies the smallest by 6; use more samples, or another correction\n"
    )
    assert trackside(*asked, "--correction", "holm", "--samples", 127).err == ""
    assert trackside(*asked, "--correction", "bh", "--samples", 100).err == ""


@pytest.mark.parametrize(
    ("topics", "options", "told"),
    [
        (3, ["--test", "wilcoxon"], "3 topics leave no p below 0.25"),
        (1, ["--test", "randomisation"], "1 topic leaves no p below 1"),
        (4, ["--test", "wilcoxon", "--tail", "one"], "4 topics leave no p below 0.062"),
        (6, ["--test", "wilcoxon", "--correction", "holm"], "6 topics leave no p below 0.031, "
         "and Holm multiplies the smallest by 3"),
        (6, ["--test", "wilcoxon"], ""),
        (3, ["--test", "t"], ""),
    ],
)  # fmt: skip
def test_too_few_topics_for_any_significant_pair(trackside, topics, options, told):
    lines = [f"{t},.{2 + t},.{1 + t},.{t}5\n" for t in range(topics)]
    scores = trackside.write("few.csv", "topic,A,B,C\n" + "".join(lines))
    found = trackside("significance", "--scores", scores, *options, "--count")
    note = f"note: no pair can be significant at 0.05: {told}\n" if told else ""
    assert (found.status, found.err) == (0, note)
    assert found.out == "0 3\n" or not told


def test_a_measure_without_residual_has_no_top(trackside, runs):
    found = trackside(
        *("significance", trackside.qrels, *runs, "-m", "AP", "--test", "t"),
        *("--against", "top"),
    )
    assert (found.status, found.err) == (2, "--against top: AP has no residual\n")


def test_samples_have_a_limit(trackside, matrix):
    asked = ("significance", "--scores", matrix, "--test", "randomisation")
    found = trackside(*asked, "--samples", 1_000_001)
    assert (found.status, found.out) == (2, "")
    assert "--samples: '1000001' is not a whole number from 1 to 1,000,000" in found.err
    with pytest.raises(ts.BadInput, match="samples: 1000001 is not a whole number from 1 to"):
        ts.significance_of_scores(matrix, samples=1_000_001)


@pytest.mark.parametrize(
    ("measures", "told"),
    [
        (["AP", "RR"], "-m: expected one measure, got 2: AP, RR"),
        (["P.5,10"], "-m: expected one measure, got 2: P@5, P@10"),
        (
            ["GMAP"],
            "-m GMAP: it is one number over all topics, and tests compare topic by topic; take AP",
        ),
        (
            ["num_q"],
            "-m NumQ: it is one number over all topics, and tests compare topic by topic",
        ),
        (["runid"], "-m runid: no single score, it cannot be compared"),
    ],
)
def test_one_measure_that_topics_have(trackside, runs, measures, told):
    asked = [argument for measure in measures for argument in ("-m", measure)]
    found = trackside("significance", trackside.qrels, *runs, *asked, "--test", "t")
    assert (found.status, found.out, found.err) == (2, "", f"{told}\n")


def test_one_measure_may_be_named_twice(trackside, runs):
    arguments = ("significance", trackside.qrels, *runs, "--test", "t")
    twice = trackside(*arguments, "-m", "AP", "-m", "map")
    assert twice == trackside(*arguments, "-m", "AP")


@pytest.mark.parametrize(
    "options", [("-M", 5), ("--ties", "expected"), ("-l", 2), ("--no-relevant", "exclude")]
)
def test_scores_that_are_made_are_not_made_otherwise(trackside, matrix, options):
    found = trackside("significance", "--scores", matrix, "--test", "t", *options)
    assert (found.status, found.out) == (2, "")
    assert found.err == ("--scores: scores are given; leave out -l, -M, --ties and the like\n")


@pytest.mark.parametrize(
    "header",
    ["topic,a,b", ",a,b", "Topic_ID,a,b", "query-id,a,b", "qid,a,b", "a,topic,b", "a,b,Topics"],
)
def test_topics_are_no_system(trackside, header):
    columns = header.split(",")
    lines = [",".join(str(n * (1 + (c in "ab"))) for c in columns) for n in (1, 2, 4)]
    path = trackside.write("matrix.csv", "\n".join([header, *lines]))
    found = rows(trackside("significance", "--scores", path, "--test", "t"))
    assert [(row["a"], row["b"]) for row in found] == [("a", "b")]


@pytest.mark.parametrize("name", ["q1", "topicality", "query1", "id"])
def test_systems_may_be_called_nearly_so(trackside, name):
    path = trackside.write("matrix.csv", f"{name},b\n1,2\n2,1\n")
    (row,) = rows(trackside("significance", "--scores", path, "--test", "t"))
    assert (row["a"], row["b"]) == (name, "b")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,,b\n1,2,3\n", "line 1: FIELDS the system has no name (field 2)"),
        (
            "run,topic,measure,value,residual\nr,1,AP,.5,\n",
            "line 1: FIELDS a row holds one score: a matrix has topics down, systems across",
        ),
        (
            "a,b\n1,2\n1,x\n",
            "line 3: SCORE score is not a finite decimal number (field 2: 'x')",
        ),
        ("a,b\n1,2e300\n", "line 2: SCORE score is beyond 1e+100 (field 2: '2e300')"),
        ("a,b\n1,2\n1\n", "line 3: FIELDS 1 fields, expected 2 as in the first row"),
        (
            "a,b\n1,2\n1,2\r1\n",
            "line 3: STRAY_CR CR inside the line: save the file with LF line ends",
        ),
        pytest.param(
            f"a,b\n1,{'2' * 200_000}\n",
            "line 2: LINE_TOO_LONG the line has a cell of more than 131,072 characters",
            id="long",
        ),
        ("a,a\n1,2\n", "line 1: DUP two systems have this name ('a')"),
        ("a,b\n", "EMPTY the file holds no row of scores"),
        ("", "EMPTY the file holds no row of system names"),
    ],
)
def test_faults_of_a_matrix(trackside, text, told):
    path = trackside.write("matrix.csv", text)
    found = trackside("significance", "--scores", path, "--test", "t")
    assert (found.status, found.err) == (2, f"{path}: {told}\n")


def test_an_empty_cell_is_no_score(trackside):
    path = trackside.write("matrix.csv", "a,b\n1,.5\n.5,.5\n,.5\n")
    (row,) = rows(trackside("significance", "--scores", path, "--test", "t"))
    assert float(row["difference"]) == 0.25


@pytest.mark.data
@pytest.mark.parametrize(
    ("measure", "test", "at_95", "at_99"),
    [
        ("rr", "t", 1000, 752),
        ("p10", "t", 1150, 915),
        ("ap", "t", 1164, 969),
        ("ap", "wilcoxon", 1259, 1077),
    ],
)
def test_table_iv_of_the_rbp_paper(trackside, data, measure, test, at_95, at_99):
    path = data / "trec5-scores" / f"adhoc5_{measure}.csv"
    for alpha, separated in ((".05", at_95), (".01", at_99)):
        found = trackside(
            *("significance", "--scores", path, "--test", test, "--alpha", alpha, "--count")
        )
        assert found == (0, f"{separated} 1830\n", "")
