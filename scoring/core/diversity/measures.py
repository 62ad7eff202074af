"""Measures of novelty and diversity, as TREC's ndeval computes them.

A document gains (1 - alpha)^n for each of its subtopics, where n documents above it have the
subtopic too. Unjudged documents have no subtopic in the base. In the upper bound they have every
subtopic of the topic, and so has every rank after the last document. That is the highest value: a
further document of a subtopic at rank r adds (1 - alpha)^n·w(r), and takes from those below it
alpha·(1 - alpha)^n·w + alpha·(1 - alpha)^(n + 1)·w' + ..., which is at most as much, because their
weights w, w', ... are at most w(r). This supposes that the topic has the subtopics that were found
and no others; a topic without any counts as one with a single subtopic.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scoring.core.diversity.subtopics import LabelledRanking, Labels
from scoring.core.measures.catalogue import nearest_name
from scoring.core.measures.measure import (
    Arguments,
    Cutoff,
    Measure,
    Parameter,
    UnknownMeasure,
    arguments_of,
)
from scoring.core.measures.names import parse_measure_of

Vector: TypeAlias = NDArray[np.float64]


NDEVAL_NAMES: Final = {"AP_IA": "MAP-IA", "StRecall": "strec"}  # others differ by - for _
_BY_NDEVAL: Final = {theirs: ours for ours, theirs in NDEVAL_NAMES.items()}
_NAME_OF_NDEVAL: Final = re.compile(r"(strec|[A-Za-z]+-[A-Za-z]+)((?:@[0-9]+)?)")
EXACT: Final = "Exact. In the upper bound, every unknown document has all subtopics."
OF_IDEAL: Final = (
    "None that is both exact and useful: another relevant document changes the divisor."
)


class Score(NamedTuple):
    base: float
    residual: float | None  # None: no bound is both exact and useful


@dataclass(frozen=True, eq=False)
class DiversityFamily:
    """All measures of one name."""

    name: str
    pretty_name: str
    description: str
    formula: str
    reference: str
    compute: Callable[[Arguments, LabelledRanking], Score]
    parameters: tuple[Parameter, ...] = ()
    cutoff: Cutoff | None = None
    residual: str = EXACT

    def parameter(self, name: str) -> Parameter | None:
        return next((each for each in self.parameters if each.name == name), None)


def parse_diversity_measure(text: str) -> Measure:
    """The measure of this name, such as `alpha_nDCG(alpha=0.5)@10`, or of ndeval's,
    `alpha-nDCG@10`. Raises UnknownMeasure or BadMeasure.

    >>> str(parse_diversity_measure("alpha-nDCG@10")), str(parse_diversity_measure("strec@5"))
    ('alpha_nDCG@10', 'StRecall@5')
    """
    if of_ndeval := _NAME_OF_NDEVAL.fullmatch(text.strip()):
        name, cutoff = of_ndeval.groups()
        text = _BY_NDEVAL.get(name, name.replace("-", "_")) + cutoff
    return parse_measure_of(text, diversity_family)


def diversity_family(name: str) -> DiversityFamily:
    """The family of this name. Raises UnknownMeasure, suggesting the nearest name.

    >>> diversity_family("StRecall").pretty_name
    'Subtopic recall'
    """
    if name not in _BY_NAME:
        nearest = nearest_name(name, list(_BY_NAME))
        hint = f"; did you mean {nearest}?" if nearest else f"; there are {', '.join(_BY_NAME)}"
        raise UnknownMeasure(f"there is no measure of diversity {name!r}{hint}")
    return _BY_NAME[name]


def diversity_score(measure: Measure, ranking: LabelledRanking) -> Score:
    """Base and residual of the measure. Raises UnknownMeasure and BadMeasure.

    Document x was not judged, and could have the other subtopic:

    >>> diversity_score(parse_diversity_measure("StRecall@2"), labelled(topic, ["a", "x"]))
    Score(base=0.5, residual=0.5)
    """
    family = diversity_family(measure.family)
    return family.compute(arguments_of(family, measure), ranking)


# --- gains and weights ---------------------------------------------------------------------------


def gains(labels: Labels, alpha: float) -> Vector:
    """float64[documents]: what each adds to the documents above it.

    >>> gains(labelled(topic, ["a", "b", "c"]).labels, alpha=0.5).tolist()  # b repeats a subtopic
    [1.0, 1.5, 0.0]
    """
    # Documents above with the subtopic, not counting the document itself.
    above: NDArray[np.int64] = np.cumsum(labels, axis=0) - labels
    added: Vector = np.where(labels, (1.0 - alpha) ** above, 0.0).sum(axis=1)
    return added


def reciprocal(ranks: int) -> Vector:
    """1/i

    >>> reciprocal(3).round(4).tolist()
    [1.0, 0.5, 0.3333]
    """
    return np.asarray(1.0 / np.arange(1, ranks + 1))


def logarithmic(ranks: int) -> Vector:
    """1/log2(i + 1)

    >>> logarithmic(3).round(4).tolist()
    [1.0, 0.6309, 0.5]
    """
    return np.asarray(1.0 / np.log2(np.arange(2, ranks + 2)))


def _optimistic(ranking: LabelledRanking, ranks: int) -> Labels:
    """The labels of the first ranks if everything unknown is relevant to every subtopic."""
    labels = np.ones((ranks, max(ranking.topic.subtopics, 1)), np.bool_)
    seen = ranking.labels[:ranks]
    # What is seen has its own labels, and only the ranks after the last document keep all.
    labels[: len(seen)] = False
    labels[: len(seen), : seen.shape[1]] = seen
    labels[: len(seen)][~ranking.judged[:ranks]] = True
    return labels


def _between(base: float, upper: float) -> Score:
    # Rounding can put a bound below the base that it equals.
    return Score(base, max(0.0, upper - base))


# --- the measures --------------------------------------------------------------------------------

Weights: TypeAlias = Callable[[int], Vector]


def _discounted(weights: Weights, arguments: Arguments, ranking: LabelledRanking) -> Score:
    """The sum of discounted gains, divided by that of documents which all have every subtopic."""
    ranks, alpha = arguments.required_cutoff(), arguments.real("alpha")
    labels = _optimistic(ranking, ranks)
    weight = weights(ranks)
    most = float(weight @ (labels.shape[1] * (1.0 - alpha) ** np.arange(ranks)))
    found = gains(ranking.labels[:ranks], alpha)
    base = float(weight[: found.size] @ found)
    return _between(base / most, float(weight @ gains(labels, alpha)) / most)


def _normalized(weights: Weights, arguments: Arguments, ranking: LabelledRanking) -> Score:
    """The sum of discounted gains, divided by that of the ideal ranking."""
    ranks, alpha = arguments.required_cutoff(), arguments.real("alpha")
    weight = weights(ranks)
    found = gains(ranking.labels[:ranks], alpha)
    ideal = gains(ranking.topic.ideal(alpha)[:ranks], alpha)
    best = float(weight[: ideal.size] @ ideal)
    return Score(float(weight[: found.size] @ found) / best if best else 0.0, None)


def _patient(arguments: Arguments, labels: Labels) -> float:
    alpha, beta = arguments.real("alpha"), arguments.real("beta")
    return float(beta ** np.arange(len(labels)) @ gains(labels, alpha))


def _nrbp(arguments: Arguments, ranking: LabelledRanking) -> Score:
    alpha, beta = arguments.real("alpha"), arguments.real("beta")
    labels = _optimistic(ranking, len(ranking.labels))
    scale = (1.0 - (1.0 - alpha) * beta) / labels.shape[1]
    # The ranks after the last, whose documents have all subtopics, are a geometric series of each.
    after = beta ** len(labels) * float(((1.0 - alpha) ** labels.sum(axis=0)).sum())
    upper = scale * _patient(arguments, labels) + after / labels.shape[1]
    return _between(scale * _patient(arguments, ranking.labels), upper)


def _nnrbp(arguments: Arguments, ranking: LabelledRanking) -> Score:
    best = _patient(arguments, ranking.topic.ideal(arguments.real("alpha")))
    return Score(_patient(arguments, ranking.labels) / best if best else 0.0, None)


def _precision(arguments: Arguments, ranking: LabelledRanking) -> Score:
    ranks = arguments.required_cutoff()
    labels = _optimistic(ranking, ranks)
    found = int(ranking.labels[:ranks].sum())
    return _between(found / labels.size, int(labels.sum()) / labels.size)


def _recall(arguments: Arguments, ranking: LabelledRanking) -> Score:
    ranks = arguments.required_cutoff()
    labels = _optimistic(ranking, ranks)
    found = int(ranking.labels[:ranks].any(axis=0).sum())
    return _between(found / labels.shape[1], float(labels.any(axis=0).mean()))


def _average_precision(_: Arguments, ranking: LabelledRanking) -> Score:
    labels = ranking.labels
    if not ranking.topic.subtopics:
        return Score(0.0, None)
    # Precision at each rank, by each subtopic.
    so_far = np.cumsum(labels, axis=0) / np.arange(1, len(labels) + 1)[:, np.newaxis]
    relevant = ranking.topic.labels.sum(axis=0)
    return Score(float((np.where(labels, so_far, 0.0).sum(axis=0) / relevant).mean()), None)


ALPHA = Parameter(
    "alpha",
    "real",
    "by how much a document of a subtopic lowers the gain of the next one",
    default=0.5,
    at_least=0,
    at_most=1,
)
BETA = Parameter(
    "beta", "real", "how patient the user is", default=0.5, at_least=0, below=1
)  # below 1: NRBP is an infinite sum

CLARKE_2008: Final = "Clarke et al., SIGIR 2008"
CLARKE_2009: Final = "Clarke, Kolla and Vechtomova, ICTIR 2009"
CHAPELLE: Final = "Chapelle et al., CIKM 2009; Clarke et al., WSDM 2011"
AGRAWAL: Final = "Agrawal et al., WSDM 2009"
ZHAI: Final = "Zhai, Cohen and Lafferty, SIGIR 2003"

DIVERSITY_FAMILIES: Final = (
    DiversityFamily(
        "ERR_IA",
        "Intent-aware expected reciprocal rank",
        "Gains divided by the rank, over what documents with every subtopic would gain.",
        "Σ g_i/i over Σ S(1 - α)^(i-1)/i, i ≤ k",
        CHAPELLE,
        partial(_discounted, reciprocal),
        (ALPHA,),
        "required",
    ),
    DiversityFamily(
        "nERR_IA",
        "Normalised ERR_IA",
        "Gains divided by the rank, over those of the ideal ranking.",
        "Σ g_i/i over Σ g*_i/i, i ≤ k",
        CHAPELLE,
        partial(_normalized, reciprocal),
        (ALPHA,),
        "required",
        residual=OF_IDEAL,
    ),
    DiversityFamily(
        "alpha_DCG",
        "α-DCG",
        "Gains divided by the logarithm of the rank, over what documents with every subtopic would"
        " gain.",
        "Σ g_i/log2(i + 1) over Σ S(1 - α)^(i-1)/log2(i + 1), i ≤ k",
        CLARKE_2008,
        partial(_discounted, logarithmic),
        (ALPHA,),
        "required",
    ),
    DiversityFamily(
        "alpha_nDCG",
        "α-nDCG",
        "Gains divided by the logarithm of the rank, over those of the ideal ranking.",
        "Σ g_i/log2(i + 1) over Σ g*_i/log2(i + 1), i ≤ k",
        CLARKE_2008,
        partial(_normalized, logarithmic),
        (ALPHA,),
        "required",
        residual=OF_IDEAL,
    ),
    DiversityFamily(
        "NRBP",
        "Novelty- and rank-biased precision",
        "Gains weighted by the patience of the user.",
        "(1 - (1 - α)β)/S · Σ g_i β^(i-1)",
        CLARKE_2009,
        _nrbp,
        (ALPHA, BETA),
    ),
    DiversityFamily(
        "nNRBP",
        "Normalised NRBP",
        "Gains weighted by the patience of the user, over those of the ideal ranking.",
        "Σ g_i β^(i-1) over Σ g*_i β^(i-1)",
        CLARKE_2009,
        _nnrbp,
        (ALPHA, BETA),
        residual=OF_IDEAL,
    ),
    DiversityFamily(
        "AP_IA",
        "Intent-aware average precision",
        "Average precision by each subtopic, its mean over the subtopics.",
        "Σ_s AP_s/S",
        AGRAWAL,
        _average_precision,
        residual=OF_IDEAL,
    ),
    DiversityFamily(
        "P_IA",
        "Intent-aware precision",
        "Precision by each subtopic, its mean over the subtopics.",
        "Σ_s P_s@k/S",
        AGRAWAL,
        _precision,
        (),
        "required",
    ),
    DiversityFamily(
        "StRecall",
        "Subtopic recall",
        "The share of the subtopics that the first documents cover.",
        "subtopics of the first k documents, over S",
        ZHAI,
        _recall,
        (),
        "required",
    ),
)
_BY_NAME: Final = {family.name: family for family in DIVERSITY_FAMILIES}
