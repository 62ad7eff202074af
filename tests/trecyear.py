"""What a track's year is played with: topics, twelve runs, and what judges would say of the pool.
Real ones of TREC-COVID where TRACKSIDE_DATA names them, simulated ones anywhere."""

import gzip
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scoring.demo import simulation
from scoring.management.commands import load_demo

DATA = os.environ.get("TRACKSIDE_DATA")
POOL_DEPTH = 10
CHANGED = 50  # judgments that the second version has otherwise

# Small ones and large ones, manual and automatic, with tied scores and without.
REAL_RUNS = (
    "sab20.1.meta.docs",
    "sab20.1.merged",
    "sab20.1.blind",
    "BRPHJ_NLP1",
    "BRPHJ_NLP3",
    "sheikh_bm25_all",
    "sheikh_bm25_manual",
    "ir_covid19_cle_dfr",
    "ir_covid19_cle_ib",
    "T5R1",
    "BERT",
    "lda400s2000",
)

Judged = dict[tuple[str, str], int]  # grade by topic and document


@dataclass(frozen=True)
class Stock:
    """`truth` is what a judge says of a document; those it has not are never judged."""

    topics: bytes
    runs: Mapping[str, bytes]  # by tag, plain
    truth: Judged
    depth: int

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self.runs)

    def pool(self, tags: Iterable[str]) -> Judged:
        """The first documents of these runs, judged."""
        pooled = {
            (topic, document)
            for tag in tags
            for topic, documents in ranked(self.runs[tag]).items()
            for document in documents[:POOL_DEPTH]
        }
        return {pair: self.truth[pair] for pair in sorted(pooled) if pair in self.truth}


def ranked(run: bytes) -> dict[str, list[str]]:
    """The documents of each topic, best first, equal scores by document id from the end."""
    scored: dict[str, list[tuple[float, bytes]]] = {}
    for line in run.decode().splitlines():
        topic, _, document, _, score, _ = line.split()
        scored.setdefault(topic, []).append((float(score), document.encode()))
    return {
        topic: [document.decode() for _, document in sorted(pairs, reverse=True)]
        for topic, pairs in scored.items()
    }


def qrels_file(judged: Judged) -> bytes:
    return "".join(f"{topic} 0 {doc} {grade}\n" for (topic, doc), grade in judged.items()).encode()


def corrected(judged: Judged) -> Judged:
    """The same with some judgments turned round, evenly over all of them."""
    pairs = list(judged)
    turned = set(pairs[:: len(pairs) // CHANGED][:CHANGED])
    return {
        pair: (0 if grade else 1) if pair in turned else grade for pair, grade in judged.items()
    }


@cache
def simulated() -> Stock:
    size = load_demo.SIZES["small"]
    systems = [entry.system for entry in load_demo.read_demo_runs(size)][:12]
    codes = [str(number) for number in range(1, size.topics + 1)]
    collection = simulation.draw_collection(codes, seed=7, candidates=size.candidates)
    found = [simulation.retrieve(collection, system) for system in systems]
    qrels = simulation.qrels_file(collection, found, pool_depth=size.depth)
    return Stock(
        topics="".join(f"{code}\tsimulated topic {code}\n" for code in codes).encode(),
        runs={
            system.tag: simulation.run_file(collection, retrieved)
            for system, retrieved in zip(systems, found, strict=True)
        },
        truth=_truth(qrels),
        depth=size.depth,
    )


@cache
def real() -> Stock:
    folder = Path(DATA or ".") / "trec-covid-round1"
    return Stock(
        topics=(folder / "topics.xml").read_bytes(),
        runs={
            tag: gzip.decompress((folder / "runs" / f"{tag}.gz").read_bytes()) for tag in REAL_RUNS
        },
        truth=_truth(gzip.decompress((folder / "qrels.txt.gz").read_bytes())),
        depth=1000,
    )


def by_hand(run: bytes, judged: Judged, *, p: float) -> dict[str, float]:
    """Mean AP, RBP base and residual over the topics with a relevant document, in plain loops."""
    relevant: dict[str, int] = {}
    for (topic, _), grade in judged.items():
        relevant[topic] = relevant.get(topic, 0) + (grade > 0)
    listed = ranked(run)
    counted = [topic for topic, count in relevant.items() if count]
    found = [
        _of_topic(listed.get(topic, []), topic, judged, relevant[topic], p) for topic in counted
    ]
    names = ("AP", "base", "residual")
    return {name: sum(each[name] for each in found) / len(found) for name in names}


def _of_topic(
    documents: list[str], topic: str, judged: Judged, relevant: int, p: float
) -> dict[str, float]:
    hits, precisions, base, residual = 0, 0.0, 0.0, p ** len(documents)
    for rank, document in enumerate(documents, start=1):
        grade, weight = judged.get((topic, document)), (1 - p) * p ** (rank - 1)
        if grade is None:
            residual += weight
        elif grade > 0:
            hits += 1
            precisions += hits / rank
            base += weight
    return {"AP": precisions / relevant, "base": base, "residual": residual}


def _truth(qrels: bytes) -> Judged:
    lines = (line.split() for line in qrels.decode().splitlines())
    return {(topic, document): int(grade) for topic, _, document, grade in lines}
