"""How far judging has come, as CSV at full precision."""

import io
from collections.abc import Iterable, Sequence

from defusedcsv import csv

from scoring.judging_rows import Judging

RUNS = ("place", "run_id", "run", "team", "measure", "base", "residual", "upper", "projection",
        "p_corrected", "in_top_group", "base_then", "residual_then")  # fmt: skip
TOPICS = ("topic", "laid_out", "judged")


def runs_csv(found: Judging | None) -> str:
    """One row for each ranked run, by its base."""
    if found is None:
        return _csv(RUNS, ())
    measure = f"RBP(p={found.plan.persistence:g})"
    return _csv(
        RUNS,
        (
            (
                run.place, run.run_id, run.tag, run.team, measure, run.base, run.residual,
                run.upper, run.projection, run.p_value, int(run.is_in_top),
                run.then and run.then.base, run.then and run.then.residual,
            )
            for run in found.runs
        ),
    )  # fmt: skip


def topics_csv(found: Judging | None) -> str:
    """One row for each topic."""
    rows = found.topics if found else ()
    return _csv(TOPICS, ((topic.code, topic.laid_out, topic.judged) for topic in rows))


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()
