"""`trackside.agreement` and `significance`: measures and runs side by side."""

import io
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.problems import FormatError
from scoring.core.statistics.limits import MOST_SAMPLES
from scoring.core.statistics.pairs import Tail
from scoring.core.statistics.projection import Against
from scoring.library.agreement import agreement_table
from scoring.library.bad_input import BadInput
from scoring.library.evaluation import (
    MeasureNames,
    NoRelevant,
    measure_texts,
    names_of,
    scored_runs,
    scoring_rules,
)
from scoring.library.in_memory import columns_of
from scoring.library.measure_lines import single_measures
from scoring.library.score_matrix import LARGEST, TIDY, is_topics, read_matrix
from scoring.library.scoring_options import as_lines
from scoring.library.significance import (
    ComparedRuns,
    CorrectionName,
    PairComparison,
    TestName,
    compared_runs,
    significance_table,
    tested_measure,
)
from scoring.library.sources import Path, QrelsSource, RunSources, open_file
from scoring.library.table import Table


def agreement(
    qrels: QrelsSource,
    runs: RunSources,
    measures: MeasureNames,
    *,
    rbo_p: float = 0.9,
    rel: int = 1,
    ties: Literal["docno", "expected"] = "docno",
    no_relevant: NoRelevant = "zero",
    gain_map: Mapping[int, float] | None = None,
) -> Table:
    """How far measures agree on the order of the runs, as `trackside agreement` computes it.

    One row for each pair of measures: `measure_a, measure_b, tau, tau_b, tau_ap, rbo`. Of τ_AP the
    first measure is the reference. A topic that a run misses counts as 0. Raises BadInput.

    >>> qrels = {"1": {"a": 1}, "2": {"b": 1, "c": 1}}
    >>> first = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    >>> second = {"1": {"b": 2.0, "a": 1.0}, "2": {"b": 2.0, "c": 1.0}}
    >>> agreement(qrels, {"first": first, "second": second}, ["AP", "RR"])
    measure_a  measure_b  tau     tau_b  tau_ap  rbo
    AP         RR         0.0000  –      0.0000  0.9667
    """
    asked = single_measures(measure_texts(measures), rel=rel, called="measures")
    if len(asked) < 2:
        raise BadInput(["measures: name at least two measures to compare"])
    if not 0 < rbo_p < 1:
        raise BadInput([f"rbo_p: {rbo_p} is not a number between 0 and 1"])
    rules = scoring_rules(
        qrels, as_lines(asked), rel=rel, ties=ties, no_relevant=no_relevant, gain_map=gain_map
    )
    scored = scored_runs(runs, rules)
    if len(scored) < 2:
        raise BadInput(["runs: give at least two runs to order"])
    return agreement_table(asked, scored, persistence=rbo_p)


def significance(
    qrels: QrelsSource,
    runs: RunSources,
    measure: str,
    *,
    test: TestName = "t",
    tail: Tail = "two",
    alpha: float = 0.05,
    correction: CorrectionName = "none",
    against: Against = "base",
    top: int | None = None,
    continuity: bool = True,
    zero: Literal["wilcox", "pratt"] = "wilcox",
    samples: int = 10_000,
    seed: int = 1,
    baseline: str | None = None,
    rel: int = 1,
    ties: Literal["docno", "expected"] = "docno",
    no_relevant: NoRelevant = "zero",
    gain_map: Mapping[int, float] | None = None,
) -> Table:
    """Which pairs of runs differ significantly, as `trackside significance` computes it.

    One row for each pair: `a, b, difference, p, p_corrected, method`. `test` is `"t"`,
    `"wilcoxon"` or `"randomisation"`, `correction` is `"none"`, `"holm"`, `"bh"`, `"tukey"` or
    `"max-t"`. With `baseline`, the name of a run, only pairs of another run `a` and this run `b`
    are tested, and `"max-t"` corrects a randomisation test for all of them. `against` is what the
    score of the other run is taken for: as judged (`"base"`), or with all unjudged documents
    relevant (`"top"`), or as good as what is judged (`"projected"`). `top` keeps the best runs, and
    the baseline. Warns where the numbers can be misread. Raises BadInput.

    >>> qrels = {str(topic): {"a": 1} for topic in range(5)}
    >>> good = {str(topic): {"a": 2.0, "b": 1.0} for topic in range(5)}
    >>> poor = {str(topic): {"b": 9.0, "c": 8.0, "a": float(topic)} for topic in range(5)}
    >>> significance(qrels, {"good": good, "poor": poor}, "AP", test="wilcoxon")
    a     b     difference  p       p_corrected  method
    good  poor  0.6667      0.0625  0.0625       exact null of the signed ranks
    """
    how = PairComparison(
        test, tail, alpha, continuity, zero, correction, against, samples, seed, baseline
    )
    _refuse_arguments(how, top)
    asked = tested_measure(measure_texts(measure), rel=rel, called="measure")
    rules = scoring_rules(
        qrels, as_lines([asked]), rel=rel, ties=ties, no_relevant=no_relevant, gain_map=gain_map
    )
    scored = scored_runs(runs, rules)
    board = compared_runs(names_of(scored), scored, asked)
    if against != "base" and board.residual is None:
        raise BadInput([f"against: {asked} has no residual"])
    return _compared(board.best(top, baseline), how)


