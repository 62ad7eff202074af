"""The page `docs/selection.md`: what pooling and methods A, B and C would have found.

`make docs`, or `python -m tools.selection_page FOLDER > docs/selection.md`, where FOLDER
holds `qrels.txt.gz` and `runs/*.gz` of TREC-COVID, round 1; a test fails when the page is stale.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from scoring.core.data.grades import UNJUDGED
from scoring.core.data.ranking import rank
from scoring.core.judging.candidates import collect_candidates
from scoring.core.judging.selection import Method, Scope, Strategy, bounds_of_runs, choose, weigh
from scoring.core.judging.simulation import (
    DEFAULT_BATCH,
    SimulatedJudging,
    mean_residual,
    overlap,
    significant_fractions,
    top_runs,
)
from tools.judging_study import Study, read_study

DEPTH: Final = 100  # documents of a topic that a run proposes
P: Final = 0.8
BUDGETS: Final = (1000, 2000, 4000)
METHODS: Final[tuple[Method, ...]] = ("pooling", "A", "B", "C")
PERSISTENCES: Final = (0.5, 0.8, 0.95)
TABLE_1: Final = (
    *("18 22 15 13 11 25 10 84", "22 10 11 19 38 18 33 17"),
    *("21 35 16 11 38 33 18 17", "10 18 11 22 87 13 17 20"),
)

HEAD: Final = """\
<!-- Made by `make docs`: do not edit. -->

# Choosing what to judge

`trackside select` proposes the documents whose judgment tells most about the runs (A. Moffat, W.
Webber and J. Zobel, SIGIR 2007). A document at rank b weighs (1 - p) p^(b-1) in a run's RBP.

- **Pooling** takes all first documents of the runs, then all second ones, and so on.
- **A** takes the documents that weigh most in all runs together.
- **B** multiplies what a document weighs in a run by the run's residual, what is still unknown.
- **C** multiplies this by the third power of the run's base + residual / 2 as well: runs that look
  good are settled first.
"""

EXAMPLE: Final = """\
## The paper's example

Four runs with eight documents each, p = .8. Method A judges six documents:
"""

SETTING: Final = """\
## Judging played

Here the judging of TREC-COVID's first round is played: {runs} runs, {topics} topics, and of each
run the first {depth} documents of a topic. Of these {candidates:,} candidates {judged:,} were
judged, {relevant:,} of them relevant (grade 1 or 2). A method asks for documents, the qrels answer.
p = .8; B and C weigh anew after every {batch} judgments, by means over topics. The top third are
the {top} runs with the highest mean RBP by all judgments.

### What is found, what stays open, who is told apart

A document that the qrels do not know counts as judged and not relevant. `make long` has the first
two budgets judged through the site, one document after the other, by pooling, A and C: the figures
are the same. The last three columns are
the share of the {pairs:,} pairs of the top third of which the better one (by mean base) is shown to
be better, by a one-tailed Wilcoxon test at 95 %: its base against the other's base, against the
other's base + residual, against the other's projection.
"""

AGAINST_POOLING: Final = """\
As multiples of pooling's, after {budget:,} judgments:
"""

BYPASSED: Final = """\
### Documents that nobody judged are passed over

Relevant documents found : documents handled, those passed over among them.
"""

OVERLAPS: Final = """\
### Chosen for another p

How many of {budget:,} judgments by method C two choices of p share:
"""

RESIDUALS: Final = """\
Mean residual of the top third after {budget:,} judgments that were chosen with one p (rows), when
runs are scored with another (columns; the top third is that of the p they are scored with):
"""

VARIATIONS: Final = """\
### What was left open

