"""Move-to-front, Hedge and MaxMean choose as their papers say, and spend a budget over topics."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.data.grades import UNJUDGED
from scoring.core.judging import hedge
from scoring.core.judging.candidates import collect_candidates
from scoring.core.judging.hedge import BETA
from scoring.core.judging.orders_by_topic import TopicOrders
from scoring.core.judging.planned_judging import plan_judging
from scoring.core.judging.selection import METHODS, ORDERS, Strategy, choose, selector, weigh
from scoring.core.judging.simulation import simulate_judging
from tests.scoring.core.rankings import ranking

BY_TOPIC = sorted(ORDERS)


def world(runs, topics, tags=""):
    """Candidates of runs, {topic: documents} each."""
    return collect_candidates([ranking(run) for run in runs], topics=topics, names=tags)


def names(candidates, chosen):
    return [
        (candidates.topics[candidates.topic_rows[x]], candidates.doc_ids[x].decode())
        for x in chosen
    ]


def outcomes_of(candidates, relevant):
    """Everything is judged, and these (topic, document) are relevant."""
    every = names(candidates, range(len(candidates)))
    return np.array([name in relevant for name in every], np.int8)


def judged_in_order(runs, relevant, method, tags=""):
    """The documents of topic 1, a word each, in the order in which they are judged."""
    runs = [{"1": run.split()} for run in runs]
    candidates = world(runs, ["1"], tags)
    found = simulate_judging(
        candidates,
        Strategy(method, 0.8),
        outcomes_of(candidates, {("1", doc) for doc in relevant.split()}),
        budget=len(candidates),
        batch=1,
    )
    return " ".join(doc for _, doc in names(candidates, found.handled))


# --- worked by hand -----------------------------------------------------------------------------


def test_move_to_front_by_hand():
    """Runs x: a b c d, y: e b f g, z: h i j; relevant are b, c and f.

    1. All priorities are 0 and all next documents first ones: a (x -1), e (y -1), h (z -1), by id.
    2. All are at -1 and rank 2. b, of x and y, is before i: relevant, and both are at 0.
    3. c, of x, is before f, of y, by id: relevant, and x is at rank 4. f is at rank 3: relevant.
    4. At rank 4, d (x ends), then g (y ends). z is left: i, j.
    """
    order = judged_in_order(["a b c d", "e b f g", "h i j"], "b c f", "MTF")
    assert order == "a e h b c f d g i j"


def test_move_to_front_reads_on_past_documents_that_another_run_had_judged():
    """Runs x: a b c d, y: e b f, z: g h; relevant are a and h.

    1. All are at 0 and rank 1: a. It is relevant, and x, which found it, goes first: b (x -1).
    2. y and z are at 0: e (y -1), g (z -1).
    3. All are at -1. y and z are at rank 2, x at rank 3: y's b was judged for x, and y falls to -2;
       h is relevant, and z ends. c of x follows (x -2).
    4. x and y are at -2: f, at rank 3, then d, at rank 4.
    """
    assert judged_in_order(["a b c d", "e b f", "g h"], "a h", "MTF") == "a b e g h c f d"


def test_max_mean_by_hand():
    """Runs x: a b c, y: d b e, z: f g; relevant are a and e.

    1. All means are 1/2, x has the lowest name: a. Relevant: x 2/3. b, of x: not relevant, x 2/4,
       y 1/3.
    2. x and z are at 1/2: c, of x: x 2/5, and it ends. f, of z: z 1/3.
    3. y and z are at 1/3: d, of y: y 1/4. g, of z: z 1/4, and it ends. e, of y.

    With the names z, y and x for the same runs:

    1. f, of the run x: 1/3. d, of y: 1/3. a, of z: 2/3. b, of z: z 2/4, y 1/4. c, of z, which ends.
    2. x is at 1/3: g, and it ends. e, of y.
    """
    runs = ["a b c", "d b e", "f g"]
    assert judged_in_order(runs, "a e", "MaxMean", "xyz") == "a b c f d g e"
    assert judged_in_order(runs, "a e", "MaxMean", "zyx") == "f d a b c g e"


def test_names_of_runs_are_compared_as_bytes():
    """A run without a name of its own, or with the same as another, goes by its place."""
    candidates = world([{"1": ["a"]}] * 4, ["1"], ["é", "b", "B", "b"])
    assert candidates.by_name.tolist() == [3, 1, 0, 2]
    assert world([{"1": ["a"]}] * 3, ["1"]).by_name.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="3 runs but 2 names"):
        world([{"1": ["a"]}] * 3, ["1"], "xy")


def test_hedge_by_hand():
    """Runs x: a b, y: c b; Z = 3. A document at rank 1 or 2, or below, costs 1/2 ln 3, 1/2 ln 1.5
    or 1/2 ln 1 = 0.

    1. Equal weights: a and c cost ln 3 / 4 = .2747, b costs ln 1.5 / 2 = .2027. a is first.
    2. If a is not relevant, x lost 1/2 ln 3 = .5493: weights .1^.5493 = .2823 to 1, normalised
       .2201 and .7799. b costs .2027, c .7799 ln 3 / 2 = .4284: c is next.
    3. If a is relevant, the weights are the other way round, and b, .2027, is before c, .1209.
    """
    candidates = world([{"1": ["a", "b"]}, {"1": ["c", "b"]}], ["1"])
    for outcome, expected in (
        (UNJUDGED, [("a", 0.2747), ("c", 0.2747), ("b", 0.2027)]),
        (0, [("c", 0.4284), ("b", 0.2027)]),
        (1, [("b", 0.2027), ("c", 0.1209)]),
    ):
        state = TopicOrders(candidates, ORDERS["Hedge"])
        if outcome != UNJUDGED:
            state.note(np.array([0]), np.array([outcome], np.int8))
        chosen, weights = state.best_with_weights(3)
        assert [doc for _, doc in names(candidates, chosen)] == [doc for doc, _ in expected]
        assert weights == pytest.approx([weight for _, weight in expected], abs=0.5e-4)


def test_hedge_distinguishes_the_documents_of_runs_that_have_lost_their_weight():
    """Twenty judgments for one run and against the other leave it a weight of 2e-27. Its
    documents x and y have ranks 22 and 21, so y costs more, by less than any rounding error of
    the whole loss."""
    good = [f"a{n:02}" for n in range(20)]
    bad = [f"b{n:02}" for n in range(20)]
    order = judged_in_order(
        [" ".join(good), " ".join([*bad, "y", "x"])], " ".join(good), "Hedge"
    ).split()
    assert order[-2:] == ["y", "x"]


# --- against the papers, written out ------------------------------------------------------------


def literal_mtf(runs):
    """Yields each document and wants its outcome sent back, None if there is none."""
    priority, read, known = [0] * len(runs), [0] * len(runs), {}
    has_just_found_one = [False] * len(runs)

    def urgency(s):
        return (-priority[s], not has_just_found_one[s], read[s], runs[s][read[s]])

    while unread := [s for s, run in enumerate(runs) if read[s] < len(run)]:
        first = min(map(urgency, unread))
        doc = first[-1]
        if doc not in known:
            known[doc] = yield doc
        for s in [s for s in unread if urgency(s) == first]:
            read[s] += 1
            if known[doc] is not None:
                priority[s] = 0 if known[doc] else priority[s] - 1
                has_just_found_one[s] = bool(known[doc])


def literal_max_mean(runs):
    """The runs by name."""
    known = {}
    while any(doc not in known for run in runs for doc in run):
        best = None
        for name, run in enumerate(runs):
            rest = [doc for doc in run if doc not in known]
            if rest:
                judged = [known[doc] for doc in run if known.get(doc) is not None]
                a, b = 1 + sum(judged), 1 + len(judged) - sum(judged)
                key = (-a / (a + b), name, rest[0])
                best = key if best is None else min(best, key)
        known[best[2]] = yield best[2]


def literal_hedge(runs):
    docs = sorted({doc for run in runs for doc in run})
    runs = [run[: hedge.DEPTH] for run in runs if run]
    z = len({doc for run in runs for doc in run})

    def loss(run, doc):
        if doc in run:
            return math.log(z / (run.index(doc) + 1)) / 2
        below = [math.log(z / rank) / 2 for rank in range(len(run) + 1, z + 1)]
        return sum(below) / len(below) if below else 0.0

    known = {}
    while left := [doc for doc in docs if doc not in known]:
        told = {doc: outcome for doc, outcome in known.items() if outcome is not None}
        lost = [sum((-1) ** rel * loss(run, doc) for doc, rel in told.items()) for run in runs]
        shares = [BETA**total for total in lost]
        # Over the loss of a document that nobody retrieves, whose rank is None.
        surplus = {
            doc: sum(
                w * (loss(run, doc) - loss(run, None)) for w, run in zip(shares, runs, strict=True)
            )
            for doc in left
        }
        most = max(surplus.values())
        doc = next(doc for doc in left if surplus[doc] >= most * (1 - 1e-9))
        known[doc] = yield doc


LITERAL = {"MTF": literal_mtf, "MaxMean": literal_max_mean, "Hedge": literal_hedge}


def literal_sequence(runs, topics, method, outcome_of):
    """One document of each topic in turn, by topic code, until there are none."""
    order, told = [], {}
    open_topics = {
        topic: LITERAL[method]([run.get(topic, []) for run in runs])
        for topic in sorted(topics, key=str.encode)
    }
    while open_topics:
        for topic, documents in list(open_topics.items()):
            try:
                doc = documents.send(told.get(topic))
            except StopIteration:
                del open_topics[topic]
                continue
            order.append((topic, doc))
            told[topic] = outcome_of[topic, doc]
    return order


DOCS = [f"D{n}" for n in range(9)]
TOPICS = ["10", "9", "é"]  # ascending as bytes: "10", "9", "é"
RUNS = st.lists(
    st.dictionaries(
        st.sampled_from(TOPICS),
        st.permutations(DOCS).flatmap(
            lambda docs: st.integers(0, 8).map(lambda length: docs[:length])
        ),
    ),
    min_size=1,
    max_size=5,
)
RANDOM = st.randoms(use_true_random=False)


@pytest.mark.parametrize("method", BY_TOPIC)
@given(runs=RUNS, random=RANDOM)
def test_the_sequence_is_that_of_the_paper(method, runs, random):
    check_the_sequence(method, runs, random)


@given(runs=RUNS, random=RANDOM, depth=st.integers(1, 8))
def test_hedge_takes_no_notice_of_what_lies_deeper(runs, random, depth):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hedge, "DEPTH", depth)
        check_the_sequence("Hedge", runs, random)


def test_the_losses_of_hedge_reach_to_depth_100(monkeypatch):
    """Two runs of 130 documents have 10 in common, of which 4 are deeper than 100 in one of them,
    and 1 in both."""
    random = np.random.default_rng(3)
    common = {3: 8, 40: 20, 60: 99, 80: 100, 90: 120, 98: 2, 99: 101, 100: 4, 110: 55, 125: 126}
    one, two = [f"A{n:03}" for n in range(130)], [f"B{n:03}" for n in range(130)]
    for place, other in common.items():
        two[other] = one[place]
    relevant = {("1", doc) for doc in sorted({*one, *two}) if random.random() < 0.2}
    candidates = world([{"1": one}, {"1": two}], ["1"])
    found = simulate_judging(
        candidates,
        Strategy("Hedge", 0.8),
        outcomes_of(candidates, relevant),
        budget=len(candidates),
        batch=1,
    )
    outcome_of = {name: int(name in relevant) for name in names(candidates, found.handled)}
    expected = literal_sequence([{"1": one}, {"1": two}], ["1"], "Hedge", outcome_of)
    assert names(candidates, found.handled) == expected
    monkeypatch.setattr(hedge, "DEPTH", 130)
    assert literal_sequence([{"1": one}, {"1": two}], ["1"], "Hedge", outcome_of) != expected


def check_the_sequence(method, runs, random):
    tags = random.sample("abcde", len(runs))
    candidates = world(runs, ["9", "é", "10"], tags)
    runs = [run for _, run in sorted(zip(tags, runs, strict=True), key=lambda each: each[0])]
    every = names(candidates, range(len(candidates)))
    outcomes = np.array([random.choice([UNJUDGED, 0, 1]) for _ in every], np.int8)
    outcome_of = {
        name: None if outcome == UNJUDGED else outcome
        for name, outcome in zip(every, outcomes.tolist(), strict=True)
    }
    found = simulate_judging(
        candidates,
        Strategy(method, 0.8),
        outcomes,
        budget=len(candidates) + 1,
        unknown="bypassed",
        batch=1,
    )
    assert names(candidates, found.handled) == literal_sequence(runs, TOPICS, method, outcome_of)


# --- batches, waiting documents, forecasts ------------------------------------------------------


@pytest.mark.parametrize("method", BY_TOPIC)
@given(runs=RUNS, random=RANDOM, batch=st.integers(1, 7))
def test_a_batch_depends_only_on_the_judgments_there_are(method, runs, random, batch):
    """A simulation that goes on from batch to batch chooses as one that begins anew each time, as
    a judging plan does, whichever documents were judged in the meantime."""
    candidates = world(runs, TOPICS)
    strategy = Strategy(method, 0.8)
    state = selector(candidates, strategy)
    outcomes = np.full(len(candidates), UNJUDGED, np.int8)
    waiting = np.empty(0, np.int64)
    while True:
        chosen = state.best(batch)
        anew = choose(candidates, strategy, outcomes, count=batch, waiting=waiting)
        assert chosen.tolist() == anew.tolist()
        assert not np.isin(chosen, waiting).any()
        if not len(chosen):
            break
        state.note(chosen, np.full(len(chosen), UNJUDGED, np.int8))
        waiting = np.append(waiting, chosen)
        judged = np.array([x for x in waiting if random.random() < 0.7], np.int64)
        outcomes[judged] = [random.choice([0, 1]) for _ in judged]
        state.note(judged, outcomes[judged])
        waiting = np.setdiff1d(waiting, judged)
    assert len(waiting) + (outcomes != UNJUDGED).sum() == len(candidates)


@pytest.mark.parametrize("method", BY_TOPIC)
@given(runs=RUNS, random=RANDOM)
def test_the_order_of_the_runs_does_not_matter(method, runs, random):
    tagged = list(enumerate(runs))
    shuffled = random.sample(tagged, len(runs))
    relevant = {(t, d) for t in TOPICS for d in DOCS if random.random() < 0.4}
    sequences = []
    for each in (tagged, shuffled):
        candidates = world([run for _, run in each], TOPICS, [str(tag) for tag, _ in each])
        found = simulate_judging(
            candidates,
            Strategy(method, 0.8),
            outcomes_of(candidates, relevant),
            budget=len(candidates),
            batch=1,
        )
        sequences.append(names(candidates, found.handled))
    assert sequences[0] == sequences[1]


@pytest.mark.parametrize("method", BY_TOPIC)
def test_the_budget_goes_round_the_topics_by_code(method):
    runs = [{"2": ["a", "b", "c"], "10": ["d"], "é": ["e", "f"]}]
    candidates = world(runs, ["é", "2", "10"])
    nothing = np.full(len(candidates), UNJUDGED, np.int8)
    strategy = Strategy(method, 0.8)
    chosen = names(candidates, choose(candidates, strategy, nothing, count=9))
    assert chosen == [("10", "d"), ("2", "a"), ("é", "e"), ("2", "b"), ("é", "f"), ("2", "c")]
    judged = outcomes_of(candidates, set())
    judged[[1, 2, 3]] = [UNJUDGED, 0, UNJUDGED]  # 10 has its one judged, 2 has b judged, not a, c
    judged[[4, 5]] = UNJUDGED
    chosen = names(candidates, choose(candidates, strategy, judged, count=9))
    assert chosen == [("é", "e"), ("2", "a"), ("é", "f"), ("2", "c")]


@pytest.mark.parametrize("method", BY_TOPIC)
def test_a_forecast_takes_as_many_documents_to_be_relevant_as_the_shares_say(method):
    """With a share of one half every second document of a topic: as in a simulation where those
    are the relevant ones."""
    runs = [{"1": list("abcdef")}, {"1": list("ghcija")}, {"1": list("kblmg")}]
    candidates = world(runs, ["1"])
    strategy = Strategy(method, 0.8)
    nothing = np.full(len(candidates), UNJUDGED, np.int8)
    planned = plan_judging(
        candidates, strategy, nothing, budget=13, batch=1, shares=np.full(3, 0.5)
    )
    outcomes = nothing.copy()
    outcomes[planned] = np.arange(len(planned)) % 2
    found = simulate_judging(candidates, strategy, outcomes, budget=13, batch=1)
    assert planned.tolist() == found.handled.tolist()
    assert len(planned) == len(candidates) == 13


def test_without_candidates_nothing_is_chosen():
    candidates = world([{"2": ["a"]}], ["1"])
    for method in METHODS:
        outcomes = np.empty(0, np.int8)
        assert len(choose(candidates, Strategy(method, 0.8), outcomes, count=3)) == 0


def test_orders_of_topics_have_no_weights_over_all_topics():
    candidates = world([{"1": ["a"]}], ["1"])
    nothing = np.array([UNJUDGED], np.int8)
    for method in BY_TOPIC:
        with pytest.raises(ValueError, match="no sums of contributions"):
            weigh(candidates, Strategy(method, 0.8), nothing)


@pytest.mark.parametrize("method", METHODS)
def test_waiting_documents_are_not_chosen_again(method):
    runs = [{"1": list("abcd"), "2": list("abcd")}, {"1": list("badc")}]
    candidates = world(runs, ["1", "2"])
    nothing = np.full(len(candidates), UNJUDGED, np.int8)
    strategy = Strategy(method, 0.8)
    first = choose(candidates, strategy, nothing, count=3)
    rest = choose(candidates, strategy, nothing, count=9, waiting=first)
    assert len(first) == 3
    assert sorted([*first, *rest]) == list(range(8))
