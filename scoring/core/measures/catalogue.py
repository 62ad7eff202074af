"""The families of measures, in one explicit list."""

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Final

from scoring.core.measures import (
    adaptive,
    counts,
    interpolated_precision,
    nearly_expected,
    sets,
    trec_gain,
    weighted_precision,
)
from scoring.core.measures.average_precision import AP, INCOMPLETE_JUDGMENTS, RELATIVES_OF_AP
from scoring.core.measures.cumulated_gain import DCG, NDCG, SCALED_GAINS, Q
from scoring.core.measures.measure import Family, Measure, UnknownMeasure
from scoring.core.measures.overlap import COMPAT
from scoring.core.measures.pairs import ACCURACY
from scoring.core.measures.precision import FIRST_RANKS, JUDGED, RPREC, P, R
from scoring.core.measures.rank_biased_precision import RBP
from scoring.core.measures.reciprocal_rank import ERR, NERR, RR, SEARCH_LENGTHS

FAMILIES: Final[tuple[Family, ...]] = (
    RBP,
    AP,
    NDCG,
    DCG,
    P,
    R,
    RPREC,
    RR,
    JUDGED,
    *FIRST_RANKS,
    *weighted_precision.FAMILIES,
    *adaptive.FAMILIES,
    *RELATIVES_OF_AP,
    *interpolated_precision.FAMILIES,
    *INCOMPLETE_JUDGMENTS,
    Q,
    ERR,
    NERR,
    *nearly_expected.FAMILIES,
    COMPAT,
    *SCALED_GAINS,
    *SEARCH_LENGTHS,
    ACCURACY,
    *sets.FAMILIES,
    *trec_gain.FAMILIES,
    *counts.FAMILIES,
)
_NOT_OF_QUALITY: Final = {"Judged", "unj", *(family.name for family in counts.FAMILIES)}
_BY_NAME: Final = {family.name: family for family in FAMILIES}


def meaning_of(name: str) -> str:
    """What a measure of this name says, in a few sentences. Raises UnknownMeasure.

    >>> meaning_of("ESL(n=1)").endswith("Lower is better.")
    True
    """
    facts = family_named(re.split(r"[(@]", name)[0]).facts
    worse = " Lower is better." if facts.is_lower_better else ""
    return f"{facts.pretty_name}. {facts.description}{worse}"


def family_of(measure: Measure) -> Family:
    """The family of a measure. Raises UnknownMeasure.

    >>> family_of(parse_measure("P(rel=2)@10")).name
    'P'
    """
    return family_named(measure.family)


def is_lower_better(measure: Measure) -> bool:
    """Whether a lower score of the measure is better. Raises UnknownMeasure.

    >>> is_lower_better(parse_measure("ESL(n=1)")), is_lower_better(parse_measure("AP"))
    (True, False)
    """
    return family_of(measure).facts.is_lower_better


def is_of_quality(measure: Measure) -> bool:
    """Whether a run with a better score is a better run. It is not one by a count, or by how many
    of its documents are judged.

    >>> is_of_quality(parse_measure("Judged@10")), is_of_quality(parse_measure("AP"))
    (False, True)
    """
    return measure.family not in _NOT_OF_QUALITY


def sign_of(measure: Measure) -> float:
    """-1 where a lower score is better: times it, higher is better.

    >>> sign_of(parse_measure("ESL(n=1)")), sign_of(parse_measure("AP"))
    (-1.0, 1.0)
    """
    return -1.0 if is_lower_better(measure) else 1.0


def family_named(name: str) -> Family:
    """The family of this name. Raises UnknownMeasure, suggesting the nearest name.

    >>> family_named("nDCG").trec_eval_cut
    'ndcg_cut'
    """
    if name not in _BY_NAME:
        nearest = nearest_name(name, list(_BY_NAME))
        hint = f"; did you mean {nearest}?" if nearest else ""
        raise UnknownMeasure(f"there is no measure {name!r}{hint}")
    return _BY_NAME[name]


def nearest_name(name: str, names: list[str]) -> str | None:
    """The name that looks most like what was typed, capitals aside; None if none does.

    >>> nearest_name("ndgc", ["AP", "nDCG"]), nearest_name("xyz", ["AP", "nDCG"])
    ('nDCG', None)
    """
    by_folded = {each.casefold(): each for each in names}
    close = near_names(name.casefold(), by_folded)
    return by_folded[close[0]] if close else None


def near_names(name: str, names: Iterable[str]) -> list[str]:
    """The name that looks most like this one, and up to two others that look much like it.

    >>> near_names("precison", ["recall", "precision", "precisions"])
    ['precision', 'precisions']
    """
    difflib = import_module("difflib")  # only a name that is mistyped waits for it to load
    known = list(names)
    nearest: list[str] = difflib.get_close_matches(name, known, n=1, cutoff=0.65)
    others: list[str] = difflib.get_close_matches(name, known, n=3, cutoff=0.8)
    return nearest + [each for each in others if each not in nearest]
