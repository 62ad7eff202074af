"""How certain the rank of each run is, in the order of the board: for page, chart, CSV and API."""

from dataclasses import dataclass
from typing import NamedTuple

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.ranks import shared_ranks
from scoring.core.statistics.undefined import none_if_nan
from scoring.ranks.analysis import UNKNOWN, RankIntervals
from scoring.results.runs import BoardRun
from scoring.results.vectors import visible_means
from scoring.significance.analysis import MAX_RUNS


class RankInterval(NamedTuple):
    """Between which ranks a run lies in 95 % of the samples of topics, and the share in which it is
    first; its simultaneous set of ranks; and between which ranks it stays whatever the unjudged
    documents are. None if unknown."""

    rank_best: int | None
    rank_worst: int | None
    first_share: float | None
    rank_set_best: int | None
    rank_set_worst: int | None
    possible_best: int | None
    possible_worst: int | None

    @property
    def ranks(self) -> str:
        """Empty if they are unknown."""
        return _span(self.rank_best, self.rank_worst)

    @property
    def rank_set(self) -> str:
        """Empty if it is unknown."""
        return _span(self.rank_set_best, self.rank_set_worst)

    @property
    def possible_ranks(self) -> str:
        """Empty if they are unknown."""
        return _span(self.possible_best, self.possible_worst)


@dataclass(frozen=True)
class RankRow:
    """A ranked run."""

    run: BoardRun
    rank: int
    base: float
    interval: RankInterval


@dataclass(frozen=True)
class RankedMeans:
    """The ranked runs with a score of the measure, best first; at most MAX_RUNS."""

    runs: tuple[BoardRun, ...]
    ranks: tuple[int, ...]
    bases: tuple[float, ...]
    left_out: int


def ranked_means(viewer: Viewer, qrels: Qrels, measure: Measure) -> RankedMeans:
    """One query. The viewer must be one who may see the board."""
    runs, bases, _ = visible_means(viewer, qrels, [measure])
    ranks = shared_ranks(sign_of(measure) * bases[0])
    placed = [
        (rank, run.name.lower(), run, float(base))
        for rank, run, base in zip(ranks, runs, bases[0], strict=True)
        if rank is not None
    ]
    # By rank and name. Runs themselves have no order.
    placed.sort(key=lambda each: each[:2])
    kept = placed[:MAX_RUNS]
    return RankedMeans(
        runs=tuple(run for _, _, run, _ in kept),
        ranks=tuple(rank for rank, *_ in kept),
        bases=tuple(base for *_, base in kept),
        left_out=len(placed) - len(kept),
    )


def rank_rows(ranked: RankedMeans, result: RankIntervals) -> list[RankRow]:
    intervals = intervals_by_run(result)
    return [
        RankRow(run, rank, base, intervals[run.run_id])
        for run, rank, base in zip(ranked.runs, ranked.ranks, ranked.bases, strict=True)
        if run.run_id in intervals
    ]


def intervals_by_run(result: RankIntervals) -> dict[str, RankInterval]:
    """By public id, of the runs that have any."""
    samples = (result.run_ids, result.first_shares, result.best, result.worst)
    others = (result.set_best, result.set_worst, result.possible_best, result.possible_worst)
    columns = [each.tolist() for each in (*samples, *others)]
    return {
        run_id: RankInterval(*map(_known, ranks[:2]), none_if_nan(share), *map(_known, ranks[2:]))
        for run_id, share, *ranks in zip(*columns, strict=True)
        if any(rank != UNKNOWN for rank in ranks)
    }


def _known(rank: int) -> int | None:
    return None if rank == UNKNOWN else rank


def _span(first: int | None, last: int | None) -> str:
    if first is None or last is None:
        return ""
    return str(first) if first == last else f"{first}–{last}"