def significance_of_scores(
    scores: Path | Mapping[str, Sequence[float]] | Any,
    *,
    test: TestName = "t",
    tail: Tail = "two",
    alpha: float = 0.05,
    correction: CorrectionName = "none",
    top: int | None = None,
    continuity: bool = True,
    zero: Literal["wilcox", "pratt"] = "wilcox",
    samples: int = 10_000,
    seed: int = 1,
    baseline: str | None = None,
) -> Table:
    """The same for scores that are there: those of one measure by `evaluate`, `{run: [score of each
    topic]}`, a data frame with a column for each run, or the path of a CSV. NaN is a topic without
    a score.

    >>> significance_of_scores({"a": [0.2, 0.4, 0.9], "b": [0.1, 0.2, 0.3]})
    a  b  difference  p       p_corrected  method
    a  b  0.3000      0.1885  0.1885       Student's t
    """
    how = PairComparison(
        test, tail, alpha, continuity, zero, correction, "base", samples, seed, baseline
    )
    _refuse_arguments(how, top)
    return _compared(matrix_of(scores).best(top, baseline), how)


def _compared(board: ComparedRuns, how: PairComparison) -> Table:
    table, cautions = significance_table(board, how)
    for caution in cautions:
        # Where the user calls `significance` or `significance_of_scores`.
        warnings.warn(caution, stacklevel=3)
    return table


def _refuse_arguments(how: PairComparison, top: int | None) -> None:
    # The types say the same, but nothing checks them at run time.
    known: dict[str, tuple[str, ...]] = {
        "test": ("t", "wilcoxon", "randomisation"),
        "tail": ("one", "two"),
        "correction": ("none", "holm", "bh", "tukey", "max-t"),
        "against": ("base", "top", "projected"),
        "zero": ("wilcox", "pratt"),
    }
    faults = [
        f"{name}: {getattr(how, name)!r} is none of {', '.join(values)}"
        for name, values in known.items()
        if getattr(how, name) not in values
    ]
    faults += [f"correction: {how.correction!r} {why}" for why in how.correction_faults]
    if not 0 < how.alpha < 1:
        faults.append(f"alpha: {how.alpha} is not a number between 0 and 1")
    if not 1 <= how.samples <= MOST_SAMPLES:
        why = f"is not a whole number from 1 to {MOST_SAMPLES:,}"
        faults.append(f"samples: {how.samples} {why}")
    if how.seed < 0:
        faults.append("seed: it must not be negative")
    if top is not None and top < 1:
        faults.append(f"top: {top} is not a whole number above 0")
    if faults:
        raise BadInput(faults)


def matrix_of(scores: Any) -> ComparedRuns:
    if isinstance(scores, str | os.PathLike):
        with open_file(scores) as file:
            content = io.BytesIO(file.read())
        try:
            return ComparedRuns(*read_matrix(content))
        except FormatError as error:
            path = os.fspath(scores)
            raise BadInput(f"{path}: {line}" for line in str(error).splitlines()) from None
    is_dictionary = isinstance(scores, Mapping)
    scores = scores if is_dictionary else columns_of(scores, "scores") or {}
    if scores.keys() >= TIDY:
        scores, is_dictionary = _by_run(scores), True
    names = [
        name for at, name in enumerate(scores) if is_dictionary or not is_topics(at, str(name))
    ]
    if not names:
        raise BadInput(["scores: give a dictionary, a data frame or the path of a CSV"])
    columns = [_numbers(scores[name], str(name)) for name in names]
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise BadInput([f"scores: runs have different numbers of topics: {sorted(lengths)}"])
    # NaN is a topic without a score.
    base = np.array(columns)
    if (huge := (np.abs(base) > LARGEST).any(axis=1)).any():
        why = f"a score is infinite or beyond {LARGEST:g}"
        raise BadInput([f"scores: {names[int(huge.argmax())]}: {why}"])
    return ComparedRuns([str(name) for name in names], base)


def _by_run(columns: Mapping[str, Any]) -> dict[str, list[float]]:
    """`{run: [score of each topic]}` of the rows of `evaluate`. NaN where a run misses a topic."""
    names = ("run", "topic", "measure", "value")
    try:
        rows = list(zip(*(columns[name] for name in names), strict=True))
    except (TypeError, ValueError):
        why = "run, topic, measure and value are not columns of one length"
        raise BadInput([f"scores: {why}"]) from None
    measures = dict.fromkeys(measure for _, _, measure, _ in rows)
    if len(measures) > 1:
        named = ", ".join(map(str, measures))
        raise BadInput([f"scores: more than one measure: {named}: choose one, by where(measure=…)"])
    cells: dict[tuple[Any, Any], float] = {}
    for run, topic, _, value in rows:
        if (run, topic) in cells:
            raise BadInput([f"scores: {run}: topic {topic} has two scores"])
        cells[run, topic] = value
    topics = dict.fromkeys(topic for _, topic in cells)
    return {
        run: [cells.get((run, topic), np.nan) for topic in topics]
        for run in dict.fromkeys(run for run, _ in cells)
    }


def _numbers(column: Any, name: str) -> NDArray[np.float64]:
    try:
        numbers = np.asarray(column, np.float64)
    except (TypeError, ValueError):
        raise BadInput(
            [f"scores: {name}: not all scores are numbers: convert them to float"]
        ) from None
    if numbers.ndim != 1:
        raise BadInput([f"scores: {name}: give a list with the score of each topic"])
    return numbers
