"""Ties, proven: the closed forms equal the mean over all orderings, to 1e-12.

An ordering of a tied group is a permutation of its documents; those that put the same grades at the
same ranks score the same, and every arrangement of the grades comes from equally many of them. So
the mean over all permutations is the mean over the arrangements, which are scored one by one as a
ranking without ties is. (That this is so is shown with permutations themselves below.)

Exhaustive: every grouping of 1 to 7 documents, each unjudged, irrelevant or relevant (2187 rankings
of 7, 64 groupings); with a fourth sign, a higher grade, every grouping of 1 to 5 documents.
"""

from itertools import permutations, product

import numpy as np
import pytest

from scoring.core.data.grades import PAST_END
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import GradedTopics, evaluate
from scoring.core.measures.names import parse_measure
from scoring.core.ties.ties import TiedTopics, bounds, expected, has_bounds, has_expected
from tests.scoring.core.test_catalogue import EXAMPLES

MISSED = 2  # relevant documents that the run does not have
WITH_CUTOFF = ("P", "R", "F1", "SP", "DCG", "SDCG", "HIT", "Success", "Judged")
PERHAPS = ("AP", "RR", "RR(nth=2)", "RR(nth=3,damp=2)", "nDCG", "RBP(p=0.8)", "Rprec", "RBP(p=0)")
GAINS = ("RBP(p=0.5,gain=map)", "nDCG(gain=exp)", "nDCG(b=2)")


def names_for(documents):
    cutoffs = range(1, documents + 2)
    yield from ("ESL(n=1)", "ESL(n=2)", "ESL(n=3,per=1)", *PERHAPS)
    yield from (f"{name}@{k}" for name in (*WITH_CUTOFF, *PERHAPS) for k in cutoffs)


def graded_names_for(documents):
    yield from GAINS
    cutoffs = range(1, documents + 2)
    graded = ("HIT", "DCG(gain=exp)", "DCG(b=2)", "SDCG", *GAINS, "P(rel=2)", "RR(rel=2)", "SP")
    yield from (f"{name}@{k}" for name in graded for k in cutoffs)
    yield from ("AP(rel=2)", "Rprec(rel=2)", "Rprec(mult=0.4)", "ESL(n=2,rel=2)")


def all_rankings(signs, documents):
    """int8[rankings, documents + 1]: every string of the signs, and then the end."""
    rankings = np.array(list(product(signs, repeat=documents)), np.int8)
    return np.pad(rankings, ((0, 0), (0, 1)), constant_values=PAST_END)


def all_groupings(documents):
    """int32[groupings, documents + 1]: the first position of the group of each."""
    for cuts in product([False, True], repeat=documents - 1):
        begins = [0] + [i if cut else None for i, cut in enumerate(cuts, 1)] + [documents]
        groups, first = [], 0
        for begin in begins:
            first = first if begin is None else begin
            groups.append(first)
        yield np.array(groups, np.int32)


def topics_of(grades, highest):
    counts = np.stack([(grades == grade).sum(axis=1) for grade in range(highest + 1)], axis=1)
    counts[:, 1:] += MISSED
    worth = np.array([0, 0.25, 0.875])[: highest + 1]
    return GradedTopics(grades, counts.astype(np.int64), worth)


def tied_topics(topics, groups):
    return TiedTopics(topics, groups == np.arange(groups.shape[1]))


def arrangements_of(grades, groups):
    """int64[rankings]: a number for each class of rankings that only the order in groups tells
    apart."""
    order = np.argsort(groups * 512 + grades.astype(np.int64), axis=1, kind="stable")
    _, classes = np.unique(np.take_along_axis(grades, order, axis=1), axis=0, return_inverse=True)
    return classes.reshape(-1)


def class_means(scores, classes):
    return (np.bincount(classes, weights=scores) / np.bincount(classes))[classes]


def agree(found, wanted):
    assert np.array_equal(np.isnan(found), np.isnan(wanted))
    assert (np.isnan(wanted) | (np.abs(found - wanted) < 1e-12)).all()


