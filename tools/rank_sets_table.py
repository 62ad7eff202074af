"""A table of `docs/ranks-and-topics.md`: how many pairs of real runs each correction of rank sets
finds significant.

`TRACKSIDE_DATA=folder python -m tools.rank_sets_table` prints it. A test compares it with the page.
"""

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

import trackside as ts
from scoring.core.statistics.rank_sets import enough_samples, rank_sets

MEASURES: Final = ["AP", "RBP(p=0.5)", "RBP(p=0.8)", "P@10", "nDCG@10", "RR"]
CAMPAIGNS: Final = {
    "TREC-COVID": ("trec-covid-round1", "qrels.txt.gz"),
    "TREC-8": ("trec8-adhoc", "qrels.trec8.adhoc.txt.gz"),
}
HEAD: Final = (
    "| runs, topics, pairs | measure | critical value | max-t | Holm | Bonferroni |\n"
    "|---|---|---|---|---|---|"
)


def table(data: Path) -> Iterator[str]:
    """Its lines."""
    yield HEAD
    for name, (folder, qrels) in CAMPAIGNS.items():
        runs = sorted((data / folder / "runs").iterdir())
        found = ts.evaluate(data / folder / qrels, runs, MEASURES, complete=True)
        for measure in MEASURES:
            scores = np.array([row.value for row in found if row.measure == measure])
            yield _line(name, measure, scores.reshape(len(runs), -1))


def _line(name: str, measure: str, scores: NDArray[np.float64]) -> str:
    runs, topics = scores.shape
    samples = enough_samples(0.95)
    by_max_t = rank_sets(scores, samples=samples, seed=1)
    by_holm = rank_sets(scores, correction="holm", samples=samples, seed=1)
    critical = by_max_t.critical_value
    cells = [
        f"{name}: {runs}, {topics}, {math.comb(runs, 2):,}",
        measure,
        "infinite" if math.isinf(critical) else f"{critical:,.1f}",
        *(f"{n:,}" for n in (by_max_t.significant, by_holm.significant, by_max_t.by_bonferroni)),
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print("\n".join(table(Path(os.environ["TRACKSIDE_DATA"]))))
