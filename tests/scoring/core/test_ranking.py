"""Order, ties and depth: by score, then by document id descending as bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.data.ranking import hash_doc_ids, rank


def ranked(lines, **options):
    """`lines` are (topic, doc_id, retrieval_score) as a file has them."""
    topics = sorted({topic for topic, _, _ in lines})
    return rank(
        topics=topics,
        topic_index=np.array([topics.index(topic) for topic, _, _ in lines], np.int32),
        doc_ids=np.array([doc_id for _, doc_id, _ in lines], "S"),
        retrieval_scores=np.array([score for _, _, score in lines], np.float64),
        **options,
    )


def documents(ranking):
    """Topic -> its document ids in rank order."""
    ends = ranking.offsets
    return {
        topic: [bytes(doc_id) for doc_id in ranking.doc_ids[ends[i] : ends[i + 1]]]
        for i, topic in enumerate(ranking.topics)
    }


def one_topic(*pairs, **options):
    return documents(ranked([("1", doc_id, score) for doc_id, score in pairs], **options))["1"]


def test_higher_scores_come_first_whatever_the_order_of_the_lines():
    assert one_topic((b"low", 1.0), (b"high", 3.0), (b"middle", 2.0)) == [
        b"high",
        b"middle",
        b"low",
    ]


def test_equal_scores_are_ordered_by_document_id_descending():
    assert one_topic((b"A", 1.0), (b"C", 1.0), (b"B", 1.0)) == [b"C", b"B", b"A"]


def test_a_longer_id_beats_its_own_beginning():
    assert one_topic((b"doc", 1.0), (b"doc1", 1.0)) == [b"doc1", b"doc"]


def test_ids_compare_as_unsigned_bytes():
    assert one_topic((b"z", 1.0), (b"\xc3\xa9", 1.0), (b"Z", 1.0)) == [b"\xc3\xa9", b"z", b"Z"]


def test_ids_that_differ_only_far_behind_are_ordered():
    stem = b"clueweb12-0000tw-00-"
    ids = [stem + b"00002", stem + b"00010", stem + b"00001"]
    assert one_topic(*[(doc_id, 0.5) for doc_id in ids]) == [ids[1], ids[0], ids[2]]


def test_negative_zero_ties_with_zero():
    assert one_topic((b"A", 0.0), (b"B", -0.0)) == [b"B", b"A"]


def test_scores_are_compared_in_double_precision():
    assert one_topic((b"Z", 16777216.0), (b"A", 16777217.0)) == [b"A", b"Z"]


def test_infinite_scores_have_a_place():
    assert one_topic((b"A", -np.inf), (b"B", 0.0), (b"C", np.inf)) == [b"C", b"B", b"A"]


def test_the_best_documents_are_kept_when_the_depth_is_limited():
    ranking = ranked(
        [("1", b"A", 1.0), ("1", b"B", 2.0), ("1", b"C", 3.0), ("2", b"A", 1.0)], max_depth=2
    )
    assert documents(ranking) == {"1": [b"C", b"B"], "2": [b"A"]}
    assert ranking.lengths.tolist() == [2, 1]


def test_tie_groups_name_the_position_of_their_first_document():
    ranking = ranked(
        [
            ("1", b"A", 3.0),
            ("1", b"B", 2.0),
            ("1", b"C", 2.0),
            ("1", b"D", 1.0),
            ("2", b"A", 1.0),
            ("2", b"B", 1.0),
        ]
    )
    assert ranking.tie_groups.tolist() == [0, 1, 1, 3, 0, 0]
    assert ranking.tied_documents == 4


def test_the_same_score_in_the_next_topic_is_no_tie():
    ranking = ranked([("1", b"A", 1.0), ("2", b"B", 1.0)])
    assert ranking.tied_documents == 0
    assert documents(ranking) == {"1": [b"A"], "2": [b"B"]}


def test_a_topic_without_documents_is_kept_empty():
    ranking = rank(
        topics=["1", "2"],
        topic_index=np.array([1], np.int32),
        doc_ids=np.array([b"A"]),
        retrieval_scores=np.array([1.0]),
    )
    assert documents(ranking) == {"1": [], "2": [b"A"]}


def test_a_run_without_any_document_is_a_ranking():
    ranking = rank(
        topics=[],
        topic_index=np.zeros(0, np.int32),
        doc_ids=np.zeros(0, "S8"),
        retrieval_scores=np.zeros(0),
    )
    assert ranking.max_length == ranking.tied_documents == 0


def test_the_run_keeps_its_own_topic_order():
    ranking = rank(
        topics=["30", "4"],
        topic_index=np.array([0, 1], np.int32),
        doc_ids=np.array([b"A", b"B"]),
        retrieval_scores=np.array([1.0, 2.0]),
    )
    assert ranking.topics == ("30", "4")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"retrieval_scores": np.array([1.0, np.nan])}, "not a number"),
        ({"retrieval_scores": np.array([1.0, 2.0], np.float32)}, "float64"),
        ({"retrieval_scores": np.array([1.0])}, "one entry per line"),
        ({"topic_index": np.array([0, 1], np.int32)}, "outside"),
        ({"topic_index": np.array([0, -1], np.int32)}, "outside"),
        ({"doc_ids": np.array(["A", "B"])}, "bytes"),
        ({"topics": ["1", "1"]}, "twice"),
        ({"max_depth": 0}, "max_depth"),
    ],
)
def test_columns_that_make_no_run_are_refused(change, message):
    columns = {
        "topics": ["1"],
        "topic_index": np.zeros(2, np.int32),
        "doc_ids": np.array([b"A", b"B"]),
        "retrieval_scores": np.array([2.0, 1.0]),
    }
    with pytest.raises(ValueError, match=message):
        rank(**(columns | change))


ids = st.binary(min_size=1, max_size=20).filter(lambda doc_id: b"\0" not in doc_id)
retrieval_scores = st.sampled_from([-1.5, -0.0, 0.0, 1.0, 1.0 + 2**-52, 1e300]) | st.floats(
    allow_nan=False
)
runs = st.dictionaries(st.tuples(st.sampled_from("123"), ids), retrieval_scores, min_size=1)


def naive(lines, max_depth):
    """trec_eval's order, said in Python: two stable sorts."""
    found = {}
    for topic in sorted({topic for topic, _, _ in lines}):
        own = [(doc_id, score) for t, doc_id, score in lines if t == topic]
        own.sort(key=lambda pair: pair[0], reverse=True)
        own.sort(key=lambda pair: pair[1], reverse=True)
        found[topic] = [doc_id for doc_id, _ in own][:max_depth]
    return found


