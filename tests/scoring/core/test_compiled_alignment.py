"""The compiled aligner, called wrongly: a mistake of ours must not read memory of others."""

import numpy as np
import pytest

from tests.scoring.core.test_direct_alignment import TOPICS, table_of

aligner = pytest.importorskip("scoring.core.data._align", reason="the aligner was not compiled")


@pytest.fixture
def arrays() -> list[np.ndarray]:
    """Those that `align` takes, for two lines of one topic, before the depth."""
    table = table_of({(0, b"D1"): 1, (2, b"D2"): 0})
    topics, scores = np.zeros(2, np.int32), np.array([2.0, 1.0])
    return [*table.arrays, np.zeros(1, np.int32), topics, scores, np.zeros((2, 10), np.uint64)]


def test_right_ones(arrays: list[np.ndarray]) -> None:
    _, _, depth = aligner.align(*arrays, 5)
    assert depth == 2


def test_rows_in_another_order(arrays: list[np.ndarray]) -> None:
    arrays[-2] = arrays[-2][::-1].copy()
    assert aligner.align(*arrays, 5) is None


@pytest.mark.parametrize("place", range(11))
def test_an_array_that_is_too_short(arrays: list[np.ndarray], place: int) -> None:
    arrays[place] = arrays[place].reshape(-1)[:0].copy()
    with pytest.raises(ValueError, match="do not fit"):
        aligner.align(*arrays, 5)


@pytest.mark.parametrize("topic", [-1, 1])
def test_a_topic_out_of_range(arrays: list[np.ndarray], topic: int) -> None:
    arrays[-3][:] = topic
    with pytest.raises(ValueError, match="do not fit"):
        aligner.align(*arrays, 5)


def test_a_row_of_the_table_out_of_range(arrays: list[np.ndarray]) -> None:
    arrays[-4][:] = len(TOPICS)
    with pytest.raises(ValueError, match="do not fit"):
        aligner.align(*arrays, 5)


def test_no_depth(arrays: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match="below 1"):
        aligner.align(*arrays, 0)
    with pytest.raises(TypeError):
        aligner.align(*arrays)
