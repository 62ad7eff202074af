"""`trackside.select` and `simulate`: which documents to judge."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Literal

from scoring.core.data.grades import HIGHEST_POSSIBLE_GRADE
from scoring.core.judging.defaults import DEFAULT_BATCH
from scoring.core.judging.selection import Scope, Strategy
from scoring.library.bad_input import BadInput
from scoring.library.prepared import judgment_table, rank_run, topics_without_grades
from scoring.library.selection import (
    METHOD_NAMES,
    Judged,
    MethodName,
    NamedRanking,
    chosen_documents,
    method_faults,
    simulated_judging,
    strategy_named,
)
from scoring.library.sources import QrelsSource, RunSources, read_qrels, read_runs
from scoring.library.table import Table


def select(
    runs: RunSources,
    *,
    method: MethodName,
    p: float | None = None,
    budget: int,
    judged: QrelsSource | None = None,
    scope: Scope = "run",
    batch: int = DEFAULT_BATCH,
    depth: int | None = None,
    rel: int = 1,
) -> Table:
    """The documents to judge next, as `trackside select` chooses them.

    One row for each document, the most urgent first: `order, topic, doc_id, weight`. `method` is
    `"pool"`, `"A"`, `"B"` or `"C"` (A. Moffat, W. Webber and J. Zobel, SIGIR 2007), `"MTF"`
    (move-to-front, G. V. Cormack, C. R. Palmer and C. L. A. Clarke, SIGIR 1998), `"Hedge"` (J. A.
    Aslam, V. Pavlu and R. Savell, CIKM 2003) or `"MaxMean"` (D. E. Losada, J. Parapar and A.
    Barreiro, SAC 2016). `p` is the persistence of RBP, which the last three do not use; B and C
    take what is known of a run over all topics or, with the `scope` `"topic"`, the document's own.
    `budget` is the number of documents. For the last three it goes round by topic, and leaves out
    topics without further documents. `judged` are judgments that there are already: these
    documents are not chosen again. Raises BadInput.

    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    >>> select(runs, method="A", p=0.5, budget=2)
    order  topic  doc_id  weight
    1      1      b       0.7500
    2      1      a       0.5000
    """
    strategy = _strategy(method, p, scope, [budget], batch, depth, rel, None, is_simulated=False)
    given = None
    if judged is not None:
        qrels = read_qrels(judged)
        given = Judged(qrels.name, judgment_table(qrels.parsed), rel)
    return chosen_documents(_named(runs, depth), strategy, given, budget=budget, batch=batch)


def simulate(
    runs: RunSources,
    qrels: QrelsSource,
    *,
    method: MethodName,
    p: float,
    budget: int | Sequence[int],
    unknown: Literal["nonrelevant", "bypass"] = "nonrelevant",
    top: int | None = None,
    scope: Scope = "run",
    batch: int = DEFAULT_BATCH,
    depth: int | None = None,
    rel: int = 1,
) -> Table:
    """What a method would have found, by full judgments: `trackside select --simulate`.

    One row for each budget: `judged, relevant_found, mean_residual_top, base_vs_base, base_vs_top,
    base_vs_projected`. `unknown` says what documents are that the qrels lack, `top` how many runs
    are compared (by default a third). Raises BadInput.

    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    >>> found = simulate(runs, {"1": {"b": 1}}, method="A", p=0.5, budget=[1, 3])
    >>> [(row.judged, row.relevant_found) for row in found]
    [(1, 1), (3, 1)]
    """
    budgets = list(budget) if isinstance(budget, Iterable) else [budget]
    if unknown not in ("nonrelevant", "bypass"):
        raise BadInput([f"unknown: {unknown!r} is neither nonrelevant nor bypass"])
    strategy = _strategy(method, p, scope, budgets, batch, depth, rel, top, is_simulated=True)
    full = read_qrels(qrels)
    table = judgment_table(full.parsed, in_file_order=True)
    if message := topics_without_grades(table):
        warnings.warn(f"{full.name}: {message}", stacklevel=2)
    return simulated_judging(
        _named(runs, depth),
        strategy,
        Judged(full.name, table, rel),
        budgets=budgets,
        batch=batch,
        unknown=unknown,
        top=top,
    )


def _named(runs: RunSources, depth: int | None) -> list[NamedRanking]:
    found = read_runs(runs)
    return [NamedRanking(run.tag, rank_run(run.parsed, max_depth=depth)) for run in found]


def _strategy(
    method: MethodName,
    persistence: float | None,
    scope: Scope,
    budgets: Sequence[int],
    batch: int,
    depth: int | None,
    rel: int,
    top: int | None,
    *,
    is_simulated: bool,
) -> Strategy:
    faults = []
    # What the method needs can be said only of one that exists.
    if method not in METHOD_NAMES:
        faults.append(f"method: {method!r} is none of {', '.join(METHOD_NAMES)}")
    else:
        wrong = method_faults(method, persistence, scope, is_simulated=is_simulated)
        faults += [f"{name}: {why}" for name, why in wrong]
    if persistence is not None and not 0 <= persistence < 1:
        faults.append(f"p: {persistence} does not lie in 0 <= p < 1")
    if scope not in ("run", "topic"):
        faults.append(f"scope: {scope!r} is neither run nor topic")
    if not budgets or min(budgets) < 1:
        faults.append("budget: give at least one document")
    counts = {"batch": batch, "depth": depth, "top": top}
    faults += [
        f"{name}: {count} is not a whole number above 0"
        for name, count in counts.items()
        if count is not None and count < 1
    ]
    if not 1 <= rel <= HIGHEST_POSSIBLE_GRADE:
        faults.append(f"rel: {rel} is not one of the grades 1..{HIGHEST_POSSIBLE_GRADE}")
    if faults:
        raise BadInput(faults)
    return strategy_named(method, persistence, scope)
