"""Who judged: stated in every table of a qrels version with judgments of a program."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from campaigns.models import Qrels
from scoring.output.table import Table, same

JUDGED_BY: Final = "judged_by"
JUDGED_BY_HELP: Final = (
    "the numbers of judgments by people and by programs; only if a program judged"
)


def with_sources(table: Table, versions: Sequence[Qrels | None]) -> Table:
    """The table with a column of the sources, and with the statements in LaTeX's caption, if a
    program judged for any of these versions. Several have their numbers."""
    distinct = {qrels.pk: qrels for qrels in versions if qrels is not None}
    stated = [qrels for qrels in distinct.values() if qrels.has_program]
    if not stated:
        return table
    counts = "; ".join(each.counts_by_source for each in stated)
    statements = " ".join(each.statement for each in stated)
    if len(distinct) > 1:
        counts = "; ".join(f"v{each.version} {each.counts_by_source}" for each in stated)
        statements = " ".join(f"v{each.version}: {each.statement}" for each in stated)
    in_latex = table.in_latex or table
    return replace(
        table,
        columns=(*table.columns, same(JUDGED_BY, counts, str)),
        in_latex=replace(in_latex, caption=f"{in_latex.caption} {statements}".strip()),
    )
