"""The simulated campaign that is scored: its size, its measures, its files."""

from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from typing import Final

from scoring.demo.simulation import (
    FORMS,
    Collection,
    Retrieved,
    System,
    qrels_file,
    retrieve,
    run_file,
)

RUNS, TOPICS, DEPTH = 129, 50, 1000
# RBP with its residual, which no other tool gives along with the rest.
MEASURES: Final = ("AP", "nDCG", "nDCG@10", "P@10", "Rprec", "RR", "bpref", "R@100", "RBP(p=0.8)")


def write_campaign(collection: Collection, folder: Path) -> tuple[str, list[str]]:
    """The paths of the qrels and of all runs; every third run is pooled."""
    paths, pooled = [], []
    for number, system in enumerate(islice(_systems(), RUNS)):
        found = retrieve(collection, system)
        paths.append(str(folder / system.tag))
        Path(paths[-1]).write_bytes(run_file(collection, found))
        if number % 3 == 0:
            pooled.append(Retrieved(system, found.documents[:, :50].copy(), found.view[:, :50]))
    qrels = folder / "qrels"
    qrels.write_bytes(qrels_file(collection, pooled, pool_depth=50))
    return str(qrels), paths


def _systems() -> Iterator[System]:
    for number, form in product(range(RUNS), FORMS):
        yield System(f"team{number}", f"run{number}{form}", 0.5 + 0.05 * number, form, depth=DEPTH)
