"""A simulated campaign: documents, judgments and runs that behave like a track's, from a seed.

The model, topic by topic:

1. Every topic has `candidates`, the documents a system could confuse with an answer. Some are
   relevant: their number is log-normal over the topics (a few topics have many) and about a third
   of them have grade 2. The last topic of a collection has none.
2. A run sees a candidate at `quality * LIFT[grade]` plus noise of variance 1. The noise is a sum
   of three: `pull`, which all runs share (documents that look right to every system), one the
   team's runs share, and the run's own. So a team's runs resemble each other more than others'.
   Quality itself varies with the topic: for everybody, for the team, and for the run.
3. The `depth` best candidates are retrieved. Retrieval scores are the run's view in one of the
   FORMS that systems write; the rounded ones tie.
4. A run may search `elsewhere`: that share of its candidates is replaced by documents of another
   index, which nobody else retrieves and so hardly anyone judges.
5. Judges see the `pool_depth` best documents of every contributing run and give the true grade.

Everything is drawn from streams named by seed, team and tag: a run does not change when another
is added or left out.
"""

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LIFT = np.array([0.0, 1.0, 1.5])  # of grade 0, 1, 2
SHARED, TEAM, OWN = 0.35, 0.47, 0.18  # shares of the noise's variance
COLLECTION_SIZE = 200_000  # and as many again in the other index

# What a run's view looks like in its file: values (higher is better) to text.
FORMS: dict[str, tuple[Callable[[NDArray[np.float64]], NDArray[np.float64]], str]] = {
    "bm25": (lambda view: 14 + 4 * view, "%.4f"),
    "coarse": (lambda view: 14 + 4 * view, "%.1f"),
    "likelihood": (lambda view: 0.7 * view - 8, "%.5f"),
    "probability": (lambda view: 1 / (1 + np.exp(4 - 2 * view)), "%.6f"),
    "votes": (lambda view: np.floor(20 + 12 * view), "%d"),
    "scientific": (lambda view: np.exp(view - 9), "%.6e"),
}


@dataclass(frozen=True)
class Collection:
    """The candidates of every topic, and the truth about them."""

    topics: tuple[str, ...]
    seed: int
    documents: NDArray[np.int32]  # int32[topics, candidates], each once per topic
    grades: NDArray[np.int8]  # int8[topics, candidates], 0 to 2
    pull: NDArray[np.float32]  # float32[topics, candidates]
    ease: NDArray[np.float64]  # float64[topics], factor of everybody's quality


@dataclass(frozen=True)
class System:
    """What makes a run: whose it is, how good, and its habits."""

    team: str
    tag: str
    quality: float  # how far grade 1 stands above grade 0, in standard deviations of the noise
    form: str = "bm25"
    depth: int = 1000
    elsewhere: float = 0.0
    first_rank: int = 1


@dataclass(frozen=True)
class Retrieved:
    """A run's answer: positions of candidates, best first, and its view of them."""

    system: System
    documents: NDArray[np.int32]  # int32[topics, depth]
    view: NDArray[np.float64]  # float64[topics, depth], falling


def draw_collection(topics: Sequence[str], *, seed: int, candidates: int = 4000) -> Collection:
    """The documents of these topics. The median topic has about 40 relevant ones."""
    random = np.random.default_rng(seed)
    shape = (len(topics), candidates)
    numbers = [random.choice(COLLECTION_SIZE, candidates, replace=False) for _ in topics]
    counts = np.exp(random.normal(np.log(candidates / 100), 0.9, len(topics)))
    counts = np.clip(counts, 2, candidates / 8).astype(int)
    counts[-1:] = 0
    # Candidates stand in random order, so the first ones may as well be the relevant ones.
    is_relevant = np.arange(candidates) < counts[:, None]
    is_highly = is_relevant & (random.random(shape) < 1 / 3)
    return Collection(
        topics=tuple(topics),
        seed=seed,
        documents=np.array(numbers, dtype=np.int32).reshape(shape),
        grades=is_relevant.astype(np.int8) + is_highly.astype(np.int8),
        pull=random.standard_normal(shape, dtype=np.float32),
        ease=np.exp(random.normal(0, 0.2, len(topics))),
    )


def retrieve(collection: Collection, system: System) -> Retrieved:
    """What the system finds for every topic."""
    team = _stream(collection.seed, system.team)
    own = _stream(collection.seed, system.team, system.tag)
    topics, candidates = collection.documents.shape
    skill = np.exp(team.normal(0, 0.15, topics) + own.normal(0, 0.1, topics))
    view = (system.quality * collection.ease * skill)[:, None] * LIFT[collection.grades]
    view += np.sqrt(SHARED) * collection.pull
    view += np.sqrt(TEAM) * team.standard_normal((topics, candidates), dtype=np.float32)
    view += np.sqrt(OWN) * own.standard_normal((topics, candidates), dtype=np.float32)
    documents = collection.documents
    if system.elsewhere:
        moved = own.random((topics, candidates)) < system.elsewhere
        documents = np.where(moved, documents + np.int32(COLLECTION_SIZE), documents)
    best = np.argsort(-view, axis=1, kind="stable")[:, : system.depth]
    return Retrieved(
        system=system,
        documents=np.take_along_axis(documents, best, axis=1),
        view=np.take_along_axis(view, best, axis=1),
    )


def run_file(collection: Collection, retrieved: Retrieved) -> bytes:
    """The run as TREC's six columns."""
    system = retrieved.system
    score_of, text = FORMS[system.form]
    line = f"%s Q0 tsd-%06d %d {text} {system.tag}\n"
    ranks = range(system.first_rank, system.first_rank + retrieved.documents.shape[1])
    rows = zip(collection.topics, retrieved.documents, score_of(retrieved.view), strict=True)
    return "".join(
        line % (topic, document, rank, score)
        for topic, documents, scores in rows
        for document, rank, score in zip(documents.tolist(), ranks, scores.tolist(), strict=True)
    ).encode()


def qrels_file(
    collection: Collection, contributors: Iterable[Retrieved], *, pool_depth: int
) -> bytes:
    """The pool of these runs as qrels, judged without error."""
    pools: list[set[int]] = [set() for _ in collection.topics]
    for retrieved in contributors:
        for pool, documents in zip(pools, retrieved.documents, strict=True):
            pool.update(documents[:pool_depth].tolist())
    lines = []
    for topic, pool, documents, grades in zip(
        collection.topics, pools, collection.documents, collection.grades, strict=True
    ):
        grade_of = dict(zip(documents.tolist(), grades.tolist(), strict=True))
        lines += [f"{topic} 0 tsd-{d:06d} {grade_of.get(d, 0)}\n" for d in sorted(pool)]
    return "".join(lines).encode()


def _stream(seed: int, *names: str) -> np.random.Generator:
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])
