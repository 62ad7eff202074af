"""Scores of runs from files: one qrels table, one set of rules, and one act a run."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.runs import ParsedRun
from scoring.cli.arguments import GainMap
from scoring.cli.bad_input import BadInput
from scoring.cli.measure_lines import Line
from scoring.cli.opening import open_qrels, open_run, tell_of_topics_without_grades
from scoring.core.data.direct_alignment import align_lines
from scoring.core.data.judgments import JudgmentTable
from scoring.core.measures.arrays import GradedTopics, Scores, condensed
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import make_measure, rel_of
from scoring.core.measures.trec_eval import relevance_strings
from scoring.core.statistics.means import Mean, mask_excluded, mean_scores, topics_of_mean
from scoring.core.ties.ties import TiedTopics, bounds, expected, has_bounds, has_expected


@dataclass(frozen=True, eq=False)
class ScoringOptions:
    """How runs are scored."""

    lines: tuple[Line, ...]
    table: JudgmentTable
    gain_map: NDArray[np.float64]
    rel: int = 1
    no_relevant: Literal["exclude", "zero"] = "zero"
    ties: str = "docno"
    max_depth: int | None = None
    is_complete: bool = True  # topics that the run misses enter the mean
    judged_only: bool = False
    collection_size: int = 0  # only utility's fourth number asks


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


def scoring_options(
    options: argparse.Namespace, lines: tuple[Line, ...], qrels: str
) -> ScoringOptions:
    """The rules that the arguments of `add_scoring_arguments` give. Raises BadInput."""
    given: GainMap | None = options.gain_map
    _refuse_untied(lines, options.ties)
    _refuse_cut_ties(options)
    table = open_qrels(qrels, highest_grade=_highest_of(given))
    tell_of_topics_without_grades(qrels, table)
    return ScoringOptions(
        lines=lines,
        table=table,
        gain_map=_worth_of_grades(given, table.highest_grade),
        rel=options.rel,
        no_relevant=options.no_relevant,
        ties=options.ties,
        max_depth=options.max_depth,
    )


def _highest_of(given: GainMap | None) -> int:
    """The end of the scale that a gain map declares; 1 without one."""
    return max(1, given[-1][0]) if given else 1


def _worth_of_grades(given: GainMap | None, highest_grade: int) -> NDArray[np.float64]:
    """float64[highest_grade + 1]: as given (0 for grade 0 if it is left out), or grade / highest.

    Raises BadInput where a grade of the scale has no worth.
    """
    if given is None:
        return np.arange(highest_grade + 1) / highest_grade
    worth = {0: 0.0} | dict(given)
    missing = [grade for grade in range(highest_grade + 1) if grade not in worth]
    if missing:
        raise BadInput(
            [f"--gain-map: what is grade {missing[0]} worth? (grades: 0..{highest_grade})"]
        )
    return np.array([worth[grade] for grade in range(highest_grade + 1)])


def as_lines(measures: Sequence[Measure]) -> tuple[Line, ...]:
    """Measures whose scores alone matter."""
    return tuple(Line(str(measure), str(measure), measure) for measure in measures)


def score_file(path: str, rules: ScoringOptions) -> ScoredRun:
    """Reads and scores a run. Raises BadInput."""
    run = open_run(path)
    in_run = set(run.topics)
    retrieved = np.array([topic in in_run for topic in rules.table.topics])
    if not retrieved.any():
        raise BadInput([f"{path}: no topic of the run is in the qrels"])
    found = _Scoring(rules, _tied(run, rules), retrieved).all_lines()
    included = _included(rules, retrieved, rules.rel)
    return ScoredRun(run.tag, path, included, retrieved, found)


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
    return _condensed(tied) if rules.judged_only else tied


class _Scoring:
    """All lines of one run."""

    def __init__(
        self, rules: ScoringOptions, tied: TiedTopics, retrieved: NDArray[np.bool_]
    ) -> None:
        self._rules, self._tied, self._retrieved = rules, tied, retrieved
        measures = dict.fromkeys(
            line.measure for line in rules.lines if line.measure is not None and not line.gains
        )
        self._counts = (
            make_measure("NumRelRet", rel=rules.rel),
            make_measure("NumRet"),
            make_measure("NumRel", rel=rules.rel),
        )
        if any(line.kind == "utility" for line in rules.lines):
            measures |= dict.fromkeys(self._counts)
        self._scores = _by_ties(list(measures), tied, rules.ties)
        by_bounds = rules.ties == "bounds"
        self._bounds = bounds(list(measures), tied) if by_bounds else {}

    def all_lines(self) -> tuple[Scored, ...]:
        return tuple(self._line(line) for line in self._rules.lines)

    def _line(self, line: Line) -> Scored:
        none = Scores(np.full(len(self._retrieved), np.nan), None)
        if line.kind == "relstring":
            texts = relevance_strings(self._tied.graded, int(line.numbers[0]))
            return Scored(none, Mean(np.nan, None, 0), texts=texts)
        if line.measure is None:
            return Scored(none, Mean(np.nan, None, 0))
        if line.kind == "utility":
            return self._summed(line.measure, self._utility(line.numbers))
        if line.gains:
            return self._summed(line.measure, self._with_gains(line))
        return self._summed(line.measure, self._scores[line.measure], self._ends(line.measure))

    def _summed(
        self,
        measure: Measure,
        scores: Scores,
        ends: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    ) -> Scored:
        """With the means over the topics that count for this measure."""
        rules, summary = self._rules, family_of(measure).summary
        included = _included(rules, self._retrieved, max(rules.rel, rel_of(measure) or 1))
        scores = mask_excluded(scores, included)
        mean = mean_scores(scores, included, summary)
        if ends is None:
            return Scored(scores, mean)
        low, high = (np.where(included, end, np.nan) for end in ends)
        mean_low, mean_high = (
            mean_scores(Scores(end, None), included, summary).base for end in (low, high)
        )
        return Scored(scores, mean, low, high, mean_low, mean_high)

    def _ends(self, measure: Measure) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        if measure not in self._bounds:
            return None
        worst, best = self._bounds[measure].worst, self._bounds[measure].best
        return np.minimum(worst, best), np.maximum(worst, best)

    def _utility(self, numbers: tuple[float, ...]) -> Scores:
        """trec_eval's: a relevant retrieved + b others retrieved + c relevant missed + d others."""
        good, length, known = (self._scores[count].base for count in self._counts)
        rest = self._rules.collection_size + good - length - known
        parts = (good, length - good, known - good, rest)
        worth = [number * part for number, part in zip(numbers, parts, strict=True)]
        return Scores(np.sum(worth, axis=0), None)

    def _with_gains(self, line: Line) -> Scores:
        """nDCG with gains of its own: what all are multiplied by does not matter."""
        gains = np.arange(len(self._rules.gain_map), dtype=np.float64)
        for grade, gain in line.gains:
            if grade < len(gains):
                gains[grade] = gain
        scaled = gains / max(float(gains.max()), 1e-300)
        graded = replace(self._tied.graded, gain_map=scaled)
        tied = replace(self._tied, graded=graded)
        measure = line.measure
        if measure is None:
            return Scores(gains, None)
        return _by_ties([measure], tied, self._rules.ties)[measure]


