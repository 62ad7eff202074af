"""How far judging has come, at full precision."""

from scoring.judging.rows import Judging
from scoring.output.table import Column, Table, same


def runs_table(found: Judging | None) -> Table:
    """One row for each ranked run, by its base; `then` is after so many documents more."""
    columns = (
        Column("place"),
        Column("run_id"),
        Column("run", "tag"),
        Column("team"),
        same("measure", found and f"RBP(p={found.plan.persistence:g})"),
        *map(Column, ("base", "residual", "upper", "projection")),
        Column("p_corrected", "p_value"),
        Column("in_top_group", "is_in_top"),
        Column("base_then", lambda run: run.then and run.then.base),
        Column("residual_then", lambda run: run.then and run.then.residual),
    )
    return Table(columns, found.runs if found else ())


def topics_table(found: Judging | None) -> Table:
    """One row for each topic."""
    columns = (Column("topic", "code"), *map(Column, ("laid_out", "judged", "left")))
    return Table(columns, found.topics if found else ())