@given(run=runs, max_depth=st.none() | st.integers(1, 4))
def test_it_is_the_order_of_two_plain_sorts(run, max_depth):
    lines = [(topic, doc_id, score) for (topic, doc_id), score in run.items()]
    assert documents(ranked(lines, max_depth=max_depth)) == naive(lines, max_depth)


@given(run=runs, data=st.data())
def test_shuffled_lines_give_the_same_ranking(run, data):
    lines = [(topic, doc_id, score) for (topic, doc_id), score in run.items()]
    one, other = ranked(sorted(lines)), ranked(data.draw(st.permutations(lines)))
    assert documents(one) == documents(other)
    assert one.tie_groups.tolist() == other.tie_groups.tolist()
    assert one.hashes.tolist() == other.hashes.tolist()


@given(run=runs)
def test_documents_tie_exactly_when_their_scores_are_equal(run):
    lines = [(topic, doc_id, score) for (topic, doc_id), score in run.items()]
    ranking = ranked(lines)
    shared = sum(
        any(t == topic and s == score and d != doc_id for t, d, s in lines)
        for topic, doc_id, score in lines
    )
    assert ranking.tied_documents == shared


@given(st.lists(ids, min_size=1))
def test_the_hash_of_an_id_does_not_depend_on_its_padding(doc_ids):
    narrow, wide = np.array(doc_ids, "S"), np.array(doc_ids, "S64")
    assert hash_doc_ids(narrow).tolist() == hash_doc_ids(wide).tolist()
    alone = [int(hash_doc_ids(np.array([doc_id]))[0]) for doc_id in doc_ids]
    assert hash_doc_ids(wide).tolist() == alone


def test_half_a_million_ids_have_as_many_hashes():
    numbers = np.arange(500_000)
    doc_ids = np.char.add("FBIS3-", numbers.astype("U")).astype("S")
    assert len(np.unique(hash_doc_ids(doc_ids))) == len(numbers)


def test_the_hash_is_what_it_was():
    """Tables and rankings made by different processes must agree."""
    assert [hex(h) for h in hash_doc_ids(np.array([b"a", b"FBIS3-12345"]))] == [
        "0xf3051f493b3903f5",
        "0xafedcfe2bb844c4b",
    ]
