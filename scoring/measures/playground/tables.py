"""The scores of a typed ranking by every measure, at full precision."""

from collections.abc import Iterable
from functools import partial

from scoring.measures.playground.choices import PlaygroundChoices
from scoring.measures.playground.rows import PlaygroundRow
from scoring.measures.playground.typed import written
from scoring.output.latex import added, number
from scoring.output.table import Column, Table


def scores_table(rows: Iterable[PlaygroundRow], choices: PlaygroundChoices) -> Table:
    """LaTeX has the columns for ties if documents are tied, as the page."""
    base, residual = partial(number, digits=4), partial(added, digits=4)
    ties = ("expected", "worst", "best") if choices.typed.has_ties else (None, None, None)
    columns = (
        Column("measure", heading="measure", align="l"),
        Column("base", heading="base", text=base),
        Column("residual", heading="residual", text=residual),
        Column("upper"),
        *(
            Column(f"ties_{name}", name, heading, base)
            for name, heading in zip(("expected", "worst", "best"), ties, strict=True)
        ),
    )
    return Table(columns, rows, f"scores of the ranking {written(choices.typed)}.")
