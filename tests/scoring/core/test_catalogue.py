"""What holds for every family: its facts are there and true, and evaluation keeps its promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.measures.catalogue import FAMILIES, family_of
from scoring.core.measures.graded import GradedTopics, default_gain_map, evaluate
from scoring.core.measures.measure import BadMeasure, Measure
from scoring.core.measures.names import parse_measure
from tests.scoring.core.drawn import drawn, scores

EXAMPLES = [
    parse_measure(name)
    for name in (
        "RBP(p=0.5)",
        "RBP(p=0.95,rel=2)@7",
        "RBP(p=0.8,gain=map)",
        "AP",
        "AP(rel=2)@5",
        "nDCG",
        "nDCG(gain=map)@3",
        "nDCG(gain=exp)@10",
        "DCG@5",
        "P@10",
        "R@10",
        "Rprec",
        "Rprec(rel=2)@4",
        "RR",
        "RR@3",
        "Judged@10",
        "RBP(p1=0.5,p2=0.8)",
        "RBP(p1=0.9,p2=0.8,rel=2)@6",
        "Rprec(mult=0.2)",
        "RR(nth=2)",
        "RR(damp=3)@7",
        "DCG(b=2)@5",
        "nDCG(b=2)",
        "F1@5",
        "PR@5",
        "relative_P@5",
        "Success@2",
        "HIT@3",
        "unj@5",
        "INSQ(T=2)",
        "INSQ(T=0.5,gain=map)@8",
        "INST(T=2)",
        "BPM(T=2)@5",
        "WP(w=harmonic)",
        "WP(w=harmonic,gain=map)@8",
        "SP@6",
        "APret",
        "SNAP@6",
        "GMAP",
        "yaap",
        "IPrec@0.3",
        "IPrec(levels=trec_eval)@0.3",
        "IPrec11",
        "IPrec3(rel=2)",
        "AUC",
        "AUC(interpolated=yes)",
        "bpref",
        "bpref(k=10)",
        "gm_bpref",
        "infAP",
        "Q",
        "Q(beta=10,gain=map)",
        "ERR",
        "ERR@5",
        "ERR(gain=grade)",
        "nERR@5",
        "nERR(gain=grade)",
        "NERR8@5",
        "NERR9(gain=map)@5",
        "NERR10(gain=map)",
        "NERR11(T=2)",
        "Compat(p=0.9)",
        "CG@5",
        "SDCG@5",
        "SNDCG@5",
        "ESL(n=2)",
        "ESL(n=2,per=1)",
        "RankPower",
        "Accuracy@5",
        "SetP",
        "SetR",
        "SetF(beta=2)",
        "SetAP",
        "set_relative_P",
        "utility",
        "binG",
        "G",
        "ndcg_rel",
        "Rndcg",
        "NumQ",
        "NumRet",
        "NumRel",
        "NumRelRet",
        "num_nonrel_judged_ret",
    )
]
ids = pytest.mark.parametrize("measure", EXAMPLES, ids=str)


def random_topics(seed, topics=6, depth=40):
    random = np.random.default_rng(seed)
    grades = random.choice(np.array([-1, 0, 1, 2], np.int8), size=(topics, depth))
    lengths = random.integers(0, depth + 1, topics)
    grades[np.arange(depth) >= lengths[:, None]] = -128
    counts = np.stack([(grades == g).sum(axis=1) for g in range(3)], axis=1)
    counts += random.integers(0, 4, counts.shape)
    return GradedTopics(grades, counts.astype(np.int64), default_gain_map(2))


def test_there_is_an_example_of_every_family():
    assert {measure.family for measure in EXAMPLES} == {family.name for family in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_facts_of_a_family_are_told(family):
    facts = family.facts
    for text in (facts.pretty_name, facts.description, facts.formula, facts.reference):
        assert text
    assert facts.residual.endswith(".")
    assert facts.direction in ("higher", "lower")
    assert facts.range[0] < facts.range[1]
    assert family.version >= 1


@ids
def test_scores_lie_in_the_stated_range_and_have_the_stated_residual(measure):
    facts = family_of(measure).facts
    for seed in range(5):
        found = evaluate([measure], random_topics(seed))[measure]
        assert found.base.dtype == np.float64
        scored = found.base[~np.isnan(found.base)]
        assert (scored >= facts.range[0]).all()
        assert (scored <= facts.range[1] + 1e-12).all()
        assert (found.residual is not None) == facts.has_residual
        if found.residual is not None:
            assert (found.residual >= 0).all()
            assert (found.base + found.residual <= facts.range[1] + 1e-12).all()


# What an empty ranking scores where it is not 0: nan for what is undefined then.
EMPTY = {
    "APret": np.nan,
    "SNAP@6": np.nan,
    "SNDCG@5": np.nan,
    "ESL(n=2)": np.nan,
    "ESL(n=2,per=1)": np.nan,
    "RankPower": np.nan,
    "Accuracy@5": np.nan,
    "GMAP": 0.00001,
    "gm_bpref": 0.00001,
    "yaap": -np.log(3),  # R = 2
    "NumRel": 2,
    "NumQ": 1,
}


@ids
def test_an_empty_ranking_scores_zero_and_everything_is_unknown(measure):
    graded = drawn("", "1-", highest=2, per_grade=(0, 0, 2))
    found = evaluate([measure], graded)[measure]
    assert np.array_equal(found.base[0], EMPTY.get(str(measure), 0), equal_nan=True)
    if measure in (parse_measure("RBP(p=0.5)"), parse_measure("INSQ(T=2)")):
        assert found.residual[0] == 1


@ids
def test_a_matrix_without_ranks_or_topics_is_scored(measure):
    no_ranks = GradedTopics(
        np.zeros((2, 0), np.int8), np.zeros((2, 3), np.int64), default_gain_map(2)
    )
    nothing = 0 if str(measure) == "yaap" else EMPTY.get(str(measure), 0)
    nothing = 0 if str(measure) == "NumRel" else nothing
    scored = evaluate([measure], no_ranks)[measure].base
    assert np.array_equal(scored, [nothing, nothing], equal_nan=True)
    no_topics = GradedTopics(
        np.zeros((0, 5), np.int8), np.zeros((0, 3), np.int64), default_gain_map(2)
    )
    assert evaluate([measure], no_topics)[measure].base.shape == (0,)


@pytest.mark.parametrize(
    "name",
    [
        *("AP", "AP(rel=2)@5", "R@10", "Rprec", "Rprec(rel=2)@4", "RR", "nDCG", "nDCG(gain=exp)@2"),
        *("IPrec@1", "IPrec11", "AUC(interpolated)", "bpref", "bpref(k=10)", "Q", "Success@1"),
        *("HIT@1", "SNDCG@3", "SNAP@3", "APret", "SetR", "set_relative_P", "relative_P@2"),
        *("nDCG(b=2)", "Q(beta=7,gain=map)", "PR@3", "F1@3", "G", "ndcg_rel", "Rndcg", "GMAP"),
        *("nERR", "nERR@2", "Compat(p=0.9)", "Accuracy"),
    ],
)
def test_a_perfect_ranking_of_everything_judged_scores_one(name):
    assert scores(name, drawn("2210", highest=2)).base[0] == 1


@pytest.mark.parametrize(
    "measure", [m for m in EXAMPLES if family_of(m).facts.has_residual], ids=str
)
def test_judging_more_moves_a_score_only_within_its_bounds(measure):
    random = np.random.default_rng(1)
    for seed in range(5):
        before = random_topics(seed)
        grades = before.grades.copy()
        unjudged = np.flatnonzero(grades == -1)
        chosen = random.choice(unjudged, len(unjudged) // 2, replace=False)
        grades.reshape(-1)[chosen] = random.integers(0, 3, len(chosen))
        after = GradedTopics(grades, before.grade_counts + 99, before.gain_map)
        old = evaluate([measure], before)[measure]
        new = evaluate([measure], after)[measure]
        assert (new.base >= old.base - 1e-12).all()
        assert (new.base + new.residual <= old.base + old.residual + 1e-12).all()


def test_measures_evaluated_together_score_as_they_do_alone():
    graded = random_topics(3)
    together = evaluate(EXAMPLES, graded)
    assert list(together) == EXAMPLES
    for measure in EXAMPLES:
        alone = evaluate([measure], random_topics(3))[measure]
        assert same_bits(alone, together[measure])


def test_the_grades_are_not_written_to():
    graded = random_topics(2)
    graded.grades.setflags(write=False)
    evaluate(EXAMPLES, graded)


def same_bits(one, other):
    if one.residual is not None and one.residual.tobytes() != other.residual.tobytes():
        return False
    return one.base.tobytes() == other.base.tobytes()


@given(st.integers(1, 40), st.integers(1, 60))
def test_a_perfect_ranking_has_an_ndcg_of_exactly_one(twos, ones):
    graded = drawn("2" * twos + "1" * ones, highest=2)
    for name in ("nDCG", "nDCG@10", "nDCG(gain=exp)", "nDCG(gain=map)@37"):
        assert scores(name, graded).base[0] == 1


def test_a_gain_map_may_reward_grade_zero_or_nothing_at_all():
    odd = drawn("0?", highest=1, gain_map=[0.5, 1])
    assert scores("RBP(p=0.5,gain=map)", odd).base[0] == 0.25
    assert scores("nDCG(gain=map)", odd).base[0] == 1
    nothing = drawn("1?", highest=1, gain_map=[0, 0])
    assert scores("RBP(p=0.5,gain=map)", nothing).residual[0] == 0
    assert scores("nDCG(gain=map)", nothing).base[0] == 0


def test_the_derived_arrays_of_graded_topics():
    graded = drawn("2?0", "1", "", highest=2, per_grade=(5, 3, 2))
    assert graded.lengths.tolist() == [3, 1, 0]
    assert graded.relevant(1).tolist()[0] == [True, False, False]
    assert graded.judged.tolist()[0] == [True, False, True]
    assert graded.unjudged.tolist()[0] == [False, True, False]
    assert graded.relevant_count(1).tolist() == [5, 5, 5]
    assert graded.relevant_count(2).tolist() == [2, 2, 2]
    assert graded.relevant_count(3).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"grades": np.zeros((1, 2), np.int16)}, "int8"),
        ({"grades": np.full((1, 2), 2, np.int8)}, "above the highest grade 1"),
        ({"grade_counts": np.zeros((1, 3), np.int64)}, "grade_counts"),
        ({"pooled": np.zeros((2, 1), np.bool_)}, "pooled"),
        ({"gain_map": np.array([0, 1.5])}, "gain map"),
        ({"gain_map": np.array([0, np.nan])}, "gain map"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, message):
    arrays = {
        "grades": np.zeros((1, 2), np.int8),
        "grade_counts": np.zeros((1, 2), np.int64),
        "gain_map": np.array([0.0, 1.0]),
    }
    with pytest.raises(ValueError, match=message):
        GradedTopics(**(arrays | change))


def test_the_default_gain_map_is_grade_by_highest():
    assert default_gain_map(1).tolist() == [0, 1]
    assert default_gain_map(4).tolist() == [0, 0.25, 0.5, 0.75, 1]
    with pytest.raises(ValueError, match="highest grade"):
        default_gain_map(0)


@pytest.mark.parametrize(
    "measure", [Measure("RBP"), Measure("P"), Measure("AP", (("nonsense", 1),))], ids=str
)
def test_a_measure_made_past_the_checks_is_refused(measure):
    with pytest.raises(BadMeasure):
        evaluate([measure], random_topics(0))
