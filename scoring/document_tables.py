"""The CSV beside each list of documents."""

from collections.abc import Iterable, Sequence

from campaigns.models import Qrels, Run, Topic
from scoring.run_documents import RankedDocument, UnjudgedList
from scoring.tables import Table
from scoring.unique_rows import UniqueFinds

WHOSE = ("run_id", "run", "team", "qrels")


def ranking_csv(
    run: Run, qrels: Qrels | None, topic: Topic | None, rows: Iterable[RankedDocument]
) -> str:
    """An empty grade: nobody judged it."""
    code = topic.code if topic else ""
    return _csv(
        (*WHOSE, "topic", "rank", "doc_id", "grade", "relevant", "tied"),
        (
            (
                *_whose(run, qrels), code, row.rank, row.doc_id, row.grade, int(row.is_relevant),
                int(row.is_tied),
            )
            for row in rows
        ),
    )  # fmt: skip


def unjudged_rows(run: Run, qrels: Qrels | None, found: UnjudgedList | None) -> Table:
    columns = (*WHOSE, "p", "topic", "rank", "doc_id", "adds", "together")
    if found is None:
        return Table(columns, ())
    facts = (*_whose(run, qrels), found.persistence)
    return Table(
        columns,
        (
            (*facts, row.topic.code, row.rank, row.doc_id, row.adds, row.together)
            for row in found.rows(range(len(found)))
        ),
    )


def unique_csv(run: Run, qrels: Qrels | None, found: UniqueFinds | None) -> str:
    """Of one run."""
    return _csv(
        (*WHOSE, "depth", "topic", "rank", "doc_id", "grade", "only_run"),
        (
            (
                *_whose(run, qrels), found.depth, row.topic, row.rank, row.doc_id, row.grade,
                int(row.is_by_run),
            )
            for row in (found.documents if found else ())
            if found
        ),
    )  # fmt: skip


def unique_runs_csv(qrels: Qrels | None, found: UniqueFinds | None) -> str:
    """Of every ranked run how many."""
    return _csv(
        (*WHOSE, "depth", "relevant_found", "only_run", "only_team"),
        (
            (
                row.run.run_id, row.run.tag, row.run.team, qrels.version if qrels else None,
                found.depth, row.found, row.by_run, row.by_team,
            )
            for row in (found.runs if found else ())
            if found
        ),
    )  # fmt: skip


def _whose(run: Run, qrels: Qrels | None) -> tuple[object, ...]:
    return (run.public_id, run.shown_tag, run.shown_team, qrels.version if qrels else None)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return Table(columns, rows).as_csv()
