"""The difference estimator: by hand, by a literal twin, and over every possible sample."""

import math

import numpy as np
import pytest

from scoring.core.data.grades import PAST_END
from scoring.core.judging.candidates import collect_candidates
from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.graded import evaluate
from scoring.core.measures.names import parse_measure
from scoring.core.sampling.design import design_sample
from scoring.core.sampling.difference import ProgramScores, estimate_scores
from scoring.core.sampling.drawing import Sample, draw_sample
from scoring.core.sampling.intervals import half_widths, mean_estimates, standard_errors
from scoring.core.sampling.sizes import document_sizes, rbp_rank_weights
from scoring.core.sampling.worth import can_be_estimated, worth_of
from tests.scoring.core.sampled import every_sample, joint_probabilities, ranking, small_campaign

DEPTH = 7
GAINS = np.array([0.0, 0.4, 1.0])
LINEAR = ("P@3", "RBP(p=0.8)", "RBP(p=0.5,gain=map)", "DCG@5", "DCG(gain=exp,b=2)@4", "P(rel=2)@2")


def campaign(budget=8):
    candidates = small_campaign()
    sizes = document_sizes(candidates, rbp_rank_weights(0.7, DEPTH), uniform=0.1)
    random = np.random.default_rng(7)
    people = random.integers(0, 3, len(candidates)).astype(np.int8)
    program = random.integers(0, 3, len(candidates)).astype(np.int8)
    return candidates, design_sample(candidates, sizes, budget=budget), people, program


def scored(candidates, measure, grades):
    return ProgramScores(candidates, worth_of(parse_measure(measure), GAINS, DEPTH), grades)


def true_scores(candidates, measure, people):
    """By the measure itself, from matrices of grades."""
    grades = np.full((candidates.runs, len(candidates.topics), DEPTH), PAST_END, np.int8)
    for document in range(len(candidates)):
        for place in range(candidates.starts[document], candidates.starts[document + 1]):
            run, position = candidates.run_rows[place], candidates.positions[place]
            grades[run, candidates.topic_rows[document], position] = people[document]
    counts = np.array(
        [
            np.bincount(people[candidates.topic_rows == topic], minlength=3)
            for topic in range(len(candidates.topics))
        ]
    )
    parsed = parse_measure(measure)
    return np.array(
        [evaluate([parsed], GradedTopics(of_run, counts, GAINS))[parsed].base for of_run in grades]
    )


def test_an_estimate_by_hand():
    """One run has a, b, c, of which a and c are sampled with π 4/5 and 8/15, and π_ac = 1/3. The
    program says 1 1 0, people 0 and 1: P@3 is 2/3 + (1/3)(-5/4 + 15/8) = 7/8. The variance is
    ((32/75) / (1/3) - 1) (1/3 · (-5/4 - 15/8))² = 7/25 · 625/576 = 175/576."""
    candidates = collect_candidates([ranking(t="a b c")], topics=["t"])
    sample = Sample(
        certain=np.empty(0, np.int64),
        pairs=np.array([[0, 2]]),
        probabilities=np.array([[4 / 5, 8 / 15]]),
        joint=np.array([1 / 3]),
    )
    program = ProgramScores(
        candidates, worth_of(parse_measure("P@3"), GAINS, 3), np.array([1, 1, 0], np.int8)
    )
    found = estimate_scores(program, sample, np.array([0, 1], np.int8))
    assert found.program == pytest.approx(np.array([[2 / 3]]), abs=1e-12)
    assert found.scores == pytest.approx(np.array([[7 / 8]]), abs=1e-12)
    assert found.variances == pytest.approx(np.array([[175 / 576]]), abs=1e-12)
    mean = mean_estimates(found, level=0.9)
    reach = math.tan(math.pi * 0.45) * math.sqrt(175 / 576)  # one degree of freedom
    assert mean.high[0] == pytest.approx(7 / 8 + reach, abs=1e-12)
    assert mean.low[0] == pytest.approx(7 / 8 - reach, abs=1e-12)


def literal_estimate(candidates, worth, program, sample, people, run):
    """Document by document: the estimate of each topic, and each stratum's z_i - z_j."""
    said = dict(zip(sample.documents.tolist(), people.tolist(), strict=True))
    chance = dict(
        zip(sample.documents.tolist(), sample.document_probabilities.tolist(), strict=True)
    )
    scores, terms = [0.0] * len(candidates.topics), {}
    for document in range(len(candidates)):
        for place in range(candidates.starts[document], candidates.starts[document + 1]):
            if candidates.run_rows[place] != run:
                continue
            position = candidates.positions[place]
            by_program = worth[program[document], position]
            scores[candidates.topic_rows[document]] += by_program
            if document in said:
                term = (worth[said[document], position] - by_program) / chance[document]
                terms[document] = term
                scores[candidates.topic_rows[document]] += term
    contrasts = [terms.get(i, 0.0) - terms.get(j, 0.0) for i, j in sample.pairs.tolist()]
    return scores, contrasts


