"""Slow twins of gain measures, weighted precisions, ERR, infAP and trec_eval's experiments."""

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.data.grades import UNJUDGED
from scoring.core.measures.cumulated_gain import FAR, dcg_weights
from scoring.core.measures.graded import evaluate
from scoring.core.measures.names import make_measure, parse_measure
from tests.scoring.core.drawn import bounds, drawn
from tests.scoring.core.twins import (
    HIGHEST,
    TOLERANCE,
    WORTH,
    agrees,
    cutoffs,
    gain_kinds,
    gain_table,
    graded,
    is_relevant,
    log2,
    maybe_cutoffs,
    relevant_known,
    rels,
    topics,
)

UNDEFINED = math.nan
UP = drawn("10?", "", highest=1)


def low_and_high(run, table, k):
    """Gains of the first k, unknown ones worth nothing, and worth the most."""
    low = [0 if grade == UNJUDGED else table[grade] for grade in run[:k]]
    high = [max(table) if grade == UNJUDGED else table[grade] for grade in run[:k]]
    return low, high + [max(table)] * (k - len(high))


def best_gains(counts, table):
    ideal = [table[grade] for grade, count in enumerate(counts) for _ in range(count)]
    return sorted(ideal, reverse=True)


def weighed(gains, weight):
    return sum((Decimal(gain) * weight(i) for i, gain in enumerate(gains, 1)), Decimal(0))


def log_weight(i):
    return 1 / log2(i + 1)


@given(case=topics(), k=cutoffs, kind=gain_kinds)
def test_cumulated_gain(case, k, kind):
    def twin(run, counts):
        low, high = low_and_high(run, gain_table(kind), k)
        return sum(low), sum(high) - sum(low)

    agrees(make_measure("CG", cutoff=k, gain=kind), twin, case)


@given(case=topics(), k=cutoffs, kind=gain_kinds, base=st.sampled_from([2.0, 2.5, 10.0]))
def test_the_discount_of_jarvelin_and_kekalainen(case, k, kind, base):
    def weight(i):
        return 1 / max(Decimal(1), Decimal(i).ln() / Decimal(base).ln())

    def dcg(run, counts):
        low, high = low_and_high(run, gain_table(kind), k)
        return weighed(low, weight), weighed(high, weight) - weighed(low, weight)

    def ndcg(run, counts):
        low, _ = low_and_high(run, gain_table(kind), k)
        best = weighed(best_gains(counts, gain_table(kind))[:k], weight)
        return (weighed(low, weight) / best if best else 0), None

    agrees(make_measure("DCG", cutoff=k, gain=kind, b=base), dcg, case)
    agrees(make_measure("nDCG", cutoff=k, gain=kind, b=base), ndcg, case)


@pytest.mark.parametrize("base", [0.0, 2.0, 10.0])
@pytest.mark.parametrize("more", [1, 1000, 300_000])
def test_far_discounts_are_integrated(base, more):
    """Below 2^20 ranks the weights are summed one by one; what follows must go on exactly so."""
    ranks = np.arange(1, FAR + more + 1)
    logs = np.log2(ranks + 1) if base == 0 else np.maximum(1, np.log2(ranks) / np.log2(base))
    weights = dcg_weights(base, 5, FAR + more)
    assert weights.by_rank == pytest.approx(1 / logs[:5], abs=1e-15)
    assert weights.after[0] == pytest.approx(math.fsum(1 / logs), rel=1e-13)
    assert weights.after[5] == pytest.approx(math.fsum(1 / logs[5:]), rel=1e-13)


def test_the_deepest_cutoff_takes_no_more_memory_than_others():
    found = evaluate(
        [parse_measure(f"{n}@999999999") for n in ("DCG", "SDCG", "P", "SP", "CG")], UP
    )
    assert all(np.isfinite(scores.base + scores.residual).all() for scores in found.values())


@given(case=topics(), k=cutoffs)
def test_scaled_and_self_normalised_gain(case, k):
    def scaled(run, counts):
        low, high = low_and_high(run, WORTH, k)
        whole = weighed([1] * k, log_weight)
        base = weighed(low, log_weight) / whole
        return base, weighed(high, log_weight) / whole - base

    def own(run, counts):
        low, _ = low_and_high(run, WORTH, k)
        best = weighed(sorted(low, reverse=True), log_weight)
        return (weighed(low, log_weight) / best if best else UNDEFINED), None

    agrees(make_measure("SDCG", cutoff=k), scaled, case)
    agrees(make_measure("SNDCG", cutoff=k), own, case)


