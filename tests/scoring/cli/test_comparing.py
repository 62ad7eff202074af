"""`agreement` and `ranks` on the command line."""

import csv
import io

import numpy as np
import pytest

import trackside as ts
from tests.scoring.core.test_rank_sets import with_a_large_critical_value

# Four systems over five topics.
MATRIX = """\
topic,a,b,c,d
1,.9,.5,.1,.9
2,.8,.6,.2,.8
3,.7,.4,.1,.7
4,.9,.1,.3,.9
5,.8,.2,.2,.8
"""


def rows(found):
    assert found.status == 0, found.err
    return list(csv.DictReader(io.StringIO(found.out)))


@pytest.fixture
def runs(trackside):
    """Three runs of which the first is the best by RR, the second by R@3, the third never."""
    return [
        trackside.write("one", "1 Q0 A 1 3 one\n1 Q0 B 2 2 one\n10 Q0 F 1 1 one\n"),
        trackside.write("two", "1 Q0 B 1 3 two\n1 Q0 A 2 2 two\n1 Q0 C 3 1 two\n10 Q0 F 1 1 two\n"),
        trackside.write("three", "1 Q0 B 1 3 three\n3 Q0 X 1 1 three\n3 Q0 E 2 0 three\n"),
    ]


class TestAgreement:
    def test_one_row_a_pair_of_measures_as_asked(self, trackside, runs):
        found = rows(
            trackside("agreement", trackside.qrels, *runs, "-m", "R@3", "-m", "AP", "-m", "RR")
        )
        assert [(r["measure_a"], r["measure_b"]) for r in found] == [
            ("R@3", "AP"),
            ("R@3", "RR"),
            ("AP", "RR"),
        ]

    def test_the_figures(self, trackside, runs):
        (row,) = rows(trackside("agreement", trackside.qrels, *runs, "-m", "R@3", "-m", "RR"))
        # R@3: two, one, three; RR: one, two, three
        assert float(row["tau"]) == float(row["tau_b"]) == pytest.approx(1 / 3)
        assert float(row["tau_ap"]) == pytest.approx(2 * (0 + 1) / 2 - 1)
        p = 0.9
        expected = (1 - p) * (p + p**2) + p**3
        assert float(row["rbo"]) == pytest.approx(expected, abs=1e-12)

    def test_the_persistence_of_the_overlap(self, trackside, runs):
        arguments = ("agreement", trackside.qrels, *runs, "-m", "R@3", "-m", "RR", "--rbo-p", 0.5)
        assert float(rows(trackside(*arguments))[0]["rbo"]) == pytest.approx(0.5, abs=1e-12)

    def test_lower_may_be_better(self, trackside, runs):
        found = trackside("agreement", trackside.qrels, *runs[:2], "-m", "RR", "-m", "ESL(n=1)")
        assert float(rows(found)[0]["tau"]) == 1

    def test_ties_part_tau_from_tau_b(self, trackside, runs):
        # P@2: one and two are equal, three is worse; R@3: two, one, three
        (row,) = rows(trackside("agreement", trackside.qrels, *runs, "-m", "P@2", "-m", "R@3"))
        assert float(row["tau"]) == pytest.approx(2 / 3)
        assert float(row["tau_b"]) == pytest.approx(2 / (2 * 3) ** 0.5)

    def test_all_bad_files_are_told(self, trackside, runs):
        bad = trackside.write("bad", "1 Q0\n")
        found = trackside("agreement", trackside.qrels, *runs, bad, "-m", "AP", "-m", "RR")
        assert (found.status, found.out) == (2, "")
        assert found.err.startswith(f"{bad}: line 1: FIELDS ")


