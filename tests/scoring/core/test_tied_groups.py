"""Which tied groups matter, and that nothing else does: bit for bit."""

import numpy as np
import pytest

from scoring.core.data.grades import PAST_END
from scoring.core.measures.graded import GradedTopics, Scores, evaluate
from scoring.core.measures.names import parse_measure
from scoring.core.ties.ties import TiedTopics, expected, has_expected
from tests.scoring.core.drawn import drawn
from tests.scoring.core.test_catalogue import EXAMPLES, random_topics, same_bits

MEASURES = [measure for measure in EXAMPLES if has_expected(measure)]


def by_threes(graded):
    """Three documents a group; a rank without a document is a group of its own."""
    return TiedTopics(graded, (np.arange(graded.depth) % 3 == 0) | (graded.grades == PAST_END))


def by_grade(graded):
    """Neighbours of the same grade are tied, all others are not."""
    begins = np.ones(graded.grades.shape, np.bool_)
    begins[:, 1:] = graded.grades[:, 1:] != graded.grades[:, :-1]
    begins |= graded.grades == PAST_END
    return TiedTopics(graded, begins)


def stacked(runs):
    return GradedTopics(
        np.concatenate([run.grades for run in runs]),
        np.concatenate([run.grade_counts for run in runs]),
        runs[0].gain_map,
    )


def rows_of(scores, rows):
    residual = None if scores.residual is None else scores.residual[rows]
    return Scores(scores.base[rows], residual)


def test_without_ties_the_scores_are_those_of_the_ranking_bit_for_bit():
    topics = random_topics(4, depth=300)
    found = expected(MEASURES, TiedTopics(topics, np.ones((6, 300), np.bool_)))
    plain = evaluate(MEASURES, topics)
    assert all(same_bits(found[measure], plain[measure]) for measure in MEASURES)


def test_documents_of_one_grade_may_tie_without_a_trace():
    topics = random_topics(5, depth=300)
    tied = by_grade(topics)
    assert tied.has_ties
    assert len(tied.mixed) == 0
    found, plain = expected(MEASURES, tied), evaluate(MEASURES, topics)
    assert all(same_bits(found[measure], plain[measure]) for measure in MEASURES)


def test_a_topic_whose_ties_do_not_matter_keeps_its_bits_beside_one_whose_ties_do():
    calm, mixed = random_topics(6, depth=120), random_topics(7, depth=120)
    groups = np.concatenate([by_grade(calm).begins, by_threes(mixed).begins])
    found = expected(MEASURES, TiedTopics(stacked([calm, mixed]), groups))
    plain = evaluate(MEASURES, calm)
    for measure in MEASURES:
        assert same_bits(rows_of(found[measure], slice(0, 6)), plain[measure]), measure


def test_runs_stacked_and_alone_score_the_same():
    runs = [random_topics(seed, depth=50) for seed in range(3)]
    tied = [by_threes(run) for run in runs]
    begins = np.concatenate([each.begins for each in tied])
    whole = expected(MEASURES, TiedTopics(stacked(runs), begins))
    for place, alone in enumerate(tied):
        part = slice(6 * place, 6 * place + 6)
        for measure, found in expected(MEASURES, alone).items():
            assert same_bits(rows_of(whole[measure], part), found), measure


def test_an_unknown_document_far_down_is_met_with_its_whole_group():
    """The first topic's group from rank 61 to 80 is no limit for the second's, from 71 to 90."""
    grades, begins = np.zeros((2, 100), np.int8), np.ones((2, 100), np.bool_)
    grades[0, 70], begins[0, 61:80] = -1, False
    grades[1, [75, 88]], begins[1, 71:90] = -1, False
    topics = GradedTopics(grades, np.array([[100, 0], [100, 0]]), np.array([0.0, 1.0]))
    measure = parse_measure("RR")
    found = expected([measure], TiedTopics(topics, begins))[measure].residual
    assert found[0] == pytest.approx(np.mean(1 / np.arange(61, 81)), abs=1e-15)
    chances = (
        np.arange(19, -1, -1) / 190
    )  # the other one is in one of the places below, of 190 pairs
    assert found[1] == pytest.approx(np.sum(chances / np.arange(71, 91)), abs=1e-15)


@pytest.mark.parametrize("graded", [drawn("$$--"), drawn("$-??"), drawn("$-$?")])
def test_where_all_is_judged_nothing_is_left_over(graded):
    """Only what is unknown adds to a residual, to the last bit."""
    tied = TiedTopics(graded, np.array([[True, False, True, False]]))
    for name in ("P@2", "RBP(p=0.5)@2", "DCG@2", "RR@2", "SP@2", "Success@2", "HIT@2", "SDCG@2"):
        measure = parse_measure(name)
        assert expected([measure], tied)[measure].residual[0] == 0, name


@pytest.mark.parametrize(
    "begins", [np.ones((1, 3), np.int8), np.ones((2, 3), np.bool_), np.array([[False, True, True]])]
)
def test_beginnings_that_do_not_fit_are_refused(begins):
    with pytest.raises(ValueError, match="tie"):
        TiedTopics(drawn("$-$"), begins)