@pytest.mark.parametrize("gain", ["binary", "map"])
@given(case=topics(), k=maybe_cutoffs, rel=rels)
def test_harmonic_weights(gain, case, k, rel):
    table = WORTH if gain == "map" else [int(is_relevant(g, rel)) for g in range(HIGHEST + 1)]

    def twin(run, counts):
        base = unknown = Fraction(0)
        for i, grade in enumerate(run[:k], 1):
            weight = Fraction(1, i * (i + 1))
            base += weight * Fraction(max(0, table[grade])) * (grade != UNJUDGED)
            unknown += weight * (grade == UNJUDGED)
        end = Fraction(1, len(run) + 1) - (0 if k is None else Fraction(1, k + 1))
        return base, (unknown + max(0, end)) * Fraction(max(table))

    given_rel = {} if gain == "map" else {"rel": rel}
    agrees(make_measure("WP", cutoff=k, w="harmonic", gain=gain, **given_rel), twin, case)


def inverse_squares(start, count):
    return sum((1 / Decimal(start + i) ** 2 for i in range(count)), Decimal(0))


def trigamma(x):
    """The sum of 1/(x + i)² over all i, by Euler and Maclaurin from x + 40 on."""
    y = Decimal(x + 40)
    tail = 1 / y + 1 / (2 * y**2) + 1 / (6 * y**3) - 1 / (30 * y**5) + 1 / (42 * y**7)
    return inverse_squares(x, 40) + tail - 1 / (30 * y**9)


@given(case=topics(), k=maybe_cutoffs, rel=rels, target=st.sampled_from([0.5, 1, 2, 3.75]))
def test_inverse_squares(case, k, rel, target):
    def twin(run, counts):
        whole = trigamma(2 * target)
        base = unknown = Decimal(0)
        for i, grade in enumerate(run[:k], 1):
            weight = 1 / Decimal(i + 2 * target - 1) ** 2 / whole
            base += weight * is_relevant(grade, rel)
            unknown += weight * (grade == UNJUDGED)
        end = trigamma(2 * target + len(run)) - (0 if k is None else trigamma(2 * target + k))
        return base, unknown + max(Decimal(0), end) / whole

    agrees(make_measure("INSQ", cutoff=k, T=target, rel=rel), twin, case)


def adaptive(grades, gains, persistences, tail):
    """Gained over read; `tail` documents follow that are all of the last kind."""
    gained = read = Fraction(0)
    reaches = Fraction(1)
    for grade in grades:
        gained += reaches * Fraction(gains[grade])
        read += reaches
        reaches *= persistences[grade]
    return gained / (read + reaches * tail)


@given(
    case=topics(),
    k=maybe_cutoffs,
    rel=rels,
    p1=st.sampled_from([0.0, 0.5, 0.75, 0.9]),
    p2=st.sampled_from([0.0, 0.5, 0.875]),
)
def test_adaptive_persistence(case, k, rel, p1, p2):
    gains = [int(is_relevant(grade, rel)) for grade in range(HIGHEST + 1)]
    steps = [Fraction(p1) if gain else Fraction(p2) for gain in gains]
    tail = 1 / (1 - Fraction(p2))

    def twin(run, counts):
        low = adaptive([max(grade, 0) for grade in run[:k]], gains, steps, tail)
        many = 400 if k is None else k  # .9^400 is below 1e-18
        padded = (run + [UNJUDGED] * many)[:many]
        high = [HIGHEST if grade == UNJUDGED else grade for grade in padded]
        return low, adaptive(high, gains, steps, tail) - low

    agrees(make_measure("RBP", cutoff=k, p1=p1, p2=p2, rel=rel), twin, case)


def test_after_an_empty_list_a_user_who_stops_at_no_relevant_document_may_gain_everything():
    """Nothing is read of it. All documents after its end may be relevant."""
    assert bounds("RBP(p1=1,p2=0.5)", "") == (0, 1)


@given(case=topics(), p=st.sampled_from([0.0, 0.5, 0.8, 0.95]), k=maybe_cutoffs, rel=rels)
def test_equal_persistences_are_plain_rbp(case, p, k, rel):
    plain = make_measure("RBP", cutoff=k, p=p, rel=rel)
    split = make_measure("RBP", cutoff=k, p1=p, p2=p, rel=rel)
    found = evaluate([plain, split], graded(*case))
    assert found[split].base == pytest.approx(found[plain].base, abs=TOLERANCE)
    assert found[split].residual == pytest.approx(found[plain].residual, abs=TOLERANCE)


@given(case=topics())
def test_impatience_after_the_first_is_reciprocal_rank(case):
    found = evaluate(
        [parse_measure("RBP(p1=0,p2=0.9999999)"), parse_measure("RR")], graded(*case)
    ).values()
    split, plain = found
    assert split.base == pytest.approx(plain.base, abs=1e-5)


