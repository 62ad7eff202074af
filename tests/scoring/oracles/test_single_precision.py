"""The reason why a tool orders otherwise than we, found on small rankings; and tools that lack."""

import numpy as np
import pytest

from tests.scoring.oracles.cells import first_moved_rank, ranks_read
from tests.scoring.oracles.peers import peer

ABOVE_ONE = 1 + 1e-9  # in single precision it is 1


def test_scores_that_differ_in_single_precision_keep_their_order():
    assert first_moved_rank({"a": 3.0, "b": 2.0, "c": 1.5}) == 0


def test_equal_scores_are_in_one_order_in_both_precisions():
    assert first_moved_rank({"a": 2.0, "b": 2.0, "c": 1.0}) == 0


def test_merged_scores_go_by_doc_id_descending():
    assert first_moved_rank({"x": 3.0, "a": ABOVE_ONE, "b": 1.0}) == 2
    assert first_moved_rank({"x": 3.0, "b": ABOVE_ONE, "a": 1.0}) == 0


def test_scores_beyond_single_precision_are_merged_too():
    with np.errstate(over="ignore"):
        assert first_moved_rank({"a": 2e300, "b": 1e300}) == 1


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        ("P_20", 20),
        ("ndcg_cut_5", 5),
        ("recall_1000", 1000),
        ("Rprec", 57),
        ("Rprec_mult_0.20", 12),
        ("map", np.inf),
        ("iprec_at_recall_0.10", np.inf),
        ("set_map", 0),
        ("num_rel_ret", 0),
    ],
)
def test_measures_read_so_many_ranks(name, ranks):
    assert ranks_read(name, relevant=57) == ranks


def test_a_missing_tool_skips_with_its_name(monkeypatch):
    monkeypatch.delenv("REQUIRE_SERVICES", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no_such_tool cannot be compared with"):
        peer("no_such_tool")


def test_a_missing_tool_fails_where_nothing_may_be_missing(monkeypatch):
    monkeypatch.setenv("REQUIRE_SERVICES", "1")
    with pytest.raises(pytest.fail.Exception, match="no_such_tool cannot be compared with"):
        peer("no_such_tool")
