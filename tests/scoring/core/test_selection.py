"""Candidates for judging are weighed as the strategic judgments paper says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.data.grades import UNJUDGED
from scoring.core.data.judgments import build_table
from scoring.core.judging import selection
from scoring.core.judging.candidates import candidates_to_depth, collect_candidates, find_outcomes
from scoring.core.judging.selection import (
    Strategy,
    Weighing,
    bounds_of_runs,
    choose,
    static_order,
    weigh,
)
from tests.scoring.core.rankings import ranking

TABLE_1 = [
    "18 22 15 13 11 25 10 84",
    "22 10 11 19 38 18 33 17",
    "21 35 16 11 38 33 18 17",
    "10 18 11 22 87 13 17 20",
]


def table_1():
    return collect_candidates([ranking({"1": row.split()}) for row in TABLE_1], topics=["1"])


def unjudged(candidates):
    return np.full(len(candidates), UNJUDGED, np.int8)


def named(candidates, chosen):
    return [
        (candidates.topics[candidates.topic_rows[x]], candidates.doc_ids[x].decode())
        for x in chosen
    ]


def documents(candidates, chosen):
    return " ".join(doc for _, doc in named(candidates, chosen))


# --- the paper's example ------------------------------------------------------------------------


def test_method_a_on_table_1():
    candidates = table_1()
    strategy = Strategy("A", 0.8)
    chosen = choose(candidates, strategy, unjudged(candidates), count=6)
    assert documents(candidates, chosen) == "18 22 11 10 21 13"
    weights = weigh(candidates, strategy, unjudged(candidates))[chosen]
    expected = [0.478, 0.4624, 0.4403, 0.4124, 0.2, 0.1679]
    assert weights == pytest.approx(expected, abs=0.5e-4)
    assert documents(candidates, static_order(candidates, strategy)[:6]) == "18 22 11 10 21 13"


def test_residuals_of_table_1_after_six_judgments():
    candidates = table_1()
    outcomes = unjudged(candidates)
    outcomes[choose(candidates, Strategy("A", 0.8), outcomes, count=6)] = 0
    judged = candidates.run_rows[np.repeat(outcomes == 0, np.diff(candidates.starts))]
    assert np.bincount(judged).tolist() == [5, 4, 3, 5]
    residuals = bounds_of_runs(candidates, outcomes, 0.8).residual[:, 0]
    assert residuals == pytest.approx([0.403, 0.446, 0.645, 0.344], abs=0.5e-3)
    assert round(float(residuals.mean()), 2) == 0.46  # the paper prints .49


def test_pooling_of_table_1():
    """The paper takes 18 22 21 10, then 35, then 15 11 16, then 13: each run's turn. Here equal
    ranks go in the order in which run 1, then 2, 3 and 4 name the documents at all."""
    candidates = table_1()
    order = static_order(candidates, Strategy("pooling", 0.8))
    assert documents(candidates, order[:9]) == "18 22 10 21 35 15 11 16 13"
    assert documents(candidates, candidates_to_depth(candidates, 1)[1]) == "10 18 21 22"
    assert documents(candidates, candidates_to_depth(candidates, 3)[1]) == "10 11 15 16 18 21 22 35"
    assert len(candidates_to_depth(candidates, 8)[0]) == len(candidates) == 17


def test_pooling_goes_rank_by_rank_where_weights_vanish():
    """.5**41 rounds to nothing at 12 decimals: the runs still take turns."""
    runs = [ranking({"1": [f"{run}{rank:03}" for rank in range(60)]}) for run in "ab"]
    candidates = collect_candidates(runs, topics=["1"])
    order = static_order(candidates, Strategy("pooling", 0.5))
    names = [doc for _, doc in named(candidates, order)]
    assert names == [f"{run}{rank:03}" for rank in range(60) for run in "ab"]


# --- against the formulas written out -----------------------------------------------------------


def literal_state(runs, topics, judged, p):
    """Base and residual of each (run, topic); `judged` is {(topic, doc): outcome}."""
    base, residual = {}, {}
    for s, run in enumerate(runs):
        for topic in topics:
            base[s, topic], residual[s, topic] = 0.0, 1.0
            for i, doc in enumerate(run.get(topic, [])):
                outcome = judged.get((topic, doc))
                if outcome is not None:
                    residual[s, topic] -= (1 - p) * p**i
                    base[s, topic] += outcome * (1 - p) * p**i
    return base, residual


def literal_weights(runs, topics, judged, strategy):
    p = strategy.persistence
    base, residual = literal_state(runs, topics, judged, p)
    weights = {}
    for s, run in enumerate(runs):
        for topic in topics:
            seen = topics if strategy.scope == "run" else [topic]
            r = sum(residual[s, t] for t in seen) / len(seen)
            b = sum(base[s, t] for t in seen) / len(seen)
            factor = {"A": 1, "B": r, "C": r * (b + r / 2) ** 3, "pooling": 1}[strategy.method]
            for i, doc in enumerate(run.get(topic, [])):
                old, new = weights.get((topic, doc), 0), (1 - p) * p**i * factor
                weights[topic, doc] = max(old, new) if strategy.method == "pooling" else old + new
    return weights


DOCS = [f"D{n}" for n in range(9)]
TOPICS = ["10", "9", "é"]  # ascending as bytes: "10", "9", "é"
RUNS = st.lists(
    st.dictionaries(
        st.sampled_from(TOPICS),
        st.permutations(DOCS).flatmap(
            lambda docs: st.integers(0, 6).map(lambda length: docs[:length])
        ),
    ),
    min_size=1,
    max_size=4,
)
STRATEGIES = st.builds(
    Strategy,
    st.sampled_from(["pooling", "A", "B", "C"]),
    st.sampled_from([0.0, 0.5, 0.8]),
    st.sampled_from(["run", "topic"]),
)


def in_reading_order(runs, topics):
    """Every (topic, doc) as a reader of one run after the other meets it."""
    return [(topic, doc) for run in runs for topic in topics for doc in run.get(topic, [])]


@given(RUNS, STRATEGIES, st.randoms(use_true_random=False))
def test_weights_and_choices_by_the_formulas(runs, strategy, random):
    topics = ["9", "é", "10"]
    candidates = collect_candidates([ranking(run) for run in runs], topics=topics)
    names = named(candidates, range(len(candidates)))
    assert names == sorted(names, key=lambda name: (name[0].encode(), name[1].encode()))
    outcomes = np.array([random.choice([UNJUDGED, 0, 1]) for _ in names], np.int8)
    judged = {n: int(o) for n, o in zip(names, outcomes, strict=True) if o != UNJUDGED}
    literal = literal_weights(runs, topics, judged, strategy)
    assert set(names) == set(literal)
    weights = weigh(candidates, strategy, outcomes)
    assert weights == pytest.approx(np.array([literal[n] for n in names]), abs=1e-12)
    assert np.array_equal(weights, np.round(weights, 12))
    chosen = choose(candidates, strategy, outcomes, count=5)
    read = {doc: n for n, doc in reversed(list(enumerate(in_reading_order(runs, topics))))}
    if strategy.method == "pooling":
        best = {
            n: min(run[n[0]].index(n[1]) for run in runs if n[1] in run.get(n[0], []))
            for n in names
        }
        order = sorted(range(len(names)), key=lambda x: (best[names[x]], read[names[x]]))
    else:
        order = sorted(range(len(names)), key=lambda x: (-weights[x], x))
    assert chosen.tolist() == [x for x in order if outcomes[x] == UNJUDGED][:5]
    base, residual = literal_state(runs, topics, judged, strategy.persistence)
    bounds = bounds_of_runs(candidates, outcomes, strategy.persistence)
    for (s, topic), expected in base.items():
        row = topics.index(topic)
        assert bounds.base[s, row] == pytest.approx(expected, abs=1e-12)
        assert bounds.residual[s, row] == pytest.approx(residual[s, topic], abs=1e-12)


@pytest.mark.parametrize("method", ["A", "B", "C"])
@pytest.mark.parametrize("scope", ["run", "topic"])
@pytest.mark.parametrize("fewest", [8, selection._FEWEST_WEIGHED])
def test_weighing_only_the_heavy_ones_changes_no_choice(method, scope, fewest, monkeypatch):
    monkeypatch.setattr(selection, "_FEWEST_WEIGHED", fewest)
    generator = np.random.default_rng(4)
    topics = [str(t) for t in range(4)]
    docs = [f"doc-{n:05}-long" for n in range(900)]
    popular = np.linspace(1, 0, 900)
    runs = [
        ranking(
            {
                t: [docs[n] for n in np.argsort(-popular + generator.normal(0, 0.4, 900))[:400]]
                for t in topics
            }
        )
        for _ in range(12)
    ]
    candidates = collect_candidates(runs, topics=topics)
    assert len(candidates) > 2000
    strategy = Strategy(method, 0.95, scope)
    weighing = Weighing(candidates, strategy)
    outcomes = unjudged(candidates)
    for batch in range(12):
        chosen = weighing.best(30)
        weights = np.where(outcomes == UNJUDGED, weigh(candidates, strategy, outcomes), -1)
        assert chosen.tolist() == np.argsort(-weights, kind="stable")[:30].tolist(), batch
        assert chosen.tolist() == choose(candidates, strategy, outcomes, count=30).tolist(), batch
        assert weighing.weights_of(chosen).tolist() == weights[chosen].tolist()
        outcomes[chosen] = generator.integers(0, 2, 30)
        weighing.note(chosen, outcomes[chosen])


def test_identical_runs_tie_and_ties_go_by_topic_code_then_document():
    run = {"2": ["b", "a"], "10": ["z", "c"]}
    candidates = collect_candidates([ranking(run), ranking(run)], topics=["2", "10"])
    for method in ("A", "B", "C"):
        chosen = choose(candidates, Strategy(method, 0.5), unjudged(candidates), count=9)
        assert named(candidates, chosen) == [("10", "z"), ("2", "b"), ("10", "c"), ("2", "a")]


def test_a_run_that_looks_good_is_settled_first_by_method_c():
    runs = [ranking({"1": ["a", "b", "c"]}), ranking({"1": ["x", "y", "z"]})]
    candidates = collect_candidates(runs, topics=["1"])
    outcomes = unjudged(candidates)
    outcomes[[0, 3]] = [1, 0]  # a, x
    assert documents(candidates, choose(candidates, Strategy("C", 0.5), outcomes, count=3)) == (
        "b c y"
    )
    assert documents(candidates, choose(candidates, Strategy("B", 0.5), outcomes, count=3)) == (
        "b y c"
    )


# --- candidates ---------------------------------------------------------------------------------


def test_candidates_know_all_their_places():
    runs = [ranking({"1": ["a", "b"], "7": ["q"]}), ranking({"2": ["a"], "1": ["b", "c", "d"]})]
    candidates = collect_candidates(runs, topics=["1", "2"], depth=2)
    assert named(candidates, range(4)) == [("1", "a"), ("1", "b"), ("1", "c"), ("2", "a")]
    assert candidates.starts.tolist() == [0, 1, 3, 4, 5]
    assert candidates.run_rows.tolist() == [0, 0, 1, 1, 1]
    assert candidates.positions.tolist() == [0, 1, 0, 1, 0]
    assert candidates.best_positions.tolist() == [0, 0, 1, 0]
    assert candidates.places_of(np.array([3, 1])).tolist() == [4, 1, 2]


def test_long_and_short_ids_are_told_apart_and_ordered_as_bytes():
    ids = ["a", "aardvark", "aardvark0", "aardvark00000000", "B", "b" * 20, "é"]
    runs = [ranking({"1": ids[:2]}), ranking({"1": ids[1:]})]
    candidates = collect_candidates(runs, topics=["1"])
    expected = sorted(ids, key=str.encode)
    assert documents(candidates, range(len(candidates))) == " ".join(expected)


def test_outcomes_come_from_the_qrels():
    candidates = collect_candidates(
        [ranking({"2": ["a", "b", "c"], "9": ["a"]})], topics=["2", "9"]
    )
    table = build_table(
        topics=["1", "2"],
        qrels_topics=["2"],
        topic_index=np.zeros(3, np.int32),
        doc_ids=np.array([b"a", b"b", b"e"]),
        grades=np.array([2, 1, 2]),
        highest_grade=2,
    )
    assert find_outcomes(candidates, table, rel=2).tolist() == [1, 0, UNJUDGED, UNJUDGED]
    assert find_outcomes(candidates, table, rel=1).tolist() == [1, 1, UNJUDGED, UNJUDGED]
    with pytest.raises(ValueError, match="rel"):
        find_outcomes(candidates, table, rel=0)


def test_runs_without_documents_have_no_candidates():
    candidates = collect_candidates([ranking({"1": []})], topics=["1"])
    assert len(candidates) == 0
    for method in ("pooling", "A", "B", "C"):
        assert choose(candidates, Strategy(method, 0.8), unjudged(candidates), count=3).size == 0
    assert len(candidates_to_depth(candidates, 5)[0]) == 0
    assert bounds_of_runs(candidates, unjudged(candidates), 0.8).residual.tolist() == [[1.0]]


def test_wrong_input_is_refused():
    for wrong in (("D", 0.8, "run"), ("A", 1.0, "run"), ("A", float("nan"), "run"), ("A", 0.8, "")):
        with pytest.raises(ValueError, match=r"method|persistence|scope"):
            Strategy(*wrong)
    candidates = table_1()
    with pytest.raises(ValueError, match="without runs"):
        collect_candidates([], topics=["1"])
    with pytest.raises(ValueError, match="depth"):
        collect_candidates([ranking({"1": ["a"]})], topics=["1"], depth=0)
    with pytest.raises(ValueError, match="twice"):
        collect_candidates([ranking({"1": ["a"]})], topics=["1", "1"])
    with pytest.raises(ValueError, match="depth"):
        candidates_to_depth(candidates, 0)
    with pytest.raises(ValueError, match="depends"):
        static_order(candidates, Strategy("B", 0.8))
    with pytest.raises(ValueError, match="count"):
        choose(candidates, Strategy("A", 0.8), unjudged(candidates), count=-1)
    with pytest.raises(ValueError, match="outcomes"):
        weigh(candidates, Strategy("A", 0.8), unjudged(candidates)[1:])
    with pytest.raises(ValueError, match="outcomes"):
        weigh(candidates, Strategy("A", 0.8), unjudged(candidates) + np.int8(3))
