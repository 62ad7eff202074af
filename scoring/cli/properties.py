"""`trackside properties`: the seven numeric properties of measures, decided by search."""

import argparse
from typing import Final

from scoring.cli.bad_input import BadInput
from scoring.cli.measure_lines import refuse_huge
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

DESCRIPTION: Final = """\
Decides by search over all binary rankings of up to 7 documents which of the seven numeric
properties (Moffat, AIRS 2013) measures have: bounded, monotonic, convergent, top-weighted,
localized, complete, realizable. Every cutoff is searched: @k and @10 give the same row."""

EXAMPLES: Final = """\
examples:
  trackside properties                          Table 2 of the paper, and further measures
  trackside properties 'P@k' 'RBP(p=0.8)@k'
  trackside properties AP@k --examples          with the smallest counter-examples

A counter-example reads `10@1 = 1, 10@2 = 0.5`: rankings of a whole collection (1 relevant, 0 not),
the cutoffs at which they are scored, and their scores."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "measures", metavar="MEASURE", nargs="*", help="such as 'P@k' (default: the whole table)"
    )
    parser.add_argument(
        "--examples", action="store_true", help="add a column of counter-examples to each property"
    )


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
