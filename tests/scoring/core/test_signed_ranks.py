"""Wilcoxon's test: by hand, by all signs written out, and as scipy has it."""

from collections import Counter
from functools import partial
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.core.statistics.pairs import EXACT, NORMAL, NOTHING, all_pairs, compare
from scoring.core.statistics.signed_ranks import LARGEST_EXACT, LARGEST_EXACT_TIED, wilcoxon
from tests.scoring.core.test_significance import ONE_TAILED, drawn_scores, one, scipy_wilcoxon


@pytest.mark.parametrize("tail", ["two", "one"])
@pytest.mark.parametrize("zeros", ["drop", "pratt"])
@pytest.mark.parametrize("continuity", [True, False])
@pytest.mark.parametrize(("decimals", "topics"), [(1, 30), (2, 30), (12, 30), (12, 60), (2, 6)])
def test_wilcoxon_is_scipys_for_every_pair(tail, zeros, continuity, decimals, topics):
    options = {"tail": tail, "zeros": zeros, "continuity": continuity}
    scores = drawn_scores(decimals, topics=topics, decimals=decimals)
    pairs = all_pairs(len(scores))
    found = compare(partial(wilcoxon, **options), pairs, scores)
    for place, (first, second) in enumerate(combinations(scores, 2)):
        differences = np.round(first - second, 12)
        differences = differences[~np.isnan(differences)]
        assert found.topics[place] == len(differences)
        if not differences.any():
            assert found.methods[place] == NOTHING
            continue
        sizes = np.abs(differences)
        is_plain = bool(sizes.all()) and len(set(sizes)) == len(sizes)
        largest = LARGEST_EXACT if is_plain else LARGEST_EXACT_TIED
        is_exact = len(differences) <= largest
        assert found.methods[place] == (EXACT if is_exact else NORMAL)
        if is_exact and not is_plain:
            expected = counted_out(differences, tail=tail, zeros=zeros)
        else:
            expected = scipy_wilcoxon(differences, found.methods[place], **options)
        assert found.p_values[place] == pytest.approx(expected, abs=1e-12)


def signed_ranks(differences, zeros):
    """The midranks of the differences that are not zero, and the sum of those of positive ones."""
    kept = differences if zeros == "pratt" else differences[differences != 0]
    ranks, kept = stats.rankdata(np.abs(kept))[kept != 0], kept[kept != 0]
    return ranks, ranks[kept > 0].sum()


def p_of_shares(upper, lower, tail):
    return upper if tail == "one" else min(1.0, 2 * min(upper, lower))


def counted_out(differences, *, tail, zeros):
    """By a count of the ways of each sum: each rank is in it or not."""
    ranks, seen = signed_ranks(differences, zeros)
    ways = Counter({0.0: 1})
    for rank in ranks.tolist():
        grown = Counter(ways)
        for total, count in ways.items():
            grown[total + rank] += count
        ways = grown
    upper = sum(count for total, count in ways.items() if total >= seen)
    lower = sum(count for total, count in ways.items() if total <= seen)
    return p_of_shares(upper / 2 ** len(ranks), lower / 2 ** len(ranks), tail)


@pytest.mark.parametrize("tail", ["two", "one"])
@pytest.mark.parametrize("zeros", ["drop", "pratt"])
@given(tenths=st.lists(st.integers(-3, 3), min_size=1, max_size=12))
def test_wilcoxon_with_ties_and_zeros_is_all_signs_written_out(tenths, zeros, tail):
    differences = np.array(tenths) / 10
    ranks, seen = signed_ranks(differences, zeros)
    sums = np.array([ranks @ np.array(signs) for signs in product((0, 1), repeat=len(ranks))])
    expected = p_of_shares((sums >= seen).mean(), (sums <= seen).mean(), tail)
    p, statistic, method = one(wilcoxon, *differences, zeros=zeros, tail=tail)
    assert (p, statistic) == ((expected, seen) if differences.any() else (1.0, 0.0))
    assert method == (EXACT if differences.any() else NOTHING)


