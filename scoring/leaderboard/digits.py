"""How many digits of each score a leaderboard prints.

A row has the digits that its residual leaves certain, at most four, and a paler one. Where four
decimals would print different scores alike, the rows have more, as many as distinguish them: those
that their residuals leave certain, and again a paler one.

Rounding to different lengths could print a score above a better one, as 0.77 beside 0.769 for
0.7657, and a row with further digits could look like one whose interval does not overlap with its
own. Such rows have as many paler digits as prevent it.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

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
    defined = [place for place, score in enumerate(scores) if score.base is not None]
    defined.sort(key=lambda place: scores[place].base or 0.0)
    ascending = [scores[place] for place in defined]
    ordered = [found[place] for place in defined]
    # Until what is printed ascends too, and differs where two intervals do not overlap.
    while misprinted := _misprinted(ascending, ordered):
        for place in misprinted:
            firm, shown = ordered[place].firm, ordered[place].shown + 1
            certain = min(_certain(ascending[place].residual), shown)
            ordered[place] = Digits(max(firm, certain), shown)
    for place, digits in zip(defined, ordered, strict=True):
        found[place] = digits
    return found


def _misprinted(scores: Sequence[Interval], digits: Sequence[Digits]) -> set[int]:
    """The places of scores that need one more digit. Equally long numbers are never out of order,
    so only the shorter of two needs one."""
    printed = [
        rounded(score.base or 0.0, each.shown) for score, each in zip(scores, digits, strict=True)
    ]
    places = {
        min(pair, key=lambda place: digits[place].shown)
        for pair in pairwise(range(len(scores)))
        if printed[pair[0]] > printed[pair[1]]
    }
    alike: dict[tuple[float, int], list[int]] = defaultdict(list)
    for place, number in enumerate(printed):
        alike[number, digits[place].shown].append(place)
    uppers = [rounded((score.base or 0.0) + (score.residual or 0.0), DECIMALS) for score in scores]
    for group in alike.values():
        lowest_upper = min(uppers[place] for place in group)
        # The scores ascend, so the last of a group is its highest.
        if lowest_upper < rounded(scores[group[-1]].base or 0.0, DECIMALS):
            places.update(group)
    return places


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
    certain = _certain(residual)
    return Digits(firm=min(certain, shown), shown=min(certain + 1, shown))


def _certain(residual: float | None) -> int:
    """The decimals that a residual leaves certain."""
    certain = DECIMALS
    while residual is not None and certain > 0 and not residual < _LIMITS[certain]:
        certain -= 1
    return certain