@pytest.mark.parametrize("measure", LINEAR)
def test_estimates_are_those_of_the_literal_twin(measure):
    candidates, design, people, program = campaign()
    sample = draw_sample(design, seed=2)
    of_program = scored(candidates, measure, program)
    found = estimate_scores(of_program, sample, people[sample.documents])
    for run in range(candidates.runs):
        scores, contrasts = literal_estimate(
            candidates, of_program.worth.table, program, sample, people[sample.documents], run
        )
        assert found.scores[run] == pytest.approx(scores, abs=1e-12)
        assert found.contrasts[run] == pytest.approx(contrasts, abs=1e-12)
        variances = [0.0, 0.0]
        for stratum, (i, j) in enumerate(sample.pairs.tolist()):
            members = design.members[stratum]
            joint = joint_probabilities(design.probabilities[members])
            both = joint[np.searchsorted(members, i), np.searchsorted(members, j)]
            product = design.probabilities[i] * design.probabilities[j]
            share = (product - both) / both * contrasts[stratum] ** 2
            variances[candidates.topic_rows[i]] += share
        assert found.variances[run] == pytest.approx(variances, abs=1e-12)


@pytest.mark.parametrize("measure", LINEAR)
def test_over_every_sample_estimates_and_their_variances_are_unbiased(measure):
    candidates, design, people, program = campaign()
    truth = true_scores(candidates, measure, people)
    of_program = scored(candidates, measure, program)
    first, other = np.triu_indices(candidates.runs, k=1)
    true_gap = (truth[first] - truth[other]).mean(axis=1)
    means, squares, variances = 0.0, 0.0, 0.0
    gaps, gap_squares, gap_variances, total = 0.0, 0.0, 0.0, 0.0
    every = np.ones(2, np.bool_)
    for sample, chance in every_sample(design):
        found = estimate_scores(of_program, sample, people[sample.documents])
        assert (found.factors >= 0).all()
        total += chance
        means += chance * found.scores
        squares += chance * (found.scores - truth) ** 2
        variances += chance * found.variances
        pairs = found.differences(first, other)
        gap = pairs.scores.mean(axis=1)
        gaps += chance * gap
        gap_squares += chance * (gap - true_gap) ** 2
        gap_variances += chance * standard_errors(pairs, every)[0] ** 2
    assert total == pytest.approx(1, abs=1e-12)
    assert means == pytest.approx(truth, abs=1e-12)
    assert variances == pytest.approx(squares, abs=1e-12)
    assert gaps == pytest.approx(true_gap, abs=1e-12)
    assert gap_variances == pytest.approx(gap_squares, abs=1e-12)
    assert squares.max() > 1e-4


def test_the_program_alone_has_the_scores_of_its_judgments():
    candidates, design, people, program = campaign()
    sample = draw_sample(design, seed=1)
    for measure in (*LINEAR, "nDCG@5", "nDCG(gain=exp)@3"):
        found = estimate_scores(
            scored(candidates, measure, program), sample, people[sample.documents]
        )
        assert found.program == pytest.approx(true_scores(candidates, measure, program), abs=1e-12)


@pytest.mark.parametrize("measure", [*LINEAR, "nDCG@5", "nDCG(gain=exp)@3", "nDCG(gain=map)@7"])
def test_if_everything_is_judged_the_estimate_is_the_score(measure):
    candidates, design, people, program = campaign(budget=100)
    sample = draw_sample(design, seed=1)
    assert len(sample.pairs) == 0
    found = estimate_scores(scored(candidates, measure, program), sample, people[sample.documents])
    truth = true_scores(candidates, measure, people)
    assert found.scores == pytest.approx(truth, abs=1e-12)
    mean = mean_estimates(found)
    assert mean.errors.tolist() == [0, 0, 0]
    assert mean.low == pytest.approx(truth.mean(axis=1), abs=1e-12)


def ndcg_of_sums(gained, counts, measure):
    """The ratio as a function of its estimated sums, in words; counts of grades 1.. and 2.."""
    worth = worth_of(parse_measure(measure), GAINS, DEPTH).table
    ideal = 0.0
    for level in (1, 2):
        for rank in range(DEPTH):
            share = min(max(counts[level - 1] - rank, 0.0), 1.0)
            ideal += share * (worth[level, rank] - worth[level - 1, rank])
    return gained / ideal


