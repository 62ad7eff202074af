"""Rankings meet the qrels: who is found, what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.data.alignment import PAST_END, UNJUDGED, align, align_beginnings, align_fully
from scoring.core.data.judgments import build_table, find_judgments
from scoring.core.data.ranking import hash_doc_ids, rank

pytestmark = pytest.mark.usefixtures("either_way")


def table_of(judgments, topics=("1", "2", "3"), highest_grade=2):
    """`judgments` are (topic, doc_id, grade)."""
    named = list(dict.fromkeys(topic for topic, _, _ in judgments))
    return build_table(
        topics=topics,
        qrels_topics=named,
        topic_index=np.array([named.index(topic) for topic, _, _ in judgments], np.int32),
        doc_ids=np.array([doc_id for _, doc_id, _ in judgments], "S"),
        grades=np.array([grade for _, _, grade in judgments], np.int64),
        highest_grade=highest_grade,
    )


def ranking_of(lists, width=None):
    """`lists`: topic -> document ids, best first."""
    flat = [doc_id for doc_ids in lists.values() for doc_id in doc_ids]
    lengths = [len(doc_ids) for doc_ids in lists.values()]
    return rank(
        topics=list(lists),
        topic_index=np.repeat(np.arange(len(lists), dtype=np.int32), lengths),
        doc_ids=np.array(flat, f"S{width}" if width else "S1" if not flat else "S"),
        retrieval_scores=-np.arange(len(flat), dtype=np.float64),
    )


QRELS = [
    ("1", b"A", 2),
    ("1", b"B", 0),
    ("1", b"C", -1),
    ("3", b"A", 1),
]


def test_every_rank_gets_what_the_judges_said():
    grades = align(
        ranking_of({"1": [b"B", b"A", b"C", b"X"], "3": [b"A"]}), table_of(QRELS), depth=5
    )
    assert grades.dtype == np.int8
    assert grades.tolist() == [
        [0, 2, UNJUDGED, UNJUDGED, PAST_END],
        [PAST_END] * 5,
        [1, PAST_END, PAST_END, PAST_END, PAST_END],
    ]


def test_rows_stand_in_the_campaigns_order_not_the_runs():
    grades = align(ranking_of({"3": [b"A"], "1": [b"A"]}), table_of(QRELS), depth=1)
    assert grades.tolist() == [[2], [PAST_END], [1]]


def test_topics_that_the_campaign_does_not_have_are_left_out():
    grades = align(ranking_of({"99": [b"A", b"B"], "1": [b"A"]}), table_of(QRELS), depth=2)
    assert grades.tolist() == [[2, PAST_END], [PAST_END] * 2, [PAST_END] * 2]


def test_documents_past_the_depth_are_not_looked_at():
    grades = align(ranking_of({"1": [b"X", b"A"], "3": [b"A", b"Y"]}), table_of(QRELS), depth=1)
    assert grades.tolist() == [[UNJUDGED], [PAST_END], [1]]


def test_a_topic_code_with_a_leading_zero_is_another_topic():
    grades = align(ranking_of({"01": [b"A"]}), table_of(QRELS), depth=1)
    assert grades.tolist() == [[PAST_END]] * 3


def test_a_depth_below_one_is_refused():
    with pytest.raises(ValueError, match="depth"):
        align(ranking_of({"1": [b"A"]}), table_of(QRELS), depth=0)


@pytest.mark.parametrize("width", [8, 16, 40])
def test_ids_of_another_width_are_the_same_ids(width):
    table = table_of([*QRELS, ("1", b"a-rather-long-document-id", 1)])
    grades = align(ranking_of({"1": [b"A", b"a-rather"]}, width), table, depth=2)
    assert grades[0].tolist() == [2, UNJUDGED]


def test_a_long_id_is_not_found_as_its_first_eight_bytes():
    table = table_of([("1", b"abcdefgh", 2)])
    grades = align(ranking_of({"1": [b"abcdefghi", b"abcdefgh"]}), table, depth=2)
    assert grades[0].tolist() == [UNJUDGED, 2]


def test_equal_hashes_are_told_apart_by_the_bytes():
    """All documents of a topic collide: every search must go on until the bytes agree."""
    table = table_of([("1", b"A", 2), ("1", b"B", 1), ("1", b"C", 0), ("2", b"C", 1)])
    slots = np.full(len(table.slots), -1, np.int32)
    slots[table.first_slots[:2]] = [0, 3]
    crowded = replace(table, slots=slots, next_in_slot=np.array([1, 2, -1, -1], np.int32))
    wanted = np.array([b"B", b"A", b"C", b"C", b"D"])
    rows = np.array([0, 0, 1, 0, 0], np.int32)
    places = find_judgments(crowded, rows=rows, doc_ids=wanted, hashes=np.zeros(5, np.uint64))
    assert places.tolist() == [1, 0, 3, 2, -1]


def test_counts_of_grades_leave_negative_judgments_out():
    table = table_of(QRELS)
    assert table.grade_counts.tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0]]
    assert sorted(table.grades.tolist()) == [UNJUDGED, 0, 1, 2]


def test_a_topic_with_negative_judgments_only_is_in_the_qrels_but_not_judged():
    table = table_of([("1", b"A", -1), ("2", b"A", 0)])
    assert table.is_judged_topic.tolist() == [False, True, False]


def test_a_grade_above_the_scale_is_refused_by_topic_and_document():
    with pytest.raises(ValueError, match=r"topic 2, document B has grade 3.* highest grade 2"):
        table_of([("1", b"A", 2), ("2", b"B", 3)])


def test_a_topic_of_the_qrels_that_the_campaign_lacks_is_refused_by_name():
    with pytest.raises(ValueError, match="does not have: 07"):
        table_of([("1", b"A", 2), ("07", b"B", 1)])


def test_a_document_judged_twice_is_refused():
    with pytest.raises(ValueError, match="topic 1, document A is judged twice"):
        table_of([("1", b"A", 1), ("2", b"A", 1), ("1", b"A", 0)])


@pytest.mark.parametrize("highest_grade", [0, -1, 128])
def test_the_highest_grade_must_fit_a_scale(highest_grade):
    with pytest.raises(ValueError, match="highest grade"):
        table_of([], highest_grade=highest_grade)


def test_qrels_without_judgments_know_nothing():
    table = table_of([])
    assert not table.is_judged_topic.any()
    assert align(ranking_of({"1": [b"A"]}), table, depth=1).tolist() == [
        [UNJUDGED],
        [PAST_END],
        [PAST_END],
    ]


doc_ids = st.sampled_from([b"A", b"B", b"longer-than-a-word", b"longer-than-a-wore", b"\xff" * 17])
topic_codes = st.sampled_from(["1", "2", "3"])


@given(
    judgments=st.dictionaries(st.tuples(topic_codes, doc_ids), st.integers(-2, 2)),
    lists=st.dictionaries(topic_codes | st.just("9"), st.lists(doc_ids, unique=True)),
    depth=st.integers(1, 6),
)
def test_it_is_the_look_up_in_a_dictionary(judgments, lists, depth):
    table = table_of([(topic, doc_id, grade) for (topic, doc_id), grade in judgments.items()])
    expected = []
    for topic in table.topics:
        found = [judgments.get((topic, doc_id), -1) for doc_id in lists.get(topic, [])][:depth]
        found = [max(grade, UNJUDGED) for grade in found]
        expected.append(found + [PAST_END] * (depth - len(found)))
    assert align(ranking_of(lists), table, depth=depth).tolist() == expected


def test_every_one_of_many_judgments_is_found_and_nothing_else():
    ids = np.char.add("doc-", np.arange(20_000).astype("U")).astype("S")
    rows = np.arange(20_000, dtype=np.int32) % 50
    table = build_table(
        topics=[str(topic) for topic in range(50)],
        qrels_topics=[str(topic) for topic in range(50)],
        topic_index=rows,
        doc_ids=ids,
        grades=np.ones(20_000, np.int64),
        highest_grade=1,
    )
    places = find_judgments(table, rows=rows, doc_ids=ids, hashes=hash_doc_ids(ids))
    assert np.array_equal(np.char.rstrip(table.doc_ids[places]), ids)
    elsewhere = (rows + 1) % 50
    missed = find_judgments(table, rows=elsewhere, doc_ids=ids, hashes=hash_doc_ids(ids))
    assert (missed == -1).all()


def tied_ranking():
    """Topic 1: A and B share a score, then C alone, then D, E and F; topic 2 is unknown."""
    return rank(
        topics=["1", "9"],
        topic_index=np.array([0, 0, 0, 0, 0, 0, 1], np.int32),
        doc_ids=np.array([b"A", b"B", b"C", b"D", b"E", b"F", b"A"]),
        retrieval_scores=np.array([3.0, 3, 2, 1, 1, 1, 0]),
    )


def test_every_cell_tells_whether_a_tied_group_begins_there():
    begins = align_beginnings(tied_ranking(), table_of(QRELS), depth=8)
    assert begins.dtype == np.bool_
    assert begins.astype(int).tolist() == [[1, 0, 1, 1, 0, 0, 1, 1], [1] * 8, [1] * 8]


def test_a_tied_group_is_cut_at_the_depth():
    begins = align_beginnings(tied_ranking(), table_of(QRELS), depth=4)
    assert begins[0].tolist() == [True, False, True, True]
    with pytest.raises(ValueError, match="depth"):
        align_beginnings(tied_ranking(), table_of(QRELS), depth=0)


def test_a_full_alignment_tells_the_pooled_from_the_unknown():
    aligned = align_fully(tied_ranking(), table_of(QRELS), depth=5)
    assert aligned.grades.tolist() == align(tied_ranking(), table_of(QRELS), depth=5).tolist()
    assert aligned.begins[0].tolist() == [True, False, True, True, False]
    assert aligned.grades[0].tolist() == [0, 2, UNJUDGED, UNJUDGED, UNJUDGED]
    assert aligned.pooled.tolist() == [[False, False, True, False, False], [False] * 5, [False] * 5]


def test_without_negative_judgments_nothing_is_pooled_and_unjudged():
    aligned = align_fully(tied_ranking(), table_of([("1", b"A", 1)]), depth=3)
    assert not aligned.pooled.any()