@given(case=topics(), k=maybe_cutoffs)
def test_expected_reciprocal_rank(case, k):
    def score(grades):
        expected, goes_on = Fraction(0), Fraction(1)
        for i, grade in enumerate(grades, 1):
            stops = Fraction(2 ** max(grade, 0) - 1, 2**HIGHEST)
            expected += goes_on * stops / i
            goes_on *= 1 - stops
        return expected

    def twin(run, counts):
        many = len(run) + 30 if k is None else k
        padded = (run + [UNJUDGED] * many)[:many]
        high = score([HIGHEST if grade == UNJUDGED else grade for grade in padded])
        return score(run[:k]), high - score(run[:k])

    agrees(make_measure("ERR", cutoff=k), twin, case)


@given(case=topics(), rel=rels, kind=gain_kinds, beta=st.sampled_from([0.0, 0.5, 1.0, 10.0]))
def test_q(case, rel, kind, beta):
    table = gain_table(kind)

    def twin(run, counts):
        known, ideal = relevant_known(counts, rel), best_gains(counts, table)
        total = Fraction(0)
        for i, grade in enumerate(run, 1):
            if is_relevant(grade, rel):
                seen = sum(is_relevant(each, rel) for each in run[:i])
                gained = sum(Fraction(table[each]) for each in run[:i] if each >= 0)
                best = sum(Fraction(gain) for gain in ideal[:i])
                total += (seen + Fraction(beta) * gained) / (i + Fraction(beta) * best)
        return (total / known if known else 0), None

    agrees(make_measure("Q", rel=rel, gain=kind, beta=beta), twin, case)


@given(case=topics(), rel=rels, data=st.data())
def test_inferred_ap(case, rel, data):
    runs, counts, depth = case
    pooled = np.array(data.draw(st.lists(st.booleans(), min_size=depth, max_size=depth)))
    with_pool = replace(graded(*case), pooled=np.tile(pooled, (len(runs), 1)))
    measure = make_measure("infAP", rel=rel)
    found = evaluate([measure], with_pool)[measure].base
    epsilon = Fraction(1, 100000)
    for run, known, score in zip(runs, counts, found, strict=True):
        total = Fraction(0)
        for i, grade in enumerate(run):
            if is_relevant(grade, rel):
                above = list(zip(run[:i], pooled, strict=False))
                good = sum(is_relevant(each, rel) for each, _ in above)
                bad = sum(0 <= each < rel for each, _ in above)
                sampled = good + bad + sum(each == UNJUDGED and in_pool for each, in_pool in above)
                likely = (good + epsilon) / (good + bad + 2 * epsilon)
                total += (1 + int(sampled) * likely) / (i + 1)
        relevant = relevant_known(known, rel)
        assert abs(float(total / relevant if relevant else 0) - score) < TOLERANCE


@given(case=topics(), rel=rels)
def test_binary_g(case, rel):
    def twin(run, counts):
        known, total, others = relevant_known(counts, rel), Decimal(0), 0
        for grade in run:
            if is_relevant(grade, rel):
                total += 1 / log2(2 + others)
            else:
                others += 1
        return (total / known if known else 0), None

    agrees(make_measure("binG", rel=rel), twin, case)


def gains_and_ideal(run, counts):
    ideal = [gain for gain in best_gains(counts, range(HIGHEST + 1)) if gain]
    return [max(grade, 0) for grade in run], ideal


@given(case=topics())
def test_normalised_gain(case):
    def twin(run, counts):
        gains, ideal = gains_and_ideal(run, counts)
        total, cost, own = Decimal(0), 0, 0
        for i, gain in enumerate(gains):
            own += gain
            cost += ideal[i] if i < len(ideal) else 1
            if gain:
                total += gain / log2(2 + cost - own)
        return (total / sum(ideal) if ideal else 0), None

    agrees(make_measure("G"), twin, case)


@given(case=topics())
def test_ndcg_averaged(case):
    def curve(run, counts, i):
        gains, ideal = gains_and_ideal(run, counts)
        return weighed(gains[:i], log_weight) / weighed(ideal[:i], log_weight)

    def at_relevant(run, counts):
        gains, ideal = gains_and_ideal(run, counts)
        if not ideal:
            return 0, None
        points = [i for i, gain in enumerate(gains, 1) if gain]
        end = max(len(gains), len(ideal))
        total = sum((curve(run, counts, i) for i in points), Decimal(0))
        total += (len(ideal) - len(points)) * curve(run, counts, end)
        return total / len(ideal), None

    def at_edges(run, counts):
        gains, ideal = gains_and_ideal(run, counts)
        if not ideal:
            return 0, None
        edges = [i for i in range(1, len(ideal)) if ideal[i] != ideal[i - 1]] + [len(ideal)]
        if len(gains) > len(ideal) + 1:
            edges.append(len(gains))
        return sum((curve(run, counts, i) for i in edges), Decimal(0)) / len(edges), None

    agrees(make_measure("ndcg_rel"), at_relevant, case)
    agrees(make_measure("Rndcg"), at_edges, case)
