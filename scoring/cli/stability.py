"""`trackside stability`: how well leaderboards of disjoint halves of the topics agree."""

import argparse
import sys

from scoring.cli.score_sources import read_scores, source_faults
from scoring.cli.tables import print_csv
from scoring.library.bad_input import BadInput
from scoring.library.stability import (
    Splits,
    halves_of,
    stability_table,
    swaps_table,
    without_tau,
)


def run(options: argparse.Namespace) -> int:
    faults = list(source_faults(options))
    if faults:
        raise BadInput(faults)
    how = Splits(options.splits, options.seed)
    how.refuse_bad()
    board, _ = read_scores(options)
    found, note = halves_of(board, how)
    if not options.swaps:
        note = note or without_tau(found)
    if note:
        sys.stderr.write(f"note: {note}\n")
    table = swaps_table(found) if options.swaps else stability_table(found)
    print_csv(table.names, table)
    return 0
