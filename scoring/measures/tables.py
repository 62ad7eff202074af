"""The catalogue of measures and their properties."""

from operator import itemgetter
from typing import Final

from scoring.core.measures.entries import Entry, entries
from scoring.core.properties.table import property_table, table_cells, table_columns
from scoring.output.table import Column, Table, printed


def _other_names(entry: Entry) -> str:
    return " ".join(alias.name for alias in entry.aliases)


CATALOGUE_COLUMNS: Final = (
    Column("measure", "pattern", "measure", align="l", kind=str),
    Column("name", "family.facts.pretty_name", "name", align="l", kind=str),
    Column("group", kind=str),
    Column("formula", "family.facts.formula", kind=str),
    Column("lowest", lambda entry: entry.family.facts.range[0], kind=float),
    Column(
        "highest", lambda entry: entry.family.facts.range[1], kind=float,
        help_text="null: the score has no upper bound",
    ),
    printed("range", "range", align="l"),
    Column(
        "direction", "family.facts.direction", kind=str, help_text="which scores are better"
    ),
    Column("relevance", "family.facts.relevance", kind=str, help_text="binary, graded or either"),
    Column(
        "needs_relevant", "family.facts.needs_relevant", kind=int,
        help_text="1: not defined on a topic without relevant documents",
    ),
    Column(
        "has_residual", "family.facts.has_residual", kind=int, help_text="1: with exact bounds"
    ),
    printed(
        "residual", lambda entry: "exact" if entry.family.facts.has_residual else "–", align="l"
    ),
    Column("reference", "family.facts.reference", kind=str),
    Column("other_names", _other_names, kind=str),
)  # fmt: skip
PROPERTY_COLUMNS: Final = tuple(
    Column(
        name, itemgetter(at), None if name.endswith("_example") else name, align="l", kind=str
    )
    for at, name in enumerate(table_columns(examples=True))
)  # fmt: skip


def catalogue_table() -> Table:
    """One row for each family."""
    return Table(CATALOGUE_COLUMNS, entries(), "families of measures.")


def properties_table() -> Table:
    """As `trackside properties --examples` prints it."""
    rows = (table_cells(row.name, row.findings, examples=True) for row in property_table())
    return Table(PROPERTY_COLUMNS, rows, "the seven properties of each measure.")
