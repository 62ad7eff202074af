"""What `-m` may say, and in which order it is printed."""

import pytest

from scoring.core.measures.trec_eval import ALL_TREC
from scoring.library.bad_input import BadInput
from scoring.library.measure_lines import OFFICIAL, read_measures, single_measures


def labels(*texts, rel=1):
    return [line.label for line in read_measures(texts, rel=rel)]


def names(*texts, rel=1):
    return [line.name for line in read_measures(texts, rel=rel)]


def test_nothing_asks_for_the_official_measures():
    assert labels() == labels("official")
    assert len(labels()) == 30
    assert labels(*OFFICIAL) == labels()


def test_all_trec_leaves_out_rbp_and_has_everything_else():
    assert labels("all_trec") == ["runid", *ALL_TREC]


def test_the_nickname_set():
    counts = ["num_q", "num_ret", "num_rel", "num_rel_ret", "utility"]
    sets = ["set_P", "set_relative_P", "set_recall", "set_map", "set_F"]
    assert labels("set") == ["runid", *counts, *sets]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P.5,7,3", ["P_3", "P_5", "P_7"]),
        ("ndcg_cut.10,20", ["ndcg_cut_10", "ndcg_cut_20"]),
        ("P.100,5", ["P_5", "P_100"]),
        ("iprec_at_recall..10,.20", ["iprec_at_recall_0.10", "iprec_at_recall_0.20"]),
        ("Rprec_mult.0.5", ["Rprec_mult_0.50"]),
        ("P_10", ["P_10"]),
        ("iprec_at_recall_0.10", ["iprec_at_recall_0.10"]),
        ("success", ["success_1", "success_5", "success_10"]),
        ("ndcg.1=3,2=9,4=4.5", ["ndcg_1=3,2=9,4=4.5"]),
        ("set_F.0.5", ["set_F_0.5"]),
        ("rbp", ["rbp"]),
        ("rbp_resid.p=0.8", ["rbp_resid_p=0.8"]),
        ("P@10", ["P_10"]),
        ("nDCG@10", ["ndcg_cut_10"]),
        ("nDCG", ["ndcg"]),
        ("RBP(p=0.8)", ["RBP(p=0.8)"]),
    ],
)
def test_labels(text, expected):
    assert labels(text) == expected


HIGHEST = "is too large: write 999999999 at most"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("P@99999999999", f"99999999999 {HIGHEST}"),
        ("P_99999999999", f"99999999999 {HIGHEST}"),
        ("P.5,99999999999", f"99999999999 {HIGHEST}"),
        ("RR(nth=99999999999)@5", f"99999999999 {HIGHEST}"),
        ("ndcg.1", "'1' is not a gain such as 1=3 in ndcg.1=3,2=9; for a cutoff write ndcg_cut.1"),
        ("ndcg.1=", "'1=' is not of the form grade=gain, as in ndcg.1=3,2=9"),
        (
            "all",
            "there is no measure 'all'; did you mean all_trec (all of trec_eval's) or official "
            "(the usual ones)?",
        ),
    ],
)
def test_what_is_wrong_and_what_to_write(text, told):
    with pytest.raises(BadInput) as refused:
        read_measures([text])
    assert refused.value.messages == (f"-m {text}: {told}",)


@pytest.mark.parametrize(
    "text", ["P@999999999", "RBP(p=0.12345678901)", "IPrec@0.12345678901", "ndcg.1=12345678901"]
)
def test_long_numbers_that_are_not_too_large(text):
    assert len(labels(text)) == 1


def test_trec_evals_order_first_then_as_asked():
    asked = labels("ESL(n=1)", "unj.5", "P.10", "RBP(p=0.8)", "map", "ndcg.1=2", "P.5")
    assert asked == ["map", "P_5", "P_10", "ndcg_1=2", "unj_5", "ESL(n=1)", "RBP(p=0.8)"]


def test_parameters_replace_the_defaults_of_a_nickname():
    assert [each for each in labels("official", "P.7") if each.startswith("P_")] == ["P_7"]
    assert "ndcg" not in labels("all_trec", "ndcg.1=2")


def test_names_of_other_tools():
    assert names("Success.10", "precision.5", "r-precision") == ["Rprec", "P@5", "Success@10"]
    with pytest.raises(BadInput, match="-m hits: 'hits' is a count in ranx, and Success in others"):
        read_measures(["hits"])


@pytest.mark.parametrize("typed", ["rbp.95", "RBP.95"])
def test_rbp_of_ranx_has_a_note_of_how_ours_differs(typed: str) -> None:
    (line,) = read_measures([typed])
    assert (line.name, line.label) == ("RBP(p=0.95)", "RBP(p=0.95)")
    assert (
        line.note == f"{typed} is RBP(p=0.95), of binary relevance; ranx multiplies by the grades"
    )
    assert [each.note for each in read_measures(["rbp.p=.95", "map"])] == ["", ""]


def test_tables_use_our_names():
    assert names("map", "P.5", "recip_rank") == ["AP", "RR", "P@5"]
    assert names("map", "AP(rel=1)", rel=2) == ["AP(rel=2)", "AP"]


def test_an_explicit_rel_has_a_label_of_its_own():
    assert labels("map", "AP(rel=2)") == ["map", "AP(rel=2)"]
    assert labels("map", "AP(rel=2)", rel=2) == ["map"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("mpa", "there is no measure 'mpa'; did you mean map?"),
        ("nDGC@10", "there is no measure 'nDGC'; did you mean nDCG?"),
        *(
            (name, "Trackside reads no preferences. Use trec_eval for its prefs measures")
            for name in ("prefs_simp", "prefs_avgjg_Rnonrel_ret", "prefs_num_prefs_ful", "prefs")
        ),
        ("map_avgjg", "compute map from the judgments of each group by itself"),
        ("P_avgjg.5,10", "compute P from the judgments of each group by itself"),
        ("RBP", "no default"),
        ("P.5,5", "given twice"),
        ("P.0", "'0' is not a whole number above 0"),
        ("P.x", "'x' is not a whole number above 0"),
        ("map.5", "map has no parameters"),
        ("nope.5", "not a trec_eval measure"),
        ("utility.1,2", "four numbers"),
        ("ndcg.one=3", "grade=gain"),
        ("ndcg.1=-3", "must not be negative"),
        ("iprec_at_recall.x", "'x' is not a number"),
        ("rbp.p=2", "p=2"),
    ],
)
def test_what_is_not_understood_is_named(text, reason):
    with pytest.raises(BadInput) as refused:
        read_measures([text])
    (message,) = refused.value.messages
    assert message.startswith(f"-m {text}: ")
    assert reason in message


def test_all_faults_are_told_together():
    with pytest.raises(BadInput) as refused:
        read_measures(["mpa", "map", "RBP"])
    assert len(refused.value.messages) == 2


def test_measures_to_compare_keep_their_order():
    asked = single_measures(["RBP(p=0.8)", "map", "AP", "P.10"])
    assert [str(each) for each in asked] == ["RBP(p=0.8)", "AP", "P@10"]
    with pytest.raises(BadInput, match="relstring"):
        single_measures(["relstring"])
