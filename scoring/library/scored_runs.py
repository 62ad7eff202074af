"""Scores of runs, several runs at a time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.likely_topics import LikelyTopics
from campaigns.trec.runs import ParsedRun
from scoring.core.data.direct_alignment import align_lines
from scoring.core.measures.arrays import GradedTopics, Scores, by_run, each_run
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import evaluate, in_stacks
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import make_measure
from scoring.core.measures.trec_eval import relevance_strings
from scoring.core.statistics.means import Mean, mask_excluded, means_of_runs
from scoring.core.ties.groups import condensed_with_ties, stacked_with_ties
from scoring.core.ties.ties import TiedTopics, bounds, expected
from scoring.library.bad_input import BadInput
from scoring.library.measure_lines import GainMap, Line
from scoring.library.prepared import none_judged
from scoring.library.scoring_options import ScoringOptions, is_set


@dataclass(frozen=True, eq=False)
class Scored:
    """What one line of output says of one run."""

    scores: Scores  # NaN for topics that are left out
    mean: Mean
    low: NDArray[np.float64] | None = None  # under the worst or best order of ties
    high: NDArray[np.float64] | None = None
    mean_low: float | None = None
    mean_high: float | None = None
    texts: tuple[str, ...] = ()  # of relstring


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """One run; `found` has one entry for each of the rules' lines."""

    tag: str
    path: str
    included: NDArray[np.bool_]  # bool[topics], enter the mean
    retrieved: NDArray[np.bool_]  # bool[topics], the run has them
    found: tuple[Scored, ...]


@dataclass(frozen=True, eq=False)
class AlignedRun:
    """One run, its documents looked up in the qrels."""

    tag: str
    path: str
    retrieved: NDArray[np.bool_]  # bool[topics], the run has them
    tied: TiedTopics
    none_judged: str = ""  # a note if no document of the run is judged


def align_run(name: str, run: ParsedRun, rules: ScoringOptions) -> AlignedRun:
    """The run, its documents looked up in the qrels; `name` is what messages call it. Raises
    BadInput where they share no topic."""
    in_run = set(run.topics)
    retrieved = np.array([topic in in_run for topic in rules.table.topics])
    if not retrieved.any():
        likely = LikelyTopics(rules.table.topics)
        # The ids may differ by a prefix or by zeros, which the message then says.
        for topic in run.topics:
            likely.look_up(topic)
        hint = f": {likely.most()}" if likely.most() else ""
        raise BadInput([f"{name}: no topic of the run is in the qrels{hint}"])
    tied = _tied(run, rules)
    note = "" if (tied.graded.grades >= 0).any() else none_judged(run, rules.table)
    return AlignedRun(run.tag, name, retrieved, tied, note)


def score_runs(runs: Iterable[AlignedRun], rules: ScoringOptions) -> Iterator[ScoredRun]:
    """Scores runs in their order, small ones several at a time."""
    # The mean over all orderings is summed over as many ranks as the largest tied group of a stack
    # has, so the last bit of a score would depend on the other runs.
    most = 1 if rules.ties == "expected" else None
    measures = [line.measure for line in rules.lines if line.measure]
    for stack in in_stacks(runs, lambda run: run.tied.begins.shape, measures, most=most):
        scored = _Stack(rules, stack)
        included = scored.included(rules.counted)
        for place, found in enumerate(zip(*map(scored.line, rules.lines), strict=True)):
            run = stack[place]
            yield ScoredRun(run.tag, run.path, included[place], run.retrieved, found)


def _tied(run: ParsedRun, rules: ScoringOptions) -> TiedTopics:
    table = rules.table
    found = align_lines(
        table,
        topics=run.topics,
        topic_index=run.topic_index,
        doc_ids=run.doc_ids,
        retrieval_scores=run.retrieval_scores,
        max_depth=rules.max_depth,
    )
    graded = GradedTopics(found.grades, table.grade_counts, rules.gain_map, pooled=found.pooled)
    tied = TiedTopics(graded, found.begins)
    return condensed_with_ties(tied) if rules.judged_only else tied


