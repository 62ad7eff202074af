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
    a, b = (comparison.first.name, comparison.second.name) if comparison else ("a", "b")
    columns = (
        Column("topic", "code", "topic", align="l"),
        Column("title"),
        same("measure", comparison and comparison.measure),
        same("a", a),
        same("b", b),
        Column("a_score", "first", a, number),
        Column("b_score", "second", b, number),
        Column("difference", heading="difference", text=signed),
        Column("lowest"),
        Column("highest"),
        printed("bounds", lambda row: interval(row.lowest, row.highest, 2), align="l"),
        same("qrels", comparison and comparison.qrels.version),
    )
    if comparison is None or comparison.interval is None:
        return Table(columns, comparison.topics if comparison else (), "two runs.")
    caption = (
        f"{comparison.measure} of two runs by topic. Mean difference with 95 % confidence interval "
        f"(bootstrap) {interval(*comparison.interval)}; t test, {STARS_NOTE}."
    )
    mean = Marked(signed(comparison.difference), stars(comparison.t_p))
    return Table(columns, comparison.topics, caption, last=("mean", "", "", mean, ""))


def persistence_table(comparison: Comparison | None, rows: tuple[AtPersistence, ...]) -> Table:
    """RBP of both runs as a function of p."""
    columns = (
        Column("p"),
        Column("measure"),
        same("a", comparison and comparison.first.name),
        same("b", comparison and comparison.second.name),
        Column("a_base", "first.base"),
        Column("a_residual", "first.residual"),
        Column("a_upper", "first.upper"),
        Column("b_base", "second.base"),
        Column("b_residual", "second.residual"),
        Column("b_upper", "second.upper"),
        same("qrels", comparison and comparison.qrels.version),
    )
    return Table(columns, rows if comparison else ())


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
