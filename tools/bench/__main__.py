"""All that is timed, one after the other: the stages of a few simulated runs, a whole simulated
campaign against other tools, its ties, scoring it again from what is stored, all pairs of its runs,
and how long the command line takes to say how it is used."""

import platform
import tempfile
from pathlib import Path

import numpy as np

from scoring.demo.simulation import draw_collection
from tools.bench.campaign import TOPICS, write_campaign
from tools.bench.comparison import compare
from tools.bench.pairs import time_pairs
from tools.bench.rescoring import time_rescoring
from tools.bench.stages import time_stages
from tools.bench.starting import time_help
from tools.bench.ties import time_ties


def main() -> None:
    collection = draw_collection([str(number) for number in range(1, TOPICS + 1)], seed=1)
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    time_stages(collection)
    with tempfile.TemporaryDirectory() as folder:
        qrels, paths = write_campaign(collection, Path(folder))
        compare(qrels, paths)
        time_ties(qrels, paths)
        time_rescoring(qrels, paths)
    time_pairs()
    time_help()


if __name__ == "__main__":
    main()
