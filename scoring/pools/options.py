"""How deep a pool somebody asks for, and what a worker found of the pool that was judged."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from campaigns.access import Viewer
from campaigns.options import choice_or_404
from scoring.core.measures.measure import Measure
from scoring.pools.analysis import DEPTHS
from scoring.pools.pool import ANY_RANK, OF_THE_POOL
from scoring.results.options import chosen_measure

OFFERED: Final = {
    OF_THE_POOL: "that of the pool",
    **{str(depth): str(depth) for depth in DEPTHS},
    ANY_RANK: "any rank",
}


@dataclass(frozen=True)
class PoolBasis:
    """What the depth of the pool and its runs are taken from."""

    depth: int
    is_measured: bool  # else the qrels do not show it, and a usual one stands in
    is_stated: bool  # the organisers name the pooled runs; else all contribute
    runs: int  # that contribute
    complete: int  # of these, whose first `depth` documents the qrels name


@dataclass(frozen=True)
class PoolDepth:
    asked: str  # of OFFERED
    basis: PoolBasis | None = None  # None: not computed yet

    def answered(self, answer: Mapping[str, Any]) -> "PoolDepth":
        basis = PoolBasis(
            depth=int(answer["pool_depth"]),
            is_measured=bool(answer["pool_is_measured"]),
            is_stated=bool(answer["pool_is_stated"]),
            runs=int(answer["pool_runs"]),
            complete=int(answer["pool_complete"]),
        )
        return replace(self, basis=basis)

    @property
    def shown(self) -> str:
        """A number of ranks, or "any"."""
        return str(self.basis.depth) if self.basis and self.asked == OF_THE_POOL else self.asked

    @property
    def words(self) -> str:
        return "of any depth" if self.asked == ANY_RANK else f"of depth {self.shown}"

    @property
    def offered(self) -> dict[str, str]:
        if self.basis is None:
            return OFFERED
        return OFFERED | {OF_THE_POOL: f"{self.basis.depth}, that of the pool"}


@dataclass(frozen=True)
class PoolChoice:
    measure: Measure
    pool: PoolDepth

    def answered(self, answer: Mapping[str, Any]) -> "PoolChoice":
        return replace(self, pool=self.pool.answered(answer))

    @property
    def depth(self) -> str:
        return self.pool.shown

    @property
    def pool_words(self) -> str:
        return self.pool.words


def chosen_depth(asked: Mapping[str, str]) -> PoolDepth:
    """As deep as the pool, if nothing is asked for. Raises UnknownChoice for what is not
    offered."""
    depth = choice_or_404(
        "depth", asked.get("depth"), OFFERED, usual=OF_THE_POOL, called="pool of depth"
    )
    return PoolDepth(depth)


def chosen_pool(viewer: Viewer, asked: Mapping[str, str]) -> PoolChoice:
    """What an address asks for. Raises UnknownChoice for anything that is not offered."""
    return PoolChoice(chosen_measure(viewer, asked.get("measure")), chosen_depth(asked))
