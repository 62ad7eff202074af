"""Tables of topics, at full precision."""

from collections.abc import Iterable
from typing import NamedTuple

from campaigns.access import Viewer
from scoring.core.measures.measure import Measure
from scoring.output.latex import added, interval, number
from scoring.output.table import Column, Table, printed, same
from scoring.results.runs import BoardRun
from scoring.runs.tables import shown_version
from scoring.topics.matrix import MatrixTopic, TopicMatrix
from scoring.topics.rows import TopicRow, TopicRun


def topics_table(viewer: Viewer, rows: Iterable[TopicRow], measure: Measure) -> Table:
    """One row for each topic, with the scores of the ranked runs. LaTeX has the range of the middle
    half of the runs."""
    columns = topic_columns(measure, shown_version(viewer))
    return Table(columns, rows, f"{measure} of the ranked runs on each topic.")


def topic_columns(measure: Measure | None = None, qrels: int | None = None) -> tuple[Column, ...]:
    return (
        Column("topic", "code", "topic", align="l", kind=str),
        Column("title", heading="title", align="l", kind=str),
        same("measure", measure, str),
        Column("runs", heading="runs", kind=int),
        Column("mean", heading="mean", text=number, kind=float),
        Column("lowest", kind=float),
        Column("lower_quartile", kind=float),
        Column("upper_quartile", kind=float),
        printed(
            "middle half", lambda row: interval(row.lower_quartile, row.upper_quartile), align="l"
        ),
        Column("highest", kind=float),
        Column("relevant", kind=int | None),
        Column("judged", kind=int | None),
        same("qrels", qrels, int | None),
    )


def topic_table(viewer: Viewer, code: str, rows: Iterable[TopicRun], measure: Measure) -> Table:
    """One row for each run on a topic."""
    columns = run_columns(code, measure, shown_version(viewer))
    return Table(columns, rows, f"{measure} of each run on topic {code}.")


def run_columns(
    code: str = "", measure: Measure | None = None, qrels: int | None = None
) -> tuple[Column, ...]:
    return (
        Column("rank", heading="", kind=int | None),
        Column("run_id", kind=str),
        Column("run", "name", "run", align="l", kind=str),
        Column("team", heading="team", align="l", kind=str),
        Column("run_type", kind=str),
        Column("status", kind=str),
        Column("reason", kind=str),
        same("topic", code, str),
        same("measure", measure, str),
        Column("base", heading="base", text=number, kind=float),
        Column("residual", heading="residual", text=added, kind=float),
        printed("interval", lambda row: interval(row.base, row.upper), align="l"),
        same("qrels", qrels, int | None),
    )


class _Cell(NamedTuple):
    topic: MatrixTopic
    run: BoardRun
    rank: int
    base: float


def matrix_table(matrix: TopicMatrix | None) -> Table:
    """One row for each topic and run."""
    if matrix is None:
        return Table(matrix_columns(), (), row_count=0)
    rows = (
        _Cell(topic, run, rank, base)
        for topic, scores in zip(matrix.topics, matrix.scores, strict=True)
        for run, rank, base in zip(matrix.runs, matrix.ranks, scores.tolist(), strict=True)
    )
    caption = f"{matrix.measure} of each run on each topic."
    return Table(matrix_columns(matrix), rows, caption, row_count=matrix.scores.size)


def matrix_columns(matrix: TopicMatrix | None = None) -> tuple[Column, ...]:
    return (
        Column("topic", "topic.code", "topic", align="l", kind=str),
        Column("title", "topic.title", kind=str),
        same("measure", matrix and matrix.measure, str),
        Column("variance_share", "topic.share", kind=float),
        Column("correlation", "topic.correlation", kind=float),
        Column("rank", heading="rank", kind=int | None),
        Column("run_id", "run.run_id", kind=str),
        Column("run", "run.name", "run", align="l", kind=str),
        Column("team", "run.team", "team", align="l", kind=str),
        Column("base", heading="base", text=number, kind=float),
        same("qrels", matrix and matrix.qrels.version, int | None),
    )
