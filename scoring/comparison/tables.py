"""Tables of two runs: scores by topic, RBP as a function of p, and their rankings of one topic."""

from collections.abc import Callable, Iterator

from campaigns.models import Qrels, Run, Topic
from scoring.comparison.persistence import AtPersistence
from scoring.comparison.rows import Comparison
from scoring.comparison.topic_sides import Sides, SidesRow
from scoring.output.latex import STARS_NOTE, Marked, interval, number, signed, stars
from scoring.output.table import Column, Table, printed, same


def comparison_table(comparison: Comparison | None) -> Table:
    """Scores by topic. LaTeX has the mean difference with the marks of the t test at the end, if
    `comparison` has its interval."""
    columns = comparison_columns(comparison)
    # CSV and JSON do not wait for the interval.
    if comparison is None or comparison.interval is None:
        return Table(columns, comparison.topics if comparison else (), "two runs.")
    caption = (
        f"{comparison.measure} of two runs by topic. Mean difference with 95 % confidence interval "
        f"(bootstrap) {interval(*comparison.interval)}; t test, {STARS_NOTE}."
    )
    mean = Marked(signed(comparison.difference), stars(comparison.t_p))
    return Table(columns, comparison.topics, caption, last=("mean", "", "", mean, ""))


def comparison_columns(comparison: Comparison | None = None) -> tuple[Column, ...]:
    # Without a comparison: for the schema of the API, and for a file without rows.
    a, b = (comparison.first.name, comparison.second.name) if comparison else ("a", "b")
    return (
        Column("topic", "code", "topic", align="l", kind=str),
        Column("title", kind=str),
        same("measure", comparison and comparison.measure, str),
        same("a", a, str),
        same("b", b, str),
        Column("a_score", "first", a, number, kind=float),
        Column("b_score", "second", b, number, kind=float),
        Column("difference", heading="difference", text=signed, kind=float),
        Column("lowest", kind=float),
        Column("highest", kind=float),
        printed("bounds", lambda row: interval(row.lowest, row.highest, 2), align="l"),
        same("qrels", comparison and comparison.qrels.version, int),
    )


def persistence_table(comparison: Comparison | None, rows: tuple[AtPersistence, ...]) -> Table:
    """RBP of both runs as a function of p."""
    return Table(
        persistence_columns(comparison), rows if comparison else (), "RBP of both runs by p."
    )


def persistence_columns(comparison: Comparison | None = None) -> tuple[Column, ...]:
    a, b = (comparison.first.name, comparison.second.name) if comparison else ("a", "b")
    return (
        Column("p", heading="p", kind=float),
        Column("measure", kind=str),
        same("a", a, str),
        same("b", b, str),
        Column("a_base", "first.base", a, number, kind=float),
        Column("a_residual", "first.residual", kind=float),
        Column("a_upper", "first.upper", kind=float),
        printed("interval", lambda row: interval(row.first.base, row.first.upper), align="l"),
        Column("b_base", "second.base", b, number, kind=float),
        Column("b_residual", "second.residual", kind=float),
        Column("b_upper", "second.upper", kind=float),
        printed("interval", lambda row: interval(row.second.base, row.second.upper), align="l"),
        same("qrels", comparison and comparison.qrels.version, int),
    )


def sides_table(
    topic: Topic, runs: tuple[Run, Run] | None, sides: Sides | None, qrels: Qrels | None
) -> Table:
    """One row for each rank; empty cells after the end of a list."""
    caption = f"documents of two runs on topic {topic.code}, with their grades and their ranks in "
    return Table(
        side_columns(topic, runs, qrels),
        sides.rows if sides and runs else (),
        f"{caption}the other run.",
    )


def side_columns(
    topic: Topic | None = None, runs: tuple[Run, Run] | None = None, qrels: Qrels | None = None
) -> tuple[Column, ...]:
    a, b = (run.shown_name for run in runs) if runs else ("a", "b")
    return (
        same("topic", topic and topic.code, str),
        Column("rank", heading="rank", kind=int),
        same("a", a, str),
        *_side_columns("a", "b", "first", a),
        same("b", b, str),
        *_side_columns("b", "a", "second", b),
        same("qrels", qrels and qrels.version, int | None),
    )


def _side_columns(own: str, other: str, side: str, name: str) -> Iterator[Column]:
    """The columns of one of the runs."""

    def of(attribute: str) -> Callable[[SidesRow], object]:
        return lambda row: (document := getattr(row, side)) and getattr(document, attribute)

    ends = "null: the list of the run is shorter"
    yield Column(f"{own}_doc_id", of("doc_id"), name, align="l", kind=str | None, help_text=ends)
    yield Column(
        f"{own}_grade", of("grade"), "grade", kind=int | None, help_text="null: nobody judged it"
    )
    yield Column(
        f"{own}_rank_in_{other}", of("other_rank"), "other rank", kind=int | None,
        help_text="null: the other run does not have it",
    )  # fmt: skip
