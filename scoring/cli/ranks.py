"""`trackside ranks`: how certain the rank of each run is."""

import argparse
import sys

from scoring.cli.score_sources import read_scores, source_faults
from scoring.cli.tables import print_csv
from scoring.library.bad_input import BadInput
from scoring.library.ranks import RankBootstrap, ranks_table


def run(options: argparse.Namespace) -> int:
    faults = list(source_faults(options))
    if faults:
        raise BadInput(faults)
    how = RankBootstrap(options.samples, options.seed, options.level, options.correction)
    how.refuse_bad()
    board, _ = read_scores(options)
    table, note = ranks_table(board, how)
    if note:
        sys.stderr.write(f"note: {note}\n")
    print_csv(table.names, table)
    return 0
