"""How many digits of each score a leaderboard prints.

A row has the digits that its residual leaves certain, at most four, and a paler one. Where four
decimals would print different scores alike, the rows have more, as many as distinguish them: those
that their residuals leave certain, and again a paler one.
"""

from collections import defaultdict
from collections.abc import Sequence

from scoring.core.statistics.means import Interval
from scoring.core.statistics.ranks import DECIMALS
from scoring.core.statistics.rounding import rounded
from scoring.output.numbers import MAX_DIGITS, Digits

_LIMITS = tuple(float(f"1e-{places}") for places in range(DECIMALS + 1))


def distinct_digits(scores: Sequence[Interval]) -> list[Digits]:
    """For each score, the digits to print."""
    found = [Digits.of(score.digits) for score in scores]
    alike: dict[float, list[int]] = defaultdict(list)
    for place, score in enumerate(scores):
        if score.base is not None and score.digits == MAX_DIGITS:
            alike[rounded(score.base, MAX_DIGITS)].append(place)
    for places in alike.values():
        group = [scores[place] for place in places]
        shown = _fewest_that_distinguish(group)
        for place in places:
            found[place] = _digits_up_to(shown, scores[place].residual)
    return found


def _fewest_that_distinguish(scores: Sequence[Interval]) -> int:
    """The fewest decimals that distinguish all scores that more decimals would distinguish.

    One score of two runs, of which a residual leaves fewer decimals certain, needs no more.
    """
    exact = [rounded(score.base or 0.0, DECIMALS) for score in scores]
    in_full = _printed(scores, DECIMALS)
    for shown in range(MAX_DIGITS, DECIMALS):
        alike: dict[float, list[int]] = defaultdict(list)
        for place, number in enumerate(_printed(scores, shown)):
            alike[number].append(place)
        if all(
            _are_equal(exact, places) or _are_equal(in_full, places) for places in alike.values()
        ):
            return shown
    return DECIMALS


def _printed(scores: Sequence[Interval], shown: int) -> list[float]:
    return [
        rounded(score.base or 0.0, _digits_up_to(shown, score.residual).shown) for score in scores
    ]


def _are_equal(numbers: Sequence[float], places: Sequence[int]) -> bool:
    return len({numbers[place] for place in places}) == 1


def _digits_up_to(shown: int, residual: float | None) -> Digits:
    """The certain digits and one more, but no more than `shown`."""
    certain = DECIMALS
    while residual is not None and certain > 0 and not residual < _LIMITS[certain]:
        certain -= 1
    return Digits(firm=min(certain, shown), shown=min(certain + 1, shown))
