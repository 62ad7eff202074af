"""How alike two orderings of the runs are, by scipy, by hand and by the formulas written out."""

import os
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.core.statistics.agreement import kendall_tau, rank_biased_overlap, tau_ap

DATA = os.environ.get("TRACKSIDE_DATA")

SMALL = st.integers(2, 5).flatmap(
    lambda runs: st.lists(
        st.lists(st.integers(0, 3), min_size=runs, max_size=runs), min_size=2, max_size=2
    )
)


def matrix(*rows):
    return np.array(rows, float)


def drawn_means(seed, *, orderings=6, runs=20, decimals=1):
    """Means of runs with many ties."""
    return np.round(np.random.default_rng(seed).random((orderings, runs)), decimals)


def trec5_means():
    folder = Path(DATA) / "trec5-scores"
    tables = [folder / f"adhoc5_{name}.csv" for name in ("rr", "p10", "ap")]
    topics = [np.loadtxt(table, delimiter=",", skiprows=1) for table in tables]
    return np.array([sum(rows) / len(rows) for rows in topics])  # added up topic after topic


def three_digits(found):
    """RR-P@10, P@10-AP, RR-AP."""
    return f"{found[0, 1]:.3f} {found[1, 2]:.3f} {found[0, 2]:.3f}"


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs")
def test_how_the_measures_of_trec5_agree():
    """The RBP paper's Table III has .839, .846 and .733, from other depths."""
    assert three_digits(kendall_tau(trec5_means())) == "0.839 0.845 0.729"
    assert three_digits(kendall_tau(trec5_means(), ties="none")) == "0.837 0.842 0.729"


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs")
def test_an_agreement_of_836_takes_float_noise_for_a_difference():
    """Raw floats give .836 for RR-P@10: P@10 means that are equal, but for the last bit, are
    ordered by it. 61 runs have 51 different means; adding up topic after topic makes 56."""
    means = trec5_means()
    noisy = [[stats.kendalltau(means[a], means[b]).statistic for a in range(3)] for b in range(3)]
    assert three_digits(np.array(noisy)) == "0.836 0.845 0.729"
    assert len(set(means[1])) == 56
    assert len(set(means[1].round(12))) == 51


# --- Kendall's τ --------------------------------------------------------------------------------


@pytest.mark.parametrize("decimals", [1, 2, 9])
def test_tau_b_is_scipys_for_every_pair(decimals):
    means = drawn_means(decimals, decimals=decimals)
    found = kendall_tau(means)
    for a, b in np.ndindex(found.shape):
        assert found[a, b] == pytest.approx(stats.kendalltau(means[a], means[b])[0], abs=1e-12)


def test_runs_without_a_score_leave_their_pair_of_orderings_only():
    means = drawn_means(3)
    means[0, :4] = np.nan
    means[1, 2:7] = np.nan
    for ties in ("none", "b"):
        found = kendall_tau(means, ties=ties)
        for a, b in np.ndindex(found.shape):
            common = ~np.isnan(means[a] + means[b])
            alone = kendall_tau(means[[a, b]][:, common], ties=ties)[0, 1]
            assert found[a, b] == pytest.approx(alone, abs=1e-12)


@given(SMALL)
def test_tau_a_counts_pairs(rows):
    a, b = rows
    runs = range(len(a))
    total = sum(np.sign(a[i] - a[j]) * np.sign(b[i] - b[j]) for i in runs for j in runs if i < j)
    assert kendall_tau(matrix(a, b), ties="none")[0, 1] == pytest.approx(
        total / (len(a) * (len(a) - 1) / 2), abs=1e-12
    )


def test_float_noise_is_a_tie():
    noisy = matrix([0.1 + 0.2, 0.3, 0.1], [3, 2, 1])
    assert kendall_tau(noisy)[0, 1] == pytest.approx(2 / np.sqrt(2 * 3), abs=1e-12)


def test_an_ordering_and_its_reverse():
    means = matrix([4, 3, 2, 1], [1, 2, 3, 4])
    assert kendall_tau(means)[0, 1] == -1
    assert tau_ap(means)[0, 1] == -1
    assert kendall_tau(means)[0, 0] == tau_ap(means)[0, 0] == 1


def test_what_is_not_defined():
    assert np.isnan(kendall_tau(matrix([1, 1, 1], [1, 2, 3]))[0]).all()
    one_run = matrix([1, np.nan], [2, np.nan])
    for agreement in (kendall_tau, tau_ap, rank_biased_overlap):
        assert np.isnan(agreement(one_run)).all()
        assert agreement(np.empty((0, 3))).shape == (0, 0)


# --- τ_AP ---------------------------------------------------------------------------------------


def literal_tau_ap(reference, ordering):
    """Yilmaz et al., equation 4: `ordering` lists runs, best first."""
    total = 0.0
    for i in range(1, len(ordering)):
        correct = sum(reference[above] > reference[ordering[i]] for above in ordering[:i])
        total += correct / i
    return 2 / (len(ordering) - 1) * total - 1


