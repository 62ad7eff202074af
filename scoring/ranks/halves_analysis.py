"""Leaderboards of disjoint halves of the topics."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from campaigns.models import Campaign, Qrels
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.split_halves import bin_width, half_sizes, split_halves
from scoring.significance.analysis import ordered_vectors

SPLITS, SEED = 500, 1  # as on the command line
PAIRS: Final = 20_000_000  # of runs and splits, for each size: some seconds


def compute(campaign: Campaign, qrels: Qrels, question: Mapping[str, Any]) -> dict[str, Any]:
    """`sizes`, and for each of them `mean`, `lowest` and `highest` τ-b, `swaps` and `pairs` by the
    difference in steps of `width`, as `core.statistics.split_halves` has them; `splits` says how
    many, which is fewer than SPLITS for a thousand runs. No size if runs or topics are too few."""
    (vectors,) = ordered_vectors(campaign, qrels, [parse_measure(question["measure"])])
    base = vectors.sign * vectors.base
    counted = base[:, ~np.isnan(base).all(axis=0)]
    runs, topics = counted.shape
    sizes = half_sizes(topics) if runs > 1 else []
    splits = max(50, min(SPLITS, PAIRS // max(runs * (runs - 1), 1)))
    found = split_halves(
        counted, sizes=sizes, splits=splits, seed=SEED, width=bin_width(vectors.base)
    )
    return {
        "sizes": found.sizes,
        "mean": found.mean,
        "lowest": found.lowest,
        "highest": found.highest,
        "width": np.array(found.width),
        "swaps": found.swaps,
        "pairs": found.pairs,
        "splits": np.array(splits),
        "runs": np.array(runs),
        "topics": np.array(topics),
    }
