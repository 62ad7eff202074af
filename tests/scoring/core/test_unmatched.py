"""Ids of a run that differ from those of the qrels by a part at the end."""

import numpy as np
import pytest

from scoring.core.data.judgments import JudgmentTable, build_table
from scoring.core.data.unmatched import MAX_DOCUMENTS, LongerIds, first_cells, longer_ids


def table(*doc_ids: bytes) -> JudgmentTable:
    """Of two topics, which have these documents in turn."""
    return build_table(
        topics=("1", "2"),
        qrels_topics=("1", "2"),
        topic_index=np.arange(len(doc_ids), dtype=np.int32) % 2,
        doc_ids=np.array(doc_ids),
        grades=np.ones(len(doc_ids), np.int16),
        highest_grade=1,
    )


@pytest.mark.parametrize(
    ("judged", "run", "expected"),
    [
        ((b"A", b"B"), [(0, b"A-1"), (1, b"B-2"), (1, b"C-1")], LongerIds("run", "-", 2, 3)),
        ((b"A#0", b"B#1"), [(0, b"A"), (1, b"B")], LongerIds("qrels", "#", 2, 2)),
        ((b"a-b_c",), [(0, b"a-b_c_9")], LongerIds("run", "_", 1, 1)),
        ((b"A", b"B"), [(1, b"A-1"), (0, b"B-1")], None),  # of other topics
        ((b"A",), [(0, b"-1"), (0, b"A1")], None),
        ((b"A",), [], None),
    ],
)
def test_the_separator_that_helps_most(
    judged: tuple[bytes, ...], run: list[tuple[int, bytes]], expected: LongerIds | None
) -> None:
    assert longer_ids(table(*judged), run) == expected


def test_a_long_run_is_looked_at_in_part_whatever_the_order_of_its_lines() -> None:
    rows = np.repeat(np.array([2, -1, 0, 1], np.int32), 800)
    doc_ids = np.array([b"D%04d" % number for number in range(3_200)])
    expected = [(0, b"D%04d" % number) for number in range(1_600, 2_400)]
    expected += [(1, b"D%04d" % number) for number in range(2_400, 2_600)]
    assert len(expected) == MAX_DOCUMENTS
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(rows))
        assert first_cells(rows[order], doc_ids[order]) == expected
