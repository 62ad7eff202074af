"""A whole campaign, files to scores of every topic, in one session with other tools.

Each round times everybody in turn, so that what else the machine does hits all alike.

- Warm is a process that has imported its modules, read the qrels and scored a run, which compiles
  what ranx compiles. Timed is all from opening the file of a run to the scores of its topics: each
  tool reads the file by its own reader.
- Cold is a process from its start to its end, with imports, qrels, and all runs of the campaign;
  ours prints every score as CSV, pytrec_eval prints none.
- The files are in the page cache of the system either way.
- One worker of ours runs on one processor, as pytrec_eval and ir_measures do. ranx computes on as
  many as there are: on two of them its like is two workers of ours (column x2).
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from scoring.cli.measure_lines import read_measures
from scoring.cli.opening import open_qrels
from scoring.cli.scored_runs import ScoredRun, ScoringOptions, score_file
from scoring.core.measures.graded import default_gain_map
from tools.bench.campaign import DEPTH, MEASURES, TOPICS
from tools.bench.clock import HEADINGS, ROUNDS, median, seconds, three
from tools.bench.other_tools import (
    ScoreFile,
    cold_pytrec_eval,
    compiling_environment,
    missing_tools,
    other_tools,
)

SAMPLE = 6  # runs that the slower tools score in a round
REFERENCES: Final = ("ours, warm", "ours, warm, two workers", "ours, cold")

Taken = dict[str, list[float]]  # seconds a run, in each round


def compare(qrels: str, paths: Sequence[str]) -> None:
    """Prints what everybody takes a run, and how many times as long as we."""
    ours, others = partial(score_file, rules=_rules(qrels)), other_tools(qrels)
    peaks: list[int] = []
    taken: Taken = {}
    tools: list[ScoreFile] = [ours, *others.values()]
    for tool in tools:
        tool(paths[0])  # what is compiled or read once is warm
    _cold(qrels, paths[:1], 1)
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_warm, [qrels] * 4))
        acts: dict[str, Callable[[], object]] = {
            REFERENCES[0]: partial(_each, ours, paths),
            REFERENCES[1]: lambda: list(pool.map(_score_warm, paths, chunksize=4)),
            REFERENCES[2]: lambda: peaks.append(_cold(qrels, paths, 1)),
            "ours, cold, two workers": lambda: _cold(qrels, paths, 2),
        }
        for turn in range(ROUNDS):
            for name, act in acts.items():
                taken.setdefault(name, []).append(seconds(act) / len(paths))
            sample = [paths[(turn * SAMPLE + k) % len(paths)] for k in range(SAMPLE)]
            _time_others(taken, others, sample, qrels, len(paths))
    _report(taken, len(paths))
    print(f"\npeak memory of ours, cold, one worker: {max(peaks) / 1024:.0f} MB")


def _time_others(
    taken: Taken, others: dict[str, ScoreFile], sample: Sequence[str], qrels: str, runs: int
) -> None:
    for name, score in others.items():
        took = seconds(partial(_each, score, sample))
        taken.setdefault(name, []).append(took / len(sample))
    if "pytrec_eval" in others:
        took = cold_pytrec_eval(qrels, sample, runs)
        taken.setdefault("pytrec_eval, cold", []).append(took / runs)


def _each(score: ScoreFile, paths: Sequence[str]) -> None:
    for path in paths:
        score(path)


def _report(taken: Taken, runs: int) -> None:
    print(f"\n{runs} runs x {TOPICS} topics x {DEPTH} documents, files to scores of every topic:")
    print(f"{', '.join(MEASURES)} and its residual; {ROUNDS} rounds, the other tools on {SAMPLE}")
    print("runs a round. How many times as long as ours with one warm worker (x1), with two (x2),")
    print("and in one cold process (xc); `all` is the median for all runs.\n")
    print(f"{'ms a run':26}{HEADINGS}{'x1':>7}{'x2':>7}{'xc':>7}{'all, s':>9}")
    for name, found in taken.items():
        times = "".join(f"{median(found) / median(taken[each]):7.2f}" for each in REFERENCES)
        print(f"{name:26}{three(found)}{times}{median(found) * runs:9.2f}")
    for name in missing_tools():
        print(f"{name}: cannot be imported here")


def _rules(qrels: str) -> ScoringOptions:
    table = open_qrels(qrels)
    return ScoringOptions(read_measures(MEASURES), table, default_gain_map(table.highest_grade))


_warm_rules: dict[str, ScoringOptions] = {}  # of a worker process


def _warm(qrels: str) -> None:
    _warm_rules["rules"] = _rules(qrels)
    time.sleep(0.2)  # so that no worker takes the other's turn


def _score_warm(path: str) -> ScoredRun:
    """Scores of every topic as they go back to whoever asked."""
    return score_file(path, _warm_rules["rules"])


# The command line, and then the most memory that its process has had (where the system tells).
_COLD_SCRIPT: Final = """
import os, sys
from scoring.cli.main import main
status = main(sys.argv[1:])
if os.path.exists("/proc/self/status"):
    with open("/proc/self/status") as file:
        sys.stderr.write(next(line for line in file if line.startswith("VmHWM")).split()[1])
sys.exit(status)
"""


def _cold(qrels: str, paths: Sequence[str], workers: int) -> int:
    """A process of its own, from its start to the last line of CSV; its kilobytes at the most."""
    measures = [argument for name in MEASURES for argument in ("-m", name)]
    options = ["-q", "-c", "--format", "csv", "--workers", str(workers)]
    done = subprocess.run(  # noqa: S603 - our own interpreter and script
        [sys.executable, "-c", _COLD_SCRIPT, "evaluate", qrels, *paths, *measures, *options],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=compiling_environment(),
        check=True,
        text=True,
    )
    return int(done.stderr or 0)
