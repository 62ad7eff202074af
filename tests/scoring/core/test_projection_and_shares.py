"""Residuals, bounds, projections, and which document brings how much of a score."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from scoring.core.judging.shares import document_shares, has_shares
from scoring.core.measures.arrays import Scores
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import GradedTopics, evaluate
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.projection import (
    attainable_rbp,
    documents_read,
    projections,
    upper_bounds,
)
from tests.scoring.core.drawn import drawn, scores
from tests.scoring.core.test_catalogue import EXAMPLES, random_topics
from tests.scoring.core.test_paper_numbers import DOUBTFUL, EXAMPLE, printed
from tests.scoring.core.twins import graded, topics

HIGHEST = 2


def completions(ranking, beyond):
    """Every way to judge the unjudged and to go on after the end, as topics below each other."""
    open_cells = [i for i, sign in enumerate(ranking) if sign == "?"]
    for grades in product(range(HIGHEST + 1), repeat=len(open_cells) + beyond):
        full = [int(sign) if sign != "?" else 0 for sign in ranking] + [0] * beyond
        for cell, grade in zip(
            [*open_cells, *range(len(ranking), len(ranking) + beyond)], grades, strict=True
        ):
            full[cell] = grade
        yield full


DEEPEST = 5  # every judgment of the ranks to here is tried
BOUNDED = [
    *(
        str(measure)
        for measure in EXAMPLES
        if family_of(measure).facts.has_residual and (measure.cutoff or DEEPEST + 1) <= DEEPEST
    ),
    *("P@3", "P(rel=2)@5", "DCG(b=2,gain=exp)@4", "SDCG@4", "HIT@2", "HIT@5", "Success@3"),
    *("Success(rel=2)@5", "RR", "RR(nth=2)", "RR(nth=2,damp=1)@5", "SP@5", "ERR@3"),
    *("RBP(p=0.8)@5", "RBP(p=0.5,gain=map)@4", "INSQ(T=2)@5", "WP(w=harmonic)@4"),
    *("RBP(p1=0.5,p2=0.8)@5", "RBP(p1=1,p2=0.3)@5", "RBP(p1=0.2,p2=0.9)@5"),
]


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("ranking", ["0?1", "??", "2?0?", "", "1?20", "?0?1"])
def test_both_bounds_are_reached_and_nothing_lies_outside(name, ranking):
    """Every judgment of the unjudged documents and of those that could follow, to rank 5."""
    beyond = DEEPEST - len(ranking)
    full = np.array(list(completions(ranking, beyond)), np.int8)
    counts = np.full((len(full), HIGHEST + 1), 9, np.int64)
    known = drawn(ranking, "00000", highest=HIGHEST)
    measure = parse_measure(name)
    reached = evaluate([measure], GradedTopics(full, counts, known.gain_map))[measure].base
    found = evaluate([measure], known)[measure]
    assert found.base[0] == pytest.approx(reached.min(), abs=1e-12)
    if name in ("RR", "RR(nth=2)") and found.base[0] == reached.max() == 0:
        return  # the first relevant document may follow after rank 5
    assert upper_bounds(found)[0] == pytest.approx(reached.max(), abs=1e-12)


def test_every_family_with_a_residual_is_bounded_exactly():
    bounded = {parse_measure(name).family for name in BOUNDED}
    families = {m.family for m in EXAMPLES if family_of(m).facts.has_residual}
    families -= {"INST", "NERR10", "NERR11"}  # have no cutoff: see their twins
    assert bounded == families, f"give it an example with a cutoff of at most {DEEPEST}"


def test_residuals_without_cutoff_reach_to_infinity():
    for name in ("RBP(p=0.8)", "INSQ(T=2)", "WP(w=harmonic)", "RBP(p1=0.5,p2=0.8)", "ERR"):
        found = scores(name, drawn("", "?"))
        assert found.base.tolist() == [0, 0]
        # ERR: the first stops half of the users, the next half of the rest: log 2
        whole = np.log(2) if name == "ERR" else 1
        assert found.residual == pytest.approx(whole, abs=1e-14)


def test_a_projection_takes_the_unknown_for_as_good_as_the_known():
    # The ranking of Strategic judgments: base .3803, residual .1600
    found = scores("RBP(p=0.8)", drawn("011001?001", DOUBTFUL))
    assert printed(projections(found)[0], ".4527")
    assert projections(found) == pytest.approx(found.base / (1 - found.residual), abs=1e-16)


def test_nothing_known_projects_to_zero_and_nothing_defined_to_nothing():
    odd = Scores(np.array([0.0, np.nan, 0.5]), np.array([1.0, 0.0, 0.0]))
    assert np.array_equal(projections(odd), [0, np.nan, 0.5], equal_nan=True)
    without = Scores(np.array([0.5]), None)
    assert projections(without) is None
    assert upper_bounds(without) is None


def test_how_far_the_user_of_rbp_reads_and_how_high_it_can_rise():
    assert [round(documents_read(p)) for p in (0, 0.5, 0.8, 0.95)] == [1, 2, 5, 20]
    assert printed(attainable_rbp(0.95, 5), ".23")
    assert attainable_rbp(0.5, 0) == 0
    with pytest.raises(ValueError, match="persistence"):
        documents_read(1)
    with pytest.raises(ValueError, match="persistence"):
        attainable_rbp(1, 1)
    with pytest.raises(ValueError, match="negative"):
        attainable_rbp(0.5, -1)


RELEVANT = [0, 1, 5, 10, 16]  # positions of the example's relevant documents


def test_table_1_of_the_rbp_paper():
    shares = document_shares(parse_measure("AP"), drawn(EXAMPLE))
    totals = ["1.8164", ".8164", ".3164", ".1497", ".0588"]
    assert all(map(printed, shares[RELEVANT] * 5, totals))
    fifths = [".3633", ".1633", ".0633", ".0299", ".0118"]
    assert all(map(printed, shares[RELEVANT], fifths))
    # Printed 58 26 10 5 2: 1.8164 is 57.5 percent of 3.1577
    percent = [round(100 * share / shares.sum()) for share in shares[RELEVANT]]
    assert percent == [58, 26, 10, 5, 2]
    assert np.flatnonzero(shares).tolist() == RELEVANT


@pytest.mark.parametrize(
    ("p", "weights"),
    [
        (0.5, ["1.0000", ".5000", ".0313", ".0010", ".0000"]),
        (0.8, ["1.0000", ".8000", ".3277", ".1074", ".0281"]),
        (0.95, ["1.0000", ".9500", ".7738", ".5987", ".4401"]),
    ],
)
def test_table_2_of_the_rbp_paper(p, weights):
    shares = document_shares(parse_measure(f"RBP(p={p})"), drawn(EXAMPLE))
    found = [f"{share / (1 - p):.4f}".lstrip("0") for share in shares[RELEVANT] + 1e-12]
    assert found == [weight.lstrip("0") for weight in weights]


@given(topics())
def test_shares_add_up_to_the_score(case):
    whole = graded(*case)
    for measure in filter(has_shares, EXAMPLES):
        found = evaluate([measure], whole)[measure].base
        for row, score in enumerate(found):
            topic = GradedTopics(
                whole.grades[row : row + 1], whole.grade_counts[row : row + 1], whole.gain_map
            )
            shares = document_shares(measure, topic)
            assert (shares >= 0).all()
            assert shares.sum() == pytest.approx(0 if np.isnan(score) else score, abs=1e-12)


def test_what_is_not_shared_out_is_refused():
    assert {m.family for m in EXAMPLES if has_shares(m)} >= {"RBP", "AP", "nDCG", "P", "INSQ"}
    for name in ("RR", "bpref", "RBP(p1=0.5,p2=0.8)", "AUC(interpolated)"):
        with pytest.raises(ValueError, match="not shared out"):
            document_shares(parse_measure(name), drawn("1"))
    with pytest.raises(ValueError, match="one topic"):
        document_shares(parse_measure("AP"), random_topics(1))
