"""The CSV beside each curve of a run, at full precision."""

import io
from collections.abc import Iterable, Sequence

from defusedcsv import csv

from campaigns.models import Qrels, Run
from scoring.run_curves import RunCurves

WHOSE = ("run_id", "run", "team", "qrels")


def depth_csv(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> str:
    """One row for each p and depth: means over the topics that the board counts."""
    rows = curves.by_depth if curves else ()
    return _csv(
        run,
        qrels,
        ("gain", "p", "depth", "base", "residual"),
        ((_gain(curves), row.persistence, row.depth, row.base, row.residual) for row in rows),
    )


def persistence_csv(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> str:
    rows = curves.by_persistence if curves else ()
    return _csv(
        run,
        qrels,
        ("gain", "p", "base", "residual"),
        ((_gain(curves), row.persistence, row.base, row.residual) for row in rows),
    )


def recall_csv(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> str:
    """Eleven rows: the mean, and the topic that is chosen."""
    rows = curves.levels if curves else ()
    return _csv(
        run,
        qrels,
        ("recall", "mean", "topic", "topic_precision"),
        ((row.level, row.mean, _code(curves), row.topic) for row in rows),
    )


def precision_csv(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> str:
    """One row for each rank of the topic that is chosen."""
    rows = curves.ranks if curves else ()
    return _csv(
        run,
        qrels,
        ("topic", "rank", "relevant", "recall", "precision", "interpolated"),
        (
            (
                _code(curves), row.rank, int(row.is_relevant), row.recall, row.precision,
                row.interpolated,
            )
            for row in rows
        ),
    )  # fmt: skip


def _gain(curves: RunCurves | None) -> str:
    return curves.choice.gain if curves else ""


def _code(curves: RunCurves | None) -> str:
    return curves.choice.topic.code if curves and curves.choice.topic else ""


def _csv(
    run: Run, qrels: Qrels | None, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*WHOSE, *columns))
    whose = (run.public_id, run.shown_tag, run.shown_team, qrels.version if qrels else None)
    writer.writerows((*whose, *row) for row in rows)
    return out.getvalue()