def test_tau_ap_by_hand():
    """Reference 1 2 3 4. In 2 1 3 4 the second is wrong: shares 0, 1, 1; in 1 2 4 3 the last has
    one wrong of three: 1, 1, 2/3. An error at the top costs more."""
    means = matrix([4, 3, 2, 1], [3, 4, 2, 1], [4, 3, 1, 2])
    found = tau_ap(means)
    assert found[0, 1] == pytest.approx(2 * (2 / 3) - 1, abs=1e-12)
    assert found[0, 2] == pytest.approx(2 * (8 / 9) - 1, abs=1e-12)
    assert kendall_tau(means)[0, 1] == kendall_tau(means)[0, 2]


def test_tau_ap_has_a_reference():
    means = matrix([4, 3, 2, 1], [2, 3, 4, 1])
    means = np.vstack([means, [1, 4, 3, 2]])
    found = tau_ap(means)
    for a, b in np.ndindex(3, 3):
        ordering = np.argsort(-means[b])
        assert found[a, b] == pytest.approx(literal_tau_ap(means[a], ordering), abs=1e-12)
    assert found[0, 2] != found[2, 0]


def breakings(means):
    """All orderings, best first, that the means allow; as many of each tie."""
    runs = range(len(means))
    for order in permutations(runs):
        if all(means[order[i]] >= means[order[i + 1]] for i in range(len(means) - 1)):
            yield order


@given(SMALL)
def test_tau_ap_with_ties_is_the_mean_over_all_ways_of_breaking_them(rows):
    a, b = rows
    values = []
    for reference in breakings(a):
        places = {run: -place for place, run in enumerate(reference)}
        values += [literal_tau_ap(places, ordering) for ordering in breakings(b)]
    assert tau_ap(matrix(a, b))[0, 1] == pytest.approx(np.mean(values), abs=1e-12)


# --- rank-biased overlap ------------------------------------------------------------------------


def literal_rbo(a, b, p):
    """Webber et al., equation 4 as far as the lists go; `a`, `b` list runs, best first."""
    return (1 - p) * sum(
        p ** (d - 1) * len(set(a[:d]) & set(b[:d])) / d for d in range(1, len(a) + 1)
    )


def test_rbo_by_hand():
    """A B C against B A C at p = .5: overlaps 0, 1, 1, weights 1/2, 1/4, 1/8, 1/8 beyond."""
    means = matrix([3, 2, 1], [2, 3, 1])
    truncated = rank_biased_overlap(means, persistence=0.5, beyond="truncated")
    extrapolated = rank_biased_overlap(means, persistence=0.5)
    assert truncated[0, 1] == 0.375
    assert extrapolated[0, 1] == 0.5
    assert (truncated[0, 0], extrapolated[0, 0]) == (0.875, 1.0)


@pytest.mark.parametrize("p", [0.1, 0.9, 0.98])
def test_rbo_as_its_paper_writes_it(p):
    means = drawn_means(8, decimals=12)
    truncated = rank_biased_overlap(means, persistence=p, beyond="truncated")
    extrapolated = rank_biased_overlap(means, persistence=p)
    for a, b in np.ndindex(truncated.shape):
        literal = literal_rbo(list(np.argsort(-means[a])), list(np.argsort(-means[b])), p)
        assert truncated[a, b] == pytest.approx(literal, abs=1e-12)
        assert extrapolated[a, b] == pytest.approx(literal + p**20, abs=1e-12)
    assert np.array_equal(rank_biased_overlap(means), rank_biased_overlap(means, persistence=0.9))


@given(SMALL, st.sampled_from([0.3, 0.9]))
def test_rbo_with_ties_sees_a_tied_group_at_once(rows, p):
    a, b = rows
    total = 0.0
    for depth in range(1, len(a) + 1):
        first = {run for run, mean in enumerate(a) if sum(m > mean for m in a) < depth}
        second = {run for run, mean in enumerate(b) if sum(m > mean for m in b) < depth}
        total += p ** (depth - 1) * 2 * len(first & second) / (len(first) + len(second))
    found = rank_biased_overlap(matrix(a, b), persistence=p)[0, 1]
    assert found == pytest.approx((1 - p) * total + p ** len(a), abs=1e-12)


def test_rbo_leaves_out_runs_without_a_score():
    means = matrix([4, 3, np.nan, 1], [1, 2, 9, 3])
    assert rank_biased_overlap(means)[0, 1] == pytest.approx(
        rank_biased_overlap(means[:, [0, 1, 3]])[0, 1]
    )


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="ties"):
        kendall_tau(np.zeros((2, 2)), ties="c")
    with pytest.raises(ValueError, match="infinite"):
        tau_ap(matrix([np.inf, 1], [1, 2]))
    for p in (-0.1, 1, np.nan):
        with pytest.raises(ValueError, match="persistence"):
            rank_biased_overlap(np.zeros((2, 2)), persistence=p)
    with pytest.raises(ValueError, match="beyond"):
        rank_biased_overlap(np.zeros((2, 2)), beyond="min")
