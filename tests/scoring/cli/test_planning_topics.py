"""`stability` and `topics` on the command line, and the same in the library."""

import csv
import io

import numpy as np
import pytest

import trackside as ts
from scoring.core.statistics.split_halves import half_sizes, split_halves
from scoring.core.statistics.topic_set_size import (
    Requirement,
    topics_for_anova,
    topics_for_t,
    variance_interval,
)

# Three runs over ten topics.
SCORES = np.array(
    [
        [0.9, 0.8, 0.7, 0.9, 0.4, 0.6, 0.8, 0.7, 0.5, 0.6],
        [0.5, 0.6, 0.8, 0.1, 0.5, 0.2, 0.7, 0.9, 0.3, 0.4],
        [0.1, 0.2, 0.1, 0.3, 0.0, 0.4, 0.1, 0.0, 0.6, 0.2],
    ]
)
SIX_TOPICS = np.array(
    [[0.9, 0.8, 0.7, 0.9, 0.4, 0.6], [0.5, 0.6, 0.8, 0.1, 0.5, 0.2], [0.1, 0.2, 0.1, 0.3, 0, 0.4]]
)


def as_csv(scores):
    names = ",".join("abcdefg"[: len(scores)])
    return f"{names}\n" + "".join(",".join(map(str, row)) + "\n" for row in scores.T.tolist())


@pytest.fixture
def matrix(trackside):
    return trackside.write("matrix.csv", as_csv(SCORES))


@pytest.fixture
def runs(trackside):
    """Two runs over the same topics."""
    other = "1 Q0 A 1 9 other\n1 Q0 C 2 8 other\n2 Q0 A 1 1 other\n3 Q0 E 1 1 other\n"
    return [trackside.run, trackside.write("other.txt", other)]


@pytest.fixture
def ten_topics(trackside):
    """Judgments, and two runs."""
    documents = {"one": "AAAAAAAABB", "two": "ABABAABBAB"}
    return trackside.write("judged", "".join(f"{topic} 0 A 1\n" for topic in range(10))), [
        trackside.write(name, "".join(f"{n} Q0 {doc} 1 1 {name}\n" for n, doc in enumerate(docs)))
        for name, docs in documents.items()
    ]


def rows(found):
    assert found.status == 0, found.err
    return list(csv.DictReader(io.StringIO(found.out)))


