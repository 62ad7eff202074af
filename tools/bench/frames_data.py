"""Data frames to evaluate, as Parquet files:

    python -m tools.bench.frames_data FOLDER [RUNS QRELS]

Without RUNS, one simulated run of the size of MS MARCO's development topics: 6,980 topics with
1,000 documents each, of which few are judged. No two documents of a topic have the same score, also
in single precision, so that all tools have the same order.
"""

import sys
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from scoring.cli.opening import open_run
from scoring.library.bad_input import BadInput
from scoring.library.sources import read_qrels, read_run

TOPICS: Final = 6980
DEPTH: Final = 1000
PASSAGES: Final = 8_841_823
STRIDE: Final = 40_487  # coprime to PASSAGES: the documents of a topic are different ones
SHARE_FOUND: Final = 0.85  # of the relevant documents
SHARE_WITH_TWO: Final = 1 / 15  # of the topics


def write_simulated(folder: Path, *, topics: int = TOPICS, depth: int = DEPTH) -> None:
    """Everything is drawn from one seed."""
    draw = np.random.default_rng(1)
    codes = np.array([f"{1_000_000 + 13 * number}" for number in range(topics)])
    starts = draw.integers(0, PASSAGES, topics)[:, None]
    documents = (
        starts + STRIDE * draw.permuted(np.tile(np.arange(depth), (topics, 1)), axis=1)
    ) % (PASSAGES)
    scores = 2.0 * depth - np.arange(depth) - 0.25 * draw.random((topics, depth))
    relevant = 1 + (draw.random(topics) < SHARE_WITH_TWO)
    ranks = np.minimum(draw.geometric(0.06, (topics, 2)), depth) - 1
    ranks[:, 1] = (ranks[:, 0] + draw.integers(1, depth, topics)) % depth
    judged = np.take_along_axis(documents, ranks, axis=1)
    missed = draw.random((topics, 2)) > SHARE_FOUND
    judged[missed] = (starts + STRIDE * (depth + np.arange(2)))[missed] % PASSAGES
    is_judged = np.arange(2) < relevant[:, None]
    run = {
        "query_id": np.repeat(codes, depth),
        "doc_id": documents.ravel().astype(str),
        "score": scores.ravel(),
    }
    qrels = {
        "query_id": np.repeat(codes, 2)[is_judged.ravel()],
        "doc_id": judged[is_judged].astype(str),
        "relevance": np.ones(int(is_judged.sum()), np.int64),
    }
    _write(folder, {"run": pl.DataFrame(run)}, pl.DataFrame(qrels))


def write_real(folder: Path, runs: Path, qrels: Path) -> None:
    """The files of a folder that are runs, one frame each."""
    frames = {}
    for path in sorted(each for each in runs.iterdir() if each.is_file()):
        try:
            open_run(str(path))
        except BadInput as error:
            print(f"{path.name} is left out: {error.messages[0]}", file=sys.stderr)
            continue
        frames[path.name.removesuffix(".gz")] = pl.DataFrame(read_run(path).columns)
    _write(folder, frames, pl.DataFrame(read_qrels(qrels).columns))


def _write(folder: Path, runs: dict[str, pl.DataFrame], qrels: pl.DataFrame) -> None:
    (folder / "runs").mkdir(parents=True)
    names = {"topic": "query_id", "grade": "relevance"}
    for name, frame in runs.items():
        frame.rename(names, strict=False).write_parquet(folder / "runs" / f"{name}.parquet")
    judged = qrels.rename(names, strict=False).cast({"relevance": pl.Int64})  # ranx takes no other
    judged.write_parquet(folder / "qrels.parquet")
    rows = sum(map(len, runs.values()))
    print(f"{len(runs)} run(s), {rows:,} rows, {len(qrels):,} judgments")


def main(folder: str, *real: str) -> None:
    if real:
        runs, qrels = map(Path, real)
        write_real(Path(folder), runs, qrels)
    else:
        write_simulated(Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