@pytest.mark.parametrize("measure", ["nDCG@5", "nDCG(gain=exp)@3", "nDCG(gain=map)@7"])
def test_ndcg_is_a_ratio_and_its_contrasts_are_the_derivative(measure):
    candidates, design, people, program = campaign(budget=10)
    sample = draw_sample(design, seed=4)
    judged = people[sample.documents]
    found = estimate_scores(scored(candidates, measure, program), sample, judged)
    sums = scored(candidates, measure, program)
    weights = sample.document_probabilities
    for run, topic in np.ndindex(found.scores.shape):
        scores, contrasts = literal_estimate(
            candidates, sums.worth.table, program, sample, judged, run
        )
        rows = candidates.topic_rows
        counts = [
            (program[rows == topic] >= level).sum()
            + sum(
                (float(h >= level) - float(program[d] >= level)) / w
                for d, h, w in zip(sample.documents, judged, weights, strict=True)
                if rows[d] == topic
            )
            for level in (1, 2)
        ]
        ratio = ndcg_of_sums(scores[topic], counts, measure)
        assert found.scores[run, topic] == pytest.approx(ratio, abs=1e-12)
        for stratum, (i, j) in enumerate(sample.pairs.tolist()):
            if rows[i] != topic:
                continue
            at = len(sample.certain) + 2 * stratum
            moves = [
                sum(
                    sign * (float(judged[k] >= level) - float(program[d] >= level)) / weights[k]
                    for d, k, sign in ((i, at, 1), (j, at + 1, -1))
                )
                for level in (1, 2)
            ]
            step = 1e-7
            moved = [
                ndcg_of_sums(
                    scores[topic] + side * contrasts[stratum],
                    [count + side * move for count, move in zip(counts, moves, strict=True)],
                    measure,
                )
                for side in (-step, step)
            ]
            slope = (moved[1] - moved[0]) / (2 * step)
            assert found.contrasts[run, stratum] == pytest.approx(slope, abs=1e-6)


def test_a_topic_whose_ideal_gains_nothing_has_ndcg_0():
    candidates, design, _, _ = campaign()
    nothing = np.zeros(len(candidates), np.int8)
    sample = draw_sample(design, seed=1)
    found = estimate_scores(
        scored(candidates, "nDCG@5", nothing), sample, nothing[sample.documents]
    )
    assert found.scores.tolist() == [[0, 0]] * 3


def test_an_interval_is_unknown_where_the_sample_shows_no_error():
    candidates, design, people, _ = campaign()
    sample = draw_sample(design, seed=1)
    found = estimate_scores(scored(candidates, "P@3", people), sample, people[sample.documents])
    mean = mean_estimates(found)
    assert mean.errors.tolist() == [0, 0, 0]
    assert np.isnan([mean.low, mean.high]).all()
    assert mean.means == pytest.approx(true_scores(candidates, "P@3", people).mean(axis=1))


def test_degrees_of_freedom_by_hand():
    """Variances 1, 1, 2 of three strata: 3 · 16/6 - 2 = 6."""
    candidates, design, people, program = campaign()
    sample = draw_sample(design, seed=1)
    found = estimate_scores(scored(candidates, "P@3", program), sample, people[sample.documents])
    by_hand = type(found)(
        np.zeros((1, 1)),
        np.zeros((1, 1)),
        np.array([[1.0, -1.0, 2.0]]),
        np.array([1.0, 1.0, 0.5]),
        np.zeros(3, np.int32),
        np.array([True]),
    )
    errors, degrees = standard_errors(by_hand, np.array([True]))
    assert (errors[0], degrees[0]) == pytest.approx((2, 6), abs=1e-12)


def test_a_mean_over_some_topics_takes_their_strata_alone():
    candidates, design, people, program = campaign()
    sample = draw_sample(design, seed=1)
    found = estimate_scores(scored(candidates, "P@3", program), sample, people[sample.documents])
    first = np.array([True, False])
    mean = mean_estimates(found, topics=first)
    assert mean.means == pytest.approx(found.scores[:, 0], abs=1e-12)
    assert mean.errors**2 == pytest.approx(found.variances[:, 0], abs=1e-12)
    with pytest.raises(ValueError, match="at least one topic"):
        mean_estimates(found, topics=np.array([False, False]))


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_that_is_no_probability_is_refused(level):
    with pytest.raises(ValueError, match="between 0 and 1"):
        half_widths(np.ones(1), np.ones(1), np.ones(1, np.bool_), level=level)


@pytest.mark.parametrize(
    ("measure", "can"),
    [
        ("P@7", True),
        ("P@8", False),
        ("RBP(p=0.8)", True),
        ("RBP(p1=0.8,p2=0.5)", False),
        ("nDCG@7", True),
        ("nDCG", False),
        ("AP", False),
        ("RR", False),
    ],
)
def test_which_measures_can_be_estimated(measure, can):
    parsed = parse_measure(measure)
    assert can_be_estimated(parsed, DEPTH) == can
    if not can:
        with pytest.raises(ValueError, match="is not a sum"):
            worth_of(parsed, GAINS, DEPTH)


def test_grades_that_do_not_fit_are_refused():
    candidates, design, _, program = campaign()
    sample = draw_sample(design, seed=1)
    unjudged = np.full(len(sample.documents), -1, np.int8)
    with pytest.raises(ValueError, match="program has a grade outside"):
        scored(candidates, "P@3", np.full(len(candidates), 3, np.int8))
    with pytest.raises(ValueError, match="program needs 17 grades"):
        scored(candidates, "P@3", program[:-1])
    with pytest.raises(ValueError, match="people has a grade outside"):
        estimate_scores(scored(candidates, "P@3", program), sample, unjudged)