class TestStability:
    def test_one_row_for_each_number_of_topics(self, trackside, matrix):
        found = rows(trackside("stability", "--scores", matrix, "--splits", 40, "--seed", 3))
        expected = split_halves(SCORES, sizes=half_sizes(10), splits=40, seed=3, width=0.01)
        assert [row["topics"] for row in found] == ["1", "2", "3", "4", "5"]
        assert [float(row["tau"]) for row in found] == pytest.approx(expected.mean, abs=1e-12)
        assert [float(row["tau_lowest"]) for row in found] == expected.lowest.tolist()
        assert [float(row["tau_highest"]) for row in found] == expected.highest.tolist()

    def test_swaps_are_counted_by_difference(self, trackside, matrix):
        found = rows(trackside("stability", "--scores", matrix, "--splits", 40, "--swaps"))
        expected = split_halves(SCORES, sizes=half_sizes(10), splits=40, seed=1, width=0.01)
        assert sum(int(row["swaps"]) for row in found) == expected.swaps.sum()
        assert sum(int(row["pairs"]) for row in found) == 5 * 40 * 3
        assert all(float(r["swap_rate"]) == int(r["swaps"]) / int(r["pairs"]) for r in found)
        last = found[-1]
        assert (last["difference_from"], last["difference_to"]) == ("0.2", "")

    def test_the_library_gives_the_same(self, trackside, matrix):
        found = trackside("stability", "--scores", matrix, "--splits", 7, "--seed", 2)
        assert found.out == ts.stability_of_scores(matrix, splits=7, seed=2).to_csv()
        found = trackside("stability", "--scores", matrix, "--splits", 7, "--swaps")
        assert found.out == ts.swaps_of_scores(matrix, splits=7).to_csv()

    def test_runs_are_scored_first(self, trackside, ten_topics):
        qrels, runs = ten_topics
        found = trackside("stability", qrels, *runs, "-m", "P@1", "--splits", 50)
        assert len(rows(found)) == 5
        assert found.out == ts.stability(qrels, runs, "P@1", splits=50).to_csv()
        found = trackside("stability", qrels, *runs, "-m", "P@1", "--swaps")
        assert found.out == ts.swaps(qrels, runs, "P@1").to_csv()

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--seed", -1), "--seed: it must not be negative"),
            (("--splits", 0), "--splits: '0' is not a whole number from 1 to 100,000"),
            (("--splits", 100_001), "'100001' is not a whole number from 1 to 100,000"),
            (("-m", "AP"), "--scores replaces QRELS, RUN and -m"),
        ],
    )
    def test_bad_arguments(self, trackside, matrix, options, words):
        found = trackside("stability", "--scores", matrix, *options)
        assert (found.status, found.out) == (2, "")
        assert words in found.err

    def test_the_library_has_the_same_limit(self, matrix):
        message = "splits: 100001 is not a whole number from 1 to 100,000"
        for compute in (ts.stability_of_scores, ts.swaps_of_scores):
            with pytest.raises(ts.BadInput, match=message):
                compute(matrix, splits=100_001)

    def test_a_note_says_where_tau_is_not_defined(self, trackside):
        """The runs differ on one topic, so one half always ranks them equally."""
        scores = np.array([SCORES[0], SCORES[0] + np.eye(1, 10)[0] / 10])
        matrix = trackside.write("equal.csv", as_csv(scores))
        found = trackside("stability", "--scores", matrix)
        why = "tau is not defined for 1, 2, 3, 4, 5 topics in each half: in most splits, one half"
        assert found.err == f"note: {why} ranks all runs equally.\n"
        assert {row["tau"] for row in rows(found)} == {""}
        with pytest.warns(UserWarning, match=why):
            assert ts.stability_of_scores(matrix).to_csv() == found.out
        assert trackside("stability", "--scores", matrix, "--swaps").err == ""

    @pytest.mark.parametrize(
        ("scores", "why"),
        [
            (SCORES[:, :2], "10 topics or more are needed, and there are 2."),
            (SCORES[:, :9], "10 topics or more are needed, and there are 9."),
            (SCORES[[0, 0]], "Any two runs differ by the same on all topics, so all halves rank"),
            (SCORES[:1] + np.array([[0], [0.1]]), "Any two runs differ by the same on all topics"),
        ],
    )
    def test_a_note_says_why_halves_say_nothing(self, trackside, scores, why):
        matrix = trackside.write("few.csv", as_csv(scores))
        found = trackside("stability", "--scores", matrix)
        why = f"the agreement of halves is unknown. {why}"
        assert found.err.startswith(f"note: {why}")
        of_tau = rows(found)
        cells = [[row[name] for name in ("tau", "tau_lowest", "tau_highest")] for row in of_tau]
        assert cells == [["", "", ""]] * (scores.shape[1] // 2)
        with pytest.warns(UserWarning, match=why):
            assert ts.stability_of_scores(matrix).to_csv() == found.out
        found = trackside("stability", "--scores", matrix, "--swaps")
        assert found.err.startswith(f"note: {why}")
        assert [row["topics"] for row in rows(found)] == [row["topics"] for row in of_tau]
        assert {cell for row in rows(found) for cell in list(row.values())[1:]} == {""}
        with pytest.warns(UserWarning, match=why):
            assert ts.swaps_of_scores(matrix).to_csv() == found.out

    def test_one_run_or_one_topic_is_refused(self, trackside):
        for content, words in [("a\n1\n0\n", "not 1 and 2"), ("a,b\n1,0\n", "not 2 and 1")]:
            found = trackside("stability", "--scores", trackside.write("small.csv", content))
            assert (found.status, found.out) == (2, "")
            assert words in found.err


class TestTopics:
    @pytest.fixture
    def matrix(self, trackside):
        return trackside.write("matrix.csv", as_csv(SIX_TOPICS))

    def test_needed_topics_of_a_matrix(self, trackside, matrix):
        (found,) = rows(trackside("topics", "--scores", matrix, "--difference", 0.2))
        required = Requirement(0.2)
        variance = np.var(SIX_TOPICS, axis=1, ddof=1).mean()
        differences = [SIX_TOPICS[a] - SIX_TOPICS[b] for a, b in ((0, 1), (0, 2), (1, 2))]
        of_differences = np.mean([np.var(d, ddof=1) for d in differences])
        assert float(found["variance"]) == pytest.approx(variance, abs=1e-12)
        assert float(found["variance_of_differences"]) == pytest.approx(of_differences, abs=1e-12)
        assert int(found["t_test"]) == topics_for_t(of_differences, required)
        assert int(found["anova"]) == topics_for_anova(3, variance, required)
        assert [found[name] for name in ("measure", "runs", "pairs", "topics", "compared")] == [
            "", "3", "3", "6", "3",
        ]  # fmt: skip
        low, high = variance_interval(of_differences, 6)
        assert float(found["variance_of_differences_low"]) == pytest.approx(low, abs=1e-12)
        assert int(found["t_test_high"]) == topics_for_t(high, required)
        assert int(found["anova_low"]) == topics_for_anova(
            3, variance_interval(variance, 6)[0], required
        )

    def test_the_anova_may_be_of_other_runs_than_those_measured(self, trackside, matrix):
        given = ("--difference", 0.2, "--compared", 10)
        (found,) = rows(trackside("topics", "--scores", matrix, *given))
        assert (found["runs"], found["compared"]) == ("3", "10")
        variance = float(found["variance"])
        assert int(found["anova"]) == topics_for_anova(10, variance, Requirement(0.2))

    def test_one_row_for_each_measure(self, trackside):
        qrels = trackside.write("judged", "".join(f"{topic} 0 A 1\n" for topic in range(5)))
        runs = [
            trackside.write("half", "".join(f"{n} Q0 {'AB'[n % 2]} 1 1 half\n" for n in range(5))),
            trackside.write("last", "4 Q0 A 1 1 last\n"),
        ]
        measures = ["P@1", "RBP(p=0.8)"]
        given = [word for name in measures for word in ("-m", name)]
        found = trackside("topics", qrels, *runs, *given, "--difference", 0.1)
        assert [row["measure"] for row in rows(found)] == measures
        same = ts.needed_topics(qrels, runs, measures, difference=0.1)
        assert found.out == same.to_csv()

    def test_a_variance_takes_the_place_of_data(self, trackside):
        given = ("--variance", 0.05, "--compared", 10, "--difference", 0.1)
        (found,) = rows(trackside("topics", *given))
        assert (found["anova"], found["anova_nagata"], found["compared"]) == ("158", "157", "10")
        unknown = ("runs", "pairs", "topics", "variance_low", "t_test_high")
        assert {found[name] for name in unknown} == {""}
        assert float(found["variance_of_differences"]) == 0.1
        same = ts.needed_topics_of_variance(0.05, compared=10, difference=0.1)
        assert trackside("topics", *given).out == same.to_csv()

    @pytest.mark.parametrize("second", [0.0, 0.1])
    def test_equal_differences_have_no_variance_for_a_t_test(self, trackside, second):
        scores = SIX_TOPICS[0] + np.array([[0], [second]])
        matrix = trackside.write("same.csv", as_csv(scores))
        found = trackside("topics", "--scores", matrix, "--difference", 0.05)
        why = "any two runs differ by the same on all topics. Without a variance no number of "
        assert found.err == f"note: {why}topics follows for the t test.\n"
        (row,) = rows(found)
        assert (row["t_test"], row["t_test_nagata"]) == ("", "")
        assert float(row["variance_of_differences"]) == 0
        assert int(row["anova"]) == topics_for_anova(2, float(row["variance"]), Requirement(0.05))
        with pytest.warns(UserWarning, match=why):
            assert ts.needed_topics_of_scores(matrix, difference=0.05).to_csv() == found.out

    def test_without_any_variance_no_test_has_an_answer(self, trackside):
        matrix = trackside.write("same.csv", as_csv(np.full((2, 6), 0.1)))
        found = trackside("topics", "--scores", matrix, "--difference", 0.05)
        assert "each run has the same score on all topics" in found.err
        (row,) = rows(found)
        assert {row[name] for name in ("t_test", "anova", "anova_nagata")} == {""}
        assert float(row["variance"]) == 0

    @pytest.mark.parametrize(("runs", "topics"), [(1, 6), (2, 2), (3, 4)])
    def test_too_few_scores_are_refused(self, trackside, runs, topics):
        matrix = trackside.write("few.csv", as_csv(SIX_TOPICS[:runs, :topics]))
        found = trackside("topics", "--scores", matrix, "--difference", 0.05)
        least = "2 runs and 5 topics or more are needed to measure a variance"
        assert (found.status, found.out) == (2, "")
        assert found.err == f"{least}, not {runs} and {topics}\n"
        with pytest.raises(ts.BadInput, match=least):
            ts.needed_topics_of_scores(matrix, difference=0.05)

    @pytest.mark.parametrize("level", [0, 1, -1, "nan"])
    def test_a_level_lies_between_0_and_1(self, trackside, matrix, level):
        given = ("--difference", 0.1, "--level", level)
        for source in (("--scores", matrix), ("--variance", 0.1)):
            found = trackside("topics", *source, *given)
            assert (found.status, found.out) == (2, "")
            assert f"--level: '{level}' is not a number between 0 and 1" in found.err
        with pytest.raises(ts.BadInput, match=r"^level: it must lie between 1e-09 and 1"):
            ts.needed_topics_of_variance(0.1, difference=0.1, level=float(level))

    def test_too_many_topics_leave_the_cell_empty(self, trackside):
        found = trackside("topics", "--variance", 1, "--difference", 1e-5)
        (row,) = rows(found)
        assert row["t_test"] == row["anova"] == ""
        notes = "note: the t test needs more than {0}\nnote: ANOVA needs more than {0}\n"
        assert found.err == notes.format("10,000 topics.")
        with pytest.warns(UserWarning, match=r"(the t test|ANOVA) needs more than 10,000 topics"):
            assert np.isnan(ts.needed_topics_of_variance(1, difference=1e-5)["anova"][0])

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--difference", 0), "--difference: it must be a number above 0"),
            (("--difference", 0.1, "--level", 1e-300), "--level: it must lie between 1e-09 and 1"),
            (
                ("--difference", 0.1, "--compared", 99_999),
                "--compared: 99999 is not a whole",
            ),
            (("--difference", 0.1, "--power", 0.01), "--power: it must lie above level, up to"),
            (("--difference", 0.1, "--power", 0.9999999), "above level, up to 0.999999, not"),
            (("--difference", 0.1, "--compared", 1), "--compared: 1 is not"),
            (
                ("--difference", 0.1, "--variance", 1),
                "give either QRELS, RUN... and -m, or --scores",
            ),
            (("--difference", 0.1, "-m", "AP"), "leave them out"),
            (("--difference", 0.1, "--variance-of-differences", 1), "needs --variance"),
            ((), "--difference"),
        ],
    )
    def test_bad_arguments(self, trackside, matrix, options, words):
        found = trackside("topics", "--scores", matrix, *options)
        assert (found.status, found.out) == (2, "")
        assert words in found.err

    def test_a_variance_that_is_none(self, trackside):
        for variance in (0, -1, "nan"):
            found = trackside("topics", "--variance", variance, "--difference", 0.1)
            assert found.status == 2
            assert found.err == f"--variance: {float(variance)} is not a number above 0\n"
        given = ("--variance", 1, "--variance-of-differences", 0, "--difference", 0.1)
        found = trackside("topics", *given)
        assert found.err == "--variance-of-differences: 0.0 is not a number above 0\n"

    def test_the_library_names_its_arguments(self):
        for arguments, message in [
            ({"variance": 0.0, "difference": 0.1}, "variance: 0.0 is not a number above 0"),
            ({"variance": 1.0, "difference": 0.0}, "difference: it must be a number above 0"),
        ]:
            with pytest.raises(ts.BadInput, match=f"^{message}"):
                ts.needed_topics_of_variance(**arguments)

    def test_a_measure_without_topics_is_refused(self, trackside, runs):
        given = ("-m", "GMAP", "-m", "AP", "--difference", 0.1)
        found = trackside("topics", trackside.qrels, *runs, *given)
        assert found.status == 2
        assert "GMAP: it is one number over all topics" in found.err
