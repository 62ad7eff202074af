"""`trackside properties`: the seven numeric properties of measures, decided by search."""

import argparse

from scoring.cli.tables import print_csv
from scoring.core.measures.measure import BadMeasure, Measure, UnknownMeasure
from scoring.core.properties.table import (
    FURTHER,
    PAPER,
    findings_of,
    measure_at_any_cutoff,
    table_cells,
    table_columns,
    table_name,
)
from scoring.library.bad_input import BadInput
from scoring.library.measure_lines import refuse_huge


def run(options: argparse.Namespace) -> int:
    named: list[tuple[str, Measure]] = []
    faults: list[str] = []
    for name in options.measures or (*PAPER, *FURTHER):
        try:
            refuse_huge(name)
            named.append((name, measure_at_any_cutoff(name)))
        except (BadMeasure, UnknownMeasure) as error:
            faults.append(f"{name}: {error}")
    # All names are read first: the search for the properties of a measure takes seconds.
    if faults:
        raise BadInput(faults)
    print_csv(
        table_columns(examples=options.examples),
        (
            table_cells(table_name(name, measure), findings_of(measure), examples=options.examples)
            for name, measure in named
        ),
    )
    return 0