The paper writes down one topic. Over many topics B and C may see a run as a whole (`run`) or topic
by topic (`topic`), and weigh anew more or less often. Pooling has many documents of equal weight,
and what it has found depends on which of them come first.
"""


def page(study: Study) -> str:
    """The whole page."""
    parts = (HEAD, *example(), *_main_table(study), *_bypassed(study))
    return "\n".join((*parts, *_persistences(study), *_variations(study)))


def example() -> Iterator[str]:
    """Table 1 of the paper; it needs no data."""
    yield EXAMPLE
    runs = [row.split() for row in TABLE_1]
    rankings = [
        rank(
            topics=["1"],
            topic_index=np.zeros(len(run), np.int32),
            doc_ids=np.array(run, np.bytes_),
            retrieval_scores=-np.arange(len(run), dtype=np.float64),
        )
        for run in runs
    ]
    candidates = collect_candidates(rankings, topics=["1"])
    outcomes = np.full(len(candidates), UNJUDGED, np.int8)
    strategy = Strategy("A", P)
    chosen = choose(candidates, strategy, outcomes, count=6)
    documents = [candidates.doc_ids[x].decode() for x in chosen]
    weights = weigh(candidates, strategy, outcomes)[chosen]
    yield _table(["document", *documents], [["weight", *weights.tolist()]])
    outcomes[chosen] = 0
    residuals = bounds_of_runs(candidates, outcomes, P).residual[:, 0].tolist()
    judged = [sum(document in documents for document in run) for run in runs]
    rows = zip(range(1, 5), TABLE_1, judged, residuals, strict=True)
    yield _table(["run", "documents", "judged", "residual"], rows)


def _main_table(study: Study) -> Iterator[str]:
    yield SETTING.format(
        runs=study.candidates.runs,
        topics=len(study.candidates.topics),
        depth=DEPTH,
        candidates=len(study.candidates),
        judged=study.judged,
        relevant=study.relevant,
        batch=DEFAULT_BATCH,
        top=len(study.top),
        pairs=len(study.top) * (len(study.top) - 1) // 2,
    )
    columns = ("judged", "method", "relevant found", "mean residual of the top third")
    fractions = ("base vs base", "base vs top", "base vs projected")
    played = {method: study.play(method, BUDGETS[-1]) for method in METHODS}
    rows: list[tuple[object, ...]] = [
        (budget, method, *_standing(study, judging.after(budget)))
        for budget in BUDGETS
        for method, judging in played.items()
    ]
    everything = study.play("pooling", study.judged, bypasses=True)
    rows.append((study.judged, "any", *_standing(study, everything)))
    yield _table([*columns, *fractions], rows)
    first = {method: judging.after(BUDGETS[0]) for method, judging in played.items()}
    yield AGAINST_POOLING.format(budget=BUDGETS[0])
    ratios = ("method", "relevant found", "residual of the top third")
    yield _table(ratios, [(m, *against_pooling(study, first, m)) for m in METHODS[1:]])


def _standing(study: Study, played: SimulatedJudging) -> tuple[float, ...]:
    found = significant_fractions(played, study.top, P)
    residual = study.residual_of_top(played)
    return played.found, residual, found.base_vs_base, found.base_vs_top, found.base_vs_projected


def against_pooling(
    study: Study, played: dict[Method, SimulatedJudging], method: Method
) -> tuple[float, float]:
    """How many times pooling's relevant documents and residual a method finds and leaves."""
    ours, pooling = played[method], played["pooling"]
    return (
        ours.found / pooling.found,
        study.residual_of_top(ours) / study.residual_of_top(pooling),
    )


def _bypassed(study: Study) -> Iterator[str]:
    yield BYPASSED
    rows = []
    for method in METHODS:
        played = study.play(method, BUDGETS[-1], bypasses=True)
        stages = [played.after(budget) for budget in BUDGETS]
        rows.append((method, *(f"{each.found:,} : {len(each.handled):,}" for each in stages)))
    yield _table(["method", *(f"{budget:,} judged" for budget in BUDGETS)], rows)


def _persistences(study: Study) -> Iterator[str]:
    budget = BUDGETS[1]
    played = {p: study.play("C", budget, persistence=p) for p in PERSISTENCES}
    yield OVERLAPS.format(budget=budget)
    names = [f"p = {_number(p)}" for p in PERSISTENCES]
    shared = [[overlap(played[p], played[q]) for q in PERSISTENCES] for p in PERSISTENCES]
    yield _table(["", *names], [(name, *row) for name, row in zip(names, shared, strict=True)])
    yield RESIDUALS.format(budget=budget)
    judgings = dict(zip((f"C, {name}" for name in names), played.values(), strict=True))
    judgings["pooling"] = study.play("pooling", budget)
    tops = [(top_runs(study.candidates, study.outcomes, p), p) for p in PERSISTENCES]
    rows = [(name, *(mean_residual(each, *top) for top in tops)) for name, each in judgings.items()]
    yield _table(["judged for", *names], rows)


def _variations(study: Study) -> Iterator[str]:
    yield VARIATIONS
    budget = BUDGETS[1]
    played: list[tuple[str, str, SimulatedJudging]] = [
        ("pooling", "as the runs, one after the other, name them", study.play("pooling", budget)),
        ("pooling", "by topic code, then document id", study.pool_by_code()),
    ]
    scopes: tuple[Scope, ...] = ("run", "topic")
    for method in ("B", "C"):
        for scope in scopes:
            for batch in (1, 20, 200):
                judging = study.play(method, budget, scope=scope, batch=batch)
                played.append((method, f"{scope}, every {batch}", judging))
    columns = [f"{what} at {b:,}" for b in BUDGETS[:2] for what in ("found", "residual")]
    rows = []
    for name, how, judging in played:
        stages = [judging.after(budget) for budget in BUDGETS[:2]]
        cells = [(each.found, study.residual_of_top(each)) for each in stages]
        rows.append((name, how, *(cell for pair in cells for cell in pair)))
    yield _table(["method", "", *columns], rows)


def _table(columns: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(map(_text, line))} |\n" for line in lines)


def _text(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.4f}".removeprefix("0")
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def _number(p: float) -> str:
    return f"{p:g}".removeprefix("0")


if __name__ == "__main__":
    sys.stdout.write(page(read_study(Path(sys.argv[1]), depth=DEPTH, persistence=P)))
