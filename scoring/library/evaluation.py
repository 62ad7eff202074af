"""`trackside.evaluate`, `bounds` and `ties`: scores of runs by qrels."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, overload

import numpy as np

from scoring.core.data.grades import HIGHEST_POSSIBLE_GRADE
from scoring.core.measures.measure import Measure
from scoring.core.ties.ties import has_expected
from scoring.library.bad_input import BadInput
from scoring.library.measure_lines import GainMap, Line, read_measures
from scoring.library.prepared import judgment_table, topics_without_grades
from scoring.library.score_tables import COLUMNS, ScoreTable, run_names, score_tables
from scoring.library.scored_runs import AlignedRun, ScoredRun, align_run, score_runs
from scoring.library.scoring_options import (
    ScoringOptions,
    declared_grade,
    is_set,
    without_tie_rule,
    worth_of_grades,
)
from scoring.library.sources import QrelsSource, RunSources, read_qrels, read_runs, runs_to_read
from scoring.library.table import Column, Table

TieRule: TypeAlias = Literal["docno", "expected", "bounds"]
NoRelevant: TypeAlias = Literal["zero", "exclude"]
MeasureNames: TypeAlias = str | Measure | Iterable[str | Measure]

_TIE_RULES: Final = ("docno", "expected", "bounds")


class Scores(Table):
    """One row for each run, topic and measure; `means` has one for each run and measure."""

    def __init__(self, columns: Mapping[str, Column], means: Table) -> None:
        super().__init__(columns)
        self.means = means

    @overload
    def where(self, *, run: object = ..., measure: object = ...) -> "Scores": ...
    @overload
    def where(self, **values: object) -> Table: ...
    def where(self, **values: object) -> Table:
        """The rows with these values. Those of runs and measures have their `means`; those of some
        topics have none, because a mean counts all topics."""
        rows = super().where(**values)
        is_whole = values.keys() <= {"run", "measure"}
        return Scores(rows.columns, self.means.where(**values)) if is_whole else rows


def evaluate(
    qrels: QrelsSource,
    runs: RunSources,
    measures: MeasureNames,
    *,
    rel: int = 1,
    ties: TieRule = "docno",
    complete: bool = False,
    no_relevant: NoRelevant = "zero",
    gain_map: Mapping[int, float] | None = None,
    judged_only: bool = False,
    max_depth: int | None = None,
) -> Scores:
    """Scores of runs by qrels, as `trackside evaluate` computes them.

    Rows are `run, topic, measure, value, residual, tie_low, tie_high`; `means` has the same columns
    without the topic. `value` counts unjudged documents as not relevant, `residual` is what they
    could still add.

    `runs` is one run, a list of them, or a dictionary with their names. `measures` are names such
    as `"AP"`, `"nDCG@10"`, `"RBP(p=0.8)"`, trec_eval's `"P.5,10"` or `"official"`, or measures of
    ir_measures. `rel` is the lowest grade that counts as relevant, unless the measure says so
    itself. With `complete` a topic that the run misses counts as 0. `gain_map` is the worth of each
    grade for measures with `gain=map`. Raises BadInput.

    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 1}}
    >>> run = {"1": {"b": 3.0, "a": 2.0, "x": 1.0}, "2": {"d": 1.0}}
    >>> scores = evaluate(qrels, {"mine": run}, ["AP", "RBP(p=0.5)"])
    >>> scores.means
    run   measure     value   residual  tie_low  tie_high
    mine  AP          0.6250  –         –        –
    mine  RBP(p=0.5)  0.3750  0.3750    –        –
    >>> [(row.topic, row.value) for row in scores.where(measure="AP")]
    [('1', 0.25), ('2', 1.0)]
    """
    lines = measure_lines(measures, rel=rel)
    rules = scoring_rules(
        qrels,
        lines,
        rel=rel,
        ties=ties,
        complete=complete,
        no_relevant=no_relevant,
        gain_map=gain_map,
        judged_only=judged_only,
        max_depth=max_depth,
    )
    scored = scored_runs(runs, rules)
    by_topic = list(score_tables(scored, rules, per_topic=True, summary=False))
    over_all = list(score_tables(scored, rules, per_topic=False, summary=True))
    means = _columns(over_all)
    del means["topic"]
    return Scores(_columns(by_topic), Table(means))


def bounds(
    qrels: QrelsSource,
    runs: RunSources,
    measures: MeasureNames,
    *,
    rel: int = 1,
    complete: bool = False,
    no_relevant: NoRelevant = "zero",
    gain_map: Mapping[int, float] | None = None,
) -> Scores:
    """Between which scores each run lies, whatever the unjudged documents are worth.

    Rows are `run, topic, measure, base, upper`; `means` has the same columns without the topic.
    Raises BadInput, also for a measure without bounds.

    >>> qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"b": 3.0, "a": 2.0, "x": 1.0}}
    >>> bounds(qrels, run, "RBP(p=0.5)").means
    run  measure     base    upper
    run  RBP(p=0.5)  0.2500  0.5000
    """
    found = evaluate(
        qrels,
        runs,
        measures,
        rel=rel,
        complete=complete,
        no_relevant=no_relevant,
        gain_map=gain_map,
    )
    without = [
        f"measures: {name} has no bounds: no residual of it is both exact and useful"
        for name in dict.fromkeys(found.means["measure"])
        if np.isnan(found.means.where(measure=name)["residual"]).all()
    ]
    if without:
        raise BadInput(without)
    return Scores(_between(found), Table(_between(found.means)))


def ties(
    qrels: QrelsSource,
    runs: RunSources,
    measures: MeasureNames,
    *,
    rel: int = 1,
    complete: bool = False,
    no_relevant: NoRelevant = "zero",
    gain_map: Mapping[int, float] | None = None,
) -> Scores:
    """What the order of documents with equal scores decides.

    Rows are `run, topic, measure, value, expected, low, high`: the score in trec_eval's order, its
    mean over all orders of tied documents (NaN for measures without a closed form), and the scores
    in the worst and the best order. `means` has the same columns without the topic.

    >>> qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 1.0}}
    >>> ties(qrels, run, ["RR"]).means
    run  measure  value   expected  low     high
    run  RR       0.5000  0.7500    0.5000  1.0000
    """
    lines = measure_lines(measures, rel=rel)
    # Read once: they are scored by two rules, and an open file can be read only once.
    prepared, opened = read_qrels(qrels), read_runs(runs)

    def by_rule(tie_rule: TieRule, texts: Sequence[str]) -> Scores:
        return evaluate(
            prepared,
            opened,
            texts,
            rel=rel,
            ties=tie_rule,
            complete=complete,
            no_relevant=no_relevant,
            gain_map=gain_map,
        )

    measured = [line.measure for line in lines if line.measure is not None]
    found = by_rule("bounds", [str(each) for each in measured])
    closed = [str(each) for each in measured if has_expected(each) or is_set(each)]
    expected = by_rule("expected", closed) if closed else None
    return Scores(
        _tied(found, expected), Table(_tied(found.means, expected.means if expected else None))
    )


def measure_lines(measures: MeasureNames, *, rel: int) -> tuple[Line, ...]:
    """The measures, in the order given. Raises BadInput."""
    if not 1 <= rel <= HIGHEST_POSSIBLE_GRADE:
        raise BadInput([f"rel: {rel} is not one of the grades 1..{HIGHEST_POSSIBLE_GRADE}"])
    texts = measure_texts(measures)
    faults: list[str] = []
    found: list[Line] = []
    for text in texts:
        try:
            lines = read_measures([text], rel=rel, called="measures")
        except BadInput as error:
            faults += error.messages
            continue
        scores = [line for line in lines if line.measure is not None]
        faults += [] if scores else [f"measures {text}: it is text, no score"]
        found += scores
    if faults or not found:
        raise BadInput(faults or ["measures: name at least one"])
    # Read together, parameters (`P.5`) replace those of a nickname (`official`).
    together = {line.name for line in read_measures(texts, rel=rel, called="measures")}
    return tuple({line.name: line for line in found if line.name in together}.values())


def measure_texts(measures: MeasureNames) -> list[str]:
    """The names of measures."""
    if isinstance(measures, str | Measure) or not isinstance(measures, Iterable):
        return [_name_of(measures)]
    return list(map(_name_of, measures))


def _name_of(measure: Any) -> str:
    """Measures of ir_measures are called as ours. Their RBP has a p of .8 unless it says so, and
    goes by gains unless it has a `rel`."""
    if getattr(measure, "NAME", "") != "RBP":
        return str(measure)
    given = measure.params
    p = given.get("p", measure.SUPPORTED_PARAMS["p"].default)
    relevance = f"rel={given['rel']}" if "rel" in given else "gain=map"
    cutoff = f"@{given['cutoff']}" if "cutoff" in given else ""
    return f"RBP(p={p},{relevance}){cutoff}"


def scoring_rules(
    qrels: QrelsSource,
    lines: tuple[Line, ...],
    *,
    rel: int,
    ties: TieRule = "docno",
    complete: bool = True,
    no_relevant: NoRelevant = "zero",
    gain_map: Mapping[int, float] | None = None,
    judged_only: bool = False,
    max_depth: int | None = None,
) -> ScoringOptions:
    """How runs are scored by these qrels. Warns of topics that nobody judged. Raises BadInput."""
    _refuse_arguments(lines, ties, no_relevant, max_depth)
    given: GainMap | None = None
    if gain_map is not None:
        for grade, gain in gain_map.items():
            if not (0 <= grade <= HIGHEST_POSSIBLE_GRADE and 0 <= gain <= 1):
                raise BadInput([f"gain_map: {grade}: {gain}: grades are 0..127, a gain is 0..1"])
        given = tuple(sorted(gain_map.items()))
    opened = read_qrels(qrels)
    table = judgment_table(opened.parsed, highest_grade=declared_grade(given))
    if message := topics_without_grades(table):
        warnings.warn(f"{opened.name}: {message}", stacklevel=3)
    try:
        worth = worth_of_grades(given, table.highest_grade)
    except ValueError as error:
        raise BadInput([f"gain_map: {error}"]) from None
    return ScoringOptions(
        lines=lines,
        table=table,
        gain_map=worth,
        rel=rel,
        no_relevant=no_relevant,
        ties=ties,
        max_depth=max_depth,
        is_complete=complete,
        judged_only=judged_only,
    )


def scored_runs(runs: RunSources, rules: ScoringOptions) -> list[ScoredRun]:
    """The runs, scored. Warns of those without a judged document. Raises BadInput with the faults
    of all of them."""
    faults: list[str] = []
    notes: list[str] = []
    scored = list(score_runs(_aligned(runs, rules, faults, notes), rules))
    if faults or not scored:
        raise BadInput(faults or ["runs: give at least one"])
    # Only now: a note about a run is of no use if another run is refused.
    for note in notes:
        warnings.warn(note, stacklevel=3)
    return scored


def _aligned(
    runs: RunSources, rules: ScoringOptions, faults: list[str], notes: list[str]
) -> Iterator[AlignedRun]:
    for read in runs_to_read(runs):
        try:
            run = read()
            aligned = align_run(run.name, run.parsed, rules)
            if aligned.none_judged:
                notes.append(f"{run.name}: {aligned.none_judged}")
            yield aligned
        except BadInput as error:
            faults += error.messages


def names_of(runs: Sequence[ScoredRun]) -> list[str]:
    """What the runs are called: by their tags, or where tags coincide by their files."""
    return run_names([each.tag for each in runs], [each.path for each in runs])


def _refuse_arguments(
    lines: Sequence[Line], ties: str, no_relevant: str, max_depth: int | None
) -> None:
    faults = []
    if ties not in _TIE_RULES:
        faults.append(f"ties: {ties!r} is none of {', '.join(_TIE_RULES)}")
    if no_relevant not in ("zero", "exclude"):
        faults.append(f"no_relevant: {no_relevant!r} is neither zero nor exclude")
    if max_depth is not None and max_depth < 1:
        faults.append(f"max_depth: {max_depth} is not a whole number above 0")
    if max_depth is not None and ties != "docno":
        why = f"it cuts tied documents by their ids, so it does not go with ties={ties!r}"
        faults.append(f"max_depth: {why}; give measures their cutoff, as in AP@{max_depth}")
    if wrong := without_tie_rule(lines, ties):
        faults.append(f"ties: {ties!r} is not defined for {', '.join(wrong)}")
    if faults:
        raise BadInput(faults)


def _columns(tables: Sequence[ScoreTable]) -> dict[str, Column]:
    """The rows of all tables, below each other."""
    keys = [
        (table.run, topic, measure)
        for table in tables
        for topic in table.topics
        for measure in table.measures
    ]
    numbers = [table.numbers.reshape(len(table.numbers), -1) for table in tables]
    columns: dict[str, Column] = {
        name: [key[at] for key in keys] for at, name in enumerate(COLUMNS[:3])
    }
    for name, values in zip(COLUMNS[3:], np.concatenate(numbers, axis=1), strict=True):
        columns[name] = values
    return columns


def _between(scores: Table) -> dict[str, Column]:
    columns = _keys(scores)
    columns["base"] = scores["value"]
    columns["upper"] = np.asarray(scores["value"]) + np.asarray(scores["residual"])
    return columns


def _tied(scores: Table, expected: Table | None) -> dict[str, Column]:
    # The key is the row without its four numbers, which ends with the measure in both tables.
    means = {} if expected is None else {row[:-4]: row.value for row in expected}
    columns = _keys(scores)
    columns["value"] = scores["value"]
    columns["expected"] = np.array([means.get(row[:-4], np.nan) for row in scores])
    columns["low"], columns["high"] = scores["tie_low"], scores["tie_high"]
    return columns


def _keys(scores: Table) -> dict[str, Column]:
    return {name: scores[name] for name in scores.names if name in COLUMNS[:3]}
