"""The Ladder: telling how a mean rises without telling each mean.

Blum and Hardt, "The Ladder: A Reliable Leaderboard for Machine Learning Competitions" (ICML 2015).
"""

FINEST = 0.01  # nothing is told to more than two decimals


def ladder(value: float, best: float | None, step: float) -> float | None:
    """What is told of a value when `best` was the last that was told; None where it is not more
    than `step` above that.

    What is told is the value to the nearest whole step. Higher is better: for others give the
    negatives of value and best. Raises ValueError for a step finer than two decimals.
    """
    if not step >= FINEST:
        raise ValueError(f"a step must be at least {FINEST}, not {step}")
    if best is not None and not value > best + step:
        return None
    return round(round(value / step) * step, 2)
