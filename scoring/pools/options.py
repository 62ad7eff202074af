"""The requested depth of a pool, and the depth of the judged pool that a worker measured."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from campaigns.access import Viewer
from campaigns.options import choice_or_404
from scoring.core.measures.measure import Measure
from scoring.pools.analysis import DEPTHS
from scoring.pools.pool import ANY_RANK, OF_THE_POOL, PoolFacts
from scoring.results.options import chosen_measure

OFFERED: Final = {
    OF_THE_POOL: "depth of the pool",
    **{str(depth): str(depth) for depth in DEPTHS},
    ANY_RANK: "any rank",
}


@dataclass(frozen=True)
class PoolDepth:
    requested: str  # of OFFERED
    basis: PoolFacts | None = None  # the source of the depth; None: not computed yet

    @property
    def shown(self) -> str:
        """A number of ranks, or "any"."""
        return (
            str(self.basis.pool_depth)
            if self.basis and self.requested == OF_THE_POOL
            else self.requested
        )

    @property
    def words(self) -> str:
        return "of any depth" if self.requested == ANY_RANK else f"of depth {self.shown}"

    @property
    def offered(self) -> dict[str, str]:
        if self.basis is None:
            return OFFERED
        return OFFERED | {OF_THE_POOL: f"{self.basis.pool_depth}, depth of the pool"}


@dataclass(frozen=True)
class PoolChoice:
    measure: Measure
    pool: PoolDepth

    def with_basis(self, facts: PoolFacts) -> "PoolChoice":
        return replace(self, pool=replace(self.pool, basis=facts))

    @property
    def depth(self) -> str:
        return self.pool.shown

    @property
    def pool_words(self) -> str:
        return self.pool.words


def chosen_depth(params: Mapping[str, str]) -> PoolDepth:
    """The depth of the pool by default. Raises UnknownChoice for a value that is not offered."""
    depth = choice_or_404(
        "depth", params.get("depth"), OFFERED, usual=OF_THE_POOL, called="pool depth"
    )
    return PoolDepth(depth)


def chosen_pool(viewer: Viewer, params: Mapping[str, str]) -> PoolChoice:
    """Raises UnknownChoice for a value that is not offered."""
    return PoolChoice(chosen_measure(viewer, params.get("measure")), chosen_depth(params))
