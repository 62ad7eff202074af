"""Every cell of TREC-COVID round 1 (143 runs, 30 topics, 92 measures) against pytrec_eval.

Fed our order it agrees with us throughout, with recall levels rounded as in trec_eval 9. In its own
order it differs from us where single precision merges scores.
"""

import numpy as np
import pytest

from tests.scoring.oracles.cells import Cells, is_near, measures_by_its_names, ranks_read
from tests.scoring.oracles.round_one import WITH_DATA

pytestmark = [pytest.mark.long, *WITH_DATA, pytest.mark.xdist_group("pytrec_eval")]

NAMES = tuple(measures_by_its_names())
ASKED = ("map", "Rprec", "recip_rank", "bpref", "ndcg", "P_10", "recall_100", "ndcg_cut_10")


def wrong(cells: Cells, ours: np.ndarray, its: np.ndarray) -> list[str]:
    """The cells that differ, with both scores."""
    return [
        f"{cells.runs[run]} {cells.topics[topic]} {cells.names[measure]}: {both[0]!r}, {both[1]!r}"
        for run, topic, measure in np.argwhere(~is_near(ours, its))
        for both in [(ours[run, topic, measure], its[run, topic, measure])]
    ]


def test_all_runs_topics_and_measures_are_there(cells):
    assert cells.names == NAMES
    assert set(ASKED) <= set(NAMES)
    assert cells.ours.shape == cells.in_our_order.shape == (143, 30, 92)


def test_every_cell_is_equal_in_our_order(cells):
    assert wrong(cells, cells.ours, cells.in_our_order) == []


def test_every_cell_is_equal_where_only_the_highest_grade_is_relevant(cells):
    assert (cells.ours_strict != cells.ours).any()
    assert wrong(cells, cells.ours_strict, cells.strict_in_our_order) == []


def test_on_the_files_it_scores_what_we_score_in_single_precision(cells):
    assert wrong(cells, cells.ours_in_single, cells.in_its_order) == []


def test_every_cell_of_its_own_lies_below_scores_that_single_precision_merges(cells):
    """The reason is found without its help and ours: from the columns of the file."""
    unexplained = [
        f"{cells.runs[run]} {cells.topics[topic]} {cells.names[measure]}"
        for run, topic, measure in cells.its_own()
        if not 0
        < cells.first_moved[run, topic]
        <= ranks_read(cells.names[measure], int(cells.relevant[topic]))
    ]
    assert unexplained == []


def test_the_runs_that_it_orders_and_scores_otherwise(cells):
    """39 and 4: most documents that change places are unjudged, or of one grade."""
    moved, own = cells.first_moved > 0, cells.its_own()
    assert moved.any(axis=1).sum() == 39
    assert {cells.runs[run] for run in own[:, 0]} == {
        "BERT",
        "BRPHJ_NLP1",
        "PL2c1.0_Bo1",
        "tm_lda400",
    }
    asked = [cell for cell in own if cells.names[cell[2]] in ASKED]
    assert len(asked) == 38
