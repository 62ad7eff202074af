"""Simultaneous sets of ranks: by hand, compared with a loop over samples, pairs and topics, and how
often they contain the true ranks."""

import math
import os
from itertools import combinations, permutations
from pathlib import Path
from statistics import mean, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import trackside as ts
from scoring.core.statistics import rank_sets as module
from scoring.core.statistics.rank_sets import enough_samples, least_samples, rank_sets
from tools.rank_sets_table import table

DATA = os.environ.get("TRACKSIDE_DATA", "")
# Differences of two runs, by topic: their mean is 6, their variance 1.5.
STEPS = np.array([4.0, 5.0, 5.0, 6.0, 6.0, 6.0, 7.0, 7.0, 8.0])


def slow_t(differences):
    """t of the mean difference; NaN without a spread."""
    topics = len(differences)
    error = math.sqrt(variance(differences) / topics) if topics > 1 else 0.0
    return mean(differences) / error if error > 1e-14 else math.nan


def slow_sets(scores, level, samples, seed):
    """The definition, one sample and one pair at a time."""
    random = np.random.default_rng(seed)
    runs, topics = scores.shape
    compared = {}
    for a, b in combinations(range(runs), 2):
        common = [t for t in range(topics) if not np.isnan(scores[a, t] - scores[b, t])]
        by_topic = {t: float(scores[a, t] - scores[b, t]) for t in common}
        middle = mean(by_topic.values()) if by_topic else 0.0
        squares = sorted(((value - middle) ** 2 for value in by_topic.values()), reverse=True)
        if sum(squares) > 1e-20 and sum(squares[:4]) < 0.95 * sum(squares):
            compared[a, b] = by_topic
    largest = []
    for _ in range(samples):
        drawn = random.integers(0, topics, topics).tolist()
        every = [0.0]
        for by_topic in compared.values():
            middle = mean(by_topic.values())
            values = [by_topic[t] - middle for t in drawn if t in by_topic]
            t = slow_t(values) if values else 0.0
            if math.isnan(t):
                t = math.inf if abs(mean(values)) > 1e-13 else 0.0
            every.append(abs(t))
        largest.append(max(every))
    critical = sorted(largest)[math.ceil(round(level * (samples + 1), 9)) - 1]
    t = {pair: slow_t(list(values.values())) for pair, values in compared.items()}
    beaten = {(b, a) if t[a, b] > 0 else (a, b) for a, b in t if abs(t[a, b]) > critical}
    best = [1 + sum(loser == run for loser, _ in beaten) for run in range(runs)]
    worst = [runs - sum(winner == run for _, winner in beaten) for run in range(runs)]
    return best, worst, critical, bool(compared)


def ends(found):
    return list(zip(found.best.tolist(), found.worst.tolist(), strict=True))


def test_three_runs_by_hand():
    # |t| of the first two runs is 6 / sqrt(1.5 / 9) = 14.7; the first and the last have the same
    # mean, so their t is 0.
    b = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0])
    scores = np.array([b, b + STEPS, b[::-1]])
    for correction in ("max-t", "holm"):
        found = rank_sets(scores, correction=correction, samples=999, seed=1)
        assert ends(found) == [(2, 3), (1, 1), (2, 3)], correction
        assert found.undefined == ""
        assert found.level == 0.95
    assert math.isnan(found.critical_value)


def test_the_critical_value_of_one_pair_by_hand():
    # 19 samples and 95 %: the largest |t*|. With -1, 0 and 1 thrice each, t* of topics drawn is
    # their mean / sqrt(their variance / 9).
    scores = np.array([[-1.0, 0.0, 1.0] * 3, [0.0] * 9])
    found = rank_sets(scores, samples=19, seed=4)
    random = np.random.default_rng(4)
    drawn = [scores[0, random.integers(0, 9, 9)] for _ in range(19)]
    largest = max(abs(each.mean()) / math.sqrt(each.var(ddof=1) / 9) for each in drawn)
    assert found.critical_value == pytest.approx(largest, abs=1e-12)
    assert ends(found) == [(1, 2), (1, 2)]


@pytest.mark.hypothesis
@given(
    st.integers(2, 5),
    st.integers(5, 12),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.sampled_from(["tenths", "any", "gaps", "shifted"]),
)
def test_it_equals_the_loop(runs, topics, seed, level, kind):
    random = np.random.default_rng(seed)
    scores = random.random((runs, topics)) + random.random((runs, 1))
    if kind == "tenths":  # so that there are ties, and resamples without spread
        scores = np.round(scores, 1)
    elif kind == "gaps":
        scores[random.random((runs, topics)) < 0.2] = np.nan
    elif kind == "shifted":  # what runs have in common must not cost precision
        scores += 1000 * random.random(topics)
    found = rank_sets(scores, level=level, samples=60, seed=seed)
    best, worst, critical, has_compared = slow_sets(scores, level, 60, seed)
    if not has_compared or math.isinf(critical):
        assert found.undefined
        best, worst = [1] * runs, [runs] * runs
    else:
        assert found.critical_value == pytest.approx(critical, rel=1e-9)
    assert found.best.tolist() == best
    assert found.worst.tolist() == worst


