"""The simulated campaign: the same from the same seed, and like a track where it matters."""

from itertools import pairwise

import numpy as np
import pytest

from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run
from scoring.demo.simulation import (
    COLLECTION_SIZE,
    FORMS,
    Collection,
    Retrieved,
    System,
    draw_collection,
    qrels_file,
    retrieve,
    run_file,
)

TOPICS = ("1", "2", "3", "4", "5", "6")


def draw(seed: int = 7) -> Collection:
    return draw_collection(TOPICS, seed=seed, candidates=800)


def found(collection: Collection, team: str = "Alice", tag: str = "a1", **habits) -> Retrieved:
    return retrieve(collection, System(team, tag, **{"quality": 1.5, "depth": 100} | habits))


def shared(a: Retrieved, b: Retrieved, cutoff: int = 20) -> float:
    pairs = zip(a.documents[:, :cutoff], b.documents[:, :cutoff], strict=True)
    return float(np.mean([len(np.intersect1d(x, y)) / cutoff for x, y in pairs]))


def share_judged(collection: Collection, qrels: bytes, run: Retrieved, cutoff: int = 10) -> float:
    judged = {tuple(line.split()[::2]) for line in qrels.decode().splitlines()}
    seen = [
        (topic, f"tsd-{document:06d}")
        for topic, documents in zip(collection.topics, run.documents, strict=True)
        for document in documents[:cutoff].tolist()
    ]
    return sum((topic, document) in judged for topic, document in seen) / len(seen)


@pytest.mark.parametrize("form", FORMS)
def test_the_same_seed_gives_the_same_bytes(form: str) -> None:
    first, second = draw(), draw()
    run = run_file(first, found(first, form=form))
    assert run == run_file(second, found(second, form=form))
    assert qrels_file(first, [found(first)], pool_depth=10) == qrels_file(
        second, [found(second)], pool_depth=10
    )


def test_another_seed_team_or_tag_gives_another_run() -> None:
    collection = draw()
    run = found(collection)
    others = (
        found(draw(seed=8)),
        found(collection, team="Bob"),
        found(collection, tag="a2"),
    )
    for other in others:
        assert not np.array_equal(run.documents, other.documents)


@pytest.mark.parametrize("form", FORMS)
def test_a_run_is_what_the_checker_reads(form: str) -> None:
    collection = draw()
    data = run_file(collection, found(collection, form=form))
    parsed = read_run(
        data, known_topics=list(TOPICS), unknown_topics="refuse", max_depth=100, max_lines=10_000
    )
    assert parsed.tag == "a1"
    assert parsed.topics == TOPICS
    assert np.bincount(parsed.topic_index).tolist() == [100] * len(TOPICS)
    assert parsed.doc_ids[0].startswith(b"tsd-")
    for topic in range(len(TOPICS)):
        scores = parsed.retrieval_scores[parsed.topic_index == topic]
        assert all(above >= below for above, below in pairwise(scores))


def test_rounded_scores_tie() -> None:
    collection = draw()
    scores = [
        line.split()[4]
        for line in run_file(collection, found(collection, form="votes")).splitlines()
    ]
    assert len(set(scores)) < len(scores) / 4


def test_ranks_begin_where_the_system_counts_from() -> None:
    collection = draw()
    lines = run_file(collection, found(collection, first_rank=0)).splitlines()
    assert [line.split()[3] for line in lines[:3]] == [b"0", b"1", b"2"]


def test_grades_run_from_0_to_2_and_the_last_topic_has_nothing_relevant() -> None:
    collection = draw()
    qrels = read_qrels(
        qrels_file(collection, [found(collection)], pool_depth=50), known_topics=set(TOPICS)
    )
    assert set(qrels.grades.tolist()) == {0, 1, 2}
    last = qrels.topic_index == qrels.topics.index("6")
    assert last.any()
    assert not qrels.grades[last].any()


def test_topics_differ_in_how_much_is_relevant() -> None:
    counts = (draw_collection(range(50), seed=7, candidates=800).grades > 0).sum(axis=1)
    assert counts.max() > 5 * np.median(counts)


def test_the_pool_leaves_runs_outside_it_unjudged_in_part() -> None:
    collection = draw()
    pooled = found(collection)
    qrels = qrels_file(collection, [pooled], pool_depth=20)
    sibling, stranger = found(collection, tag="a2"), found(collection, team="Bob")
    assert share_judged(collection, qrels, pooled) == 1
    assert share_judged(collection, qrels, sibling) < 1
    assert share_judged(collection, qrels, stranger) < share_judged(collection, qrels, sibling)


def test_a_run_over_another_index_is_hardly_judged() -> None:
    collection = draw()
    lost = found(collection, team="Charlie", elsewhere=0.9)
    assert (lost.documents >= COLLECTION_SIZE).mean() > 0.8
    qrels = qrels_file(collection, [found(collection)], pool_depth=20)
    assert share_judged(collection, qrels, lost) < 0.2


def test_runs_of_a_team_resemble_each_other_more_than_others() -> None:
    collection = draw()
    run = found(collection)
    assert shared(run, found(collection, tag="a2")) > shared(run, found(collection, team="Bob")) > 0


def test_a_better_system_finds_more() -> None:
    collection = draw()
    grade_of = [
        dict(zip(documents.tolist(), grades.tolist(), strict=True))
        for documents, grades in zip(collection.documents, collection.grades, strict=True)
    ]

    def relevant(run: Retrieved) -> int:
        return sum(
            grade_of[topic][document] > 0
            for topic, documents in enumerate(run.documents)
            for document in documents[:10].tolist()
        )

    by_quality = [relevant(found(collection, quality=quality)) for quality in (0.0, 1.0, 2.0)]
    assert by_quality == sorted(by_quality)
    assert by_quality[0] < by_quality[2]
