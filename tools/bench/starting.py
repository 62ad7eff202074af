"""What the command line takes to start: before it says how it is used, and before it scores."""

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from tools.bench.clock import HEADINGS, rounds, three
from tools.bench.other_tools import compiling_environment

_PROJECT: Final = Path(__file__).resolve().parents[2]


def time_starting() -> None:
    """Prints what commands take from the start of their process to the end."""
    print(f"\n{'ms':40}{HEADINGS}")
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = Path(folder, "run"), Path(folder, "qrels")
        run.write_text("1 Q0 d1 1 2.5 r\n1 Q0 d2 2 1.5 r\n")
        qrels.write_text("1 0 d2 1\n")
        for name, arguments in {
            "python -c 'import numpy'": ["-c", "import numpy"],
            "trackside --help": ["-m", "scoring", "--help"],
            "trackside evaluate --help": ["-m", "scoring", "evaluate", "--help"],
            "trackside evaluate, a run of two lines": ["-m", "scoring", "evaluate", qrels, run],
        }.items():
            print(f"{name:40}{three(rounds(partial(_call, arguments)))}")


def _call(arguments: list[str | Path]) -> None:
    subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, *arguments],
        cwd=_PROJECT,
        stdout=subprocess.DEVNULL,
        env=compiling_environment(),
        check=True,
    )
