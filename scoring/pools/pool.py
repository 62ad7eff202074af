"""The runs that contribute to the pool, and its depth: the same in every analysis of pools."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from campaigns.models import Qrels, Run
from scoring.core.data.judgments import JudgmentTable
from scoring.core.judging.pooled_judgments import NOWHERE, JudgedPlaces, complete_depths, pool_depth

OF_THE_POOL: Final = "pool"  # in place of a number: the depth of the judged pool
ANY_RANK: Final = "any"
DEFAULT_DEPTH: Final = 10  # if the depth cannot be read from the qrels

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class PoolFacts:
    """Facts about the pool, in the result of each analysis of pools."""

    pool_depth: int
    pool_depth_is_stated: bool  # by the organisers
    pool_measured_depth: int  # from the qrels; 0: it cannot be read from them
    pool_is_stated: bool  # the organisers name the pooled runs; else all runs contribute
    pool_runs: int  # that contribute
    pool_complete: int  # of these, whose first documents to this depth are all in the qrels


@dataclass(frozen=True)
class Pool:
    """`contributes` is per run: true for those that the organisers name as pooled, or for all runs
    if they name none."""

    contributes: tuple[bool, ...]
    is_stated: bool
    stated_depth: int | None  # by the organisers, for this version of the qrels
    measured_depth: int  # 0: cannot be read from the qrels
    complete: int  # contributing runs that the qrels cover down to the depth

    @property
    def depth(self) -> int:
        return self.stated_depth or self.measured_depth or DEFAULT_DEPTH

    def limit(self, depth: str) -> int:
        """The first position that is not in a pool of this depth."""
        if depth == ANY_RANK:
            return int(NOWHERE)
        return self.depth if depth == OF_THE_POOL else int(depth)

    def of_contributors(self, per_run: Sequence[T]) -> list[T]:
        """The items of the runs that contribute."""
        return [each for each, is_in in zip(per_run, self.contributes, strict=True) if is_in]

    def facts(self) -> dict[str, Any]:
        """The fields of PoolFacts."""
        return {
            "pool_depth": self.depth,
            "pool_depth_is_stated": self.stated_depth is not None,
            "pool_measured_depth": self.measured_depth,
            "pool_is_stated": self.is_stated,
            "pool_runs": sum(self.contributes),
            "pool_complete": self.complete,
        }


def pool_of(
    runs: Sequence[Run], places: Sequence[JudgedPlaces], table: JudgmentTable, qrels: Qrels
) -> Pool:
    """`places` are those of the runs, in their order."""
    is_stated = any(run.is_pooled for run in runs)
    # None means that the organisers do not say.
    contributes = tuple(run.is_pooled is True or not is_stated for run in runs)
    complete = complete_depths(
        [place for place, is_in in zip(places, contributes, strict=True) if is_in], table
    )
    measured = pool_depth(complete)
    depth = qrels.pool_depth or measured
    # 0: nothing is stated, and the qrels do not show a depth.
    covered = int((complete >= depth).sum()) if depth else 0
    return Pool(contributes, is_stated, qrels.pool_depth, measured, covered)
