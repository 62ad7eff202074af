"""`ts.sample` and `ts.estimate`: from runs and judgments to intervals, and what is refused."""

import re

import numpy as np
import pytest

import trackside as ts

TOPICS = ("1", "2", "3")


def run_of(shift):
    return {
        topic: {f"d{(rank * 7 + int(topic) * shift) % 30}": float(20 - rank) for rank in range(20)}
        for topic in TOPICS
    }


RUNS = {"one": run_of(1), "two": run_of(2), "three": run_of(5)}
TRUTH = {topic: {f"d{n}": n * int(topic) % 3 for n in range(30)} for topic in TOPICS}
PROGRAM = {topic: {f"d{n}": (n + int(topic)) % 3 for n in range(30)} for topic in TOPICS}


def judged(drawn):
    people = {topic: {} for topic in TOPICS}
    for row in drawn:
        people[row.topic][row.doc_id] = TRUTH[row.topic][row.doc_id]
    return people


def test_a_sample_has_the_budget_and_the_same_seed_draws_it_again():
    drawn = ts.sample(RUNS, budget=30, p=0.8, seed=4)
    assert len(drawn) == 30
    assert drawn.to_csv() == ts.sample(RUNS, budget=30, p=0.8, seed=4).to_csv()
    assert drawn.to_csv() != ts.sample(RUNS, budget=30, p=0.8, seed=5).to_csv()
    backwards = dict(reversed(RUNS.items()))
    assert drawn.to_csv() == ts.sample(backwards, budget=30, p=0.8, seed=4).to_csv()
    assert [row.topic for row in drawn] == sorted(row.topic for row in drawn)


def test_if_people_judge_everything_the_estimate_is_the_score():
    drawn = ts.sample(RUNS, budget=1000, p=0.8)
    measures = ["P@10", "RBP(p=0.8)", "DCG@10", "nDCG@10", "nDCG(gain=exp)@5"]
    found = ts.estimate(RUNS, drawn, judged(drawn), PROGRAM, measures)
    known = judged(drawn)
    scores = ts.evaluate(known, RUNS, measures, complete=True).means
    for row in found:
        (expected,) = scores.where(run=row.run, measure=row.measure)
        assert row.estimate == pytest.approx(expected.value, abs=1e-12)
        assert (row.std_error, row.low) == (0, row.estimate)
    by_program = ts.evaluate(PROGRAM, RUNS, "P@10", complete=True).means
    for row in found.where(measure="P@10"):
        (expected,) = by_program.where(run=row.run)
        assert row.program == pytest.approx(expected.value, abs=1e-12)


def test_over_many_samples_the_mean_estimate_is_the_score_and_the_interval_holds_it():
    truth = ts.evaluate(TRUTH, RUNS, "RBP(p=0.8)", complete=True).means
    expected = np.array([row.value for row in truth])
    estimates, covered = [], []
    for seed in range(150):
        drawn = ts.sample(RUNS, budget=36, p=0.8, seed=seed)
        found = ts.estimate(RUNS, drawn, judged(drawn), PROGRAM, "RBP(p=0.8)")
        estimates.append(found["estimate"])
        covered.append((found["low"] <= expected) & (expected <= found["high"]))
    spread = np.std(estimates, axis=0) / np.sqrt(150)
    assert (np.abs(np.mean(estimates, axis=0) - expected) < 4 * spread).all()
    assert np.mean(covered) > 0.9


def test_differences_are_those_of_the_estimates(tmp_path):
    drawn = ts.sample(RUNS, budget=36, p=0.8)
    drawn.to_csv(tmp_path / "sample.csv")
    single = ts.estimate(RUNS, drawn, judged(drawn), PROGRAM, "DCG@10")
    of_run = {row.run: row.estimate for row in single}
    pairs = ts.estimate(
        RUNS, tmp_path / "sample.csv", judged(drawn), PROGRAM, "DCG@10", differences=True
    )
    assert [(row.a, row.b) for row in pairs] == [("one", "two"), ("one", "three"), ("two", "three")]
    for row in pairs:
        assert row.estimate == pytest.approx(of_run[row.a] - of_run[row.b], abs=1e-12)
        assert row.low < row.estimate < row.high


def test_a_program_without_a_known_error_has_no_interval_and_a_warning():
    drawn = ts.sample(RUNS, budget=36, p=0.8)
    with pytest.warns(UserWarning, match="3 rows without an interval"):
        found = ts.estimate(RUNS, drawn, judged(drawn), TRUTH, "P@10")
    assert np.isnan(found["low"]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": 0}, "budget: give at least one"),
        ({"budget": 5}, "budget: it must be at least 6"),
        ({"budget": 9, "p": 1.0}, "p: 1.0 does not lie"),
        ({"budget": 9, "p": 0.0}, "p: it is so small that documents far down get no size"),
        ({"budget": 9, "uniform": 2.0}, "uniform: 2.0"),
        ({"budget": 9, "over_runs": "mean"}, "over_runs: 'mean' is neither 'square' nor 'sum'"),
        ({"budget": 9, "seed": -1}, "seed"),
        ({"budget": 9, "depth": 0}, "depth: 0"),
    ],
)
def test_a_sample_that_cannot_be_drawn_is_refused(arguments, message):
    with pytest.raises(ts.BadInput, match=message):
        ts.sample(RUNS, **arguments)


def refusal(drawn, people=None, program=PROGRAM, runs=RUNS, measure="P@10", **options):
    with pytest.raises(ts.BadInput) as refused:
        ts.estimate(runs, drawn, people or judged(DRAWN), program, measure, **options)
    return str(refused.value)


DRAWN = ts.sample(RUNS, budget=36, p=0.8, seed=1)
LINES = DRAWN.to_csv().splitlines()


