"""Judgments of other pools: which are kept, what grades they give, and whose alone they are."""

import numpy as np

from scoring.core.data.alignment import PAST_END, UNJUDGED, align
from scoring.core.judging.pooled_judgments import (
    NOWHERE,
    counts_under,
    first_positions,
    grades_after,
    grades_under,
    judged_places,
    losses_of,
    sole_owners,
)
from tests.scoring.core.rankings import ranking
from tests.scoring.core.test_alignment import table_of

# By place: a 0, b 1, c 2, d 3 of topic 1; a 4 of topic 2.
TABLE = table_of([("1", "a", 1), ("1", "b", 2), ("1", "c", 0), ("1", "d", -1), ("2", "a", 1)])
ONE = judged_places(ranking({"2": ["x", "a"], "1": ["b", "x", "a"], "9": ["a"]}), TABLE)
TWO = judged_places(ranking({"1": ["x", "d", "b"]}), TABLE)


def test_the_best_position_of_each_judged_document_is_found() -> None:
    assert first_positions([ONE, TWO], 5).tolist() == [2, 0, NOWHERE, 1, 1]


def test_grades_under_all_judgments_are_those_of_an_alignment() -> None:
    everything = np.ones((1, 5), bool)
    run = ranking({"2": ["x", "a"], "1": ["b", "x", "a"], "9": ["a"]})
    assert np.array_equal(grades_under(ONE, TABLE, everything)[0], align(run, TABLE, depth=3))
    assert np.array_equal(counts_under(TABLE, everything)[0], TABLE.grade_counts)


def test_what_is_not_kept_is_unjudged_and_not_counted() -> None:
    kept = np.array([[False, True, True, True, False], [True, False, False, True, True]])
    grades = grades_under(ONE, TABLE, kept)
    assert grades[0].tolist() == [
        [2, UNJUDGED, UNJUDGED],
        [UNJUDGED, UNJUDGED, PAST_END],
        [PAST_END, PAST_END, PAST_END],
    ]
    assert grades[1, 0].tolist() == [UNJUDGED, UNJUDGED, 1]
    assert counts_under(TABLE, kept)[:, 0].tolist() == [[1, 0, 1], [0, 1, 0]]


def test_a_document_is_a_teams_own_where_no_other_has_it_above_the_depth() -> None:
    assert sole_owners([ONE, TWO], [0, 1], 5, depth=3).tolist() == [0, -1, -1, 1, 0]
    assert sole_owners([ONE, TWO], [0, 1], 5, depth=2).tolist() == [-1, 0, -1, 1, 0]
    assert sole_owners([ONE, TWO], [0, 0], 5, depth=3).tolist() == [0, 0, -1, 0, 0]
    assert sole_owners([ONE, TWO, ONE], [0, 1, 0], 5, depth=3).tolist() == [0, -1, -1, 1, 0]


def test_with_an_owner_go_its_judgments_and_their_counts() -> None:
    """As if the same rows were kept by `grades_under`; a document nobody judged is no loss."""
    owners = np.array([0, 1, -1, 1, 0], np.int32)
    losses = losses_of(owners, TABLE)
    assert list(zip(losses.owner.tolist(), losses.row.tolist(), strict=True)) == [
        (0, 0), (0, 1), (1, 0),
    ]  # fmt: skip
    kept = np.array([owners != 0, owners != 1])
    for run in (ONE, TWO):
        expected = grades_under(run, TABLE, kept)[losses.owner, losses.row]
        assert np.array_equal(grades_after(run, TABLE, losses), expected)
    assert np.array_equal(losses.grade_counts, counts_under(TABLE, kept)[losses.owner, losses.row])


def test_nobody_loses_what_nobody_owns() -> None:
    losses = losses_of(np.full(5, -1, np.int32), TABLE)
    assert grades_after(ONE, TABLE, losses).shape == (0, 3)