def prove(signs, documents, names):
    grades = all_rankings(signs, documents)
    topics = topics_of(grades, max(signs))
    groupings = list(all_groupings(documents))
    measures = [parse_measure(name) for name in names]
    one_by_one = evaluate(measures, topics)
    stacked = GradedTopics(
        np.tile(grades, (len(groupings), 1)),
        np.tile(topics.grade_counts, (len(groupings), 1)),
        topics.gain_map,
    )
    tied = tied_topics(stacked, np.repeat(np.array(groupings), len(grades), axis=0))
    found = expected(measures, tied)
    classes = [arrangements_of(grades, groups) for groups in groupings]
    for measure in measures:
        for part in ("base", "residual"):
            scores = getattr(one_by_one[measure], part)
            assert (scores is None) == (getattr(found[measure], part) is None)
            if scores is not None:
                wanted = np.concatenate([class_means(scores, each) for each in classes])
                agree(getattr(found[measure], part), wanted)


@pytest.mark.parametrize("documents", range(1, 8))
def test_every_ranking_and_grouping(documents):
    prove((-1, 0, 1), documents, names_for(documents))


@pytest.mark.parametrize("documents", range(1, 6))
def test_every_ranking_and_grouping_with_two_grades(documents):
    prove((-1, 0, 1, 2), documents, graded_names_for(documents))


def permuted(grades, groups):
    """Every permutation of the documents within their groups, the same grades again and again."""
    starts = np.unique(groups)
    parts = [grades[groups == start].tolist() for start in starts]
    for orders in product(*(permutations(part) for part in parts)):
        yield [grade for part in orders for grade in part]


@pytest.mark.parametrize("documents", range(1, 5))
def test_permutations_themselves(documents):
    names = [*names_for(documents), *(f"nDCG(gain=map)@{k}" for k in (1, 2, 3))]
    measures = [parse_measure(name) for name in names]
    for groups in all_groupings(documents):
        rankings = all_rankings((-1, 0, 2), documents)
        found = expected(measures, tied_topics(topics_of(rankings, 2), tiled(groups, rankings)))
        for row in range(0, len(rankings), 7):
            orders = np.array(list(permuted(rankings[row], groups)), np.int8)
            every = evaluate(measures, topics_of(orders, 2))
            for measure in measures:
                agree(found[measure].base[row], every[measure].base.mean())
                if found[measure].residual is not None:
                    agree(found[measure].residual[row], every[measure].residual.mean())


def tiled(groups, rankings):
    return np.tile(groups, (len(rankings), 1))


@pytest.mark.parametrize("measure", [m for m in EXAMPLES if has_bounds(m)], ids=str)
def test_bounds_are_the_worst_and_the_best_of_all_orderings(measure):
    """Every grouping of 5 documents, each unjudged or of grade 0, 1 or 2."""
    rankings = all_rankings((-1, 0, 1, 2), 5)
    topics = topics_of(rankings, 2)
    scores = evaluate([measure], topics)[measure].base
    flip = -1 if family_of(measure).facts.direction == "lower" else 1
    for groups in all_groupings(5):
        classes = arrangements_of(rankings, groups)
        found = bounds([measure], tied_topics(topics, tiled(groups, rankings)))[measure]
        lowest = np.full(classes.max() + 1, np.inf)
        np.fmin.at(lowest, classes, flip * scores)
        highest = np.full(classes.max() + 1, -np.inf)
        np.fmax.at(highest, classes, flip * scores)
        defined = ~np.isnan(found.best)
        assert np.array_equal(defined, ~np.isnan(scores))
        agree((flip * found.worst)[defined], lowest[classes][defined])
        agree((flip * found.best)[defined], highest[classes][defined])


def test_the_fifteen_families_are_all_proven():
    proven = {parse_measure(name).family for name in names_for(1)}
    assert proven == {m.family for m in EXAMPLES if has_expected(m)}
    assert len(proven) == 15
