"""Evaluates retrieval runs: `import trackside as ts`.

Importing it needs neither Django nor Celery, and loads nothing until it is used. `docs/library.md`
describes it.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if sys.version_info < (3, 11):  # noqa: UP036 - pip refuses it, but a checkout needs no pip
    _WHY = f"Trackside needs Python 3.11 or newer. This is Python {sys.version.split()[0]}."
    # Of `python -m trackside`: a traceback would bury the sentence.
    if sys.argv[0] == "-m":
        sys.stderr.write(f"{_WHY}\n")
        raise SystemExit(2)
    raise ImportError(_WHY)

if TYPE_CHECKING:
    from scoring.library.bad_input import BadInput
    from scoring.library.comparing import agreement, significance, significance_of_scores
    from scoring.library.diversity import diversity
    from scoring.library.estimating import estimate
    from scoring.library.evaluation import Scores, bounds, evaluate, ties
    from scoring.library.judging import select, simulate
    from scoring.library.needed_topics import (
        needed_topics,
        needed_topics_of_scores,
        needed_topics_of_variance,
    )
    from scoring.library.properties import properties
    from scoring.library.ranks import ranks, ranks_of_scores
    from scoring.library.sampling import sample
    from scoring.library.sources import Qrels, Run, read_qrels, read_run
    from scoring.library.stability import stability, stability_of_scores, swaps, swaps_of_scores
    from scoring.library.stratified import stratified_inferred_ap
    from scoring.library.table import Table
    from trackside.client.errors import SiteError
    from trackside.client.site import Site, SubmittedRun

    __version__: str

__all__ = [
    "BadInput",
    "Qrels",
    "Run",
    "Scores",
    "Site",
    "SiteError",
    "SubmittedRun",
    "Table",
    "__version__",
    "agreement",
    "bounds",
    "diversity",
    "estimate",
    "evaluate",
    "needed_topics",
    "needed_topics_of_scores",
    "needed_topics_of_variance",
    "properties",
    "ranks",
    "ranks_of_scores",
    "read_qrels",
    "read_run",
    "sample",
    "select",
    "significance",
    "significance_of_scores",
    "simulate",
    "stability",
    "stability_of_scores",
    "stratified_inferred_ap",
    "swaps",
    "swaps_of_scores",
    "ties",
]

_MODULES = {
    "BadInput": "scoring.library.bad_input",
    "Qrels": "scoring.library.sources",
    "Run": "scoring.library.sources",
    "Scores": "scoring.library.evaluation",
    "Site": "trackside.client.site",
    "SiteError": "trackside.client.errors",
    "SubmittedRun": "trackside.client.site",
    "Table": "scoring.library.table",
    "agreement": "scoring.library.comparing",
    "bounds": "scoring.library.evaluation",
    "diversity": "scoring.library.diversity",
    "estimate": "scoring.library.estimating",
    "evaluate": "scoring.library.evaluation",
    "needed_topics": "scoring.library.needed_topics",
    "needed_topics_of_scores": "scoring.library.needed_topics",
    "needed_topics_of_variance": "scoring.library.needed_topics",
    "properties": "scoring.library.properties",
    "ranks": "scoring.library.ranks",
    "ranks_of_scores": "scoring.library.ranks",
    "read_qrels": "scoring.library.sources",
    "read_run": "scoring.library.sources",
    "sample": "scoring.library.sampling",
    "select": "scoring.library.judging",
    "significance": "scoring.library.comparing",
    "significance_of_scores": "scoring.library.comparing",
    "simulate": "scoring.library.judging",
    "stability": "scoring.library.stability",
    "stability_of_scores": "scoring.library.stability",
    "swaps": "scoring.library.stability",
    "swaps_of_scores": "scoring.library.stability",
    "stratified_inferred_ap": "scoring.library.stratified",
    "ties": "scoring.library.evaluation",
}


def __getattr__(name: str) -> Any:
    """Loads what is asked for (PEP 562)."""
    if name == "__version__":
        return import_module("importlib.metadata").version("trackside")
    if name not in _MODULES:
        raise AttributeError(f"module 'trackside' has no attribute {name!r}")
    found = getattr(import_module(_MODULES[name]), name)
    # Python then finds it without asking again.
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
