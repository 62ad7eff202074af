"""Slow twins of INST, BPM, nERR, Compat and Accuracy: the definitions, document by document."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.measures.graded import GradedTopics, evaluate
from scoring.core.measures.names import make_measure
from tests.scoring.core.drawn import base, bounds
from tests.scoring.core.twins import (
    HIGHEST,
    WORTH,
    agrees,
    cutoffs,
    is_relevant,
    maybe_cutoffs,
    rels,
    topics,
)

TARGETS = st.sampled_from([0.5, 0.75, 1.0, 2.0, 7.0, 40.0])


def trigamma(x):
    """The first 300 terms, and Euler and Maclaurin's formula for the others."""
    x = Decimal(x)
    head = sum((1 / (x + i) ** 2 for i in range(300)), Decimal(0))
    y = x + 300
    return head + 1 / y + 1 / (2 * y**2) + 1 / (6 * y**3) - 1 / (30 * y**5) + 1 / (42 * y**7)


def inst_sums(gains, target):
    """What is gained and read in these ranks, the weight of the next rank, and j + T + T_j."""
    gained = read = found = Decimal(0)
    weight, step = Decimal(1), 2 * target
    for rank, gain in enumerate(gains, start=1):
        gained += weight * gain
        read += weight
        found += gain
        step = rank + target + (target - found)
        weight *= ((step - 1) / step) ** 2
    return gained, read, weight, step


def inst(gains, target):
    """Nothing is relevant after the end: the weights are those of inverse squares."""
    gained, read, weight, step = inst_sums(gains, target)
    return gained / (read + weight * step**2 * trigamma(step))


def inst_with_all_relevant_after(gains, target):
    """Every further document is relevant: each weight is ((step - 1) / step)² of the one before."""
    gained, read, weight, step = inst_sums(gains, target)
    rest = weight / (1 - ((step - 1) / step) ** 2)
    return (gained + rest) / (read + rest)


@given(case=topics(), target=TARGETS, rel=rels)
def test_inst(case, target, rel):
    def twin(run, counts):
        low = [Decimal(is_relevant(grade, rel)) for grade in run]
        high = [Decimal(grade < 0 or is_relevant(grade, rel)) for grade in run]
        worst = inst(low, Decimal(target))
        return worst, inst_with_all_relevant_after(high, Decimal(target)) - worst

    agrees(make_measure("INST", T=target, rel=rel), twin, case)


@given(case=topics(), target=TARGETS)
def test_inst_with_gains(case, target):
    def twin(run, counts):
        return inst([Decimal(WORTH[max(grade, 0)]) for grade in run], Decimal(target)), None

    agrees(make_measure("INST", T=target, gain="map"), twin, case)


@pytest.mark.parametrize("target", [0.5, 1, 2, 5])
def test_one_more_relevant_document_never_decreases_inst(target):
    """All binary rankings of up to seven documents, each with one more relevant document."""
    for depth in range(1, 8):
        for ranking in product("01", repeat=depth):
            for rank in range(depth):
                better = "".join((*ranking[:rank], "1", *ranking[rank + 1 :]))
                name = f"INST(T={target})"
                assert base(name, better) >= base(name, "".join(ranking))


def test_inst_by_hand():
    """T = 1: after a relevant first document s stays 2, and ψ'(2) is π²/6 − 1, so that the weights
    sum to π²/6."""
    assert base("INST(T=1)", "1") == pytest.approx(6 / math.pi**2, abs=1e-15)
    assert base("INST(T=1)", "") == 0
    assert bounds("INST(T=1)", "?") == (0, 1)
    # then only relevant ones: the weights are 1, 4/9, (4/9)², ... and sum to 1 + 4/5
    assert bounds("INST(T=1)", "01")[1] == pytest.approx(4 / 9, abs=1e-15)


def bejeweled(gains, target, cutoff):
    """Reads on until it has gained enough, or to the cutoff."""
    gained, rank = Fraction(0), 0
    while rank < cutoff and gained < target:
        gained += Fraction(gains[rank]) if rank < len(gains) else 0
        rank += 1
    return gained / rank


@given(case=topics(), k=cutoffs, target=st.sampled_from([0.25, 1.0, 1.5, 2.0, 5.0]), rel=rels)
def test_bpm(case, k, target, rel):
    def binary(run, counts):
        return bejeweled([int(is_relevant(grade, rel)) for grade in run], target, k), None

    def mapped(run, counts):
        return bejeweled([WORTH[max(grade, 0)] for grade in run], target, k), None

    agrees(make_measure("BPM", T=target, rel=rel, cutoff=k), binary, case)
    agrees(make_measure("BPM", T=target, gain="map", cutoff=k), mapped, case)


