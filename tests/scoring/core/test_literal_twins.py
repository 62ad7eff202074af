"""Every measure has a second, slow implementation here: the formula, cell by cell.

Rational measures in exact fractions, logarithms with 50 digits; both must agree to 1e-12.
"""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.core.data.grades import UNJUDGED
from scoring.core.measures.names import make_measure
from tests.scoring.core.twins import (
    HIGHEST,
    WORTH,
    agrees,
    cutoffs,
    gain_kinds,
    gain_table,
    is_relevant,
    log2,
    maybe_cutoffs,
    persistences,
    relevant_known,
    rels,
    topics,
)


def precision(run, counts, k, rel):
    found = sum(is_relevant(grade, rel) for grade in run[:k])
    unknown = sum(grade == UNJUDGED for grade in run[:k]) + max(0, k - len(run))
    return Fraction(found, k), Fraction(unknown, k)


def recall(run, counts, k, rel):
    known = relevant_known(counts, rel)
    found = sum(is_relevant(grade, rel) for grade in run[:k])
    return (Fraction(found, known) if known else Fraction(0)), None


def average_precision(run, counts, k, rel):
    known = relevant_known(counts, rel)
    total, found = Fraction(0), 0
    for rank, grade in enumerate(run[:k], start=1):
        if is_relevant(grade, rel):
            found += 1
            total += Fraction(found, rank)
    return (total / known if known else Fraction(0)), None


def r_precision(run, counts, k, rel):
    known = relevant_known(counts, rel)
    limit = known if k is None else min(k, known)
    found = sum(is_relevant(grade, rel) for grade in run[:limit])
    return (Fraction(found, limit) if limit else Fraction(0)), None


def reciprocal_rank(run, counts, k, rel):
    def first(list_of_grades):
        for rank, grade in enumerate(list_of_grades, start=1):
            if is_relevant(grade, rel) and (k is None or rank <= k):
                return Fraction(1, rank)
        return Fraction(0)

    optimistic = [HIGHEST if grade == UNJUDGED else grade for grade in run] + [HIGHEST]
    return first(run), first(optimistic) - first(run)


def judged(run, counts, k):
    return Fraction(sum(grade >= 0 for grade in run[:k]), k), None


def rank_biased(run, counts, k, p, gains, highest_gain):
    """Base and the weight of everything unknown; the infinite tail in closed form."""
    p = Fraction(p)
    base = unknown = Fraction(0)
    for i, grade in enumerate(run[:k]):
        weight = (1 - p) * p**i
        if grade == UNJUDGED:
            unknown += weight
        else:
            base += weight * Fraction(gains[grade])
    unknown += p ** len(run) if k is None else max(0, p ** len(run) - p**k)
    return base, unknown * Fraction(highest_gain)


def discounted(gains, k):
    return sum(
        (Decimal(gain) / log2(rank + 1) for rank, gain in enumerate(gains[:k], start=1)),
        Decimal(0),
    )


def dcg(run, counts, k, kind):
    table = gain_table(kind)
    low = [0 if grade == UNJUDGED else table[grade] for grade in run]
    high = [max(table) if grade == UNJUDGED else table[grade] for grade in run]
    high += [max(table)] * (k - len(run))
    return discounted(low, k), discounted(high, k) - discounted(low, k)


def ndcg(run, counts, k, kind):
    table = gain_table(kind)
    ideal = [table[grade] for grade in range(HIGHEST + 1) for _ in range(counts[grade])]
    best = discounted(sorted(ideal, reverse=True), k)
    reached = discounted([0 if grade == UNJUDGED else table[grade] for grade in run], k)
    return (reached / best if best else Decimal(0)), None


@pytest.mark.parametrize(
    ("name", "twin", "cutoff"),
    [
        ("P", precision, cutoffs),
        ("R", recall, cutoffs),
        ("AP", average_precision, maybe_cutoffs),
        ("Rprec", r_precision, maybe_cutoffs),
        ("RR", reciprocal_rank, maybe_cutoffs),
    ],
)
@given(data=st.data(), case=topics(), rel=rels)
def test_binary_measures(name, twin, cutoff, data, case, rel):
    k = data.draw(cutoff)
    measure = make_measure(name, cutoff=k, rel=rel)
    agrees(measure, lambda run, counts: twin(run, counts, k, rel), case)


@given(case=topics(), k=cutoffs)
def test_judged(case, k):
    agrees(make_measure("Judged", cutoff=k), lambda run, counts: judged(run, counts, k), case)


@given(case=topics(), k=maybe_cutoffs, p=persistences, rel=rels)
def test_rbp_binary(case, k, p, rel):
    gains = [int(is_relevant(grade, rel)) for grade in range(HIGHEST + 1)]
    agrees(
        make_measure("RBP", cutoff=k, p=p, rel=rel),
        lambda run, counts: rank_biased(run, counts, k, p, gains, 1),
        case,
    )


@given(case=topics(), k=maybe_cutoffs, p=persistences)
def test_rbp_graded(case, k, p):
    agrees(
        make_measure("RBP", cutoff=k, p=p, gain="map"),
        lambda run, counts: rank_biased(run, counts, k, p, WORTH, max(WORTH)),
        case,
    )


@given(case=topics(), k=cutoffs, kind=gain_kinds)
def test_dcg(case, k, kind):
    measure = make_measure("DCG", cutoff=k, gain=kind)
    agrees(measure, lambda run, counts: dcg(run, counts, k, kind), case)


@given(case=topics(), k=maybe_cutoffs, kind=gain_kinds)
def test_ndcg(case, k, kind):
    measure = make_measure("nDCG", cutoff=k, gain=kind)
    agrees(measure, lambda run, counts: ndcg(run, counts, k, kind), case)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), p=persistences, kind=gain_kinds)
def test_deep_lists(seed, p, kind):
    """A thousand documents: sums and powers stay as exact as in short lists."""
    random = np.random.default_rng(seed)
    run = random.choice([UNJUDGED, 0, 1, 2, 3], size=1000, p=[0.5, 0.2, 0.1, 0.1, 0.1]).tolist()
    counts = [run.count(grade) + 50 for grade in range(HIGHEST + 1)]
    case = ([run], [counts], 1000)
    agrees(make_measure("nDCG", gain=kind), lambda r, c: ndcg(r, c, None, kind), case)
    agrees(make_measure("AP"), lambda r, c: average_precision(r, c, None, 1), case)
    binary = [0, 1, 1, 1]
    # Exact powers of a full float take minutes; p stays below 1.
    short = min(Fraction(p).limit_denominator(1000), Fraction(999, 1000))
    agrees(
        make_measure("RBP", p=float(short)),
        lambda r, c: rank_biased(r, c, None, short, binary, 1),
        case,
    )
