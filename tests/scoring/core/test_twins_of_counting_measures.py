"""Slow twins of sets, first ranks, sums of precision, recall levels, bpref and search length."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.data.grades import UNJUDGED
from scoring.core.measures.names import make_measure
from tests.scoring.core.twins import (
    HIGHEST,
    WORTH,
    agrees,
    cutoffs,
    is_relevant,
    maybe_cutoffs,
    relevant_known,
    rels,
    topics,
)

UNDEFINED = math.nan


def ratio(part, whole):
    return Fraction(part) / Fraction(whole) if whole else Fraction(0)


def found_in(run, rel):
    return sum(is_relevant(grade, rel) for grade in run)


def unknown_in(run, k):
    return UNJUDGED in run[:k] or len(run) < k


def sum_of_precisions(run, rel):
    return sum(
        Fraction(found_in(run[: i + 1], rel), i + 1)
        for i, grade in enumerate(run)
        if is_relevant(grade, rel)
    )


def optimistic(run, k):
    """The first k with everything unknown of the highest grade."""
    padded = run + [UNJUDGED] * (k - len(run))
    return [HIGHEST if grade == UNJUDGED else grade for grade in padded[:k]]


SETS = {
    "SetP": lambda run, counts, rel: ratio(found_in(run, rel), len(run)),
    "SetR": lambda run, counts, rel: ratio(found_in(run, rel), relevant_known(counts, rel)),
    "SetAP": lambda run, counts, rel: ratio(
        found_in(run, rel) ** 2, len(run) * relevant_known(counts, rel)
    ),
    "set_relative_P": lambda run, counts, rel: ratio(
        found_in(run, rel), min(len(run), relevant_known(counts, rel))
    ),
    "utility": lambda run, counts, rel: 2 * found_in(run, rel) - len(run),
    "NumRel": lambda run, counts, rel: relevant_known(counts, rel),
    "NumRelRet": lambda run, counts, rel: found_in(run, rel),
    "num_nonrel_judged_ret": lambda run, counts, rel: sum(0 <= grade < rel for grade in run),
}


@pytest.mark.parametrize("name", SETS)
@given(case=topics(), rel=rels)
def test_sets_and_counts(name, case, rel):
    agrees(
        make_measure(name, rel=rel), lambda run, known: (SETS[name](run, known, rel), None), case
    )


@given(case=topics())
def test_counts_without_relevance(case):
    agrees(make_measure("NumRet"), lambda run, counts: (len(run), None), case)
    agrees(make_measure("NumQ"), lambda run, counts: (1, None), case)


@given(case=topics(), rel=rels, beta=st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_set_f(case, rel, beta):
    def twin(run, counts):
        precision = ratio(found_in(run, rel), len(run))
        recall = ratio(found_in(run, rel), relevant_known(counts, rel))
        weight = Fraction(beta)
        return ratio((weight + 1) * precision * recall, weight * precision + recall), None

    agrees(make_measure("SetF", rel=rel, beta=beta), twin, case)


def f1(run, counts, k, rel):
    return Fraction(2 * found_in(run[:k], rel), k + relevant_known(counts, rel)), None


def shaw(run, counts, k, rel):
    precision = Fraction(found_in(run[:k], rel), k)
    recall = ratio(found_in(run[:k], rel), relevant_known(counts, rel))
    return (1 / (1 / precision + 1 / recall - 1) if precision and recall else 0), None


def relative_precision(run, counts, k, rel):
    return ratio(found_in(run[:k], rel), min(k, relevant_known(counts, rel))), None


def success(run, counts, k, rel):
    base = int(found_in(run[:k], rel) > 0)
    return base, int(not base and unknown_in(run, k))


def sum_at(run, counts, k, rel):
    base = sum_of_precisions(run[:k], rel)
    return base, sum_of_precisions(optimistic(run, k), rel) - base


def self_normalised(run, counts, k, rel):
    found = found_in(run[:k], rel)
    return (sum_of_precisions(run[:k], rel) / found if found else UNDEFINED), None


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("F1", f1),
        ("PR", shaw),
        ("relative_P", relative_precision),
        ("Success", success),
        ("SP", sum_at),
        ("SNAP", self_normalised),
    ],
)
@given(case=topics(), k=cutoffs, rel=rels)
def test_the_first_ranks(name, twin, case, k, rel):
    measure = make_measure(name, cutoff=k, rel=rel)
    agrees(measure, lambda run, counts: twin(run, counts, k, rel), case)


@given(case=topics(), k=cutoffs)
def test_hit_and_unjudged(case, k):
    def hit(run, counts):
        base = max([WORTH[grade] for grade in run[:k] if grade >= 0], default=0)
        return base, max(WORTH) - base if unknown_in(run, k) else 0

    agrees(make_measure("HIT", cutoff=k), hit, case)
    agrees(
        make_measure("unj", cutoff=k),
        lambda run, counts: (Fraction(run[:k].count(UNJUDGED), k), None),
        case,
    )


@given(case=topics(), rel=rels, k=maybe_cutoffs, multiple=st.sampled_from([0.2, 1.0, 1.4, 2.0]))
def test_r_precision_at_multiples(case, rel, k, multiple):
    def twin(run, counts):
        limit = int(multiple * relevant_known(counts, rel) + 0.9)
        limit = limit if k is None else min(k, limit)
        return ratio(found_in(run[:limit], rel), limit), None

    agrees(make_measure("Rprec", cutoff=k, rel=rel, mult=multiple), twin, case)


@given(
    case=topics(), rel=rels, k=maybe_cutoffs, nth=st.integers(1, 4), damp=st.sampled_from([0, 2.5])
)
def test_reciprocal_rank_of_sceptical_and_cautious_users(case, rel, k, nth, damp):
    def score(list_of_grades):
        ranks = [i + 1 for i, grade in enumerate(list_of_grades) if is_relevant(grade, rel)]
        if len(ranks) < nth or (k is not None and ranks[nth - 1] > k):
            return Fraction(0)
        return 1 / (Fraction(damp) + ranks[nth - 1])

    def twin(run, counts):
        return score(run), score(optimistic(run, len(run) + nth)) - score(run)

    agrees(make_measure("RR", cutoff=k, rel=rel, nth=nth, damp=damp), twin, case)


@given(case=topics(), rel=rels)
def test_other_means_of_precision(case, rel):
    def retrieved(run, counts):
        found = found_in(run, rel)
        return (sum_of_precisions(run, rel) / found if found else UNDEFINED), None

    def geometric(run, counts):
        ap = ratio(sum_of_precisions(run, rel), relevant_known(counts, rel))
        return max(ap, Fraction(1, 100000)), None

    def odds(run, counts):
        total = float(sum_of_precisions(run, rel))
        return math.log((1 + total) / (1 + relevant_known(counts, rel) - total)), None

    agrees(make_measure("APret", rel=rel), retrieved, case)
    agrees(make_measure("GMAP", rel=rel), geometric, case)
    agrees(make_measure("yaap", rel=rel), odds, case)


def interpolated(run, needed, rel):
    """The highest precision at any rank with this many relevant documents or more."""
    reached = [i for i in range(1, len(run) + 1) if found_in(run[:i], rel) >= needed]
    return max((Fraction(found_in(run[:i], rel), i) for i in reached), default=Fraction(0))


def at_level(run, counts, rel, level, rounding):
    known = relevant_known(counts, rel)
    needed = {
        "exact": math.ceil(Fraction(str(level)) * known),
        "trec_eval": math.floor(Fraction(level * known) + Fraction(1, 2)),
        "trec_eval_9": int(level * known + 0.9),
    }
    return interpolated(run, needed[rounding], rel)


@given(
    case=topics(),
    rel=rels,
    level=st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.55, 0.7, 0.9, 1.0]),
    rounding=st.sampled_from(["exact", "trec_eval", "trec_eval_9"]),
)
def test_interpolated_precision(case, rel, level, rounding):
    def mean(levels):
        return lambda run, counts: (
            sum(at_level(run, counts, rel, each, rounding) for each in levels) / len(levels),
            None,
        )

    one = make_measure("IPrec", cutoff=level, rel=rel, levels=rounding)
    agrees(one, mean([level]), case)
    eleven = make_measure("IPrec11", rel=rel, levels=rounding)
    agrees(eleven, mean([tenth / 10 for tenth in range(11)]), case)
    agrees(make_measure("IPrec3", rel=rel, levels=rounding), mean([0.2, 0.5, 0.8]), case)


@given(case=topics(), rel=rels)
def test_areas(case, rel):
    def plain(run, counts):
        known, area, before = relevant_known(counts, rel), Fraction(0), Fraction(0)
        for i in range(1, len(run) + 1):
            recall = ratio(found_in(run[:i], rel), known)
            area += Fraction(found_in(run[:i], rel), i) * (recall - before)
            before = recall
        return area, None

    def smoothed(run, counts):
        known, found = relevant_known(counts, rel), found_in(run, rel)
        steps = sum(interpolated(run, j, rel) for j in range(1, found + 1))
        return ratio(steps, known), None

    agrees(make_measure("AUC", rel=rel), plain, case)
    agrees(make_measure("AUC", rel=rel, interpolated="yes"), smoothed, case)


@given(case=topics(), rel=rels, k=st.sampled_from([0, 1, 10]))
def test_bpref(case, rel, k):
    def twin(run, counts):
        known, others = relevant_known(counts, rel), sum(counts[:rel])
        total, above = Fraction(0), 0
        for grade in run:
            if 0 <= grade < rel:
                above += 1
            elif is_relevant(grade, rel):
                lost = Fraction(min(known + k, above), min(known + k, others)) if above else 0
                total += 1 - lost
        return ratio(total, known), None

    agrees(make_measure("bpref", rel=rel, k=k), twin, case)
    if k == 0:
        least = Fraction(1, 100000)

        def floored(run, counts):
            return max(twin(run, counts)[0], least), None

        agrees(make_measure("gm_bpref", rel=rel), floored, case)


@given(case=topics(), rel=rels, wanted=st.integers(1, 4), per=st.integers(0, 1))
def test_search_length_and_rank_power(case, rel, wanted, per):
    def length(run, counts):
        ranks = [i + 1 for i, grade in enumerate(run) if is_relevant(grade, rel)]
        if len(ranks) < wanted:
            return UNDEFINED, None
        others = sum(not is_relevant(grade, rel) for grade in run[: ranks[wanted - 1]])
        return Fraction(others, wanted if per else 1), None

    def power(run, counts):
        ranks = [i + 1 for i, grade in enumerate(run) if is_relevant(grade, rel)]
        return (Fraction(sum(ranks), len(ranks) ** 2) if ranks else UNDEFINED), None

    agrees(make_measure("ESL", n=wanted, rel=rel, per=per), length, case)
    agrees(make_measure("RankPower", rel=rel), power, case)
