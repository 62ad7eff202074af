"""The catalogue of measures and their properties."""

from operator import itemgetter

from scoring.core.measures.entries import Entry, entries
from scoring.core.properties.table import property_table, table_cells, table_columns
from scoring.output.table import Column, Table


def catalogue_table() -> Table:
    """One row for each family."""
    columns = (
        Column("measure", "pattern"),
        Column("name", "family.facts.pretty_name"),
        Column("group"),
        Column("formula", "family.facts.formula"),
        Column("lowest", lambda entry: entry.family.facts.range[0]),
        Column("highest", lambda entry: entry.family.facts.range[1]),
        Column("direction", "family.facts.direction"),
        Column("relevance", "family.facts.relevance"),
        Column("needs_relevant", "family.facts.needs_relevant"),
        Column("has_residual", "family.facts.has_residual"),
        Column("reference", "family.facts.reference"),
        Column("other_names", _other_names),
    )
    return Table(columns, entries())


def properties_table() -> Table:
    """As `trackside properties --examples` prints it."""
    rows = (table_cells(row.name, row.findings, examples=True) for row in property_table())
    names = table_columns(examples=True)
    return Table([Column(name, itemgetter(at)) for at, name in enumerate(names)], rows)


def _other_names(entry: Entry) -> str:
    return " ".join(alias.name for alias in entry.aliases)