@pytest.mark.hypothesis
@given(st.integers(2, 6), st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_holm_equals_the_tests_one_at_a_time(runs, topics, seed):
    """Of both directions of each pair, the smallest p first, until one is not significant."""
    scores = np.random.default_rng(seed).random((runs, topics)) + np.arange(runs)[:, None] / 4
    found = rank_sets(scores, correction="holm", level=0.9, samples=999, seed=1)
    tests = sorted(
        (stats.ttest_rel(scores[a], scores[b], alternative="greater").pvalue, a, b)
        for a, b in permutations(range(runs), 2)
    )
    best, worst = [1] * runs, [runs] * runs
    for at, (p, a, b) in enumerate(tests):
        if p * (len(tests) - at) > 0.1:
            break
        worst[a] -= 1
        best[b] += 1
    assert ends(found) == list(zip(best, worst, strict=True))


def test_each_rank_of_equal_runs_is_in_their_sets():
    leader = np.random.default_rng(1).random(20)
    scores = np.array([leader, leader, leader, leader - 0.5 + np.arange(20) / 100])
    for correction in ("max-t", "holm"):
        found = rank_sets(scores, correction=correction, samples=999, seed=1)
        assert ends(found) == [(1, 3), (1, 3), (1, 3), (4, 4)]


def test_two_versions_of_a_run_do_not_widen_the_sets_of_others():
    """They hardly differ but on one topic. 36 % of the resamples lack it, and with differences that
    are nearly the same on all others, the mean of these is many standard errors off."""
    random = np.random.default_rng(2)
    scores = random.random((4, 50)) / 5 + np.array([[0.9], [0.6], [0.3], [0.0]])
    alone = rank_sets(scores, samples=999, seed=1)
    version = scores[3] + random.random(50) / 1e4
    version[7] += 0.5
    found = rank_sets(np.vstack([scores, version]), samples=999, seed=1)
    assert ends(alone) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert ends(found) == [(1, 1), (2, 2), (3, 3), (4, 5), (4, 5)]
    assert found.critical_value < 4


def with_a_large_critical_value():
    """Four runs, of which two differ on two topics more than on the ten others."""
    scores = np.random.default_rng(3).random((3, 12)) / 5 + np.array([[0.6], [0.5], [0.4]])
    return np.vstack([scores, scores[2] + [0.2, 0.2, *[0.034, -0.034] * 5]])


def test_a_caution_if_bonferroni_finds_more_than_twice_as_many_pairs():
    """As counted with the t tests of scipy."""
    scores = with_a_large_critical_value()
    found = rank_sets(scores, samples=999, seed=1)
    pairs = list(combinations(range(4), 2))
    tests = [stats.ttest_rel(scores[a], scores[b]) for a, b in pairs]
    assert found.by_bonferroni == sum(each.pvalue <= 0.05 / len(pairs) for each in tests) == 4
    assert found.significant == sum(abs(each.statistic) > found.critical_value for each in tests)
    assert found.significant == 1
    assert found.caution == (
        "Of the pairs of runs, bootstrap max-t finds 1 significant, and t tests with Bonferroni's"
        " correction 4. The critical value of max-t, 5.6, is large, because some pairs differ on"
        " few topics. Rank sets by Holm's correction are narrower."
    )
    by_holm = rank_sets(scores, correction="holm", samples=999, seed=1)
    assert (by_holm.significant, by_holm.caution) == (4, "")
    assert rank_sets(scores[:3], samples=999, seed=1).caution == ""


def test_a_difference_without_spread_is_not_significant():
    first = np.random.default_rng(1).random(20)
    scores = np.array([first, first - 0.1, first[::-1] - 5])
    for correction in ("max-t", "holm"):
        found = rank_sets(scores, correction=correction, samples=999, seed=1)
        assert ends(found) == [(1, 2), (1, 2), (3, 3)]


def test_runs_are_compared_on_the_topics_that_both_have():
    b = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0] * 2)
    scores = np.array([b, b + np.tile(STEPS, 2), np.full(18, np.nan)])
    scores[0, 0], scores[1, 1] = np.nan, np.nan
    found = rank_sets(scores, samples=999, seed=1)
    assert ends(found) == [(2, 3), (1, 2), (1, 3)]


