"""Do assessors give the same documents the same grades? Raw agreement, κ of Cohen and of Fleiss, α
of Krippendorff.

`grades` are integers[assessors, documents] from 0 up, negative where that assessor did not judge
that document. A coefficient is 1 where all agree, 0 where they agree as often as chance would, and
below 0 where less often. Where nothing was judged twice, or where all grades are one and the same
(chance then agrees always, and nothing is left to exceed it), it is not defined: NaN.
"""

from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
Weights: TypeAlias = Literal["none", "linear", "quadratic"]
LEVELS: Final = ("nominal", "ordinal", "interval")
WEIGHTS: Final = ("none", "linear", "quadratic")
NO_CHANCE: Final = 1e-15  # disagreement expected by chance that is none: only rounding is left


def raw_agreement(grades: NDArray[np.integer]) -> float:
    """The share of equal grades among all pairs of judgments of the same document.

    With two assessors, the share of the documents judged by both on which they agree. NaN where no
    document was judged twice. Raises ValueError unless `grades` is a matrix.

    >>> raw_agreement(np.array([[1, 0, 2], [1, 1, -1]]))  # both judged two of three documents
    0.5
    """
    counts = count_grades(grades)
    judged = counts.sum(axis=1)
    pairs = (judged * (judged - 1)).sum()
    return float((counts * (counts - 1)).sum() / pairs) if pairs else float("nan")


def cohen_kappa(
    first: NDArray[np.integer], second: NDArray[np.integer], *, weights: Weights = "none"
) -> float:
    """κ of two assessors: 1 - observed disagreement / that expected from how often each gives each
    grade. Both are integers[documents]; a document that one of them did not judge is left out.

    J. Cohen, Educational and Psychological Measurement 20, 1960. Weighted (Psychological Bulletin
    70, 1968), a disagreement counts by the distance of the grades ("linear") or by its square
    ("quadratic"). NaN where no document is common, and where both give one and the same grade
    throughout. Raises ValueError for other weights and for lists of unequal length.

    >>> first, second = np.array([0, 1, 2]), np.array([0, 1, 1])
    >>> round(cohen_kappa(first, second), 4)  # 1 - (1/3) / (2/3)
    0.5
    >>> round(cohen_kappa(first, second, weights="quadratic"), 4)  # 1 - (1/3) / 1
    0.6667
    """
    if weights not in WEIGHTS:
        raise ValueError(f"weights must be one of {', '.join(WEIGHTS)}, not {weights!r}")
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError("both assessors need a grade, or a negative number, for each document")
    common = (first >= 0) & (second >= 0)
    a, b = first[common].astype(np.int64), second[common].astype(np.int64)
    size = int(max(a.max(initial=0), b.max(initial=0))) + 1
    distance = _distances(size, weights)
    by_chance = np.bincount(a, minlength=size) @ distance @ np.bincount(b, minlength=size)
    if by_chance <= 0:
        return float("nan")
    # Observed among n documents, expected among n² pairs of marginals: hence one n.
    return float(1 - distance[a, b].sum() * len(a) / by_chance)


def fleiss_kappa(grades: NDArray[np.integer]) -> float:
    """κ of many assessors, as many for each document that was judged; who they are may change.

    J. L. Fleiss, Psychological Bulletin 76, 1971: (P - Pe)/(1 - Pe), P the mean over documents of
    the share of agreeing pairs, Pe the sum of the squared shares of the grades. NaN where nothing
    was judged twice or only one grade was given. Raises ValueError where documents were judged by
    unequal numbers of assessors, and unless `grades` is a matrix.

    Three assessors agree on the first of two documents: P = (1 + 1/3) / 2, Pe = (2/3)² + (1/3)².

    >>> round(fleiss_kappa(np.array([[1, 0], [1, 0], [1, 1]])), 4)
    0.25
    """
    counts = count_grades(grades)
    counts = counts[counts.sum(axis=1) > 0]
    judged = counts.sum(axis=1)
    if len(set(judged.tolist())) > 1:
        raise ValueError("Fleiss' κ needs as many assessors for each document")
    agreed = raw_agreement(grades)
    shares = counts.sum(axis=0) / max(int(judged.sum()), 1)
    by_chance = float((shares**2).sum())
    if 1 - by_chance < NO_CHANCE:
        return float("nan")
    return (agreed - by_chance) / (1 - by_chance)


