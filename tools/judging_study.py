"""A judged campaign on which `selection_page` simulates judging."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring.cli.opening import open_qrels, open_run
from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import Candidates, collect_candidates, find_outcomes
from scoring.core.judging.defaults import DEFAULT_BATCH
from scoring.core.judging.selection import Method, Scope, Strategy
from scoring.core.judging.simulation import (
    SimulatedJudging,
    mean_residual,
    simulate_judging,
    top_runs,
)
from scoring.library.prepared import rank_run


@dataclass(frozen=True, eq=False)
class Study:
    """Runs and full judgments of a campaign. `persistence` is the default for all computations."""

    candidates: Candidates
    outcomes: NDArray[np.int8]  # int8[candidates], what the full judgments say
    persistence: float

    @cached_property
    def top(self) -> NDArray[np.intp]:
        """intp[runs // 3]: the best third by all judgments, best first."""
        return top_runs(self.candidates, self.outcomes, self.persistence)

    @property
    def judged(self) -> int:
        """The number of candidates with judgments."""
        return int((self.outcomes != UNJUDGED).sum())

    @property
    def relevant(self) -> int:
        return int((self.outcomes == 1).sum())

    def play(
        self,
        method: Method,
        budget: int,
        *,
        persistence: float | None = None,
        scope: Scope = "run",
        batch: int = DEFAULT_BATCH,
        bypasses: bool = False,
    ) -> SimulatedJudging:
        """Judge by a method. Unjudged documents are not relevant, or `bypasses` skips them."""
        p = self.persistence if persistence is None else persistence
        return simulate_judging(
            self.candidates,
            Strategy(method, p, scope),
            self.outcomes,
            budget=budget,
            unknown="bypassed" if bypasses else "nonrelevant",
            batch=batch,
        )

    def pool_by_code(self) -> SimulatedJudging:
        """Pooling, with equal ranks in the order of the candidates: topic code, document id."""
        order = np.argsort(self.candidates.best_positions, kind="stable")
        return SimulatedJudging(
            self.candidates, order, np.maximum(self.outcomes, np.int8(0))[order]
        )

    def residual_of_top(self, played: SimulatedJudging) -> float:
        """The mean residual of the runs of the top third."""
        return mean_residual(played, self.top, self.persistence)


def read_study(folder: Path, *, depth: int, persistence: float) -> Study:
    """The campaign of a folder with one `qrels*.txt.gz` and `runs/*.gz`; only the first `depth`
    documents of a topic of a run are candidates. Raises BadInput, and ValueError for several."""
    (qrels,) = folder.glob("qrels*.txt.gz")
    table = open_qrels(str(qrels), in_file_order=True)
    paths = sorted((folder / "runs").glob("*.gz"))
    runs = [open_run(str(path)) for path in paths]
    rankings = [rank_run(run, max_depth=depth) for run in runs]
    tags = [run.tag for run in runs]
    candidates = collect_candidates(rankings, topics=table.topics, names=tags)
    return Study(candidates, find_outcomes(candidates, table, rel=1), persistence)
