"""Two runs' rankings of one topic side by side, with the judgments."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from campaigns.access import Viewer
from campaigns.models import Run, Topic
from scoring.runs.documents import RankedDocument, documents_of_topic, table_of

TOPS: Final = (5, 10, 20, 50, 100)


@dataclass(frozen=True)
class SideDocument(RankedDocument):
    other_rank: int | None  # in the other run; None: not retrieved


@dataclass(frozen=True)
class SidesRow:
    """One rank of both; None after the end of a list."""

    rank: int
    first: SideDocument | None
    second: SideDocument | None


@dataclass(frozen=True)
class Top:
    """Comparison of the first `depth` documents of both."""

    depth: int
    shared: int
    first_relevant: int
    second_relevant: int


@dataclass(frozen=True, eq=False)
class Sides:
    first: tuple[SideDocument, ...]
    second: tuple[SideDocument, ...]

    @cached_property
    def rows(self) -> tuple[SidesRow, ...]:
        longest = max(len(self.first), len(self.second))
        return tuple(
            SidesRow(
                place + 1,
                self.first[place] if place < len(self.first) else None,
                self.second[place] if place < len(self.second) else None,
            )
            for place in range(longest)
        )

    @property
    def shared(self) -> int:
        return sum(row.other_rank is not None for row in self.first)

    @property
    def only_first(self) -> int:
        """Relevant documents that the second does not have."""
        return _alone(self.first)

    @property
    def only_second(self) -> int:
        return _alone(self.second)

    @cached_property
    def tops(self) -> tuple[Top, ...]:
        longest = max(len(self.first), len(self.second))
        # The whole of the longer list comes last.
        depths = [depth for depth in TOPS if depth < longest]
        return tuple(
            Top(
                depth=depth,
                # A document that the other run lacks counts as one below this depth.
                shared=sum((row.other_rank or depth + 1) <= depth for row in self.first[:depth]),
                first_relevant=sum(row.is_relevant for row in self.first[:depth]),
                second_relevant=sum(row.is_relevant for row in self.second[:depth]),
            )
            for depth in [*depths, longest]
            if depth
        )


def topic_sides(viewer: Viewer, topic: Topic, first: Run, second: Run) -> Sides:
    """The viewer must be one who may see the documents of both. At most three queries."""
    table = table_of(viewer)
    a, b = (documents_of_topic(viewer, run, table, topic) for run in (first, second))
    return Sides(_beside(a, b), _beside(b, a))


def _beside(
    own: tuple[RankedDocument, ...], other: tuple[RankedDocument, ...]
) -> tuple[SideDocument, ...]:
    ranks = {row.doc_id: row.rank for row in other}
    return tuple(
        SideDocument(
            row.rank, row.doc_id, row.grade, row.is_relevant, row.is_tied, ranks.get(row.doc_id)
        )
        for row in own
    )


def _alone(rows: tuple[SideDocument, ...]) -> int:
    return sum(row.is_relevant and row.other_rank is None for row in rows)
