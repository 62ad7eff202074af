"""A name parses to a value, prints canonically, and parses back to an equal value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.measures.catalogue import FAMILIES, family_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import (
    BadMeasure,
    UnknownMeasure,
    make_measure,
    parse_measure,
    rel_of,
    with_default_rel,
)


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("AP", "AP"),
        ("AP@100", "AP@100"),
        ("AP(rel=1)", "AP"),
        ("AP(rel=2)", "AP(rel=2)"),
        ("P(rel=2)@10", "P(rel=2)@10"),
        ("P( rel = 2 ) @10", None),
        (" P( rel = 2 )@ 010 ", "P(rel=2)@10"),
        ("RBP(p=.8)", "RBP(p=0.8)"),
        ("RBP(p=0.80)", "RBP(p=0.8)"),
        ("RBP(p=8e-1)", "RBP(p=0.8)"),
        ("RBP(p=0)", "RBP(p=0)"),
        ("RBP(p=0.0)", "RBP(p=0)"),
        ("RBP(gain=map,p=0.5)", "RBP(p=0.5,gain=map)"),
        ("RBP(p=0.5,gain=binary)", "RBP(p=0.5)"),
        ("RBP(gain=binary,rel=2,p=0.5)@20", "RBP(p=0.5,rel=2)@20"),
        ("nDCG()", "nDCG"),
        ("nDCG(gain=grade)@10", "nDCG@10"),
        ("nDCG(gain=exp)@10", "nDCG(gain=exp)@10"),
        ("Judged@10", "Judged@10"),
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("P_10", "P@10"),
        ("recall_1000", "R@1000"),
        ("recip_rank", "RR"),
        ("Rprec", "Rprec"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
    ],
)
def test_names_print_canonically(typed, canonical):
    if canonical is None:
        with pytest.raises(BadMeasure):
            parse_measure(typed)
        return
    measure = parse_measure(typed)
    assert str(measure) == canonical
    assert parse_measure(canonical) == measure
    assert hash(parse_measure(canonical)) == hash(measure)


@pytest.mark.parametrize(
    ("typed", "nearest"),
    [
        ("ndcg@10", "nDCG"),
        ("NDCG", "nDCG"),
        ("ap", "AP"),
        ("MAP", "AP"),
        ("MRR", "RR"),
        ("rbp(p=0.5)", "RBP"),
        ("Judge@10", "Judged"),
        ("RPrec", "Rprec"),
    ],
)
def test_an_unknown_name_suggests_the_nearest(typed, nearest):
    with pytest.raises(UnknownMeasure, match=f"did you mean {nearest}"):
        parse_measure(typed)


def test_a_name_like_no_other_suggests_nothing():
    with pytest.raises(UnknownMeasure) as error:
        parse_measure("Zzyzx@10")
    assert "did you mean" not in str(error.value)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("RBP", "RBP needs p .*no default"),
        ("RBP(gain=map)", "RBP needs p"),
        ("RBP(p=1)", "outside 0 <= p < 1"),
        ("RBP(p=1.5)", "outside"),
        ("RBP(p=-0.1)", "is not a number"),
        ("RBP(p=nan)", "is not a number"),
        ("RBP(p=0_5)", "is not a number"),
        ("RBP(p=٠.٥)", "is not a number"),
        ("RBP(p=)", "key=value"),
        ("RBP(0.5)", "key=value"),
        ("RBP(p=0.5,)", "key=value"),
        ("RBP(p=0.5,p=0.8)", "given twice"),
        ("RBP(p=0.5,q=1)", "no parameter 'q' .*it has: p, rel, gain"),
        ("RBP(p=0.5,gain=exp)", "none of binary, map"),
        ("RBP(p=0.5,rel=2,gain=map)", "rel says nothing unless gain=binary"),
        ("Judged(rel=2)@10", "no parameter 'rel' .*none"),
        ("P", "needs a cutoff"),
        ("P@0", "at least 1"),
        ("P_0", "at least 1"),
        ("P@-1", "whole number"),
        ("P@10.5", "whole number"),
        ("P@", "whole number"),
        ("P@1000000000", "whole number"),
        ("P(rel=0)@10", "outside 1 <= rel <= 127"),
        ("P(rel=1.5)@10", "whole number"),
        ("P@10@20", "of the form"),
        ("P@10(rel=2)", "of the form"),
        ("AP((rel=2))", "of the form"),
        ("", "of the form"),
        ("<b>", "of the form"),
        ("A" * 300, "at most"),
    ],
)
def test_bad_names_say_what_is_wrong(typed, reason):
    with pytest.raises(BadMeasure, match=reason):
        parse_measure(typed)


@given(
    st.text(max_size=30) | st.from_regex(r"[A-Za-z]{1,5}\([a-z=0-9.,]*\)@[0-9]*", fullmatch=True)
)
def test_no_text_does_anything_else(text):
    try:
        measure = parse_measure(text)
    except (BadMeasure, UnknownMeasure):
        return
    assert parse_measure(str(measure)) == measure


@st.composite
def measures(draw):
    family = draw(st.sampled_from(FAMILIES))
    options = {}
    if family.name == "RBP":
        options["p"] = draw(st.floats(0, 1, exclude_max=True))
    if family.parameter("gain"):
        options["gain"] = draw(st.sampled_from(family.parameter("gain").words))
    if family.parameter("rel") and options.get("gain") != "map":
        options["rel"] = draw(st.integers(1, 127))
    cutoffs = st.integers(1, 10**9 - 1)
    cutoff = draw(cutoffs if family.cutoff == "required" else st.none() | cutoffs)
    return make_measure(family.name, cutoff=cutoff, **options)


@given(measures())
def test_every_measure_parses_back_to_itself(measure):
    assert parse_measure(str(measure)) == measure


def test_a_measure_can_be_made_from_its_parts():
    assert make_measure("RBP", p=0.8) == parse_measure("RBP(p=0.8)")
    assert make_measure("RBP", p=-0.0) == parse_measure("RBP(p=0)")
    assert str(make_measure("RBP", p=-0.0)) == "RBP(p=0)"
    with pytest.raises(BadMeasure, match="kind"):
        make_measure("P", cutoff=10, rel=1.5)
    with pytest.raises(BadMeasure, match="kind"):
        make_measure("RBP", p="0.8")


@pytest.mark.parametrize(
    ("typed", "with_rel_2"),
    [
        ("AP", "AP(rel=2)"),
        ("P@10", "P(rel=2)@10"),
        ("P(rel=3)@10", "P(rel=3)@10"),
        ("RBP(p=0.5)@9", "RBP(p=0.5,rel=2)@9"),
        ("RBP(p=0.5,gain=map)", "RBP(p=0.5,gain=map)"),
        ("nDCG@10", "nDCG@10"),
        ("Judged@10", "Judged@10"),
        ("map", "AP(rel=2)"),
    ],
)
def test_the_campaigns_rel_becomes_explicit(typed, with_rel_2):
    measure = parse_measure(typed)
    assert str(with_default_rel(measure, 2)) == with_rel_2
    assert with_default_rel(measure, 1) == measure
    assert str(parse_measure(typed, default_rel=2)) == with_rel_2


def test_an_explicit_rel_wins_over_the_default():
    assert str(parse_measure("AP(rel=1)", default_rel=2)) == "AP"


def test_the_rel_of_a_measure():
    assert rel_of(parse_measure("AP")) == 1
    assert rel_of(parse_measure("AP(rel=2)")) == 2
    assert rel_of(parse_measure("nDCG")) is None
    assert rel_of(parse_measure("RBP(p=0.5,gain=map)")) is None


def test_a_measure_made_by_hand_without_a_family_is_unknown():
    with pytest.raises(UnknownMeasure):
        family_of(Measure("Nonsense"))
