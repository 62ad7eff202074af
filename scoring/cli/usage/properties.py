"""How `trackside properties` is used: its arguments and their help."""

import argparse
from typing import Final

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
