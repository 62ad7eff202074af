"""A whole campaign, files to scores of every topic, in one session with other tools.

Each round times all tools in turn, so that other work of the machine affects all alike. A ratio is
taken within a round.

- Warm is a process that has imported its modules, read the qrels and scored a run, which compiles
  what ranx compiles. The time is from opening the file of a run to the scores of its topics. Each
  tool reads the file by its own reader.
- Cold is a process from its start to its end: imports, qrels, all runs of the campaign, and the
  score of every topic as CSV.
- The reader alone gives the columns of a run, or pytrec_eval's dictionary.
- The files are in the page cache of the system.
- One worker of ours runs on one processor, as pytrec_eval and ir_measures do. ranx computes on all.
- Every tool computes the eight measures that all have, ours also RBP with its residual.
- The tools that are slower than pytrec_eval score a sample of the runs, and are compared with ours
  on the same runs.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from scoring.cli.opening import open_qrels, open_run
from scoring.cli.scored_files import score_files
from scoring.core.measures.graded import default_gain_map
from scoring.library.measure_lines import read_measures
from scoring.library.scoring_options import ScoringOptions
from tools.bench.campaign import COMMON, MEASURES, Campaign
from tools.bench.clock import HEADINGS, ROUNDS, Times, three, timed
from tools.bench.other_tools import (
    cold_pytrec_eval,
    compiling_environment,
    missing_tools,
    other_tools,
    read_by_pytrec_eval,
)

SAMPLE: Final = 8  # runs that the slower tools score in a round
PYTREC_EVAL: Final = "pytrec_eval"

Act = Callable[[Sequence[str]], object]


class Timed(NamedTuple):
    """What is timed in each round."""

    act: Act
    paths: Sequence[str]
    in_this_process: bool = True  # elsewhere the processor time is not known


class Ratio(NamedTuple):
    """How many times as long as ours another tool takes."""

    what: str
    ours: str
    other: str
    by: str  # the field of Times


def compare(campaign: Campaign) -> None:
    """Prints what each tool takes for a run, and how many times as long as ours."""
    paths = campaign.plain
    sample = [paths[k * len(paths) // SAMPLE] for k in range(SAMPLE)]
    peaks: list[int] = []
    others = _others(campaign, sample)
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_warm, [campaign.qrels] * 4))
        entries = _ours(campaign, sample, pool, peaks) | others
        for entry in entries.values():
            entry.act(entry.paths[:1])  # what is compiled or read once is warm
        taken: dict[str, list[Times]] = {name: [] for name in entries}
        for _ in range(ROUNDS):
            for name, entry in entries.items():
                taken[name].append(timed(partial(entry.act, entry.paths)))
    _report(campaign, entries, taken)
    _report_ratios([ratio for ratio in _ratios(others) if ratio.other in taken], taken)
    for name in missing_tools():
        print(f"{name}: not installed, not compared")
    print(f"\npeak memory of ours, cold, one worker: {max(peaks) / 1024:.0f} MB")


def _ours(
    campaign: Campaign, sample: Sequence[str], pool: ProcessPoolExecutor, peaks: list[int]
) -> dict[str, Timed]:
    score = partial(_score, _rules(campaign.qrels))
    paths = campaign.plain

    def cold(paths: Sequence[str], workers: int = 1) -> None:
        peaks.append(_cold(campaign.qrels, paths, workers))

    return {
        "ours": Timed(score, paths),
        "ours, gzip": Timed(score, campaign.packed),
        "ours, reader": Timed(_read, paths),
        "ours, reader, gzip": Timed(_read, campaign.packed),
        "ours, two workers": Timed(partial(_score_in, pool), paths, False),
        "ours, cold": Timed(cold, paths, False),
        "ours, cold, two workers": Timed(partial(cold, workers=2), paths, False),
        "ours, sample": Timed(score, sample),
        "ours, sample, two workers": Timed(partial(_score_in, pool), sample, False),
    }


def _others(campaign: Campaign, sample: Sequence[str]) -> dict[str, Timed]:
    tools = other_tools(campaign.qrels)
    found = {name: Timed(partial(_each, score), sample) for name, score in tools.items()}
    if PYTREC_EVAL in tools:
        paths = campaign.plain
        found[PYTREC_EVAL] = Timed(partial(_each, tools[PYTREC_EVAL]), paths)
        found["pytrec_eval, reader"] = Timed(partial(_each, read_by_pytrec_eval), paths)
        cold = partial(cold_pytrec_eval, campaign.qrels)
        found["pytrec_eval, cold"] = Timed(cold, paths, False)
    return found


def _ratios(others: Iterable[str]) -> list[Ratio]:
    by_sample = [name for name in others if not name.startswith(PYTREC_EVAL)]
    return [
        Ratio("one worker, processor time", "ours", PYTREC_EVAL, "processor"),
        Ratio("one worker", "ours", PYTREC_EVAL, "wall"),
        Ratio("two workers", "ours, two workers", PYTREC_EVAL, "wall"),
        Ratio("cold", "ours, cold", "pytrec_eval, cold", "wall"),
        Ratio("cold, two workers", "ours, cold, two workers", "pytrec_eval, cold", "wall"),
        Ratio("ours from gzip, processor time", "ours, gzip", PYTREC_EVAL, "processor"),
        Ratio("reader, processor time", "ours, reader", "pytrec_eval, reader", "processor"),
        *(
            Ratio("one worker, processor time", "ours, sample", name, "processor")
            for name in by_sample
        ),
        *(Ratio("one worker", "ours, sample", name, "wall") for name in by_sample),
        *(Ratio("two workers", "ours, sample, two workers", name, "wall") for name in by_sample),
    ]


def _report(campaign: Campaign, entries: dict[str, Timed], taken: dict[str, list[Times]]) -> None:
    print(f"\n{campaign.what}; files to scores of every topic; {', '.join(COMMON)};")
    print("ours also RBP(p=0.8) with its residual")
    print(f"{ROUNDS} rounds; `sample`, ir_measures and ranx: {SAMPLE} runs a round\n")
    print(f"{'ms a run':28}{'processor time':^27}{'wall time':^27}\n{'':28}{HEADINGS}{HEADINGS}")
    for name, entry in entries.items():
        a_second = 1000 / len(entry.paths)
        used, passed = ([getattr(each, by) for each in taken[name]] for by in Times._fields)
        processor = three(used, a_second=a_second) if entry.in_this_process else " " * 27
        print(f"{name:28}{processor}{three(passed, a_second=a_second)}")


def _report_ratios(ratios: Sequence[Ratio], taken: dict[str, list[Times]]) -> None:
    print(f"\n{'times as long as ours':54}{HEADINGS}")
    for what, ours, other, by in ratios:
        pairs = zip(taken[other], taken[ours], strict=True)
        found = [getattr(theirs, by) / getattr(own, by) for theirs, own in pairs]
        print(f"{other.partition(',')[0]:22}{what:32}{three(found, a_second=1)}")


def _each(act: Callable[[str], object], paths: Sequence[str]) -> None:
    for path in paths:
        act(path)


def _read(paths: Sequence[str]) -> None:
    _each(open_run, paths)


def _score(rules: ScoringOptions, paths: Sequence[str]) -> list[object]:
    return list(score_files(paths, rules))


def _rules(qrels: str) -> ScoringOptions:
    table = open_qrels(qrels)
    return ScoringOptions(read_measures(MEASURES), table, default_gain_map(table.highest_grade))


_warm_rules: dict[str, ScoringOptions] = {}  # of a worker process


def _warm(qrels: str) -> None:
    _warm_rules["rules"] = _rules(qrels)
    time.sleep(0.2)  # so that no worker takes the other's turn


def _score_in(pool: ProcessPoolExecutor, paths: Sequence[str]) -> None:
    """Scores of every topic as they go back to the process that asked."""
    parts = [paths[begin : begin + 4] for begin in range(0, len(paths), 4)]
    list(pool.map(_score_warm, parts))


def _score_warm(paths: Sequence[str]) -> list[object]:
    return _score(_warm_rules["rules"], paths)


# The command line, and then the most memory that its process has had (where the system tells).
_COLD_SCRIPT: Final = """
import os, sys
from scoring.cli.main import main_of_process
status = main_of_process()
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
    return int(done.stderr.split()[-1] if done.stderr else 0)
