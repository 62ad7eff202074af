"""`ts.evaluate` beside ir_measures and ranx, on data frames of pandas and polars:

    python -m tools.bench.frames [--runs FOLDER --qrels FILE] [--ranx-python PYTHON]

Without `--runs`, one simulated run of 6,980,000 rows. Each tool runs in a process of its own,
ROUNDS times, and the tools take turns. The time is from frames in memory to the score of every
topic, for AP, nDCG@10, P@10 and RR. The memory is the most that the process has had, with the
frames.

ranx needs its own interpreter if it is not installed here: `--ranx-python` names it. This process
stays small, because the peak of a new process is at least the memory of the one that starts it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tools.bench import frames_contestant
from tools.bench.clock import HEADINGS, ROUNDS, three
from tools.bench.frames_contestant import IR_MEASURES, TOOLS
from tools.bench.other_tools import compiling_environment

LIBRARIES: Final = ("pandas", "polars")
NEAR: Final = 1e-12
COLUMNS: Final = {"processor": "s", "wall": "s", "loaded": "MB", "peak": "MB"}

Scores = NDArray[np.float64]  # float64[runs, topics, measures]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.frames", description=__doc__)
    parser.add_argument("--runs", type=Path, help="a folder of runs, plain or gzipped")
    parser.add_argument("--qrels", type=Path, help="their qrels")
    parser.add_argument("--ranx-python", default=sys.executable, help="an interpreter with ranx")
    given = parser.parse_args()
    if (given.runs is None) != (given.qrels is None):
        parser.error("--runs and --qrels go together")
    real = [str(path.resolve()) for path in (given.runs, given.qrels) if path]
    with tempfile.TemporaryDirectory() as folder:
        _run([sys.executable, "-m", "tools.bench.frames_data", f"{folder}/data", *real])
        compare(Path(folder), given.ranx_python)


def compare(folder: Path, ranx_python: str) -> None:
    """Prints time, memory and how many scores differ from ours; `folder` has the data."""
    pythons = dict.fromkeys(TOOLS, sys.executable) | {"ranx": ranx_python}
    tools = [tool for tool in TOOLS if tool != "ranx" or _has_ranx(ranx_python)]
    facts: dict[tuple[str, str], list[Mapping[str, float]]] = {}
    for _ in range(ROUNDS):
        for tool in tools:
            for library in LIBRARIES:
                found = _measured(pythons[tool], tool, library, folder)
                print(f"{tool}, {library}: {found['wall']:.1f} s", file=sys.stderr, flush=True)
                facts.setdefault((tool, library), []).append(found)
    print(f"\n{', '.join(IR_MEASURES)}; {ROUNDS} rounds; load {os.getloadavg()[0]:.1f}\n")
    units = (f"{name} ({unit})" for name, unit in COLUMNS.items())
    print(f"{'':34}" + "".join(f"{unit:^27}" for unit in units))
    print(f"{'':34}" + len(COLUMNS) * HEADINGS)
    for (tool, library), rounds in facts.items():
        shown = (three([each[name] for each in rounds], a_second=1) for name in COLUMNS)
        print(f"{tool + ', ' + library:34}{''.join(shown)}")
    _report_differences(folder, facts)
    if "ranx" not in tools:
        print("ranx: not installed, not compared")


def _report_differences(folder: Path, facts: Mapping[tuple[str, str], object]) -> None:
    ours: Scores = np.load(_target(folder, "trackside", "pandas"))
    print(f"\n{'cells that differ from ours':34}" + "".join(f"{name:>12}" for name in IR_MEASURES))
    for tool, library in facts:
        theirs: Scores = np.load(_target(folder, tool, library))
        apart = (~(np.abs(ours - theirs) <= NEAR)).sum(axis=(0, 1))
        largest = float(np.abs(ours.mean(axis=1) - theirs.mean(axis=1)).max())
        counts = "".join(f"{count:12,}" for count in apart.tolist())
        print(f"{tool + ', ' + library:34}{counts}   means by at most {largest:.1e}")
    print(f"of {ours[:, :, 0].size:,} cells of each measure")


def _measured(python: str, tool: str, library: str, folder: Path) -> Mapping[str, float]:
    script = str(Path(frames_contestant.__file__))
    target = _target(folder, tool, library)
    told = _run([python, script, tool, library, str(folder / "data"), str(target)], capture=True)
    found: Mapping[str, float] = json.loads(told)
    return found


def _target(folder: Path, tool: str, library: str) -> Path:
    return folder / f"{tool}-{library}.npy"


def _has_ranx(python: str) -> bool:
    command = [python, "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec('ranx'))"]
    return subprocess.run(command, check=False).returncode == 0  # noqa: S603 (our own script)


def _run(command: Sequence[str], *, capture: bool = False) -> str:
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(  # noqa: S603 (our own scripts)
        command,
        cwd=root,
        env=compiling_environment() | {"PYTHONPATH": root},
        stdout=subprocess.PIPE if capture else None,
        check=True,
        text=True,
    )
    return done.stdout or ""


if __name__ == "__main__":
    main()