def test_samples_are_drawn_a_block_at_a_time(monkeypatch):
    scores = np.random.default_rng(1).random((7, 11))
    for gaps in (False, True):
        if gaps:
            scores[2, 3] = np.nan
        whole = rank_sets(scores, samples=500, seed=5)
        with monkeypatch.context() as patch:
            patch.setattr(module, "_CELLS_AT_A_TIME", 50)
            parts = rank_sets(scores, samples=500, seed=5)
        assert whole.critical_value == pytest.approx(parts.critical_value, rel=1e-12)
        assert ends(whole) == ends(parts)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (np.zeros((0, 9)), "Two runs or more are needed."),
        (np.zeros((1, 9)), "Two runs or more are needed."),
        (np.random.default_rng(1).random((3, 0)), "More than 4 topics are needed."),
        (np.random.default_rng(1).random((3, 2)), "More than 4 topics are needed."),
        (np.zeros((3, 9)), "The differences between runs have no spread, or only on a few topics."),
        (np.arange(3.0)[:, None] + np.zeros(9), "The differences between runs have no spread, "),
        (np.full((3, 9), np.nan), "The differences between runs have no spread, "),
        (
            np.array([[1.0, -1, 1, -1, 1], np.zeros(5)]),
            "The topics are too few: too many of their resamples have no spread. Holm's correction"
            " needs no resamples.",
        ),
    ],
)
def test_a_sentence_says_why_there_are_no_sets(scores, words):
    found = rank_sets(scores, samples=999, seed=1)
    assert found.undefined.startswith(words)
    assert set(ends(found)) <= {(1, len(scores))}
    assert found.caution == ""


def test_holm_needs_a_pair_with_a_spread():
    for scores in (np.zeros((3, 9)), np.random.default_rng(1).random((3, 1)), np.zeros((2, 0))):
        found = rank_sets(scores, correction="holm", samples=999, seed=1)
        assert found.undefined.startswith("The differences between runs have no spread")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": 0.0}, "between 0 and 1"),
        ({"level": 1.0}, "between 0 and 1"),
        ({"level": math.nan}, "between 0 and 1"),
        ({"samples": 18}, "a level of 0.95 needs at least 19 samples"),
        ({"level": 0.999, "samples": 998}, "needs at least 999 samples"),
        ({"correction": "benjamini-hochberg"}, "'max-t' or 'holm'"),
    ],
)
def test_bad_arguments(options, words):
    with pytest.raises(ValueError, match=words):
        rank_sets(np.zeros((2, 9)), **({"samples": 999, "seed": 1} | options))


def test_infinite_scores_are_refused():
    with pytest.raises(ValueError, match="infinite"):
        rank_sets(np.array([[1.0, np.inf]]), samples=999, seed=1)


def test_samples_of_a_level():
    assert [least_samples(level) for level in (0.5, 0.9, 0.95, 0.99)] == [1, 9, 19, 99]
    assert [enough_samples(level) for level in (0.5, 0.9, 0.95, 0.99)] == [100, 500, 1000, 5000]


@pytest.mark.data
@pytest.mark.long
@pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs")
def test_the_page_has_the_pairs_of_real_runs():
    page = Path(__file__).resolve().parents[3] / "docs" / "ranks-and-topics.md"
    assert "\n".join(table(Path(DATA))) in page.read_text()


def every_sixth_run(measure):
    """20 of the 129 runs of TREC-8, float64[runs, topics]."""
    folder = Path(DATA) / "trec8-adhoc"
    paths = sorted((folder / "runs").iterdir())[::6][:20]
    found = ts.evaluate(folder / "qrels.trec8.adhoc.txt.gz", paths, measure, complete=True)
    scores = np.array(found["value"]).reshape(20, 50)
    assert (found["topic"][:50], len(set(found["run"][:50]))) == (found["topic"][-50:], 1)
    return scores


def with_equal_means(scores, runs):
    """The same differences from the mean, but the mean of all these."""
    scores = scores.copy()
    scores[runs] += scores[runs].mean() - scores[runs].mean(axis=1, keepdims=True)
    return scores


@pytest.mark.data
@pytest.mark.exhaustive
@pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs")
@pytest.mark.parametrize("measure", ["AP", "P@10"])
@pytest.mark.parametrize("equal", ["none", "three", "all"])
def test_the_sets_of_all_runs_contain_the_true_ranks(measure, equal):
    """2,000 sets of 50 topics, drawn with replacement from those of TREC-8: the true means are
    those of all 50. "three" of 20 runs, in the middle, have the same mean. "all" is the hardest
    case, because any significant pair is wrong: scores by AP are too skewed for 50 topics, and for
    Student's t more than for the bootstrap."""
    scores = every_sixth_run(measure)
    middle = np.argsort(-scores.mean(axis=1))[8:11]
    scores = with_equal_means(scores, {"none": [0], "three": middle, "all": np.arange(20)}[equal])
    means = np.round(scores.mean(axis=1), 12)
    best = 1 + (means[None, :] > means[:, None]).sum(axis=1)
    worst = 20 - (means[None, :] < means[:, None]).sum(axis=1)
    assert (worst - best).max() + 1 >= {"none": 1, "three": 3, "all": 20}[equal]
    random = np.random.default_rng(1)
    contained = {"max-t": 0, "holm": 0}
    for seed in range(2000):
        drawn = scores[:, random.integers(0, 50, 50)]
        for correction in contained:
            found = rank_sets(drawn, correction=correction, samples=999, seed=seed)
            contained[correction] += bool(((found.best <= best) & (worst <= found.worst)).all())
    print(measure, equal, {name: count / 2000 for name, count in contained.items()})
    assert contained["max-t"] >= (0.92 if equal == "all" else 0.94) * 2000
    assert contained["holm"] >= (0.83 if equal == "all" else 0.94) * 2000