def changed(line, column, value):
    """The CSV of the sample with one other cell; lines from 1."""
    lines = [line.split(",") for line in LINES]
    lines[line - 1][column] = value
    return "\n".join(map(",".join, lines)) + "\n"


PAIRED = next(number for number, row in enumerate(DRAWN, start=2) if row.stratum)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (4, "0", "probability does not lie in 0 < probability <= 1"),
        (4, "1.2", "probability does not lie in 0 < probability <= 1"),
        (4, "nan", "probability does not lie in 0 < probability <= 1"),
        (4, "much", "probability does not lie in 0 < probability <= 1"),
        (5, "1", "joint"),
        (2, "x", "stratum is not a whole number"),
        (2, "999", "two are sampled of each"),
        (3, "31", "documents differs within the topic"),
        (0, "", "topic is empty"),
        (1, "nobody", "document nobody of topic 1 is in no run"),
    ],
)
def test_a_line_of_the_sample_that_cannot_be_is_refused_with_its_number(
    tmp_path, column, value, message
):
    path = tmp_path / "sample.csv"
    path.write_text(changed(PAIRED, column, value))
    people = judged(DRAWN)
    found = refusal(path, people)
    assert message in found
    assert f"line {PAIRED}" in found or value in ("999", "1", "31")
    assert "line " in found


def test_a_document_that_is_sampled_twice_and_a_file_of_something_else_are_refused(tmp_path):
    path = tmp_path / "sample.csv"
    path.write_text("\n".join([*LINES, LINES[1]]) + "\n")
    assert "sampled twice in its topic, first in line 2" in refusal(path)
    path.write_text("a,b\n1,2\n")
    assert "line 1: FIELDS no column topic" in refusal(path)
    path.write_text("a" * 200_000)
    assert "line 1: LINE_TOO_LONG the line has a cell of more" in refusal(path)
    path.write_text(LINES[0] + "\n")
    assert "no sampled document" in refusal(path)
    path.write_text("\n".join([*LINES, "1,2"]) + "\n")
    assert f"line {len(LINES) + 1}: FIELDS 2 fields, expected 6" in refusal(path)
    assert "No such file" in refusal(tmp_path / "other.csv")


def test_judgments_that_do_not_fit_the_sample_are_refused(tmp_path):
    people = judged(DRAWN)
    first = DRAWN[0]
    spare = next(doc for doc in TRUTH["1"] if doc not in people["1"])
    people["1"][spare] = 1
    assert f"document {spare} of topic 1 is not in the sample: remove the line" in refusal(
        DRAWN, people
    )
    people = judged(DRAWN)
    del people[first.topic][first.doc_id]
    assert f"line 2: document {first.doc_id} of topic {first.topic} has no judgment" in refusal(
        DRAWN, people
    )
    people[first.topic][first.doc_id] = -1
    assert "has no judgment" in refusal(DRAWN, people)
    path = tmp_path / "people.txt"
    path.write_text(f"1 0 {spare} 1\n")
    assert "people.txt: line 1: document" in refusal(DRAWN, path)


def test_judgments_outside_of_the_sample_are_told_once(tmp_path):
    path = tmp_path / "people.txt"
    path.write_text("".join(f"1 0 other{n} 1\n" for n in range(40)))
    outside, unjudged = refusal(DRAWN, path).splitlines()
    assert outside == (
        f"{path}: 40 documents are not in the sample; remove their lines: line 1: document other0 "
        "of topic 1; line 2: document other1 of topic 1; line 3: document other2 of topic 1; ..."
    )
    assert unjudged.startswith(
        f"sample: {len(DRAWN)} documents have no judgment in {path}; people judge all sampled "
        f"documents: line 2: document {DRAWN[0].doc_id} of topic {DRAWN[0].topic}; line 3: "
    )


def test_a_program_that_did_not_judge_all_is_refused():
    program = {topic: dict(judged) for topic, judged in PROGRAM.items()}
    first = DRAWN[0]
    del program[first.topic][first.doc_id]
    found = refusal(DRAWN, program=program)
    assert f"document {first.doc_id} of topic {first.topic} has no judgment: the program" in found
    found = refusal(DRAWN, program={"9": {"a": 1}})
    told = re.fullmatch(
        r"qrels: (\d+) documents have no judgment; the program judges all documents of the runs to "
        r"this depth: (document \S+ of topic \d+; ){3}\.\.\.",
        found,
    )
    assert told is not None
    assert int(told[1]) > 25


def test_at_least_one_run_is_needed():
    assert refusal(DRAWN, runs=[]) == "runs: give at least one"
    with pytest.raises(ts.BadInput, match="runs: give at least one"):
        ts.sample([], budget=9)


def test_other_runs_than_those_of_the_sample_are_refused():
    more = RUNS | {"four": {"1": {"new": 1.0}}}
    assert "the sample was drawn from" in refusal(DRAWN, runs=more)
    assert "the sample was drawn from" in refusal(DRAWN, measure="P@3", depth=3)
    other = RUNS | {"four": {"9": {"d1": 1.0}}}
    assert "1 topics of the runs are not in the sample" in refusal(DRAWN, runs=other)


@pytest.mark.parametrize("measure", ["AP", "RR", "nDCG", "P@200", "RBP(p1=.9,p2=.5)"])
def test_a_measure_that_is_no_sum_is_refused(measure):
    assert "no estimate from a sample" in refusal(DRAWN, measure=measure)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "level"),
        ({"rel": 0}, "rel"),
        ({"gain_map": {0: 0, 1: 1}}, "grade 2 has no gain"),
    ],
)
def test_options_that_cannot_be_are_refused(options, message):
    assert message in refusal(DRAWN, **options)