def krippendorff_alpha(grades: NDArray[np.integer], *, level: Level = "ordinal") -> float:
    """α: 1 - observed disagreement / that expected if the grades were dealt out anew.

    K. Krippendorff, Content Analysis, chapter 11. Any number of assessors, any of them missing
    anywhere; a document judged once tells nothing and is left out. A disagreement counts 1
    ("nominal"), the square of the grades' distance ("interval"), or the square of the number of
    judgments that lie between the two, counting half of each end ("ordinal"). NaN where nothing was
    judged twice or only one grade was given. Raises ValueError for another level and unless
    `grades` is a matrix.

    The fourth document was judged once. Of the other six judgments three are 1: 1 - 5 · 2 / 18.

    >>> grades = np.array([[1, 0, 1, -1], [1, 0, 0, 1]])
    >>> round(krippendorff_alpha(grades, level="nominal"), 4)
    0.4444
    """
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    counts = count_grades(grades)
    judged = counts.sum(axis=1)
    counts, judged = counts[judged > 1].astype(np.float64), judged[judged > 1]
    totals = counts.sum(axis=0)
    if level == "ordinal":
        # Of each grade, the judgments below it and half of its own.
        middles = np.cumsum(totals) - totals / 2
        distance = np.asarray(np.subtract.outer(middles, middles) ** 2)
    else:
        distance = _distances(len(totals), "none" if level == "nominal" else "quadratic")
    # Of one document: over ordered pairs of its judgments, each weighing 1/(judgments - 1).
    observed = (((counts @ distance) * counts).sum(axis=1) / (judged - 1)).sum()
    expected = totals @ distance @ totals
    if expected <= 0:
        return float("nan")
    return float(1 - (totals.sum() - 1) * observed / expected)


def count_grades(grades: NDArray[np.integer]) -> NDArray[np.int64]:
    """int64[documents, grades]: how many assessors gave each grade.

    >>> count_grades(np.array([[2, 0], [2, -1]])).tolist()  # two assessors, two documents
    [[0, 0, 2], [1, 0, 0]]
    """
    if grades.ndim != 2:
        raise ValueError("grades must be a matrix of assessors and documents")
    size = int(grades.max(initial=0)) + 1
    counts = np.zeros((grades.shape[1], size), np.int64)
    assessors, documents = np.nonzero(grades >= 0)
    np.add.at(counts, (documents, grades[assessors, documents]), 1)
    return counts


def _distances(size: int, weights: Weights) -> NDArray[np.float64]:
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    if weights == "none":
        return np.minimum(apart, 1)
    return apart if weights == "linear" else apart**2


def confusion_matrix(
    first: NDArray[np.integer], second: NDArray[np.integer], *, highest_grade: int
) -> NDArray[np.int64]:
    """int64[grades, grades]: how many documents have the grade of the row from the first assessor
    and that of the column from the second.

    Both are integers[documents]; a document that one of them did not judge is left out. Raises
    ValueError for lists of unequal length and for a grade above `highest_grade`.

    >>> first, second = np.array([0, 1, 1, 1]), np.array([0, 1, 0, -1])
    >>> confusion_matrix(first, second, highest_grade=1).tolist()
    [[1, 0], [1, 1]]
    """
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError("both assessors need a grade, or a negative number, for each document")
    common = (first >= 0) & (second >= 0)
    a, b = first[common].astype(np.int64), second[common].astype(np.int64)
    size = highest_grade + 1
    if max(a.max(initial=0), b.max(initial=0)) >= size:
        raise ValueError(f"a grade lies above the highest grade {highest_grade}")
    return np.bincount(a * size + b, minlength=size * size).reshape(size, size)
