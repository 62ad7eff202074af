"""What the command line takes to tell how it is used."""

import subprocess
import sys
from pathlib import Path
from typing import Final

from tools.bench.clock import HEADINGS, rounds, three
from tools.bench.other_tools import compiling_environment

_PROJECT: Final = Path(__file__).resolve().parents[2]


def time_help() -> None:
    """Prints what `trackside --help` takes, from the start of its process to the end."""
    taken = rounds(_show_help)
    print(f"\n{'ms':26}{HEADINGS}")
    print(f"{'trackside --help':26}{three(taken)}")


def _show_help() -> None:
    subprocess.run(
        [sys.executable, "-m", "scoring", "--help"],
        cwd=_PROJECT,
        stdout=subprocess.DEVNULL,
        env=compiling_environment(),
        check=True,
    )