def test_bpm_stops_at_the_document_with_which_the_gains_are_enough():
    """In binary floating point ten times .1 is less than 1."""
    graded = GradedTopics(
        np.array([[1] * 10 + [0] * 10], np.int8), np.array([[10, 10]]), np.array([0, 0.1])
    )
    bpm = make_measure("BPM", gain="map", cutoff=20)
    assert evaluate([bpm], graded)[bpm].base == pytest.approx([0.1], abs=1e-12)


def test_bpm_by_hand():
    assert base("BPM(T=2)@5", "10100") == pytest.approx(2 / 3, abs=1e-15)
    assert base("BPM(T=2)@5", "10000") == 0.2
    assert base("BPM(T=2)@5", "1") == 0.2  # reads on to rank 5
    assert base("BPM(T=1)@5", "0?1") == pytest.approx(1 / 3, abs=1e-15)


def expected_reciprocal_rank(grades, k):
    total, arrives = Fraction(0), Fraction(1)
    for rank, grade in enumerate(grades[:k], start=1):
        stops = Fraction(2 ** max(grade, 0) - 1, 2**HIGHEST)
        total += arrives * stops / rank
        arrives *= 1 - stops
    return total


@given(case=topics(), k=maybe_cutoffs)
def test_normalised_expected_reciprocal_rank(case, k):
    def twin(run, counts):
        known = [grade for grade, count in enumerate(counts) for _ in range(count)]
        best = expected_reciprocal_rank(sorted(known, reverse=True), k)
        return (expected_reciprocal_rank(run, k) / best if best else 0), None

    agrees(make_measure("nERR", cutoff=k), twin, case)


def test_nerr_by_hand():
    # grades 1 2 of 2: 1/4 + 3/4 · 3/4 / 2 = 17/32; ideal 2 1: 3/4 + 1/4 · 1/4 / 2 = 25/32
    assert base("nERR@2", "12", highest=2) == pytest.approx(17 / 25, abs=1e-15)
    assert base("nERR", "00", highest=2) == 0


def rank_biased_overlap(first, second, persistence, depth):
    total, weights = Fraction(0), Fraction(0)
    for rank in range(1, depth + 1):
        weight = persistence ** (rank - 1)
        total += weight * len(set(first[:rank]) & set(second[:rank])) / rank
        weights += weight
    return total / weights if depth else Fraction(0)


@given(case=topics(), p=st.sampled_from([0.0, 0.5, 0.9, 0.95]), normalize=st.sampled_from("yn"))
def test_compatibility(case, p, normalize):
    def twin(run, counts):
        known = [(grade, f"retrieved {rank:02}") for rank, grade in enumerate(run) if grade >= 0]
        for grade, count in enumerate(counts):
            elsewhere = count - run.count(grade)
            known += [(grade, f"~{grade} elsewhere {number}") for number in range(elsewhere)]
        ideal = [name for grade, name in sorted(known, key=lambda e: (-e[0], e[1])) if grade > 0]
        retrieved = [f"retrieved {rank:02}" for rank in range(len(run))]
        depth = max(len(run), len(ideal))
        overlap = rank_biased_overlap(retrieved, ideal, Fraction(p), depth)
        if normalize == "n":
            return overlap, None
        best = rank_biased_overlap(ideal, ideal, Fraction(p), depth)
        return (overlap / best if best else 0), None

    says = {"y": "yes", "n": "no"}[normalize]
    agrees(make_measure("Compat", p=p, normalize=says), twin, case)


def test_compatibility_by_hand():
    # p = 1/2, the relevant document second of three: 1/4 + 1/12 over 1 + 1/4 + 1/12
    assert base("Compat(p=0.5)", "010") == pytest.approx(1 / 4, abs=1e-15)
    assert base("Compat(p=0.5,normalize=no)", "010") == pytest.approx(4 / 21, abs=1e-15)
    assert base("Compat(p=0.9)", "2110", highest=2) == 1


@given(case=topics(), k=maybe_cutoffs, rel=rels)
def test_accuracy(case, k, rel):
    def twin(run, counts):
        signs = [is_relevant(grade, rel) for grade in run[:k]]
        pairs = [
            i < j
            for i, first in enumerate(signs)
            for j, second in enumerate(signs)
            if first and not second
        ]
        return (Fraction(sum(pairs), len(pairs)) if pairs else math.nan), None

    agrees(make_measure("Accuracy", rel=rel, cutoff=k), twin, case)


def test_accuracy_by_hand():
    assert base("Accuracy", "1010") == 0.75
    assert base("Accuracy@3", "1010") == 0.5
    assert np.isnan(base("Accuracy", "11"))
    assert np.isnan(base("Accuracy", "0?"))
