"""Tables of two runs: scores by topic, RBP as a function of p, and their rankings of one topic."""

from campaigns.models import Qrels, Run, Topic
from scoring.comparison.persistence import AtPersistence
from scoring.comparison.rows import Comparison
from scoring.comparison.topic_sides import Sides
from scoring.output.latex import STARS_NOTE, Marked, interval, number, signed, stars
from scoring.output.table import Column, Table, printed, same


def comparison_table(comparison: Comparison | None) -> Table:
    """Scores by topic. LaTeX has the mean difference with the marks of the t test at the end, if
    `comparison` has its interval."""
    columns = comparison_columns(comparison)
    if comparison is None or comparison.interval is None:
        return Table(columns, comparison.topics if comparison else (), "two runs.")
    caption = (
        f"{comparison.measure} of two runs by topic. Mean difference with 95 % confidence interval "
        f"(bootstrap) {interval(*comparison.interval)}; t test, {STARS_NOTE}."
    )
    mean = Marked(signed(comparison.difference), stars(comparison.t_p))
    return Table(columns, comparison.topics, caption, last=("mean", "", "", mean, ""))


def comparison_columns(comparison: Comparison | None = None) -> tuple[Column, ...]:
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
    a, b = (run.shown_name for run in runs) if runs else ("a", "b")
    columns = (
        same("topic", topic.code),
        Column("rank"),
        same("a", a),
        Column("a_doc_id", lambda row: row.first and row.first.doc_id),
        Column("a_grade", lambda row: row.first and row.first.grade),
        Column("a_rank_in_b", lambda row: row.first and row.first.other_rank),
        same("b", b),
        Column("b_doc_id", lambda row: row.second and row.second.doc_id),
        Column("b_grade", lambda row: row.second and row.second.grade),
        Column("b_rank_in_a", lambda row: row.second and row.second.other_rank),
        same("qrels", qrels and qrels.version),
    )
    return Table(columns, sides.rows if sides and runs else ())
