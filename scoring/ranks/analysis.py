"""How certain the rank of each run is: over other topics, and over unjudged documents."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.rank_intervals import bootstrap_ranks, possible_ranks
from scoring.results.vectors import Vectors
from scoring.significance.analysis import ordered_vectors

SAMPLES, SEED, LEVEL = 10_000, 1, 0.95  # as on the command line
UNKNOWN: Final = 0  # in place of a rank


def compute(campaign: Campaign, qrels: Qrels, question: Mapping[str, Any]) -> dict[str, Any]:
    """Of each ranked run by the question's `measure`, in the order of `run_ids`: the interval of
    ranks `best` to `worst` and the chance to be the best, `wins`; and `possible_best` and
    `possible_worst`, which are UNKNOWN without residuals. With less than two topics there are no
    other samples, and `best` and `worst` are UNKNOWN."""
    (vectors,) = ordered_vectors(campaign, qrels, [parse_measure(question["measure"])])
    run_ids = np.array(vectors.run_ids, dtype=np.str_)
    possible_best, possible_worst = _possible(vectors)
    possible = {"possible_best": possible_best, "possible_worst": possible_worst}
    base = vectors.sign * vectors.base
    if len(run_ids) == 0 or (~np.isnan(base).all(axis=0)).sum() < 2:
        unknown, wins = np.full(len(run_ids), UNKNOWN), np.full(len(run_ids), np.nan)
        return {"run_ids": run_ids, "best": unknown, "worst": unknown, "wins": wins, **possible}
    found = bootstrap_ranks(base, samples=SAMPLES, seed=SEED, level=LEVEL)
    return {
        "run_ids": run_ids,
        "best": found.best,
        "worst": found.worst,
        "wins": found.wins,
        **possible,
    }


def _possible(vectors: Vectors) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if np.isnan(vectors.mean_residual).all() or vectors.sign < 0:
        unknown = np.full(len(vectors.run_ids), UNKNOWN)
        return unknown, unknown
    return possible_ranks(vectors.mean_base, vectors.mean_base + vectors.mean_residual)
