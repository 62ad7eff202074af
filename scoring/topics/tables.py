"""Tables of topics, at full precision."""

from collections.abc import Iterable, Iterator
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
    columns = (
        Column("rank", heading=""),
        Column("run_id"),
        Column("run", "name", "run", align="l"),
        Column("team", heading="team", align="l"),
        Column("run_type"),
        Column("status"),
        Column("reason"),
        same("topic", code),
        same("measure", measure),
        Column("base", heading="base", text=number),
        Column("residual", heading="residual", text=added),
        printed("interval", lambda row: interval(row.base, row.upper), align="l"),
        same("qrels", shown_version(viewer)),
    )
    return Table(columns, rows, f"{measure} of each run on topic {code}.")


class _Cell(NamedTuple):
    topic: MatrixTopic
    run: BoardRun
    rank: int
    base: float


def matrix_table(matrix: TopicMatrix | None) -> Table:
    """One row for each topic and run."""
    columns = (
        Column("topic", "topic.code"),
        Column("title", "topic.title"),
        same("measure", matrix and matrix.measure),
        Column("variance_share", "topic.share"),
        Column("correlation", "topic.correlation"),
        Column("rank"),
        Column("run_id", "run.run_id"),
        Column("run", "run.name"),
        Column("team", "run.team"),
        Column("base"),
        same("qrels", matrix and matrix.qrels.version),
    )
    count = matrix.scores.size if matrix else 0
    return Table(columns, _cells(matrix) if matrix else (), row_count=count)


def _cells(matrix: TopicMatrix) -> Iterator[_Cell]:
    for topic, scores in zip(matrix.topics, matrix.scores, strict=True):
        for run, rank, base in zip(matrix.runs, matrix.ranks, scores.tolist(), strict=True):
            yield _Cell(topic, run, rank, base)
