"""Choosing documents for judging takes little memory: rankings are read one after the other, and
arrays with an entry for each place of a document are made in blocks."""

import tracemalloc
import weakref

import numpy as np
import pytest

from scoring.core.data.judgments import build_table
from scoring.core.data.ranking import rank
from scoring.core.judging.candidates import collect_candidates, find_grades
from scoring.core.judging.planned_judging import plan_judging
from scoring.core.judging.selection import METHODS, Strategy, weigh
from tests.scoring.core.rankings import ranking
from tests.scoring.core.test_selection import unjudged


@pytest.mark.parametrize("at_a_time", [1, 7, 100])
def test_candidates_are_the_same_whatever_is_worked_on_at_a_time(at_a_time, monkeypatch):
    generator = np.random.default_rng(2)
    topics = ["10", "9", "é", "1", "no run has it"]
    runs = [
        ranking(
            {
                topic: [
                    f"d{n:0{width}}" for n in generator.permutation(30)[: generator.integers(20)]
                ]
                for topic in generator.permutation(["1", "9", "10", "é", "another"])
            }
        )
        for width in (1, 2, 12)
    ]
    table = build_table(
        topics=("9", "é"),
        qrels_topics=("9", "é"),
        topic_index=np.array([0, 0, 1], np.int32),
        doc_ids=np.array([b"d3", b"d12", b"d00"]),
        grades=np.array([1, 0, 2], np.int16),
        highest_grade=2,
    )
    everything = collect_candidates(runs, topics=topics, depth=15)
    grades, named = find_grades(everything, table), everything.named
    weights = weigh(everything, Strategy("B", 0.8), unjudged(everything))
    monkeypatch.setattr("scoring.core.judging.candidates._AT_A_TIME", at_a_time)
    monkeypatch.setattr("scoring.core.judging.selection._AT_A_TIME", at_a_time)
    again = collect_candidates(iter(runs), topics=topics, depth=15)
    for column in ("topic_rows", "doc_ids", "starts", "run_rows", "positions"):
        assert getattr(again, column).tolist() == getattr(everything, column).tolist()
    assert find_grades(again, table).tolist() == grades.tolist()
    assert again.named.tolist() == named.tolist()
    assert weigh(again, Strategy("B", 0.8), unjudged(again)).tolist() == weights.tolist()


def test_rankings_are_read_one_after_the_other():
    alive = weakref.WeakSet()

    def read():
        for _ in range(5):
            assert not alive
            one = ranking({"1": ["a", "b"]})
            alive.add(one)
            yield one
            del one

    assert collect_candidates(read(), topics=["1"]).runs == 5


@pytest.mark.parametrize("method", METHODS)
def test_a_plan_takes_few_bytes_for_each_place(method, monkeypatch):
    """A campaign of MS MARCO's size has 14 million places, and a worker some 500 MB for them. The
    blocks here are as much smaller as this campaign is."""
    for module in ("candidates", "selection"):
        monkeypatch.setattr(f"scoring.core.judging.{module}._AT_A_TIME", 1 << 13)
    topics, depth, runs = [f"{n:03}" for n in range(300)], 400, 5
    generator = np.random.default_rng(1)
    shown = [generator.permutation(700)[:depth] for _ in range(runs * len(topics))]
    doc_ids = np.char.add(b"d", np.array(shown).astype("S7")).reshape(runs, -1)
    index = np.repeat(np.arange(len(topics), dtype=np.int32), depth)
    scores = np.tile(np.arange(depth, 0.0, -1.0), len(topics))
    rankings = [
        rank(topics=topics, topic_index=index, doc_ids=each, retrieval_scores=scores)
        for each in doc_ids
    ]
    tracemalloc.start()
    try:
        candidates = collect_candidates(rankings, topics=topics)
        _, most_before = tracemalloc.get_traced_memory()
        outcomes, shares = unjudged(candidates), np.full(runs, 0.5)
        tracemalloc.reset_peak()
        plan_judging(
            candidates, Strategy(method, 0.8), outcomes, budget=600, batch=20, shares=shares
        )
        _, most_in_plan = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    places = len(candidates.positions)
    assert max(most_before, most_in_plan) / places < 40
