"""The seven numeric properties of a measure, decided by search (Moffat, AIRS 2013).

1. All binary rankings of collections of d = 2 ... 7 documents are scored at every cutoff k < d. The
   whole collection is ranked, so that R is known; a measure without cutoff is given the first k.
2. Each property but boundedness says something about pairs of scores, or about one; the search
   looks for a counter-example, smallest d first, then k, then the rankings in order of their
   digits. Where a score of a pair is undefined the pair is skipped, except for completeness.
3. Boundedness cannot be decided in small collections: it looks whether the extremes over growing
   prefixes of rankings that are all relevant, all irrelevant or relevant late keep growing.

Undefined is what the measure's definition divides by: for a measure that needs R a topic without
relevant documents, for others what they themselves leave undefined (NaN). Where lower is better,
monotonicity, convergence and top-weightedness are turned round.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import PAST_END
from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.catalogue import family_of, sign_of
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Measure

Property = Literal[
    "bounded", "monotonic", "convergent", "top-weighted", "localized", "complete", "realizable"
]
PROPERTIES: Final[tuple[Property, ...]] = get_args(Property)
_LARGEST: Final = 7  # documents of a collection
_PREFIXES: Final = (64, 128, 256, 512, 1024)
_TOLERANCE: Final = 1e-9


@dataclass(frozen=True)
class CounterExample:
    """Why a measure has not a property: rankings of a whole collection, and their scores."""

    cutoff: int
    rankings: tuple[str, ...]  # as in the paper: 1 relevant, 0 not
    cutoffs: tuple[int, ...]  # at which each is scored
    scores: tuple[float, ...]


@dataclass(frozen=True)
class PropertyResult:
    """One property of one measure. `counter_example` is None if it holds, and for boundedness."""

    holds: bool
    counter_example: CounterExample | None = None


@dataclass(frozen=True, eq=False)
class _Collection:
    """All rankings of a collection, and their scores at every cutoff."""

    size: int
    rankings: NDArray[np.int8]  # int8[2^size, size], in order of their digits
    scores: NDArray[np.float64]  # float64[size + 1, 2^size], by cutoff; cutoff 0 is not used

    def example(self, *places: tuple[int, int]) -> CounterExample:
        """From pairs of cutoff and ranking."""
        return CounterExample(
            cutoff=places[0][0],
            rankings=tuple("".join(map(str, self.rankings[at])) for _, at in places),
            cutoffs=tuple(cutoff for cutoff, _ in places),
            scores=tuple(float(self.scores[cutoff, at]) for cutoff, at in places),
        )


def properties_of(measure: Measure) -> dict[Property, PropertyResult]:
    """The measure's row of the table. Its own cutoff plays no part: every one is searched.

    >>> from scoring.core.measures.names import parse_measure
    >>> found = properties_of(parse_measure("P@10"))
    >>> [name for name in PROPERTIES if not found[name].holds]  # as in the paper, Table 2
    ['monotonic', 'top-weighted', 'realizable']
    >>> found["monotonic"].counter_example  # at rank 2 is a document that is not relevant
    CounterExample(cutoff=1, rankings=('10', '10'), cutoffs=(1, 2), scores=(1.0, 0.5))
    """
    collections = [_score_all(measure, size) for size in range(2, _LARGEST + 1)]
    sign = sign_of(measure)
    searches = {
        "monotonic": (_falls(each, sign) for each in collections),
        "convergent": (_stays_for_better(each, sign, across=True) for each in collections),
        "top-weighted": (_stays_for_better(each, sign, across=False) for each in collections),
        "localized": (_sees_below(each) for each in collections),
        "complete": (_lacks_a_score(each) for each in collections),
        "realizable": iter([_unreached(collections)]),
    }
    findings: dict[Property, PropertyResult] = {"bounded": PropertyResult(_is_bounded(measure))}
    for name in PROPERTIES[1:]:
        example = next((found for found in searches[name] if found is not None), None)
        findings[name] = PropertyResult(example is None, example)
    return findings


def _scores(measure: Measure, rankings: NDArray[np.int8], cutoff: int) -> NDArray[np.float64]:
    """float64[rankings]: NaN where the measure is undefined."""
    family = family_of(measure)
    relevant = rankings.sum(axis=1, dtype=np.int64)
    counts = np.stack([rankings.shape[1] - relevant, relevant], axis=1)
    seen = rankings
    if family.cutoff in (None, "recall"):
        # A measure without a cutoff sees a ranking that ends there.
        seen = np.where(np.arange(rankings.shape[1]) < cutoff, rankings, PAST_END).astype(np.int8)
        at = measure
    else:
        at = Measure(measure.family, measure.parameters, cutoff)
    scores = evaluate([at], GradedTopics(seen, counts, np.array([0.0, 1.0])))[at].base
    if family.facts.needs_relevant:
        scores = np.where(relevant > 0, scores, np.nan)
    return scores


def _score_all(measure: Measure, size: int) -> _Collection:
    numbers = np.arange(2**size)[:, None]
    # The binary digits of each number, the highest first.
    rankings = (numbers >> np.arange(size - 1, -1, -1) & 1).astype(np.int8)
    by_cutoff = [np.full(len(rankings), np.nan)]
    by_cutoff += [_scores(measure, rankings, cutoff) for cutoff in range(1, size + 1)]
    return _Collection(size, rankings, np.array(by_cutoff))


def _first(broken: NDArray[np.bool_]) -> int | None:
    places = np.flatnonzero(broken)
    return int(places[0]) if len(places) else None


def _falls(collection: _Collection, sign: float) -> CounterExample | None:
    """A ranking whose score falls when one more document is looked at."""
    for cutoff in range(1, collection.size):
        change = sign * (collection.scores[cutoff + 1] - collection.scores[cutoff])
        at = _first(change < -_TOLERANCE)
        if at is not None:
            return collection.example((cutoff, at), (cutoff + 1, at))
    return None


def _stays_for_better(
    collection: _Collection, sign: float, *, across: bool
) -> CounterExample | None:
    """A swap that lifts a relevant document, across the cutoff or within it, without a rise."""
    for cutoff in range(1, collection.size):
        found = []
        for high, low in _swaps(collection.size, cutoff, across=across):
            candidates = (collection.rankings[:, high] == 0) & (collection.rankings[:, low] == 1)
            # Rankings are numbered by their digits: the swap sets a higher digit and clears a lower
            # one.
            swapped = np.arange(len(candidates))
            swapped = swapped + 2 ** (collection.size - 1 - high) - 2 ** (collection.size - 1 - low)
            before = collection.scores[cutoff]
            after = before[np.where(candidates, swapped, 0)]
            at = _first(candidates & (sign * (after - before) <= _TOLERANCE))
            if at is not None:
                found.append((at, int(swapped[at])))
        if found:
            # The first ranking in the order of digits, whichever swap it is.
            before_at, after_at = min(found)
            return collection.example((cutoff, before_at), (cutoff, after_at))
    return None


def _swaps(size: int, cutoff: int, *, across: bool) -> Iterator[tuple[int, int]]:
    for high in range(cutoff):
        below = range(cutoff, size) if across else range(high + 1, cutoff)
        yield from ((high, low) for low in below)


def _sees_below(collection: _Collection) -> CounterExample | None:
    """Two rankings that agree to the cutoff and score differently."""
    for cutoff in range(1, collection.size):
        scores = collection.scores[cutoff].reshape(2**cutoff, -1)  # one row for each prefix
        for prefix, row in enumerate(scores):
            defined = np.flatnonzero(~np.isnan(row))
            if len(defined) and np.ptp(row[defined]) > _TOLERANCE:
                other = defined[np.abs(row[defined] - row[defined[0]]) > _TOLERANCE][0]
                start = prefix * scores.shape[1]
                return collection.example(
                    (cutoff, start + int(defined[0])), (cutoff, start + int(other))
                )
    return None


def _lacks_a_score(collection: _Collection) -> CounterExample | None:
    """A ranking without a score."""
    for cutoff in range(1, collection.size):
        at = _first(np.isnan(collection.scores[cutoff]))
        if at is not None:
            return collection.example((cutoff, at))
    return None


def _unreached(collections: list[_Collection]) -> CounterExample | None:
    """A number of relevant documents with which no ranking has the greatest score at the cutoff;
    shown is the best that it has."""
    for collection in collections:
        relevant = collection.rankings.sum(axis=1)
        for cutoff in range(1, collection.size):
            # The measure's greatest score at a cutoff, over all collections that are larger.
            larger = [each.scores[cutoff] for each in collections if each.size > cutoff]
            greatest = float(np.nanmax(np.concatenate(larger), initial=-np.inf))
            for known in range(1, collection.size + 1):
                scores = np.where(relevant == known, collection.scores[cutoff], np.nan)
                best = np.nanmax(scores, initial=-np.inf)
                if best < greatest - _TOLERANCE:
                    at = _first(np.isnan(scores) if np.isinf(best) else scores == best)
                    return collection.example((cutoff, at or 0))
    return None


def _is_bounded(measure: Measure) -> bool:
    """The extremes stop to grow, or grow by ever smaller steps, as the prefixes double. Scores that
    are undefined at a length show nothing of it, and a measure without others is not bounded."""
    extremes = []
    for length in _PREFIXES:
        late = np.zeros((4, length), np.int8)
        late[0], late[2, length // 2 :], late[3, -1] = 1, 1, 1
        scores = np.abs(_scores(measure, late, length))
        extremes.append(scores[~np.isnan(scores)].max() if not np.isnan(scores).all() else np.nan)
    steps = np.diff(extremes)
    # As the length doubles, steps towards a limit are halved, while those of a logarithm stay
    # equal.
    return bool(steps[-1] <= _TOLERANCE or steps[-1] < 0.75 * steps[-2])
