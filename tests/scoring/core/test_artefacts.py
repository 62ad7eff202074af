"""Blobs come back as they went in, or say what is wrong with them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from scoring.core.data.artefacts import (
    ArtefactError,
    pack_grades,
    pack_ranking,
    pack_vector,
    unpack_doc_ids,
    unpack_grades,
    unpack_ranking,
    unpack_topic,
    unpack_vector,
)
from scoring.core.data.ranking import rank


def a_ranking():
    return rank(
        topics=["051", "tópico", "empty"],
        topic_index=np.array([0, 0, 0, 1], np.int32),
        doc_ids=np.array([b"A", b"B", b"longer-than-a-word", b"\xc3\xa9"]),
        retrieval_scores=np.array([1.0, 1.0, 0.5, 7.0]),
    )


BLOBS = [
    (unpack_ranking, pack_ranking(a_ranking())),
    (unpack_grades, pack_grades(np.array([[1, -1], [-128, -128]], np.int8))),
    (unpack_vector, pack_vector(np.array([0.5, np.nan]))),
]


def test_a_ranking_comes_back_whole():
    ranking = a_ranking()
    back = unpack_ranking(pack_ranking(ranking))
    assert back.topics == ranking.topics
    for column in ("lengths", "doc_ids", "hashes", "tie_groups"):
        before, after = getattr(ranking, column), getattr(back, column)
        assert before.dtype == after.dtype
        assert np.array_equal(before, after)
    assert back.tied_documents == ranking.tied_documents == 2


def test_the_same_run_has_the_same_bytes_however_wide_its_ids_were_read():
    columns = {
        "topics": ["1"],
        "topic_index": np.zeros(2, np.int32),
        "retrieval_scores": np.array([2.0, 1.0]),
    }
    narrow = rank(doc_ids=np.array([b"A", b"B"], "S1"), **columns)
    wide = rank(doc_ids=np.array([b"A", b"B"], "S64"), **columns)
    assert pack_ranking(narrow) == pack_ranking(wide)


def test_a_run_without_documents_comes_back():
    empty = rank(
        topics=[],
        topic_index=np.zeros(0, np.int32),
        doc_ids=np.zeros(0, "S8"),
        retrieval_scores=np.zeros(0),
    )
    assert unpack_ranking(pack_ranking(empty)).topics == ()


@given(arrays.arrays(np.int8, st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_grades_come_back(grades):
    assert np.array_equal(unpack_grades(pack_grades(grades)), grades)
    assert unpack_grades(pack_grades(grades)).shape == grades.shape


@given(arrays.arrays(np.float64, st.integers(0, 9)))
def test_vectors_come_back_bit_for_bit(values):
    assert unpack_vector(pack_vector(values)).tobytes() == values.tobytes()


def test_what_comes_back_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        unpack_vector(pack_vector(np.zeros(2)))[0] = 1


@pytest.mark.parametrize(("unpack", "blob"), BLOBS)
def test_every_cut_blob_is_refused(unpack, blob):
    for length in range(len(blob)):
        with pytest.raises(ArtefactError):
            unpack(blob[:length])


@pytest.mark.parametrize(("unpack", "blob"), BLOBS)
def test_bytes_added_at_the_end_are_refused(unpack, blob):
    with pytest.raises(ArtefactError):
        unpack(blob + b"\0")


@pytest.mark.parametrize(("unpack", "blob"), BLOBS)
def test_every_damaged_byte_is_noticed(unpack, blob):
    for place in range(len(blob)):
        damaged = bytearray(blob)
        damaged[place] ^= 0x41
        with pytest.raises(ArtefactError):
            unpack(bytes(damaged))


@pytest.mark.parametrize(("unpack", "blob"), BLOBS)
def test_another_format_version_is_refused_by_its_number(unpack, blob):
    with pytest.raises(ArtefactError, match="format version 2"):
        unpack(blob[:8] + b"\2\0\0\0" + blob[12:])


def test_one_kind_is_not_taken_for_another():
    with pytest.raises(ArtefactError, match=r"expected .*TSVECT"):
        unpack_vector(pack_grades(np.zeros((1, 1), np.int8)))


def test_arrays_of_another_kind_are_not_packed():
    with pytest.raises(ValueError, match="int8"):
        pack_grades(np.zeros((1, 1), np.int16))
    with pytest.raises(ValueError, match="float64"):
        pack_vector(np.zeros(3, np.float32))


def test_the_layout_is_little_endian_and_documented():
    blob = pack_vector(np.array([1.0]))
    assert blob[:8] == b"TSVECT\r\n"
    assert blob[8:12] == b"\x01\0\0\0"
    assert blob[16:24] == b"\x01" + b"\0" * 7
    assert blob[32:] == b"\0\0\0\0\0\0\xf0\x3f"


def a_long_ranking(lengths=(3, 0, 700, 1, 5)):
    """Longer than what is inflated at a time."""
    random = np.random.default_rng(1)
    rows = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    return rank(
        topics=[f"t{number}" for number in range(len(lengths))],
        topic_index=rows,
        doc_ids=np.array([b"document-%06d" % number for number in random.permutation(len(rows))]),
        retrieval_scores=random.integers(0, 9, len(rows)).astype(float),
    )


@pytest.mark.parametrize("topic", ["t0", "t1", "t2", "t3", "t4", "none"])
def test_one_topic_is_that_of_the_whole_ranking(topic, monkeypatch):
    monkeypatch.setattr("scoring.core.data.artefacts._INFLATED", 100)
    monkeypatch.setattr("scoring.core.data.artefacts._FED", 50)
    whole = a_long_ranking()
    at = whole.topics.index(topic) if topic in whole.topics else 1
    part = slice(whole.offsets[at], whole.offsets[at + 1])
    found = unpack_topic(pack_ranking(whole), topic)
    assert found.topics == (topic,)
    for column in ("doc_ids", "hashes", "tie_groups"):
        assert np.array_equal(getattr(found, column), getattr(whole, column)[part])


def test_documents_are_found_at_their_cells_in_any_order():
    whole = a_long_ranking()
    cells = [("t4", 2), ("t2", 699), ("t0", 0), ("t2", 0), ("t1", 0), ("t9", 3), ("t2", 700)]
    found = unpack_doc_ids(pack_ranking(whole), cells)
    ids, firsts = whole.doc_ids, dict(zip(whole.topics, whole.offsets, strict=False))
    assert found == [
        ids[firsts["t4"] + 2], ids[firsts["t2"] + 699], ids[0], ids[firsts["t2"]], b"", b"", b"",
    ]  # fmt: skip


@pytest.mark.parametrize("spoil", [lambda blob: blob[:-9], lambda blob: blob[:60] + blob[61:]])
def test_a_damaged_ranking_gives_no_topic(spoil):
    with pytest.raises(ArtefactError):
        unpack_topic(spoil(pack_ranking(a_long_ranking())), "t0")