class _Stack:
    """The lines of several runs."""

    def __init__(self, rules: ScoringOptions, runs: Sequence[AlignedRun]) -> None:
        self._rules, self._runs = rules, len(runs)
        self._tied = stacked_with_ties([run.tied for run in runs])
        self._retrieved = np.array([run.retrieved for run in runs])
        measures = list(
            dict.fromkeys(line.measure for line in rules.lines if line.measure and not line.gains)
        )
        self._scores = _by_ties(measures, self._tied, rules.ties)
        self._bounds = bounds(measures, self._tied) if rules.ties == "bounds" else {}

    def included(self, counted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool[runs, topics]: those that enter the mean of each run."""
        shape = self._retrieved.shape
        complete: NDArray[np.bool_] = np.broadcast_to(counted, shape)
        return complete if self._rules.is_complete else counted & self._retrieved

    def line(self, line: Line) -> list[Scored]:
        """What it says of each run."""
        if line.measure is None:
            return self._without_scores(line)
        if line.kind == "utility":
            return self._summed(line.measure, self._utility(line.numbers))
        if line.kind == "levels":
            return self._summed(line.measure, self._over_levels(line.numbers))
        if line.gains:
            return self._summed(line.measure, self._with_gains(line.measure, line.gains))
        scored = self._summed(line.measure, self._scores[line.measure])
        return self._between(line.measure, scored) if self._bounds else scored

    def _without_scores(self, line: Line) -> list[Scored]:
        texts: tuple[str, ...] = ()
        if line.kind == "relstring":
            texts = relevance_strings(self._tied.graded, int(line.numbers[0]))
        topics = self._retrieved.shape[1]
        none, mean = Scores(np.full(topics, np.nan), None), Mean(np.nan, None, 0)
        return [
            Scored(none, mean, texts=texts[run * topics : (run + 1) * topics])
            for run in range(self._runs)
        ]

    def _summed(self, measure: Measure, scores: Scores) -> list[Scored]:
        """With the means over the topics that count for this measure."""
        included = self.included(self._rules.counted_by[measure])
        scores = mask_excluded(by_run(scores, self._runs), included)
        means = means_of_runs(scores, included, family_of(measure).summary)
        return [Scored(*of_run) for of_run in zip(each_run(scores), means, strict=True)]

    def _between(self, measure: Measure, scored: list[Scored]) -> list[Scored]:
        """With the lowest and the highest score under any order of ties."""
        worst, best = self._bounds[measure].worst, self._bounds[measure].best
        # Where lower is better, the best order has the lowest score.
        lowest = self._summed(measure, Scores(np.minimum(worst, best), None))
        highest = self._summed(measure, Scores(np.maximum(worst, best), None))
        return [
            replace(
                of_run,
                low=low.scores.base,
                high=high.scores.base,
                mean_low=low.mean.base,
                mean_high=high.mean.base,
            )
            for of_run, low, high in zip(scored, lowest, highest, strict=True)
        ]

    def _utility(self, numbers: tuple[float, ...]) -> Scores:
        """trec_eval's: a relevant retrieved + b others retrieved + c relevant missed + d others."""
        counts = [
            make_measure("NumRelRet", rel=self._rules.rel),
            make_measure("NumRet"),
            make_measure("NumRel", rel=self._rules.rel),
        ]
        found = evaluate(counts, self._tied.graded)
        good, length, known = (found[count].base for count in counts)
        # Neither retrieved nor relevant, of the whole collection.
        rest = self._rules.collection_size + good - length - known
        parts = (good, length - good, known - good, rest)
        worth = [number * part for number, part in zip(numbers, parts, strict=True)]
        return Scores(np.sum(worth, axis=0), None)

    def _over_levels(self, levels: tuple[float, ...]) -> Scores:
        """The mean of interpolated precision over recall levels, as trec_eval's 11pt_avg has it."""
        parts = [
            make_measure("IPrec", rel=self._rules.rel, levels="trec_eval", cutoff=level)
            for level in levels
        ]
        found = _by_ties(list(dict.fromkeys(parts)), self._tied, self._rules.ties)
        return Scores(np.mean([found[part].base for part in parts], axis=0), None)

    def _with_gains(self, measure: Measure, given: GainMap) -> Scores:
        """nDCG with gains of its own: what all are multiplied by does not matter."""
        gains = np.arange(len(self._rules.gain_map), dtype=np.float64)
        for grade, gain in given:
            # No judgment has a higher grade.
            if grade < len(gains):
                gains[grade] = gain
        # Gains lie in 0..1. All can be 0: then so is nDCG.
        scaled = gains / max(float(gains.max()), 1e-300)
        tied = replace(self._tied, graded=replace(self._tied.graded, gain_map=scaled))
        return _by_ties([measure], tied, self._rules.ties)[measure]


def _by_ties(measures: Sequence[Measure], tied: TiedTopics, ties: str) -> dict[Measure, Scores]:
    if ties != "expected":
        return evaluate(measures, tied.graded)
    # `expected` does not know measures of sets, whose scores no ordering changes.
    sets = [measure for measure in measures if is_set(measure)]
    ranked = [measure for measure in measures if not is_set(measure)]
    return evaluate(sets, tied.graded) | expected(ranked, tied)
