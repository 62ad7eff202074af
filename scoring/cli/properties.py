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
    named = [(name, *_read(name)) for name in options.measures or (*PAPER, *FURTHER)]
    faults = [f"{name}: {fault}" for name, _, fault in named if fault]
    if faults:
        raise BadInput(faults)
    print_csv(
        table_columns(examples=options.examples),
        (
            table_cells(table_name(name, measure), findings_of(measure), examples=options.examples)
            for name, measure, _ in named
            if measure is not None
        ),
    )
    return 0


def _read(name: str) -> tuple[Measure | None, str]:
    """The measure, or what is wrong with its name. Any cutoff stands for @k."""
    try:
        refuse_huge(name)
        return measure_at_any_cutoff(name), ""
    except (BadMeasure, UnknownMeasure) as error:
        return None, str(error)
