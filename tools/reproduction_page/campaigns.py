"""Real campaigns: their runs, their qrels, and the scores under all or some of the judgments."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.runs import ParsedRun
from scoring.cli.opening import open_qrels, open_run
from scoring.core.data.judgments import JudgmentTable
from scoring.core.data.ranking import Ranking, rank
from scoring.core.judging.candidates import Candidates, collect_candidates, find_outcomes
from scoring.core.judging.pooled_judgments import (
    JudgedPlaces,
    complete_depths,
    counts_under,
    first_positions,
    grades_under,
    judged_places,
)
from scoring.core.measures.arrays import Scores
from scoring.core.measures.graded import GradedTopics, default_gain_map, evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure
from scoring.library.prepared import rank_run

Order = Literal["score", "line"]  # of the documents of a run


@dataclass(frozen=True, eq=False)
class Campaign:
    """All submitted runs and the judgments."""

    names: tuple[str, ...]
    runs: tuple[ParsedRun, ...]
    table: JudgmentTable

    @cached_property
    def places(self) -> list[JudgedPlaces]:
        return [judged_places(rank_run(run), self.table) for run in self.runs]

    @cached_property
    def complete(self) -> NDArray[np.int32]:
        """int32[runs]: the depth to which each run is judged."""
        return complete_depths(self.places, self.table)

    @cached_property
    def everything(self) -> NDArray[np.bool_]:
        return np.ones(len(self.table.grades), np.bool_)

    def pooled_to(self, depth: int, runs: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool[judgments]: those that a pool of these runs of this depth would have given."""
        pooled = [places for places, chosen in zip(self.places, runs, strict=True) if chosen]
        return first_positions(pooled, len(self.table.grades)) < depth

    def scores(
        self,
        names: Sequence[str],
        kept: NDArray[np.bool_],
        depth: int | None = None,
        *,
        runs: Sequence[int] | None = None,
    ) -> dict[str, Scores]:
        """float64[runs, topics] by name, of the first `depth` documents of all or some runs."""
        chosen = self.places if runs is None else [self.places[run] for run in runs]
        measures = [parse_measure(name) for name in names]
        counts = counts_under(self.table, kept[None])[0]
        found = [self._of_run(run, measures, kept, counts, depth) for run in chosen]
        return {
            name: Scores(
                np.array([each[measure].base for each in found]),
                _stacked([each[measure].residual for each in found]),
            )
            for name, measure in zip(names, measures, strict=True)
        }

    def _of_run(
        self,
        run: JudgedPlaces,
        measures: Sequence[Measure],
        kept: NDArray[np.bool_],
        counts: NDArray[np.int64],
        depth: int | None,
    ) -> dict[Measure, Scores]:
        grades = grades_under(run, self.table, kept[None])[0]
        if depth is not None:
            grades = grades[:, :depth]
        worth = default_gain_map(self.table.highest_grade)
        return evaluate(measures, GradedTopics(grades, counts, worth))

    def candidates(self, order: Order, depth: int) -> tuple[Candidates, NDArray[np.int8]]:
        """The documents that runs propose, and what the qrels say of each."""
        rankings = [_ranked(run, order, depth) for run in self.runs]
        candidates = collect_candidates(rankings, topics=self.table.topics)
        return candidates, find_outcomes(candidates, self.table, rel=1)


def read_campaign(folder: Path) -> Campaign:
    """The campaign of a folder with `qrels*.txt.gz` and `runs/*.gz`. Raises BadInput."""
    (qrels,) = folder.glob("qrels*.txt.gz")
    paths = sorted((folder / "runs").glob("*.gz"))
    return Campaign(
        names=tuple(path.name.removeprefix("input.").removesuffix(".gz") for path in paths),
        runs=tuple(open_run(str(path)) for path in paths),
        table=open_qrels(str(qrels), in_file_order=True),
    )


def _ranked(run: ParsedRun, order: Order, depth: int) -> Ranking:
    scores = run.retrieval_scores
    if order == "line":
        scores = -np.arange(len(scores), dtype=np.float64)
    return rank(
        topics=run.topics,
        topic_index=run.topic_index,
        doc_ids=run.doc_ids,
        retrieval_scores=scores,
        max_depth=depth,
    )


def _stacked(residuals: Sequence[NDArray[np.float64] | None]) -> NDArray[np.float64] | None:
    known = [each for each in residuals if each is not None]
    return np.array(known) if len(known) == len(residuals) else None
