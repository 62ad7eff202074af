"""Documents named twice in a topic, wherever in a long run they stand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.trec import records
from campaigns.trec.columns import LARGE_BYTES, ColumnStack, DocColumn

pytestmark = pytest.mark.usefixtures("either_way")


def again_and_first(topics: list[int], docs: list[str]) -> list[tuple[int, int]]:
    """The literal twin: rows that name a document of their topic again, and who did first."""
    seen: dict[tuple[int, str], int] = {}
    named = zip(topics, docs, strict=True)
    found = [(row, seen.setdefault(pair, row)) for row, pair in enumerate(named)]
    return [(row, first) for row, first in found if row != first]


@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abcdefgh")), max_size=60),
    part_rows=st.integers(1, 20),
    stand_together=st.booleans(),
)
def test_they_are_found_however_the_run_is_parted(
    rows: list[tuple[int, str]], part_rows: int, stand_together: bool
) -> None:
    if stand_together:
        rows.sort(key=lambda row: row[0])
    topics, docs = [topic for topic, _ in rows], [doc for _, doc in rows]
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(records, "PART_ROWS", part_rows)
        again, first = records.repeated_rows(np.array(topics, np.int32), np.array(docs, "S8"))
    assert list(zip(again.tolist(), first.tolist(), strict=True)) == again_and_first(topics, docs)


def test_a_part_ends_where_a_topic_does() -> None:
    topics = np.repeat(np.arange(5, dtype=np.int32), [3, 1, 7, 1, 4])
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(records, "PART_ROWS", 4)
        parts = records._parts(topics)
    bounds = [part.start for part in parts] + [parts[-1].stop]
    assert bounds == [0, 11, 16]
    assert set(bounds) <= {0, 3, 4, 11, 12, 16}


def test_columns_of_many_blocks_are_joined_in_their_order() -> None:
    stack, ids = ColumnStack(np.int64), DocColumn()
    count = LARGE_BYTES // 8 // 100_000 + 3  # more than one large piece
    for number in range(count):
        rows = np.arange(100_000) + 100_000 * number
        stack.push(rows)
        ids.push(np.repeat(rows.astype("<u8")[:, None], 1 + number % 2, axis=1), rows)
    assert (stack.join() == np.arange(100_000 * count)).all()
    words = ids.join().view("<u8").reshape(-1, 2)
    assert (words[:, 0] == np.arange(100_000 * count)).all()
    assert (words[:100_000, 1] == 0).all()
    assert (words[100_000:200_000, 1] == words[100_000:200_000, 0]).all()
