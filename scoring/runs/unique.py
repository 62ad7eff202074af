"""Relevant documents that one run alone, or one team alone, brought up: rows for page and CSV."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.access import Viewer
from campaigns.models import Run
from scoring.pools.options import PoolDepth
from scoring.results.runs import BoardRun
from scoring.runs.documents import as_text


@dataclass(frozen=True)
class UniqueRun:
    run: BoardRun
    found: int  # relevant documents it has so far down
    by_run: int  # that no other run has
    by_team: int  # that no run of another team has


@dataclass(frozen=True)
class UniqueDocument:
    topic: str
    title: str
    rank: int
    doc_id: str
    grade: int
    is_by_run: bool  # not even another run of its own team has it


@dataclass(frozen=True)
class UniqueFinds:
    pool: PoolDepth
    relevant: int  # that are known
    retrieved: int  # that some run has so far down
    runs: tuple[UniqueRun, ...]  # that contributed to the pool, the most first
    own: UniqueRun | None  # the run that was asked about; None where it is not among them
    documents: tuple[UniqueDocument, ...]  # of that run

    @property
    def depth(self) -> str:
        return self.pool.shown


def unique_finds(
    viewer: Viewer, run: Run, pool: PoolDepth, runs: tuple[BoardRun, ...], answer: Mapping[str, Any]
) -> UniqueFinds:
    """One query."""
    at = {str(run_id): place for place, run_id in enumerate(answer["run_ids"])}
    rows = [
        UniqueRun(
            each,
            int(answer["found"][at[each.run_id]]),
            int(answer["by_run"][at[each.run_id]]),
            int(answer["by_team"][at[each.run_id]]),
        )
        for each in runs
        if each.run_id in at
    ]
    rows.sort(key=lambda row: (-row.by_run, -row.by_team, row.run.tag.lower()))
    return UniqueFinds(
        pool=pool.answered(answer),
        relevant=int(answer["relevant"]),
        retrieved=int(answer["retrieved"]),
        runs=tuple(rows),
        own=next((row for row in rows if row.run.run_id == run.public_id), None),
        documents=_documents(viewer, answer, at.get(run.public_id, -1)),
    )


def _documents(viewer: Viewer, answer: Mapping[str, Any], at: int) -> tuple[UniqueDocument, ...]:
    topics = list(viewer.campaign.topics.order_by("position"))
    columns = ("row", "position", "doc_id", "grade", "is_by_run")
    own = answer["run"] == at
    return tuple(
        UniqueDocument(
            topics[row].code, topics[row].title, position + 1, as_text(doc_id), grade, is_by_run
        )
        for row, position, doc_id, grade, is_by_run in zip(
            *(answer[name][own].tolist() for name in columns), strict=True
        )
    )
