"""All pairs of runs at once, against scipy's functions called once a pair."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from scoring.core.statistics.corrections import randomised_tukey_hsd
from scoring.core.statistics.pairs import EXACT, Pairs, all_pairs, compare
from scoring.core.statistics.sign_flips import SignFlips
from scoring.core.statistics.signed_ranks import wilcoxon
from scoring.core.statistics.significance import paired_t
from tools.bench.campaign import RUNS, TOPICS
from tools.bench.clock import HEADINGS, median, rounds, three

SAMPLE: Final = 400  # pairs that scipy is timed on
CHANCES: Final = 10_000  # sign flips, or exchanges of scores
SIZES: Final = ((RUNS, TOPICS), (143, 30))  # runs and topics


def time_pairs() -> None:
    """Prints what all pairs of two campaigns take."""
    compare(wilcoxon, all_pairs(3), np.ones((3, TOPICS)))  # counts out the exact null once
    for runs, topics in SIZES:
        _time_campaign(np.random.default_rng(1).beta(0.5, 2, (runs, topics)).round(4))


def _time_campaign(scores: NDArray[np.float64]) -> None:
    pairs = all_pairs(len(scores))
    print(f"\n{len(pairs)} pairs of {len(scores)} runs x {scores.shape[1]} topics\n")
    print(f"{'ms for all':26}{HEADINGS}{'times':>9}")
    ranks = compare(wilcoxon, pairs, scores)
    ours = rounds(lambda: (compare(paired_t, pairs, scores), compare(wilcoxon, pairs, scores)))
    chosen = np.linspace(0, len(pairs) - 1, SAMPLE).astype(int)
    sampled = rounds(lambda: _scipy_loop(chosen, pairs, scores, ranks.methods))
    theirs = [took * len(pairs) / SAMPLE for took in sampled]
    print(f"{'t and Wilcoxon':26}{three(ours)}{1:9.2f}")
    scipy = f"scipy's ({SAMPLE} pairs, scaled)"
    print(f"{scipy:26}{three(theirs)}{median(theirs) / median(ours):9.2f}")
    flips = SignFlips(CHANCES, seed=1)
    taken = rounds(lambda: compare(flips, pairs, scores))
    print(f"{f'{CHANCES} sign flips':26}{three(taken)}")
    taken = rounds(lambda: randomised_tukey_hsd(scores, pairs, samples=CHANCES, seed=1))
    print(f"{f'Tukey HSD, {CHANCES} times':26}{three(taken)}")


def _scipy_loop(
    chosen: NDArray[np.intp],
    pairs: Pairs,
    scores: NDArray[np.float64],
    methods: NDArray[np.int8],
) -> None:
    for place in chosen:
        first, second = scores[pairs.candidates[place]], scores[pairs.baselines[place]]
        stats.ttest_rel(first, second)
        method: Any = "exact" if methods[place] == EXACT else "asymptotic"  # too new for stubs
        stats.wilcoxon(first - second, correction=True, method=method)
