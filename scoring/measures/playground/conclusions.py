"""Tests the seven properties on a swap of two documents.

1. Top-weightedness and convergence: if the more relevant document moves up, within the cutoff or
   into it, the score increases; if it moves down, the score decreases.
2. Localization: if both documents are below the cutoff, the score does not change.
3. Monotonicity: at a cutoff one rank deeper, the score is not lower, before and after the swap.
4. Completeness: there is a score.
5. Realizability: in their best order, the documents reach the maximum score at the cutoff.

Boundedness does not apply to a single ranking. Unjudged documents count as not relevant. An
undefined score disproves completeness only.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scoring.core.measures.catalogue import family_of, sign_of
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Measure
from scoring.core.properties.properties import Property
from scoring.core.statistics.undefined import none_if_nan
from scoring.measures.playground.choices import PlaygroundChoices
from scoring.measures.playground.rows import graded
from scoring.measures.playground.typed import Typed

TOLERANCE: Final = 1e-9  # that of the search for counter-examples


@dataclass(frozen=True)
class Conclusion:
    """A consequence of a property, and whether it holds here."""

    property: Property
    holds: bool
    scores: str  # as text


@dataclass(frozen=True)
class Exchange:
    """The score by a measure before and after the swap; None if it is not defined."""

    measure: Measure
    before: float | None
    after: float | None
    conclusions: tuple[Conclusion, ...]

    @property
    def change(self) -> float | None:
        if self.before is None or self.after is None:
            return None
        return self.after - self.before

    @property
    def broken(self) -> tuple[Conclusion, ...]:
        return tuple(each for each in self.conclusions if not each.holds)


def exchanges(choices: PlaygroundChoices) -> tuple[Exchange, ...]:
    """For every measure with a cutoff; empty without a swap."""
    swap = choices.swap
    if swap is None:
        return ()
    # The cutoff of a measure such as IPrec@0.5 is a level of recall.
    at_cutoff = [
        each
        for each in choices.measures
        if each.cutoff is not None and family_of(each).cutoff != "recall"
    ]
    typed, after = choices.typed, choices.typed.swapped(*swap)
    found = []
    for measure in at_cutoff:
        scores = (_score(choices, measure, typed), _score(choices, measure, after))
        conclusions = [
            *_moved(choices, swap, measure, scores),
            *_deeper(choices, measure, (typed, after), scores),
            *_reached(choices, measure, scores[0]),
        ]
        found.append(Exchange(measure, *map(none_if_nan, scores), tuple(conclusions)))
    return tuple(found)


def _moved(
    choices: PlaygroundChoices,
    swap: tuple[int, int],
    measure: Measure,
    scores: tuple[float, float],
) -> list[Conclusion]:
    first, second = swap
    upper, lower = (max(choices.typed.grades[rank - 1], 0) for rank in (first, second))
    if any(map(math.isnan, scores)):
        return []
    change = (scores[1] - scores[0]) * sign_of(measure)
    text = f"{scores[0]:.4g} → {scores[1]:.4g}"
    # The first rank is the smaller one, so the second is below the cutoff, too.
    if first > choices.k:
        return [Conclusion("localized", abs(change) <= TOLERANCE, text)]
    if upper == lower:
        return []
    name: Property = "top-weighted" if second <= choices.k else "convergent"
    rises = change > TOLERANCE if upper < lower else change < -TOLERANCE
    return [Conclusion(name, rises, text)]


def _deeper(
    choices: PlaygroundChoices,
    measure: Measure,
    rankings: tuple[Typed, Typed],
    scores: tuple[float, float],
) -> list[Conclusion]:
    """The worse of both rankings at one rank deeper, if there is a document."""
    if choices.k >= len(choices.typed.grades):
        return []
    deeper = replace(measure, cutoff=choices.k + 1)
    ends = [_score(choices, deeper, ranking) for ranking in rankings]
    steps = [
        ((end - score) * sign_of(measure), f"@{choices.k} {score:.4g}, @{choices.k + 1} {end:.4g}")
        for score, end in zip(scores, ends, strict=True)
        if not math.isnan(score + end)
    ]
    if not steps:
        return []
    worst, text = min(steps, key=lambda step: step[0])
    return [Conclusion("monotonic", worst >= -TOLERANCE, text)]


def _reached(choices: PlaygroundChoices, measure: Measure, score: float) -> list[Conclusion]:
    """Completeness, and realizability if a document is relevant."""
    typed = choices.typed
    relevant = any(grade > 0 for grade in (*typed.grades, *typed.missed))
    needs = family_of(measure).facts.needs_relevant and not relevant
    conclusions = [Conclusion("complete", not (math.isnan(score) or needs), "no score")]
    if relevant and sign_of(measure) > 0:
        # All judged documents, the highest grades first.
        known = sorted(
            (grade for grade in (*typed.grades, *typed.missed) if grade >= 0), reverse=True
        )
        in_best_order = Typed(tuple(known), (True,) * len(known), ())
        # Only documents of the highest grade down to the cutoff: the maximum score.
        full = Typed((choices.top,) * choices.k, (True,) * choices.k, ())
        best, greatest = (_score(choices, measure, t) for t in (in_best_order, full))
        if not math.isnan(best + greatest):
            text = f"in their best order {best:.4g}, not {greatest:.4g}"
            conclusions.append(Conclusion("realizable", best >= greatest - TOLERANCE, text))
    return conclusions


def _score(choices: PlaygroundChoices, measure: Measure, typed: Typed) -> float:
    base = evaluate([measure], graded(typed, choices.top))[measure].base
    return float(np.asarray(base)[0])
