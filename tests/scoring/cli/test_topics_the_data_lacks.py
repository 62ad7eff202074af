"""Topics that the real campaigns do not have, under each policy: without a relevant document, with
negative judgments only, missed by the run, unknown to the qrels; and so is any mixture of them."""

import csv
import io
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.core.data.grades import PAST_END, UNJUDGED
from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import evaluate
from scoring.core.measures.names import rel_of
from tests.scoring.core.test_catalogue import EMPTY, EXAMPLES

HIGHEST = 2
WORTH = np.array([0.0, 0.5, 1.0])
NONE_JUDGED = "no document of the run is judged"
DOCS = [f"D{n}" for n in range(9)]
USUAL, NOTHING_RELEVANT, NEGATIVE = (-1, 0, 1, 2), (-1, 0), (-2, -1)
BY_NAME = {str(measure): measure for measure in EXAMPLES}

qrels_of_a_topic = st.sampled_from([USUAL, NOTHING_RELEVANT, NEGATIVE]).flatmap(
    lambda grades: st.dictionaries(st.sampled_from(DOCS), st.sampled_from(grades), min_size=1)
)
campaigns = st.dictionaries(st.sampled_from("12345"), qrels_of_a_topic, min_size=1)
rankings = st.dictionaries(st.sampled_from("234567"), st.permutations(DOCS).map(lambda d: d[:6]))
patient = settings(
    deadline=None,
    max_examples=min(60, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def table(trackside):
    def table(qrels, run, *options):
        """(topic, measure) → value and residual, None for what is not defined."""
        lines = [
            f"{t} 0 {doc} {grade}\n" for t, each in qrels.items() for doc, grade in each.items()
        ]
        ranks = [
            f"{t} Q0 {doc} 1 {-i} r\n" for t, docs in run.items() for i, doc in enumerate(docs)
        ]
        asked = [argument for name in BY_NAME for argument in ("-m", name)]
        files = (
            trackside.write("some-qrels", "".join(lines)),
            trackside.write("some-run", "".join(ranks)),
        )
        found = trackside("evaluate", *files, *asked, *options, "-q", "--format", "csv")
        assert found.status == 0
        unseen = sorted(topic for topic, grades in qrels.items() if max(grades.values()) < 0)
        told = "".join(line for line in found.err.splitlines(True) if NONE_JUDGED not in line)
        assert told.endswith(f"in any mean: {', '.join(unseen)}\n" if unseen else "")
        assert bool(told) is bool(unseen)
        return {
            (line["topic"], line["measure"]): (number(line["value"]), number(line["residual"]))
            for line in csv.DictReader(io.StringIO(found.out))
        }

    return table


def number(text):
    return float(text) if text else None


def literal(qrels, run, topic):
    """The topic's scores, its grades looked up one by one."""
    judged = qrels[topic]
    grades = [max(judged.get(doc, UNJUDGED), UNJUDGED) for doc in run.get(topic, [])] or [PAST_END]
    counts = [sum(grade == g for grade in judged.values()) for g in range(HIGHEST + 1)]
    in_pool = [judged.get(doc, 0) < 0 for doc in run.get(topic, [])] or [False]
    arrays = np.array([grades], np.int8), np.array([counts]), WORTH, np.array([in_pool])
    return evaluate(EXAMPLES, GradedTopics(*arrays))


def enters(judged, rel, policy):
    """Whether the topic is in the means: never with negative judgments only."""
    lowest = rel if policy == "exclude" else 0
    return any(grade >= lowest for grade in judged.values())


def summary(measure, values):
    how = family_of(measure).summary
    if not values:
        return None
    if how == "sum":
        return math.fsum(values)
    if how == "geometric":
        return math.exp(math.fsum(map(math.log, values)) / len(values))
    return math.fsum(values) / len(values)


@pytest.mark.parametrize("policy", ["zero", "exclude"])
@pytest.mark.parametrize("complete", [True, False])
@patient
@given(qrels=campaigns, run=rankings)
def test_any_mixture_of_topics(table, policy, complete, qrels, run):
    run = run | {next(iter(qrels)): DOCS[:3]}  # a run without any topic of the qrels is refused
    highest = {"0": {"Z": HIGHEST}}  # the file's highest grade is the end of the scale
    qrels = qrels | highest
    options = ["--no-relevant", policy, *(["-c"] if complete else [])]
    found = table(qrels, run, *options)
    seen = [topic for topic in qrels if complete or topic in run]
    entering = [topic for topic in seen if enters(qrels[topic], 1, policy)]
    assert {topic for topic, _ in found} - {"all"} == set(entering)
    scores = {topic: literal(qrels, run, topic) for topic in entering}
    for name, measure in BY_NAME.items():
        stricter = rel_of(measure) or 1
        values = []
        for topic in entering:
            value = float(scores[topic][measure].base[0])
            if math.isnan(value) or not enters(qrels[topic], stricter, policy):
                assert found[topic, name] == (None, None)
            else:
                assert found[topic, name][0] == pytest.approx(value, abs=1e-12)
                values.append(value)
        assert found["all", name][0] == pytest.approx(summary(measure, values), abs=1e-12), name


NOT_THERE = {"1": {"D1": 1}, "2": {"D2": 2, "D3": 0}}  # the run misses topic 2
NO_ANSWER = {"1": {"D1": 1, "Z": 2}, "2": {"D2": 0, "D3": 0}}
NOBODY_LOOKED = {"1": {"D1": 1, "Z": 2}, "2": {"D2": -1, "D3": -2}}
BOTH = {"1": ["D1"], "2": ["D1", "D2"]}


@pytest.mark.parametrize("policy", ["zero", "exclude"])
def test_a_topic_that_the_run_misses_is_an_empty_ranking(table, policy):
    found = table(NOT_THERE, {"1": ["D1"]}, "-c", "--no-relevant", policy)
    for name, measure in BY_NAME.items():
        value, residual = found["2", name]
        if name in ("NumRel", "yaap"):  # what the topic has, whatever the run
            continue
        expected = EMPTY.get(name, 0)
        assert value == (None if np.isnan(expected) else expected), name
        if family_of(measure).facts.direction == "lower" and measure.family != "unj":
            assert value is None
        if measure.family in ("RBP", "INSQ", "WP") and measure.cutoff is None:
            assert residual == pytest.approx(1, abs=1e-14)
    assert found["all", "AP"] == (0.5, None)
    assert found["all", "ESL(n=2)"] == (None, None)
    assert found["all", "RBP(p=0.5)"] == (0.25, 0.75)  # base .5 and 0, residual .5 and 1


def test_a_topic_without_relevant_documents_counts_as_nothing_or_not_at_all(table):
    zero = table(NO_ANSWER, BOTH, "--no-relevant", "zero")
    left_out = table(NO_ANSWER, BOTH, "--no-relevant", "exclude")
    assert zero["2", "AP"] == (0, None)
    assert zero["2", "F1@5"] == (0, None)
    assert zero["2", "APret"] == zero["2", "ESL(n=2)"] == (None, None)
    assert ("2", "AP") not in left_out
    assert zero["all", "AP"][0] == left_out["all", "AP"][0] / 2 == 0.25
    assert zero["all", "NumQ"][0] == 2
    assert left_out["all", "NumQ"][0] == 1


@pytest.mark.parametrize("policy", ["zero", "exclude"])
@pytest.mark.parametrize("complete", ["-c", "-q"])
def test_a_topic_that_nobody_judged_is_in_no_mean(table, policy, complete):
    found = table(NOBODY_LOOKED, BOTH, complete, "--no-relevant", policy)
    assert ("2", "AP") not in found
    assert found["all", "NumQ"][0] == 1
    assert found["all", "AP"][0] == found["1", "AP"][0] == 0.5
