"""Agreement between the assessors of a campaign: in all, by topic, and in pairs."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from campaigns.judging.final_grades import CAMPAIGNS_CACHED
from campaigns.models import Campaign, User
from scoring.assessors.grades import AssessorGrades, assessor_grades
from scoring.core.statistics.assessor_agreement import (
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    raw_agreement,
)
from scoring.core.statistics.undefined import none_if_nan


@dataclass(frozen=True)
class Coefficients:
    """None if not defined. Fleiss' κ needs the same number of assessors for each document: it is
    over the `fleiss_documents` judged by `fleiss_assessors`, the most common number."""

    documents: int  # judged by two or more
    raw: float | None
    fleiss: float | None
    fleiss_documents: int
    fleiss_assessors: int
    nominal: float | None
    ordinal: float | None
    interval: float | None


@dataclass(frozen=True)
class TopicAgreement:
    """`topic` is None for all topics together."""

    topic: str | None
    judged: int  # documents
    coefficients: Coefficients


@dataclass(frozen=True)
class PairAgreement:
    """Two assessors and the documents that both judged."""

    topic: str | None
    first: str  # names
    second: str
    documents: int
    topics: int
    raw: float | None
    kappa: float | None
    linear: float | None
    quadratic: float | None


@dataclass(frozen=True)
class AssessorAgreement:
    """`by_topic` has the topics with documents that were judged more than once."""

    whole: TopicAgreement
    by_topic: tuple[TopicAgreement, ...]
    pairs: tuple[PairAgreement, ...]
    pairs_by_topic: tuple[PairAgreement, ...]


def agreement_of(campaign: Campaign) -> AssessorAgreement:
    """Three queries at most."""
    grades = assessor_grades(campaign)
    people = User.objects.in_bulk(grades.assessors)
    return _agreement(grades, tuple(str(people[who]) for who in grades.assessors))


@lru_cache(maxsize=CAMPAIGNS_CACHED)
def _agreement(grades: AssessorGrades, names: tuple[str, ...]) -> AssessorAgreement:
    parts = list(grades.by_topic())
    by_topic = (TopicAgreement(code, *_coefficients(part)) for code, part in parts)
    return AssessorAgreement(
        whole=TopicAgreement(None, *_coefficients(grades)),
        by_topic=tuple(row for row in by_topic if row.coefficients.documents),
        pairs=tuple(_pairs(None, grades, names)),
        pairs_by_topic=tuple(row for code, part in parts for row in _pairs(code, part, names)),
    )


def _coefficients(grades: AssessorGrades) -> tuple[int, Coefficients]:
    counts = (grades.own >= 0).sum(axis=0)
    twice = grades.own[:, counts > 1]
    often, number = np.unique(counts[counts > 1], return_counts=True)
    # Of numbers that are equally common, the highest: the first maximum from the end.
    most = int(often[len(number) - 1 - np.argmax(number[::-1])]) if len(often) else 0
    evenly = grades.own[:, counts == most] if most else twice
    return len(counts), Coefficients(
        documents=twice.shape[1],
        raw=none_if_nan(raw_agreement(twice)),
        fleiss=none_if_nan(fleiss_kappa(evenly)),
        fleiss_documents=evenly.shape[1],
        fleiss_assessors=most,
        nominal=none_if_nan(krippendorff_alpha(twice, level="nominal")),
        ordinal=none_if_nan(krippendorff_alpha(twice, level="ordinal")),
        interval=none_if_nan(krippendorff_alpha(twice, level="interval")),
    )


def _pairs(
    topic: str | None, grades: AssessorGrades, names: tuple[str, ...]
) -> Iterator[PairAgreement]:
    """Pairs of assessors who judged a common document."""
    present = np.flatnonzero((grades.own >= 0).any(axis=1)).tolist()
    for first, second in combinations(present, 2):
        a, b = grades.own[first], grades.own[second]
        common: NDArray[np.bool_] = (a >= 0) & (b >= 0)
        if not common.any():
            continue
        yield PairAgreement(
            topic=topic,
            first=names[first],
            second=names[second],
            documents=int(common.sum()),
            topics=len(np.unique(grades.topics[common])),
            raw=none_if_nan(raw_agreement(np.array([a[common], b[common]]))),
            kappa=none_if_nan(cohen_kappa(a, b)),
            linear=none_if_nan(cohen_kappa(a, b, weights="linear")),
            quadratic=none_if_nan(cohen_kappa(a, b, weights="quadratic")),
        )