@pytest.mark.parametrize("tail", ["two", "one"])
@pytest.mark.parametrize("zeros", ["drop", "pratt"])
def test_wilcoxon_with_ties_and_zeros_is_scipys_of_all_permutations(zeros, tail):
    draw = np.random.default_rng(5)
    every = stats.PermutationMethod(n_resamples=np.inf)
    for topics in range(2, 11):
        differences = draw.integers(-3, 4, topics) / 10
        if not differences.any():
            continue
        expected = stats.wilcoxon(
            differences,
            zero_method="pratt" if zeros == "pratt" else "wilcox",
            alternative=ONE_TAILED[tail],
            method=every,
        ).pvalue
        found, _, _ = one(wilcoxon, *differences, zeros=zeros, tail=tail)
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([0.1] * 5, 2 / 32),  # all five have the rank 3
        ([0.1, 0.1, 0.2, 0.3, 0.4], 2 / 32),  # only two patterns of signs are as extreme
        ([0.0, 0.1, 0.1, 0.2, 0.3, 0.4], 2 / 32),  # the zero is dropped
        ([0.1, 0.1], 2 / 4),
        ([0.1] * 6, 2 / 64),
        ([0.1, 0.1, 0.1, 0.1, -0.1], 12 / 32),  # one or none against: 6 of 32, on either side
        ([0.0, 0.0, 0.1, -0.2], 1.0),  # W+ is 1 of 0, 1, 2, 3: 2 of 4 as low
    ],
)
def test_wilcoxon_of_few_topics_by_hand(differences, p):
    assert one(wilcoxon, *differences)[0] == p


def test_pratt_ranks_zeros_before_they_are_dropped():
    """Ranks 2, 3 and 4 of which 2 and 3 are positive: W+ = 5. Sums 5, 6, 7 and 9 are 5 or more:
    4 of 8."""
    assert one(wilcoxon, 0.0, 0.1, 0.2, -0.3, zeros="pratt", tail="one")[:2] == (0.5, 5.0)


def test_ties_are_counted_out_on_25_topics_and_not_on_26():
    differences = [0.1, *np.arange(1.0, 25.0), 24.0]
    assert one(wilcoxon, *differences[1:]) == (2 / 2**25, 325, EXACT)
    assert one(wilcoxon, *differences)[2] == NORMAL
    assert one(wilcoxon, np.nan, *differences[1:])[0] == 2 / 2**25  # a topic that is not common


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=12), st.sampled_from(["drop", "pratt"]))
def test_the_sum_of_positive_ranks_is_the_textbooks(tenths, zeros):
    """W+ by counting, for each positive difference, how many stand below it."""
    ranked = [abs(d) for d in tenths if d or zeros == "pratt"]
    total = 0.0
    for d in tenths:
        if d > 0:
            total += sum(other < d for other in ranked) + (sum(o == d for o in ranked) + 1) / 2
    _, statistic, _ = one(wilcoxon, *(d / 10 for d in tenths), zeros=zeros)
    assert statistic == total


@pytest.mark.parametrize("topics", range(1, 11))
def test_the_exact_null_is_all_signs_written_out(topics):
    ranks = np.arange(1, topics + 1)
    sums = np.array([ranks @ signs for signs in product((0, 1), repeat=topics)])
    for taken in {0, 1, topics, topics * (topics + 1) // 4}:
        signs = np.array(next(s for s in product((1, -1), repeat=topics) if wins(s) == taken))
        upper, lower = (sums >= taken).mean(), (sums <= taken).mean()
        assert one(wilcoxon, *(ranks * signs), tail="one") == (upper, taken, EXACT)
        assert one(wilcoxon, *(ranks * signs))[0] == min(1.0, 2 * min(upper, lower))


def wins(signs):
    return sum(rank for rank, sign in enumerate(signs, start=1) if sign > 0)


def test_fifty_topics_are_counted_out_and_fifty_one_are_not():
    differences = np.arange(1.0, 52.0)
    assert one(wilcoxon, *differences[:50]) == (2.0**-49, 1275, EXACT)
    assert one(wilcoxon, *differences)[2] == NORMAL
