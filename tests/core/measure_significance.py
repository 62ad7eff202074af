"""How much faster all pairs at once are: `python -m tests.core.measure_significance`."""

import time
from functools import partial

import numpy as np
from scipy import stats

from scoring.core.corrections import randomised_tukey_hsd
from scoring.core.pairs import EXACT, all_pairs, compare
from scoring.core.signed_ranks import wilcoxon
from scoring.core.significance import paired_t, sign_flip

SAMPLE = 400  # pairs that scipy is timed on


def main() -> None:
    for runs, topics in ((129, 50), (143, 30)):
        scores = np.random.default_rng(1).beta(0.5, 2, (runs, topics)).round(4)
        pairs = all_pairs(runs)
        compare(wilcoxon, all_pairs(3), scores)  # counts out the exact null once
        ours, (_, ranks) = timed(
            lambda p=pairs, s=scores: (compare(paired_t, p, s), compare(wilcoxon, p, s))
        )
        chosen = np.linspace(0, len(pairs) - 1, SAMPLE).astype(int)
        theirs, _ = timed(lambda c=chosen, p=pairs, s=scores, r=ranks: scipy_loop(c, p, s, r))
        theirs *= len(pairs) / SAMPLE
        print(f"{len(pairs)} pairs x {topics} topics: t and Wilcoxon {ours:.4f} s, ", end="")
        print(f"scipy's single calls {theirs:.2f} s (from {SAMPLE} pairs): {theirs / ours:.0f} x")
        test = partial(sign_flip, samples=10_000, seed=1)
        took, _ = timed(lambda t=test, p=pairs, s=scores: compare(t, p, s))
        print(f"  10,000 sign flips {took:.2f} s", end="")
        took, _ = timed(
            lambda p=pairs, s=scores: randomised_tukey_hsd(s, p, samples=10_000, seed=1)
        )
        print(f", Tukey's HSD with 10,000 exchanges {took:.2f} s")


def scipy_loop(chosen, pairs, scores, ranks):
    for place in chosen:
        first, second = scores[pairs.candidates[place]], scores[pairs.baselines[place]]
        stats.ttest_rel(first, second)
        method = "exact" if ranks.methods[place] == EXACT else "asymptotic"
        stats.wilcoxon(first - second, correction=True, method=method)


def timed(act):
    """Best of three, and the result."""
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        result = act()
        best = min(best, time.perf_counter() - start)
    return best, result


if __name__ == "__main__":
    main()
