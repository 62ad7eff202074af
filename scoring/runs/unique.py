"""Relevant documents that only one run, or only one team, retrieved: rows for page and CSV."""

from dataclasses import dataclass, replace

from campaigns.access import Viewer
from campaigns.models import Run
from scoring.pools.options import PoolDepth
from scoring.results.runs import BoardRun
from scoring.runs.analysis import SoleFinds
from scoring.runs.documents import as_text


@dataclass(frozen=True)
class UniqueRun:
    run: BoardRun
    relevant: int  # documents to this depth
    by_run: int  # that no other run has
    by_team: int  # that no run of another team has


@dataclass(frozen=True)
class UniqueDocument:
    topic: str
    title: str
    rank: int
    doc_id: str
    grade: int
    is_by_run: bool  # no other run of its own team has it


@dataclass(frozen=True)
class UniqueFinds:
    pool: PoolDepth
    relevant: int  # known relevant documents
    retrieved: int  # of these, by any run to this depth
    runs: tuple[UniqueRun, ...]  # that contributed to the pool, those with most documents first
    own: UniqueRun | None  # the run of the page; None if it is not among them
    documents: tuple[UniqueDocument, ...]  # of this run

    @property
    def depth(self) -> str:
        return self.pool.shown


def unique_finds(
    viewer: Viewer, run: Run, pool: PoolDepth, runs: tuple[BoardRun, ...], result: SoleFinds
) -> UniqueFinds:
    """One query."""
    at = {str(run_id): row for row, run_id in enumerate(result.run_ids)}
    rows = [
        UniqueRun(
            each,
            int(result.found[at[each.run_id]]),
            int(result.by_run[at[each.run_id]]),
            int(result.by_team[at[each.run_id]]),
        )
        for each in runs
        if each.run_id in at
    ]
    rows.sort(key=lambda row: (-row.by_run, -row.by_team, row.run.name.lower()))
    topics = list(viewer.campaign.topics.order_by("position"))
    # A run that did not contribute to the pool has no row, and no documents here.
    own = result.run == at.get(run.public_id, -1)
    columns = (result.row, result.position, result.doc_id, result.grade, result.is_by_run)
    documents = tuple(
        UniqueDocument(
            topics[row].code, topics[row].title, position + 1, as_text(doc_id), grade, is_by_run
        )
        for row, position, doc_id, grade, is_by_run in zip(
            *(column[own].tolist() for column in columns), strict=True
        )
    )
    return UniqueFinds(
        pool=replace(pool, basis=result),
        relevant=result.relevant,
        retrieved=result.retrieved,
        runs=tuple(rows),
        own=next((row for row in rows if row.run.run_id == run.public_id), None),
        documents=documents,
    )