def _by_ties(measures: Sequence[Measure], tied: TiedTopics, ties: str) -> dict[Measure, Scores]:
    """Sets have no order: their scores are the same under every tie rule."""
    if ties != "expected":
        return evaluate(measures, tied.graded)
    sets = [measure for measure in measures if _is_set(measure)]
    ranked = [measure for measure in measures if not _is_set(measure)]
    return evaluate(sets, tied.graded) | expected(ranked, tied)


def _is_set(measure: Measure) -> bool:
    return family_of(measure).facts.view == "set" and not has_expected(measure)


def _included(rules: ScoringOptions, retrieved: NDArray[np.bool_], rel: int) -> NDArray[np.bool_]:
    included = topics_of_mean(rules.table, rel=rel, no_relevant=rules.no_relevant)
    return included if rules.is_complete else included & retrieved


def _refuse_untied(lines: Sequence[Line], ties: str) -> None:
    measures = [line.measure for line in lines if line.measure is not None]
    wrong: list[Measure] = []
    if ties == "expected":
        wrong = [each for each in measures if not (has_expected(each) or _is_set(each))]
    elif ties == "bounds":
        wrong = [each for each in measures if not has_bounds(each)]
    if wrong:
        named = ", ".join(dict.fromkeys(map(str, wrong)))
        raise BadInput([f"--ties {ties} is not defined for {named}"])


def _refuse_cut_ties(options: argparse.Namespace) -> None:
    """-M takes the first documents in the order of their ids: those of a tied group across the cut
    that it leaves out have no share in the group any more."""
    if options.max_depth is not None and options.ties != "docno":
        depth, ties = options.max_depth, options.ties
        why = f"-M {depth} does not go with --ties {ties}: it cuts tied documents by their ids"
        raise BadInput([f"{why}; leave it out, and give measures their cutoff, as in AP@{depth}"])


def _condensed(tied: TiedTopics) -> TiedTopics:
    """Without the unjudged documents; those that were tied still are."""
    graded = condensed(tied.graded)
    order = np.argsort(~tied.graded.judged, axis=1, kind="stable")
    groups = np.take_along_axis(np.cumsum(tied.begins, axis=1), order, axis=1)
    begins = np.arange(graded.depth) >= graded.lengths[:, None]
    begins[:, 0] = True
    begins[:, 1:] |= groups[:, 1:] != groups[:, :-1]
    return TiedTopics(graded, begins)
