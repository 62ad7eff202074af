"""The progress of judging, at full precision."""

from scoring.judging.rows import Judging
from scoring.output.latex import added, interval, number
from scoring.output.table import Column, Table, printed, same

TOPIC_COLUMNS = (
    Column("topic", "code", "topic", align="l", kind=str),
    Column("created", heading="created", kind=int, help_text="documents of the plan so far"),
    Column("judged", heading="judged", kind=int),
    Column("left", heading="left", kind=int),
)


def runs_table(judging: Judging | None) -> Table:
    """One row for each ranked run, by base; the forecast is after this many more documents."""
    measure = judging and f"RBP(p={judging.plan.persistence:g})"
    caption = f"bounds of {measure} by the judgments made so far." if measure else ""
    return Table(run_columns(measure), judging.runs if judging else (), caption)


def run_columns(measure: str | None = None) -> tuple[Column, ...]:
    forecast = "after more documents; null if not requested"
    return (
        Column("rank", heading="", kind=int),
        Column("run_id", kind=str),
        Column("run", "name", "run", align="l", kind=str),
        Column("team", heading="team", align="l", kind=str),
        same("measure", measure, str),
        Column("base", heading="base", text=number, kind=float),
        Column("residual", heading="residual", text=added, kind=float),
        printed("interval", lambda run: interval(run.base, run.upper), align="l"),
        Column("upper", kind=float),
        Column("projection", heading="projected", text=number, kind=float),
        Column(
            "p_corrected", "p_value", "p", number, kind=float,
            help_text="of the leader's base against this upper bound; null for the leader",
        ),
        Column(
            "in_top_group", "is_in_top", kind=int,
            help_text="1: the run could still be as good as the leader",
        ),
        Column(
            "base_forecast", lambda run: run.forecast and run.forecast.base, kind=float,
            help_text=forecast,
        ),
        Column(
            "residual_forecast", lambda run: run.forecast and run.forecast.residual, kind=float,
            help_text=forecast,
        ),
    )  # fmt: skip


def topics_table(judging: Judging | None) -> Table:
    """One row for each topic."""
    caption = "documents of the judging plan by topic."
    return Table(TOPIC_COLUMNS, judging.topics if judging else (), caption)
