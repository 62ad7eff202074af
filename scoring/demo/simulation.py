"""Simulates documents, judgments and runs that behave like those of a track, from a seed.

The model, topic by topic:

1. Every topic has `candidates`, the documents that a system could retrieve. The number of relevant
   ones is log-normal over the topics (a few topics have many), and about a third of them have
   grade 2. The last topic of a collection has none.
2. A run scores a candidate by `quality * LIFT[grade]` plus noise of variance 1. The noise has three
   parts: `pull`, common to all runs (documents that look right to every system), a part common to
   the team's runs, and the run's own. So the runs of a team resemble each other. Quality varies
   with the topic: for all runs, for the team, and for the run.
3. The `depth` best candidates are retrieved. Retrieval scores are written in one of the FORMS that
   systems use; the rounded ones have ties.
4. A run may search `elsewhere`: that share of its candidates is replaced by documents of another
   index, which no other run retrieves and hardly anyone judges.
5. Assessors judge the `pool_depth` best documents of every contributing run and give the true
   grade.

All random numbers come from streams seeded by seed, team and tag: a run does not change if another
one is added or left out.
"""

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LIFT = np.array([0.0, 1.0, 1.5])  # of grade 0, 1, 2
SHARED, TEAM, OWN = 0.35, 0.47, 0.18  # shares of the noise's variance
COLLECTION_SIZE = 200_000  # and as many again in the other index

# How scores are written in the file: a transformation (higher is better) and a format.
FORMS: dict[str, tuple[Callable[[NDArray[np.float64]], NDArray[np.float64]], str]] = {
    "bm25": (lambda scores: 14 + 4 * scores, "%.4f"),
    "coarse": (lambda scores: 14 + 4 * scores, "%.1f"),
    "likelihood": (lambda scores: 0.7 * scores - 8, "%.5f"),
    "probability": (lambda scores: 1 / (1 + np.exp(4 - 2 * scores)), "%.6f"),
    "votes": (lambda scores: np.floor(20 + 12 * scores), "%d"),
    "scientific": (lambda scores: np.exp(scores - 9), "%.6e"),
}


@dataclass(frozen=True)
class Collection:
    """The candidates of every topic and their true grades."""

    topics: tuple[str, ...]
    seed: int
    documents: NDArray[np.int32]  # int32[topics, candidates], each once per topic
    grades: NDArray[np.int8]  # int8[topics, candidates], 0 to 2
    pull: NDArray[np.float32]  # float32[topics, candidates]
    ease: NDArray[np.float64]  # float64[topics], factor of the quality of all runs


@dataclass(frozen=True)
class System:
    """The system of a run: its team, its quality and the format of its file."""

    team: str
    tag: str
    quality: float  # distance of grade 1 from grade 0, in standard deviations of the noise
    form: str = "bm25"
    depth: int = 1000
    elsewhere: float = 0.0
    first_rank: int = 1


@dataclass(frozen=True)
class Retrieved:
    """The documents of a run, best first, and their scores."""

    system: System
    documents: NDArray[np.int32]  # int32[topics, depth]
    scores: NDArray[np.float64]  # float64[topics, depth], descending


def draw_collection(topics: Sequence[str], *, seed: int, candidates: int = 4000) -> Collection:
    """The documents of these topics. The median topic has about 40 relevant documents."""
    random = np.random.default_rng(seed)
    shape = (len(topics), candidates)
    numbers = [random.choice(COLLECTION_SIZE, candidates, replace=False) for _ in topics]
    counts = np.exp(random.normal(np.log(candidates / 100), 0.9, len(topics)))
    counts = np.clip(counts, 2, candidates / 8).astype(int)
    # A slice, because there may be no topic.
    counts[-1:] = 0
    # Candidates are in random order, so the first ones can be the relevant ones.
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
    """The documents that the system retrieves for every topic."""
    team = _stream(collection.seed, system.team)
    own = _stream(collection.seed, system.team, system.tag)
    topics, candidates = collection.documents.shape
    skill = np.exp(team.normal(0, 0.15, topics) + own.normal(0, 0.1, topics))
    scores = (system.quality * collection.ease * skill)[:, None] * LIFT[collection.grades]
    scores += np.sqrt(SHARED) * collection.pull
    scores += np.sqrt(TEAM) * team.standard_normal((topics, candidates), dtype=np.float32)
    scores += np.sqrt(OWN) * own.standard_normal((topics, candidates), dtype=np.float32)
    documents = collection.documents
    if system.elsewhere:
        # Drawn last, so that other numbers of the run are those that it has without a second index.
        moved = own.random((topics, candidates)) < system.elsewhere
        documents = np.where(moved, documents + np.int32(COLLECTION_SIZE), documents)
    # Stable, so that ties are in the same order on every machine.
    best = np.argsort(-scores, axis=1, kind="stable")[:, : system.depth]
    return Retrieved(
        system=system,
        documents=np.take_along_axis(documents, best, axis=1),
        scores=np.take_along_axis(scores, best, axis=1),
    )


def doc_id(document: int) -> str:
    return f"tsd-{document:06d}"


def run_file(collection: Collection, retrieved: Retrieved) -> bytes:
    """The run in TREC's six columns."""
    system = retrieved.system
    score_of, text = FORMS[system.form]
    line = f"%s Q0 tsd-%06d %d {text} {system.tag}\n"
    ranks = range(system.first_rank, system.first_rank + retrieved.documents.shape[1])
    rows = zip(collection.topics, retrieved.documents, score_of(retrieved.scores), strict=True)
    return "".join(
        line % (topic, document, rank, score)
        for topic, documents, scores in rows
        for document, rank, score in zip(documents.tolist(), ranks, scores.tolist(), strict=True)
    ).encode()


def qrels_file(
    collection: Collection, contributors: Iterable[Retrieved], *, pool_depth: int
) -> bytes:
    """Qrels of the pool of these runs, judged without error."""
    pools: list[set[int]] = [set() for _ in collection.topics]
    for retrieved in contributors:
        for pool, documents in zip(pools, retrieved.documents, strict=True):
            pool.update(documents[:pool_depth].tolist())
    lines = []
    for topic, pool, documents, grades in zip(
        collection.topics, pools, collection.documents, collection.grades, strict=True
    ):
        grade_of = dict(zip(documents.tolist(), grades.tolist(), strict=True))
        lines += [f"{topic} 0 {doc_id(d)} {grade_of.get(d, 0)}\n" for d in sorted(pool)]
    return "".join(lines).encode()


def _stream(seed: int, *names: str) -> np.random.Generator:
    # Not `hash`, whose value for a text differs between processes.
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])
