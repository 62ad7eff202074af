"""The progress of judging, at full precision."""

from scoring.judging.rows import Judging
from scoring.output.table import Column, Table, same


def runs_table(judging: Judging | None) -> Table:
    """One row for each ranked run, by base; the forecast is after so many more documents."""
    columns = (
        Column("rank"),
        Column("run_id"),
        Column("run", "name"),
        Column("team"),
        same("measure", judging and f"RBP(p={judging.plan.persistence:g})"),
        *map(Column, ("base", "residual", "upper", "projection")),
        Column("p_corrected", "p_value"),
        Column("in_top_group", "is_in_top"),
        Column("base_forecast", lambda run: run.forecast and run.forecast.base),
        Column("residual_forecast", lambda run: run.forecast and run.forecast.residual),
    )
    return Table(columns, judging.runs if judging else ())


def topics_table(judging: Judging | None) -> Table:
    """One row for each topic."""
    columns = (Column("topic", "code"), *map(Column, ("created", "judged", "left")))
    return Table(columns, judging.topics if judging else ())
