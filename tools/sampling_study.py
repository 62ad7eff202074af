"""How well prediction-powered scores work, on a judged campaign whose judgments are hidden."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.cli.opening import open_qrels, open_run
from scoring.core.data.judgments import find_judgments
from scoring.core.data.ranking import hash_doc_ids
from scoring.core.judging.candidates import Candidates, collect_candidates
from scoring.core.measures.names import parse_measure
from scoring.core.sampling.design import CERTAIN, Design, design_sample
from scoring.core.sampling.difference import Estimates, ProgramScores, estimate_scores
from scoring.core.sampling.drawing import Sample, draw_samples
from scoring.core.sampling.intervals import half_widths, standard_errors
from scoring.core.sampling.sizes import (
    OverRuns,
    document_sizes,
    weighted_counts,
)
from scoring.core.sampling.worth import Worth, worth_of
from scoring.library.prepared import rank_run

DEPTH: Final = 100  # documents of a topic that a run proposes
SEED: Final = 1
LEVEL: Final = 0.95
Z: Final = 1.959963984540054
PAIRS: Final = (1, 3, 5, 7)  # assessors who judged the same documents as the next one


@dataclass(frozen=True, eq=False)
class Coverage:
    """What the intervals of many samples were worth; one entry for each run, or pair of runs."""

    truth: NDArray[np.float64]
    program: NDArray[np.float64]
    estimate: NDArray[np.float64]  # the mean over the samples
    covered: NDArray[np.float64]  # the share of the intervals that contain the truth
    covered_normal: NDArray[np.float64]  # with the normal distribution in place of Student's
    width: NDArray[np.float64]  # the median over the samples
    deviation: NDArray[np.float64]  # of the estimates over the samples


@dataclass(frozen=True, eq=False)
class SamplingStudy:
    """All candidates of a campaign, what people say of them, and what a program says."""

    candidates: Candidates  # of all runs
    people: NDArray[np.int8]  # int8[candidates], 0 where the qrels have nothing
    program: NDArray[np.int8]  # int8[candidates]
    highest_grade: int
    chosen: NDArray[np.intp]  # the runs that are looked at

    @cached_property
    def looked_at(self) -> Candidates:
        """The same candidates, with the places in the chosen runs only."""
        every = self.candidates
        kept = np.isin(every.run_rows, self.chosen)
        of_place = np.repeat(np.arange(len(every)), np.diff(every.starts))
        counts = np.bincount(of_place[kept], minlength=len(every))
        return Candidates(
            topics=every.topics,
            runs=len(self.chosen),
            topic_rows=every.topic_rows,
            doc_ids=every.doc_ids,
            starts=np.append(0, np.cumsum(counts)).astype(np.int64),
            run_rows=np.searchsorted(self.chosen, every.run_rows[kept]).astype(np.int32),
            positions=every.positions[kept],
        )

    def improved(self, errors: float) -> "SamplingStudy":
        """With a program that makes this share of the errors, drawn at random."""
        keeps = np.random.default_rng(SEED + 1).random(len(self.people)) < errors
        return replace(self, program=np.where(keeps, self.program, self.people))

    def worth(self, measure: str) -> Worth:
        gains = np.arange(self.highest_grade + 1) / self.highest_grade
        return worth_of(parse_measure(measure), gains, DEPTH)

    def design(
        self, budget: int, rank_weights: NDArray[np.float64], over_runs: OverRuns = "square"
    ) -> Design:
        """A sample of this many documents for a measure with these weights of the ranks."""
        sizes = document_sizes(self.candidates, rank_weights, over_runs=over_runs)
        return design_sample(self.candidates, sizes, budget=budget)

    def estimates(
        self, measure: str, samples: Sequence[Sample], alone: bool
    ) -> Iterator[Estimates]:
        """One for each sample; `alone`: without the program, by people only."""
        program = np.zeros_like(self.program) if alone else self.program
        scored = ProgramScores(self.looked_at, self.worth(measure), program)
        for each in samples:
            yield estimate_scores(scored, each, self.people[each.documents])

    def truth(self, measure: str) -> NDArray[np.float64]:
        """float64[runs, topics]: the scores by all judgments."""
        scored = ProgramScores(self.looked_at, self.worth(measure), self.people)
        nobody = Sample(*(np.empty(0, np.int64), np.empty((0, 2), np.int64)), *_no_floats())
        return estimate_scores(scored, nobody, np.empty(0, np.int8)).scores

    def plain_error(self, measure: str, budget: int, alone: bool) -> NDArray[np.float64]:
        """float64[runs]: the exact standard error of the mean with a simple random sample of as
        many documents, shared out evenly among the topics."""
        worth = self.worth(measure).table
        every = self.looked_at
        errors = worth[np.repeat(self.people, np.diff(every.starts)), every.positions]
        if not alone:
            errors = errors - worth[np.repeat(self.program, np.diff(every.starts)), every.positions]
        shape = every.runs, len(every.topics)
        sums = weighted_counts(every.cells, errors, shape[0] * shape[1]).reshape(shape)
        squares = weighted_counts(every.cells, errors**2, shape[0] * shape[1]).reshape(shape)
        documents = np.bincount(every.topic_rows, minlength=shape[1])
        sampled = budget / shape[1]
        spread = (squares - sums**2 / documents) / (documents - 1)
        variances = documents**2 * (1 - sampled / documents) * spread / sampled
        error: NDArray[np.float64] = np.sqrt(variances.sum(axis=1)) / shape[1]
        return error


def _no_floats() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.empty((0, 2)), np.empty(0)


def coverage(
    study: SamplingStudy,
    measure: str,
    samples: Sequence[Sample],
    *,
    pairs: bool = False,
    alone: bool = False,
) -> Coverage:
    """How often the intervals of these samples contain the truth."""
    truth = study.truth(measure).mean(axis=1)
    first, other = np.triu_indices(len(truth), k=1)
    if pairs:
        truth = truth[first] - truth[other]
    found = []
    for each in study.estimates(measure, samples, alone):
        rows = each.differences(first, other) if pairs else each
        every = np.ones(rows.scores.shape[1], np.bool_)
        errors, degrees = standard_errors(rows, every)
        found.append((rows.scores.mean(axis=1), errors, degrees, rows.is_open))
        program = rows.program.mean(axis=1)
    means, errors, degrees, is_open = map(np.array, zip(*found, strict=True))
    reach = half_widths(errors, degrees, is_open, level=LEVEL)
    misses = np.abs(means - truth)
    return Coverage(
        truth=truth,
        program=program,
        estimate=means.mean(axis=0),
        covered=(misses <= reach + 1e-12).mean(axis=0),
        covered_normal=(misses <= Z * errors + 1e-12).mean(axis=0),
        width=np.nanmedian(2 * reach, axis=0),
        deviation=means.std(axis=0),
    )


def samples_of(design: Design, draws: int) -> list[Sample]:
    return draw_samples(design, seed=SEED, draws=draws)


def certain_count(design: Design) -> int:
    return int((design.strata == CERTAIN).sum())


def confusion_matrix(folder: Path, classes: Sequence[int]) -> NDArray[np.float64]:
    """float64[classes, classes]: how often one assessor says the second class where another says
    the first. `classes` has the class of each grade, `folder` the judgments of eight assessors."""
    size = max(classes) + 1
    counts = np.zeros((size, size))
    for first in PAIRS:
        one, two = (_grades(folder / f"assessor-{each}.qrels") for each in (first, first + 1))
        for document in one.keys() & two.keys():
            a, b = classes[one[document]], classes[two[document]]
            counts[a, b] += 1
            counts[b, a] += 1
    return counts / counts.sum(axis=1, keepdims=True)


def _grades(path: Path) -> dict[tuple[str, str], int]:
    lines = [line.split() for line in path.read_text().splitlines()]
    return {(topic, doc_id): int(grade) for topic, _, doc_id, grade in lines}


def read_sampling_study(
    folder: Path, confusion: NDArray[np.float64], *, runs: int
) -> SamplingStudy:
    """The campaign of a folder with one `qrels*.gz` and `runs/*.gz`, with a program that errs as
    the matrix says, document by document. Of the runs, `runs` are looked at, evenly spread over
    the ranks by RBP(.8), or all if there are fewer. Raises BadInput."""
    (qrels,) = folder.glob("qrels*.gz")
    table = open_qrels(str(qrels), highest_grade=len(confusion) - 1)
    paths = sorted((folder / "runs").glob("*.gz"))
    rankings = [rank_run(open_run(str(path)), max_depth=DEPTH) for path in paths]
    candidates = collect_candidates(rankings, topics=table.topics)
    places = find_judgments(
        table,
        rows=candidates.topic_rows,
        doc_ids=candidates.doc_ids,
        hashes=hash_doc_ids(candidates.doc_ids),
    )
    people = np.maximum(np.append(table.grades, np.int8(0))[places], np.int8(0))
    random = np.random.default_rng(SEED).random(len(people))
    program = (random[:, None] >= np.cumsum(confusion, axis=1)[people, :-1]).sum(axis=1)
    everything = SamplingStudy(
        candidates,
        people,
        program.astype(np.int8),
        len(confusion) - 1,
        np.arange(candidates.runs),
    )
    order = np.argsort(-everything.truth("RBP(p=0.8)").mean(axis=1), kind="stable")
    evenly = np.linspace(0, len(order) - 1, min(runs, len(order)))
    chosen = np.sort(order[evenly.round().astype(np.intp)])
    assert all(one < two for one, two in pairwise(chosen.tolist()))
    return SamplingStudy(candidates, people, everything.program, everything.highest_grade, chosen)
