"""The forecast of a plan of judging as CSV, at full precision."""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from defusedcsv import csv

from scoring.plan_forecasts import Forecast, Replay

Row = Sequence[object]

SPAN: Final = ("base", "residual", "projection")
HEADS: Final[dict[str, Row]] = {
    "runs": (
        "place", "run_id", "run", "team", "proposes",
        *(f"{name}_now" for name in SPAN), *(f"{name}_then" for name in SPAN),
    ),
    "curve": ("documents", "mean_residual", "top_third_residual"),
    "topics": ("topic", "judged", "planned"),
    "overlap": ("kind", "a", "b", "documents"),
    "replay": (
        "budget", "method", "judged", "relevant_found", "relevant_found_bypassing",
        "handled_bypassing", "top_third_residual", "base_vs_base", "base_vs_top",
        "base_vs_projected",
    ),
    "residuals": ("judged_for", "p", "top_third_residual"),
}  # fmt: skip


def forecast_csv(table: str, found: Forecast | None) -> str:
    """One of `runs`, `curve`, `topics`, `overlap`."""
    return _csv(HEADS[table], () if found is None else FORECASTS[table](found))


def replay_csv(table: str, found: Replay | None) -> str:
    """One of `replay`, `residuals`."""
    return _csv(HEADS[table], () if found is None else REPLAYS[table](found))


def _runs(found: Forecast) -> Iterator[Row]:
    for row in found.rows:
        spans = [getattr(span, name) for span in (row.before, row.after) for name in SPAN]
        yield (row.place, row.run_id, row.tag, row.team, int(row.proposes), *spans)


def _curve(found: Forecast) -> Iterator[Row]:
    for point in found.curve:
        yield (point.documents, point.mean_residual, point.top_residual)


def _topics(found: Forecast) -> Iterator[Row]:
    for topic in found.topics:
        yield (topic.code, topic.judged, topic.planned)


def _overlap(found: Forecast) -> Iterator[Row]:
    for kind, shared in zip(("method", "p"), found.overlaps, strict=True):
        for a, row in zip(shared.names, shared.counts, strict=True):
            for b, documents in zip(shared.names, row, strict=True):
                yield (kind, a.removeprefix("p = "), b.removeprefix("p = "), documents)


def _replay(found: Replay) -> Iterator[Row]:
    for row in found.rows:
        yield (
            row.budget, row.method, row.judged, row.found, row.found_bypassing,
            row.handled_bypassing, row.residual, row.base_vs_base, row.base_vs_top,
            row.base_vs_projected,
        )  # fmt: skip


def _residuals(found: Replay) -> Iterator[Row]:
    for label, values in found.residuals:
        for p, residual in zip(found.persistences, values, strict=True):
            yield (label, p, residual)


FORECASTS: Final[dict[str, Callable[[Forecast], Iterator[Row]]]] = {
    "runs": _runs,
    "curve": _curve,
    "topics": _topics,
    "overlap": _overlap,
}
REPLAYS: Final[dict[str, Callable[[Replay], Iterator[Row]]]] = {
    "replay": _replay,
    "residuals": _residuals,
}


def _csv(columns: Row, rows: Iterable[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()
