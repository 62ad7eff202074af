"""All that is timed, one after the other: the stages of a few simulated runs, a whole simulated
campaign against other tools, its ties, scoring it again from what is stored, all pairs of its runs,
and how long the command line takes to start. With `--runs` and `--qrels`, only other tools are
timed, on a real campaign."""

import argparse
import platform
import tempfile
from pathlib import Path

import numpy as np

from scoring.cli.version import version_lines
from scoring.demo.simulation import draw_collection
from tools.bench.campaign import TOPICS, read_campaign, write_campaign
from tools.bench.comparison import compare
from tools.bench.pairs import time_pairs
from tools.bench.rescoring import time_rescoring
from tools.bench.stages import time_stages
from tools.bench.starting import time_starting
from tools.bench.ties import time_ties


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("--runs", type=Path, help="a folder of runs, plain or gzipped")
    parser.add_argument("--qrels", type=Path, help="their qrels")
    given = parser.parse_args()
    if (given.runs is None) != (given.qrels is None):
        parser.error("--runs and --qrels go together")
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    print(", ".join(version_lines()))
    with tempfile.TemporaryDirectory() as folder:
        if given.runs:
            compare(read_campaign(given.runs, given.qrels, Path(folder)))
        else:
            _time_simulated(Path(folder))


def _time_simulated(folder: Path) -> None:
    collection = draw_collection([str(number) for number in range(1, TOPICS + 1)], seed=1)
    time_stages(collection)
    campaign = write_campaign(collection, folder)
    compare(campaign)
    time_ties(campaign.qrels, campaign.plain)
    time_rescoring(campaign.qrels, campaign.plain)
    time_pairs()
    time_starting()


if __name__ == "__main__":
    main()
