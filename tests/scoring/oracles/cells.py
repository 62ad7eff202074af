"""Our scores and pytrec_eval's of all runs, cell by cell: a run, a topic, a measure.

pytrec_eval scores every run twice: in our order, its retrieval scores rewritten as descending
integers, and from the file as it is, read by its own reader. It holds retrieval scores in single
precision, so the second order may be another one.
"""

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scoring.cli.opening import open_run
from scoring.core.data.judgments import JudgmentTable
from scoring.core.data.ranking import Ranking
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure
from scoring.core.measures.trec_eval import ALL_TREC, RELSTRING
from scoring.library.prepared import rank_run
from tests.scoring.oracles.round_one import (
    graded_topics,
    judgment_table,
    ordered_documents,
    qrels_path,
    run_paths,
)

# There are no unj_k in it, and what it calls num_q is 1 for every topic.
_NOT_ITS: Final = ("num_q", "unj_5", "unj_10", "unj_20")
_CUT: Final = re.compile(r"(?:P|recall|ndcg_cut|map_cut|relative_P|success)_([0-9]+)")
_UNORDERED: Final = ("num_", "set_", "utility")

Retrieved = Mapping[str, Mapping[str, float]]  # topic -> document -> retrieval score


@dataclass(frozen=True, eq=False)
class Cells:
    """float64[runs, topics, measures] each, unless said otherwise."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    names: tuple[str, ...]  # pytrec_eval's, of the measures
    relevant: NDArray[np.int64]  # int64[topics], R
    ours: NDArray[np.float64]
    ours_in_single: NDArray[np.float64]  # retrieval scores rounded before they are ranked
    in_our_order: NDArray[np.float64]  # pytrec_eval's
    in_its_order: NDArray[np.float64]  # pytrec_eval's
    ours_strict: NDArray[np.float64]  # relevant is only the highest grade
    strict_in_our_order: NDArray[np.float64]  # pytrec_eval's
    first_moved: NDArray[np.int64]  # int64[runs, topics]: the rank of `first_moved_rank`, or 0

    def its_own(self) -> NDArray[np.intp]:
        """intp[cells, 3]: the cells where pytrec_eval's order gives another score than ours."""
        return np.argwhere(~is_near(self.in_its_order, self.in_our_order))


def is_near(some: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Never where one of them is missing."""
    near: NDArray[np.bool_] = np.abs(some - others) <= 1e-12
    return near


def measures_by_its_names(*, rel: int = 1) -> dict[str, Measure]:
    """What pytrec_eval calls our measures. It rounds recall levels as trec_eval 9 did."""
    names = (name for name in ALL_TREC if name != RELSTRING)
    measures = {name: parse_measure(name, default_rel=rel) for name in names}
    for name, measure in measures.items():
        if name.startswith("iprec_") or name == "11pt_avg":
            old = str(measure).replace("levels=trec_eval", "levels=trec_eval_9")
            measures[name] = parse_measure(old, default_rel=rel)
    return {name: measure for name, measure in measures.items() if name not in _NOT_ITS}


def compare_cells(pytrec_eval: Any) -> Cells:
    """Both orders of every run."""
    table = judgment_table()
    lenient = _Scorers(pytrec_eval, table, rel=1)
    strict = _Scorers(pytrec_eval, table, rel=table.highest_grade)
    found = []
    for path in run_paths():
        run = open_run(str(path))
        single = run.retrieval_scores.astype(np.float32).astype(np.float64)
        ranking = rank_run(run)
        as_it_is, in_our_order = read_by(pytrec_eval, path), _descending(ranking)
        found.append(
            (
                lenient.ours(ranking),
                lenient.ours(rank_run(replace(run, retrieval_scores=single))),
                lenient.its(in_our_order),
                lenient.its(as_it_is),
                strict.ours(ranking),
                strict.its(in_our_order),
                np.array([first_moved_rank(as_it_is.get(topic, {})) for topic in table.topics]),
            )
        )
    tags = tuple(path.name.removesuffix(".gz") for path in run_paths())
    relevant = table.grade_counts[:, 1:].sum(axis=1)
    matrices = (np.stack(column) for column in zip(*found, strict=True))
    return Cells(tags, table.topics, tuple(lenient.measures), relevant, *matrices)


def first_moved_rank(retrieved: Mapping[str, float]) -> int:
    """The first rank at which single precision puts another document than double precision does;
    0 where there is none. Rounding only merges neighbours, whose doc ids decide then."""
    single = np.array(list(retrieved.values())).astype(np.float32).tolist()
    if len(set(single)) == len(set(retrieved.values())):
        return 0
    exact = sorted(zip(retrieved.values(), retrieved, strict=True), reverse=True)
    rounded = sorted(zip(single, retrieved, strict=True), reverse=True)
    pairs = enumerate(zip(exact, rounded, strict=True), start=1)
    return next((rank for rank, (ours, its) in pairs if ours[1] != its[1]), 0)


def ranks_read(name: str, relevant: int) -> float:
    """How many ranks decide a measure's score, R given; infinite for all of them."""
    if cut := _CUT.fullmatch(name):
        return int(cut[1])
    if name.startswith("Rprec_mult_"):
        return int(float(name.removeprefix("Rprec_mult_")) * relevant + 0.9)
    if name == "Rprec":
        return relevant
    return 0 if name.startswith(_UNORDERED) else np.inf


def read_by(pytrec_eval: Any, path: Path) -> Retrieved:
    """The file as pytrec_eval itself reads it."""
    with gzip.open(path, "rt") as lines:
        found: Retrieved = pytrec_eval.parse_run(lines)
    return found


def _descending(ranking: Ranking) -> Retrieved:
    """Our order as scores that single precision tells apart."""
    return {
        topic: dict(zip(doc_ids, map(float, range(len(doc_ids), 0, -1)), strict=True))
        for topic, doc_ids in ordered_documents(ranking)
    }


class _Scorers:
    """We and pytrec_eval, relevant from grade `rel` on: float64[topics, measures] of one run."""

    def __init__(self, pytrec_eval: Any, table: JudgmentTable, *, rel: int) -> None:
        self.measures, self._table = measures_by_its_names(rel=rel), table
        with gzip.open(qrels_path(), "rt") as lines:
            qrels = pytrec_eval.parse_qrel(lines)
        asked = pytrec_eval.supported_measures - {"relstring", "runid"}
        self._tool = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=rel)

    def ours(self, ranking: Ranking) -> NDArray[np.float64]:
        measures = list(self.measures.values())
        scores = evaluate(measures, graded_topics(ranking, self._table))
        return np.column_stack([scores[measure].base for measure in measures])

    def its(self, retrieved: Retrieved) -> NDArray[np.float64]:
        """NaN for topics that it leaves out. Its geometric means come as logarithms."""
        scored = self._tool.evaluate(retrieved)
        cells = [
            [scored.get(topic, {}).get(name, np.nan) for name in self.measures]
            for topic in self._table.topics
        ]
        logarithms = [name.startswith("gm_") for name in self.measures]
        return np.where(logarithms, np.exp(np.array(cells) * logarithms), cells)
