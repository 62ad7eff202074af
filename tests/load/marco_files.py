"""A campaign of the size of MS MARCO's passage ranking as a folder that import_campaign reads:

    python -m tests.load.marco_files FOLDER [--topics 6980] [--documents 1000] [--runs 5]

Few documents are judged: each topic has one relevant passage, one topic in fifteen has two. A run
finds a relevant passage where its noise puts it among CANDIDATES of the topic, so that runs share
documents and differ in score. Everything is drawn from a seed.
"""

import gzip
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TOPICS, DOCUMENTS, RUNS = 6980, 1000, 5
PASSAGES = 8_841_823
CANDIDATES = 1.6  # as many as a run's documents, times this
STRIDE = 40_487  # coprime to PASSAGES: candidates of a topic are different documents
SHARE_WITH_TWO = 1 / 15
TOPICS_AT_A_TIME = 200


@dataclass(frozen=True)
class Size:
    topics: int = TOPICS
    documents: int = DOCUMENTS
    runs: int = RUNS
    teams: int | None = None  # None: each run is of a team of its own


def write_campaign(folder: Path, size: Size, seed: int = 1) -> None:
    """Topics, qrels, runs and the table of runs."""
    (folder / "runs").mkdir(parents=True)
    codes = [f"{1_000_000 + 13 * number}" for number in range(size.topics)]
    (folder / "topics.tsv").write_text(
        "".join(f"{code}\twhat is passage question number {code}\n" for code in codes)
    )
    (folder / "qrels.txt").write_bytes(b"".join(_qrels(codes, size, seed)))
    rows = ["tag,team,type,pooled"]
    for number in range(size.runs):
        tag = f"dense{number:02d}"
        with gzip.open(folder / "runs" / f"{tag}.gz", "wb", compresslevel=1) as file:
            for block in _run_lines(codes, size, tag, number, seed):
                file.write(block)
        team = number % (size.teams or size.runs)
        rows.append(f"{tag},Team {team:02d},automatic,no")
    (folder / "runs.csv").write_text("\n".join(rows) + "\n")


def _documents(first: int, topics: int, candidates: int, seed: int) -> NDArray[np.int64]:
    """int64[topics, candidates]: the relevant ones of a topic come first."""
    starts = np.random.default_rng((seed, 0)).integers(0, PASSAGES, first + topics)[first:]
    return (starts[:, None] + STRIDE * np.arange(candidates)) % PASSAGES


def _relevant(topics: int, seed: int) -> NDArray[np.int64]:
    """int64[topics]: how many documents of each are relevant."""
    return 1 + (np.random.default_rng((seed, 1)).random(topics) < SHARE_WITH_TWO).astype(int)


def _qrels(codes: list[str], size: Size, seed: int) -> Iterator[bytes]:
    documents = _documents(0, size.topics, 2, seed)
    for code, known, count in zip(codes, documents, _relevant(size.topics, seed), strict=True):
        yield "".join(f"{code} 0 {doc:07d} 1\n" for doc in known[:count]).encode()


def _run_lines(codes: list[str], size: Size, tag: str, number: int, seed: int) -> Iterator[bytes]:
    """The six columns, each of one width, so that numpy writes a block of topics at once."""
    relevant, candidates = _relevant(size.topics, seed), int(CANDIDATES * size.documents)
    for first in range(0, size.topics, TOPICS_AT_A_TIME):
        block = codes[first : first + TOPICS_AT_A_TIME]
        shape = (len(block), candidates)
        view = 0.6 * np.random.default_rng((seed, 2, first)).standard_normal(shape, np.float32)
        own = np.random.default_rng((seed, 3, first, number))
        view += 0.8 * own.standard_normal(shape, np.float32)
        is_relevant = np.arange(candidates) < relevant[first : first + len(block), None]
        view[is_relevant] += 1.5 + 0.2 * number
        order = np.argsort(-view, axis=1)[:, : size.documents]
        documents = _documents(first, len(block), candidates, seed)
        yield _lines(block, np.take_along_axis(documents, order, axis=1), tag)


def _lines(codes: list[str], documents: NDArray[np.int64], tag: str) -> bytes:
    topics, depth = documents.shape
    ranks = np.arange(1, depth + 1)
    columns = [
        np.repeat(_text(np.array(codes, dtype=int), 7), depth, axis=0),
        _same(b" Q0 ", topics * depth),
        _text(documents.reshape(-1), 7),
        _same(b" ", topics * depth),
        np.tile(_text(ranks, 5), (topics, 1)),
        _same(b" ", topics * depth),
        np.tile(_text(depth - ranks + 1, 5), (topics, 1)),
        _same(f" {tag}\n".encode(), topics * depth),
    ]
    return np.concatenate(columns, axis=1).tobytes()


def _text(numbers: NDArray[np.int64], width: int) -> NDArray[np.uint8]:
    """uint8[numbers, width]: their decimal digits, with zeros before them."""
    powers = 10 ** np.arange(width - 1, -1, -1)
    return (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)


def _same(text: bytes, rows: int) -> NDArray[np.uint8]:
    return np.tile(np.frombuffer(text, np.uint8), (rows, 1))


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--topics", type=int, default=TOPICS)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--runs", type=int, default=RUNS)
    asked = parser.parse_args()
    write_campaign(asked.folder, Size(asked.topics, asked.documents, asked.runs))


if __name__ == "__main__":
    main()
