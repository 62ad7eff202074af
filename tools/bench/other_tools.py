"""The other tools, each as an act that reads and scores the plain file of one run, its qrels read
before.

ranx has a thread for every processor, the others have one. A tool that cannot be imported is left
out.
"""

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

ScoreFile = Callable[[str], Any]

PYTREC_EVAL: Final = (
    *("map", "ndcg", "ndcg_cut_10", "P_10", "Rprec", "recip_rank", "bpref", "recall_100"),
)
IR_MEASURES: Final = ("AP", "nDCG", "nDCG@10", "P@10", "Rprec", "RR", "Bpref", "R@100")
IR_MEASURES_RBP: Final = "RBP(rel=1,p=0.8)"  # binary; without rel it is graded
RANX: Final = (
    *("map", "ndcg", "ndcg@10", "precision@10", "r-precision", "mrr", "bpref", "recall@100"),
)

# What each needs to be imported; RBP of ir_measures is computed by cwl-eval.
_NEEDS: Final = {
    "pytrec_eval": ("pytrec_eval",),
    "ir_measures": ("ir_measures",),
    "ir_measures with RBP": ("ir_measures", "cwl"),
    "ranx": ("ranx",),
}


def missing_tools() -> list[str]:
    return [name for name, needs in _NEEDS.items() if not all(map(find_spec, needs))]


def other_tools(qrels: str) -> dict[str, ScoreFile]:
    """Those that can be imported, by name."""
    makers: dict[str, Callable[[str], ScoreFile]] = {
        "pytrec_eval": _pytrec_eval,
        "ir_measures": lambda path: _ir_measures(path, IR_MEASURES),
        "ir_measures with RBP": lambda path: _ir_measures(path, (*IR_MEASURES, IR_MEASURES_RBP)),
        "ranx": _ranx,
    }
    missing = missing_tools()
    return {name: make(qrels) for name, make in makers.items() if name not in missing}


def read_by_pytrec_eval(path: str) -> Any:
    """Its own reader: a dictionary of dictionaries."""
    with open(path) as file:
        return import_module("pytrec_eval").parse_run(file)


def _pytrec_eval(qrels: str) -> ScoreFile:
    tool = import_module("pytrec_eval")
    with open(qrels) as file:
        evaluator = tool.RelevanceEvaluator(tool.parse_qrel(file), set(PYTREC_EVAL))

    def score(path: str) -> Any:
        with open(path) as file:
            return evaluator.evaluate(tool.parse_run(file))

    return score


def _ir_measures(qrels: str, names: Sequence[str]) -> ScoreFile:
    tool = import_module("ir_measures")
    measures = [tool.parse_measure(name) for name in names]
    evaluator = tool.evaluator(measures, list(tool.read_trec_qrels(qrels)))
    return lambda path: list(evaluator.iter_calc(tool.read_trec_run(path)))


def _ranx(qrels: str) -> ScoreFile:
    tool = import_module("ranx")
    warnings.filterwarnings("ignore", message="unsafe cast")  # said of its own code, compiled here
    known = tool.Qrels.from_file(qrels, kind="trec")

    def score(path: str) -> Any:
        run = tool.Run.from_file(path, kind="trec")
        return tool.evaluate(known, run, list(RANX), return_mean=False, make_comparable=True)

    return score


# Every score as CSV, as our command prints it.
_COLD_PYTREC_EVAL: Final = """
import csv, os, sys
import pytrec_eval
measures, qrels, *runs = sys.argv[1:]
with open(qrels) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), measures.split(","))
table = csv.writer(sys.stdout)
for path in runs:
    with open(path) as file:
        found = evaluator.evaluate(pytrec_eval.parse_run(file))
    for topic, scores in found.items():
        table.writerows((path, topic, *score) for score in scores.items())
"""


def compiling_environment() -> dict[str, str]:
    """That of this process, where modules are kept compiled, as they are where they are installed:
    else the first thing that a cold process does is compiling them all."""
    return {name: os.environ[name] for name in os.environ if name != "PYTHONDONTWRITEBYTECODE"}


def cold_pytrec_eval(qrels: str, paths: Sequence[str]) -> None:
    """A process of its own, from its start to the last line of CSV."""
    subprocess.run(  # noqa: S603 - our own interpreter and script
        [sys.executable, "-c", _COLD_PYTREC_EVAL, ",".join(PYTREC_EVAL), qrels, *paths],
        stdout=subprocess.DEVNULL,
        env=compiling_environment(),
        check=True,
    )
