"""Scores from the judgments of a program, corrected by those of people on a random sample.

With the program's grade f(d) of every document and the people's h(d) of a sample with inclusion
probabilities π(d), the difference estimator of a score Σ w(d, grade) is

    Σ_all w(d, f(d)) + Σ_sample (w(d, h(d)) - w(d, f(d))) / π(d).

It is unbiased whatever the program is worth, and varies less the more often the two agree (C.-E.
Särndal, B. Swensson and J. Wretman. Model Assisted Survey Sampling. Springer 1992, section 6.3; A.
N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic. Prediction-powered inference.
Science 382, 2023). A program that says 0 throughout leaves the estimator of Horvitz and Thompson.

Of each stratum two documents i and j are sampled. With z the terms of the second sum, the stratum
adds (π_i π_j - π_ij) / π_ij · (z_i - z_j)² to the estimated variance (A. R. Sen 1953, F. Yates and
P. M. Grundy 1953; Särndal et al., section 2.8), which is unbiased, too. Documents that are judged
for certain add nothing. Topics are those of the campaign, not a sample of topics: the variance says
what the judgments leave open, and nothing about other topics.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scoring.core.judging.candidates import Candidates
from scoring.core.sampling.drawing import Sample
from scoring.core.sampling.sizes import weighted_counts
from scoring.core.sampling.worth import Worth


@dataclass(frozen=True, eq=False)
class Estimates:
    """Scores of runs, or differences between runs, with what their variances are made of."""

    program: NDArray[np.float64]  # float64[rows, topics], by the program's judgments alone
    scores: NDArray[np.float64]  # float64[rows, topics]
    contrasts: NDArray[np.float64]  # float64[rows, strata], z_i - z_j
    factors: NDArray[np.float64]  # float64[strata], (π_i π_j - π_ij) / π_ij
    topic_rows: NDArray[np.int32]  # int32[strata], the topic of each
    is_open: NDArray[np.bool_]  # bool[rows], some document that counts was not certain to be judged

    def differences(self, first: NDArray[np.intp], other: NDArray[np.intp]) -> "Estimates":
        """The first run of each pair less the other one: both use the same sample."""
        return Estimates(
            self.program[first] - self.program[other],
            self.scores[first] - self.scores[other],
            self.contrasts[first] - self.contrasts[other],
            self.factors,
            self.topic_rows,
            self.is_open[first] | self.is_open[other],
        )

    @property
    def variances(self) -> NDArray[np.float64]:
        """float64[rows, topics]: of the scores."""
        shares = self.factors * self.contrasts**2
        topics = self.scores.shape[1]
        sums = [weighted_counts(self.topic_rows, row, topics) for row in shares]
        # Without a row, the list would have no second dimension.
        return np.array(sums).reshape(len(shares), topics)


@dataclass(frozen=True, eq=False)
class ProgramScores:
    """What a program's judgments of all candidates say; what does not depend on the sample is
    computed once.

    `program` are int8[candidates], grades from 0 to the highest of the table. Documents that are no
    candidates bring nothing. Raises ValueError for grades that do not fit.
    """

    candidates: Candidates
    worth: Worth
    program: NDArray[np.int8]

    def __post_init__(self) -> None:
        _check("program", self.program, len(self.candidates), self.worth)
        ranks = self.worth.table.shape[1]
        if self.candidates.positions.max(initial=-1) >= ranks:
            raise ValueError(f"candidates deeper than the {ranks} ranks of the table")

    @cached_property
    def sums(self) -> NDArray[np.float64]:
        """float64[runs, topics]: what the documents bring; for nDCG not divided yet."""
        every = self.candidates
        grades = np.repeat(self.program, np.diff(every.starts))
        brought = self.worth.table[grades, every.positions]
        shape = every.runs, len(every.topics)
        return weighted_counts(every.cells, brought, shape[0] * shape[1]).reshape(shape)

    @cached_property
    def counted_places(self) -> NDArray[np.int64]:
        """int64[runs]: at how many places a document could bring something."""
        counted = self.may_bring[self.candidates.positions]
        return np.bincount(self.candidates.run_rows[counted], minlength=self.candidates.runs)

    @cached_property
    def may_bring(self) -> NDArray[np.bool_]:
        """bool[depth]: whether some grade brings something at this rank."""
        return np.asarray((self.worth.table != 0).any(axis=0), np.bool_)

    def count(self, grades: NDArray[np.intp]) -> NDArray[np.float64]:
        """float64[topics]: how many documents have one of these grades."""
        has = np.isin(self.program, grades).astype(np.float64)
        return weighted_counts(self.candidates.topic_rows, has, len(self.candidates.topics))


def estimate_scores(scored: ProgramScores, sample: Sample, people: NDArray[np.int8]) -> Estimates:
    """Estimates for each run of the candidates.

    `people` are int8[sampled documents] in the order of `sample.documents`, grades from 0 to the
    highest of the table. nDCG is the ratio of two estimates, with a variance by linearisation
    (Särndal et al., section 5.6), so its bias is of the order of 1/sample size. Raises ValueError
    for grades that do not fit.

    For a program every document is relevant. Of the two that were drawn, people say so of a and
    not of b: P@2 is estimated as 1 - .5 / .4. The estimator has no bias, but can be below 0.

    >>> worth = Worth(np.array([[0.0] * 5, [0.5, 0.5, 0, 0, 0]]), is_ratio=False)
    >>> scored = ProgramScores(candidates, worth, np.ones(5, np.int8))
    >>> pair = np.array([[0, 1]]), np.array([[0.4, 0.4]]), np.array([0.1])
    >>> sample = Sample(np.empty(0, np.int64), *pair)
    >>> found = estimate_scores(scored, sample, np.array([1, 0], np.int8))
    >>> found.program.tolist(), found.scores.round(4).tolist()
    ([[1.0], [1.0]], [[-0.25], [-0.25]])
    """
    _check("people", people, len(sample.documents), scored.worth)
    parts = _Sampled(scored, sample, people)
    factors = sample.probabilities.prod(axis=1) / sample.joint - 1
    found = Estimates(
        scored.sums,
        scored.sums + parts.added,
        parts.contrasts,
        # By Brewer's method π_ij is at most π_i π_j: what is below 0 is rounding.
        np.maximum(factors, 0.0),
        scored.candidates.topic_rows[sample.pairs[:, 0]],
        parts.is_open,
    )
    return _ratio(found, parts) if scored.worth.is_ratio else found


@dataclass(frozen=True, eq=False)
class _Sampled:
    """Sums over the sample."""

    scored: ProgramScores
    sample: Sample
    people: NDArray[np.int8]

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """int64[places of the sampled documents], document by document."""
        return self.scored.candidates.places_of(self.sample.documents)

    @cached_property
    def of_sample(self) -> NDArray[np.int64]:
        """int64[places]: which sampled document it is."""
        documents, starts = self.sample.documents, self.scored.candidates.starts
        return np.repeat(np.arange(len(documents)), starts[documents + 1] - starts[documents])

    @cached_property
    def terms(self) -> NDArray[np.float64]:
        """float64[places]: what people's grade brings more than the program's, over π."""
        table, positions = self.scored.worth.table, self.scored.candidates.positions[self.places]
        program = self.scored.program[self.sample.documents]
        more = table[self.people[self.of_sample], positions]
        more -= table[program[self.of_sample], positions]
        weighted: NDArray[np.float64] = more / self.sample.document_probabilities[self.of_sample]
        return weighted

    @property
    def added(self) -> NDArray[np.float64]:
        """float64[runs, topics]."""
        shape = self.scored.sums.shape
        cells = self.scored.candidates.cells[self.places]
        return weighted_counts(cells, self.terms, shape[0] * shape[1]).reshape(shape)

    @property
    def contrasts(self) -> NDArray[np.float64]:
        """float64[runs, strata]."""
        rows = self.scored.candidates.run_rows[self.places]
        return self._contrasts(rows, self.of_sample, self.terms, self.scored.candidates.runs)

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """bool[runs]."""
        every = self.scored.candidates
        certain = self.places[self.of_sample < len(self.sample.certain)]
        certain = certain[self.scored.may_bring[every.positions[certain]]]
        judged = np.bincount(every.run_rows[certain], minlength=every.runs)
        return np.asarray(judged < self.scored.counted_places, np.bool_)

    def count(self, grades: NDArray[np.intp]) -> "_Counts":
        """How many documents of each topic have one of these grades."""
        rows, documents = self.scored.candidates.topic_rows, self.sample.documents
        program = self.scored.count(grades)
        terms = np.isin(self.people, grades).astype(np.float64)
        terms -= np.isin(self.scored.program[documents], grades)
        terms /= self.sample.document_probabilities
        added = weighted_counts(rows[documents], terms, len(program))
        each = np.arange(len(documents))
        contrasts = self._contrasts(np.zeros(len(documents), np.int32), each, terms, 1)
        return _Counts(program, program + added, contrasts[0])

    def _contrasts(
        self,
        rows: NDArray[np.integer],
        of_sample: NDArray[np.int64],
        terms: NDArray[np.float64],
        count: int,
    ) -> NDArray[np.float64]:
        """float64[rows, strata]: the first document of each pair less the other."""
        # Those judged for certain come first and are in no stratum; then the pairs, two by two.
        drawn = of_sample - len(self.sample.certain)
        strata = len(self.sample.pairs)
        cells = rows.astype(np.int64) * strata + drawn // 2
        signed = np.where(drawn % 2 == 0, terms, -terms)
        is_drawn = drawn >= 0
        sums = weighted_counts(cells[is_drawn], signed[is_drawn], count * strata)
        return sums.reshape(count, strata)


@dataclass(frozen=True, eq=False)
class _Counts:
    program: NDArray[np.float64]  # float64[topics]
    estimates: NDArray[np.float64]  # float64[topics]
    contrasts: NDArray[np.float64]  # float64[strata]


def _ratio(found: Estimates, parts: _Sampled) -> Estimates:
    """Divided by the score of the ideal ranking: the best grade first. A rank has a grade's gain
    for as many documents as have this grade or a better one, so the ideal is a sum over grades of
    a function of that number, straight between whole numbers."""
    table = parts.scored.worth.table
    # By what a grade brings at rank 1: a gain map need not ascend with the grades.
    order = np.argsort(table[:, 0], kind="stable")
    steps = np.diff(table[order], axis=0, prepend=0.0)
    ideal, by_program = np.zeros(found.scores.shape[1]), np.zeros(found.scores.shape[1])
    slopes_of_strata = np.zeros(found.contrasts.shape[1])
    for level, step in enumerate(steps):
        counts = parts.count(order[level:])
        by_program += _gained(step, counts.program)[0]
        gained, slopes = _gained(step, counts.estimates)
        ideal += gained
        slopes_of_strata += slopes[found.topic_rows] * counts.contrasts
    scores = _divided(found.scores, ideal)
    of_strata = found.contrasts - scores[:, found.topic_rows] * slopes_of_strata
    return Estimates(
        _divided(found.program, by_program),
        scores,
        _divided(of_strata, ideal[found.topic_rows]),
        found.factors,
        found.topic_rows,
        found.is_open,
    )


def _gained(
    step: NDArray[np.float64], counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sum of a step over this many first ranks, and its slope there."""
    sums = np.append(0.0, np.cumsum(step))
    within = np.clip(counts, 0.0, len(step))
    # Beyond the depth a further document gains nothing.
    slopes = np.append(step, 0.0)[np.floor(within).astype(np.intp)]
    return np.interp(within, np.arange(len(sums)), sums), np.where(counts < 0, 0.0, slopes)


def _divided(sums: NDArray[np.float64], by: NDArray[np.float64]) -> NDArray[np.float64]:
    """0 where the ideal ranking gains nothing."""
    by = np.broadcast_to(by, sums.shape)
    return np.divide(sums, by, out=np.zeros_like(sums), where=by > 0)


def _check(name: str, grades: NDArray[np.int8], count: int, worth: Worth) -> None:
    if grades.shape != (count,):
        raise ValueError(f"{name} needs {count} grades, not shape {grades.shape}")
    if count and not (grades.min() >= 0 and grades.max() < len(worth.table)):
        raise ValueError(f"{name} has a grade outside 0..{len(worth.table) - 1}")