class TestRanks:
    @pytest.fixture
    def matrix(self, trackside):
        return trackside.write("matrix.csv", MATRIX)

    def test_one_row_a_run_the_best_first(self, trackside, matrix):
        found = rows(trackside("ranks", "--scores", matrix))
        assert [row["run"] for row in found] == ["a", "d", "b", "c"]
        assert [row["rank"] for row in found] == ["1", "1", "3", "4"]
        assert [float(row["mean"]) for row in found] == pytest.approx([0.82, 0.82, 0.36, 0.18])
        assert [float(row["first_share"]) for row in found] == [0.5, 0.5, 0, 0]
        assert [(row["rank_best"], row["rank_worst"]) for row in found[:2]] == [("1", "1")] * 2
        assert {row["possible_best"] for row in found} == {""}

    def test_rank_sets_of_all_pairs(self, trackside):
        """a leads by .25 to .75, and the others differ by up to .1 in either direction."""
        noise = [1, 2, 3, 4, 5, 2, 3, 4, 3] * 2
        lines = [f"{n},{0.5 + d / 10},{0.5 - e / 20},{0.5 - d / 20}" for n, (d, e) in enumerate(
            zip(noise, reversed(noise), strict=True)
        )]  # fmt: skip
        matrix = trackside.write("wide.csv", "\n".join(["topic,a,b,c", *lines]) + "\n")
        for correction in ("max-t", "holm"):
            found = rows(trackside("ranks", "--scores", matrix, "--correction", correction))
            sets = [(row["run"], row["rank_set_best"], row["rank_set_worst"]) for row in found]
            assert sets == [("a", "1", "1"), ("b", "2", "3"), ("c", "2", "3")]

    def test_a_note_says_why_there_are_no_rank_sets(self, trackside):
        few = trackside.write("few.csv", "a,b\n1,0\n0,.9\n" + ".6,.6\n" * 7)
        found = trackside("ranks", "--scores", few)
        why = "there are no rank sets. The differences between runs have no spread, or only on a "
        assert found.err == f"note: {why}few topics.\n"
        assert {row["rank_set_best"] for row in rows(found)} == {""}
        assert {row["rank_worst"] for row in rows(found)} == {"2"}
        with pytest.warns(UserWarning, match=why):
            assert np.isnan(ts.ranks_of_scores(few)["rank_set_worst"]).all()

    def test_a_note_says_that_rank_sets_are_wide(self, trackside):
        scores = dict(zip("abcd", with_a_large_critical_value().tolist(), strict=True))
        lines = [",".join(map(str, row)) for row in zip(*scores.values(), strict=True)]
        matrix = trackside.write("wide.csv", "\n".join(["a,b,c,d", *lines]) + "\n")
        found = trackside("ranks", "--scores", matrix)
        assert found.err.startswith(
            "note: Of the pairs of runs, bootstrap max-t finds 1 significant,"
        )
        assert len(rows(found)) == 4
        with pytest.warns(UserWarning, match="Rank sets by Holm's correction are narrower"):
            ts.ranks_of_scores(scores)
        assert trackside("ranks", "--scores", matrix, "--correction", "holm").err == ""

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("a,b\n1,0\n", "5 topics or more are needed, and there are 1."),
            ("a,b\n1,0\n.5,.6\n", "5 topics or more are needed, and there are 2."),
            ("a\n1\n.5\n.6\n.4\n.2\n", "Two runs or more are needed."),
            ("a,b\n" + ".3,.3\n" * 5, "Any two runs differ by the same on all topics"),
            ("a,b\n1,.9\n.5,.4\n.6,.5\n.4,.3\n.2,.1\n", "Any two runs differ by the same"),
        ],
    )
    def test_a_note_says_why_there_are_no_ranges(self, trackside, text, why):
        small = trackside.write("small.csv", text)
        found = trackside("ranks", "--scores", small)
        assert found.err.startswith(f"note: there are no ranges of ranks and no rank sets. {why}")
        for row in rows(found):
            assert {row[name] for name in ("rank_best", "rank_worst", "first_share")} == {""}
            assert {row["rank_set_best"], row["rank_set_worst"]} == {""}
            assert row["rank"]
        with pytest.warns(UserWarning, match=f"no ranges of ranks and no rank sets. {why}"):
            assert ts.ranks_of_scores(small).to_csv() == found.out

    def test_the_library_gives_the_same(self, trackside, matrix):
        options = {"samples": 500, "seed": 7, "level": 0.5, "correction": "holm"}
        given = [word for name, value in options.items() for word in (f"--{name}", value)]
        found = trackside("ranks", "--scores", matrix, *given)
        assert found.out == ts.ranks_of_scores(matrix, **options).to_csv()
        assert found.out != trackside("ranks", "--scores", matrix).out

    def test_unjudged_documents_leave_ranks_possible(self, trackside):
        qrels = trackside.write("judged", "1 0 A 1\n2 0 B 1\n")
        sure = trackside.write("sure", "1 Q0 A 1 3 sure\n2 Q0 B 1 3 sure\n")
        open_ = trackside.write("open", "1 Q0 X 1 3 open\n2 Q0 B 1 3 open\n")
        found = rows(trackside("ranks", qrels, sure, open_, "-m", "P@1"))
        assert [row["run"] for row in found] == ["sure", "open"]
        assert [row["possible_worst"] for row in found] == ["1", "2"]
        assert [row["possible_best"] for row in found] == ["1", "1"]

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--samples", 1), "--samples: '1' is not a whole number from 2 to 1,000,000"),
            (("--samples", 1_000_001), "'1000001' is not a whole number from 2 to 1,000,000"),
            (("--samples", "9" * 5000), "is not a whole number from 2 to 1,000,000"),
            (("--samples", "x"), "--samples: 'x' is not a whole number from 2 to 1,000,000"),
            (("--seed", -1), "--seed: it must not be negative"),
            (("--samples", 18), "--samples: 18 are too few, rank sets of a level of 0.95 need 19"),
            (("--level", 0), "--level: '0' is not a number between 0 and 1"),
            (("--level", 1), "--level: '1' is not a number between 0 and 1"),
            (("--correction", "bh"), "invalid choice: 'bh'"),
            (("-m", "AP"), "--scores replaces QRELS, RUN and -m"),
        ],
    )
    def test_bad_arguments(self, trackside, matrix, options, words):
        found = trackside("ranks", "--scores", matrix, *options)
        assert (found.status, found.out) == (2, "")
        assert words in found.err

    def test_the_library_has_the_same_limits(self, matrix):
        for samples in (1, 1_000_001):
            with pytest.raises(ts.BadInput, match=f"samples: {samples} is .* from 2 to 1,000,000"):
                ts.ranks_of_scores(matrix, samples=samples)
        for level in (0, 1):
            with pytest.raises(ts.BadInput, match=f"level: {level} is not a number between 0 and"):
                ts.ranks_of_scores(matrix, level=level)
        with pytest.raises(ts.BadInput, match="correction: 'bh' is not max-t or holm"):
            ts.ranks_of_scores(matrix, correction="bh")

    def test_without_a_topic_there_are_no_ranks(self):
        with pytest.raises(ts.BadInput, match="one topic or more are needed, not 2 and 0"):
            ts.ranks_of_scores({"a": [], "b": []})

    def test_scores_between_semicolons_have_decimal_points(self, trackside):
        text = "topic,a,b\n1,.1,.2\n2,.3,.1\n3,.5,.2\n"
        by_comma = trackside("ranks", "--scores", trackside.write("a.csv", text))
        table = text.replace(",", ";")
        found = trackside("ranks", "--scores", trackside.write("b.csv", table))
        assert (found.status, found.out) == (0, by_comma.out)
        found = trackside("ranks", "--scores", trackside.write("c.csv", table.replace(".2", "0,2")))
        assert found.status == 2
        assert (
            "c.csv: line 2: SCORE score is not a finite decimal number: write a point, not a comma "
            "(field 3: '0,2')" in found.err
        )

    def test_a_geometric_mean_has_no_topics(self, trackside, runs):
        found = trackside("ranks", trackside.qrels, *runs, "-m", "GMAP")
        assert found.status == 2
        assert "one number over all topics" in found.err
