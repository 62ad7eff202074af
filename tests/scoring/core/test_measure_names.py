"""A name parses to a value, prints canonically, and parses back to an equal value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.diversity.measures import DIVERSITY_FAMILIES
from scoring.core.measures.aliases import spelled, to_trec_eval
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
from scoring.core.measures.trec_eval import ALL_TREC, RELSTRING


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
        ("gm_map", "GMAP"),
        ("iprec_at_recall_0.10", "IPrec(levels=trec_eval)@0.1"),
        ("11pt_avg", "IPrec11(levels=trec_eval)"),
        ("Rprec_mult_0.20", "Rprec(mult=0.2)"),
        ("Rprec_mult_1.00", "Rprec"),
        ("success_5", "Success@5"),
        ("set_recall", "SetR"),
        ("set_F", "SetF"),
        ("relative_P_20", "relative_P@20"),
        ("unj_5", "unj@5"),
        ("num_rel_ret", "NumRelRet"),
        ("MAP", "AP"),
        ("MAP@100", "AP@100"),
        ("MRR(rel=2)@10", "RR(rel=2)@10"),
        ("NDCG@10", "nDCG@10"),
        ("RPrec", "Rprec"),
        ("Bpref(rel=2)", "bpref(rel=2)"),
        ("SetRelP", "set_relative_P"),
        ("Precision@5", "P@5"),
        ("IPrec@0.1", "IPrec@0.1"),
        ("IPrec@.10", "IPrec@0.1"),
        ("IPrec@0", "IPrec@0"),
        ("IPrec@1.0", "IPrec@1"),
        ("AUC(interpolated)", "AUC(interpolated=yes)"),
        ("AUC(interpolated=no)", "AUC"),
        ("RBP(p2=0.8,p1=.5)", "RBP(p1=0.5,p2=0.8)"),
        ("RBP(p1=1,p2=0,gain=map)@5", "RBP(p1=1,p2=0,gain=map)@5"),
        ("ESL(n=3,per=0)", "ESL(n=3)"),
        ("ESL(per=1,rel=2,n=3)", "ESL(n=3,rel=2,per=1)"),
        ("DCG(b=0)@5", "DCG@5"),
        ("DCG(gain=exp,b=2)@5", "DCG(b=2,gain=exp)@5"),
        ("RR(damp=2,nth=1)", "RR(damp=2)"),
        ("WP(w=harmonic)", "WP(w=harmonic)"),
        ("Q(beta=1,gain=grade)", "Q"),
        ("recall@100", "R@100"),
        ("mrr@10", "RR@10"),
        ("hit@10", "Success@10"),
        ("hit_rate@10", "Success@10"),
        ("HIT@10", "HIT@10"),
        ("ndcg@10", "nDCG@10"),
        ("map@100", "AP@100"),
        ("precision@5", "P@5"),
        ("r_precision", "Rprec"),
        ("ndcg_burges@10", "nDCG(gain=exp)@10"),
        ("ndcg_at_10", "nDCG@10"),
        ("recall_at_1000", "R@1000"),
        *((name, "Rprec") for name in ("r-precision", "R-Prec", "rPrec", "Rprecision", "r_prec")),
        *((f"{name}@10", "Success@10") for name in ("HitRate", "hit-rate", "success", "hit")),
        *((name, "Success@10") for name in ("Success.10", "success_10", "hit_rate_at_10")),
        *((name, "P@10") for name in ("P.10", "p_10", "prec@10", "Precision.10", "P_cut_10")),
        *((name, "RR@10") for name in ("mrr_10", "mrr_cut.10", "recip_rank@10", "RR_at_10")),
        *((name, "nDCG@10") for name in ("ndcg_cut.10", "nDCG.10", "NDCG_10", "NDCG_cut_10")),
        *((name, "AP") for name in ("average-precision", "MeanAveragePrecision")),
        *((name, "AP@100") for name in ("MAP.100", "map_cut.100", "map_100")),
        *((f"{name}@100", "relative_P@100") for name in ("R_cap", "recall_cap", "RCap")),
        ("Q-measure", "Q"),
        ("set_f1", "SetF"),
        ("set_recall(rel=2)", "SetR(rel=2)"),
        ("recall.100", "R@100"),
        ("judged_10", "Judged@10"),
        ("f1_score@10", "F1@10"),
        ("11-pt_avg", "IPrec11(levels=trec_eval)"),
        ("rank_biased_precision(p=0.8)", "RBP(p=0.8)"),
        # parameters of trec_eval, which are no cutoffs
        *((name, None) for name in ("map.10", "ndcg.10", "recip_rank.10", "set_F.1")),
        *((name, None) for name in ("RBP", "rbp.80", "rbp_80", "bpref.10")),
        ("iprec_at_recall_0.30", "IPrec(levels=trec_eval)@0.3"),
        ("rbp(p=0.5)", "RBP(p=0.5)"),
        ("rprec", "Rprec"),
        ("bpref", "bpref"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exp)@10"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("nDCG(dcg='exp-log2',judged_only=True)@10", "nDCG(gain=exp,judged_only=yes)@10"),
        ("P(rel=2,judged_only=True)@5", "P(rel=2,judged_only=yes)@5"),
        ("AP(judged_only)", "AP(judged_only=yes)"),
        ("RR(judged_only=False)@10", "RR@10"),
        ("Compat(p=0.8,normalize=False)", "Compat(p=0.8,normalize=no)"),
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
        ("ndgc@10", "nDCG"),
        ("app", "AP"),
        ("bprev", "bpref"),
        ("iprec11pt", "IPrec11"),
        ("NumberRel", "NumRel"),
        ("rpb(p=0.5)", "RBP"),
        ("Judge@10", "Judged"),
        ("rprecc", "Rprec"),
        ("sucess@5", "Success"),
    ],
)
def test_an_unknown_name_suggests_the_nearest(typed, nearest):
    with pytest.raises(UnknownMeasure, match=f"did you mean {nearest}"):
        parse_measure(typed)


def test_an_unknown_name_suggests_all_that_are_near():
    with pytest.raises(UnknownMeasure, match=r"; did you mean Rprec or P\?"):
        parse_measure("rprecisions@10")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("hits@10", "'hits' is a count in ranx, and Success in others: for the number of"),
        ("Hole@10", "'Hole' is 1 - Judged: use Judged"),
        ("nope", "there is no measure 'nope'"),
        ("bpref-10", "there is no measure 'bpref-10'; did you mean bpref?"),
    ],
)
def test_a_name_with_another_meaning_says_what_to_take(typed, told):
    with pytest.raises(UnknownMeasure) as error:
        parse_measure(typed)
    assert str(error.value).startswith(told)


@pytest.mark.parametrize("family", DIVERSITY_FAMILIES, ids=lambda family: family.name)
def test_measures_of_subtopics_are_computed_elsewhere(family):
    for name in (family.name, family.name.replace("_", "-")):
        with pytest.raises(UnknownMeasure, match="use `trackside diversity`"):
            parse_measure(f"{name}@10")


def test_no_two_families_are_spelled_alike():
    for family in FAMILIES:
        names = [family.name, family.name.replace("_", "-"), family.trec_eval, family.trec_eval_cut]
        assert {spelled(name) for name in names if name} == {family.name}


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
        ("RBP(p=0.5,q=1)", "no parameter 'q' .*it has: p, p1, p2, rel, gain"),
        ("RBP(p=0.5,p1=0.8)", "p and p1 exclude each other"),
        ("RBP(p1=0.5)", "RBP needs p2"),
        ("RBP(p1=0.5,p2=1)", "outside 0 <= p2 < 1"),
        ("IPrec", "needs a cutoff, as in IPrec@0.1"),
        ("IPrec@1.1", "recall level lies in 0..1"),
        ("IPrec@x", "recall level 'x' is not a number"),
        ("INSQ", "INSQ needs T"),
        ("INSQ(T=0)", "outside 0 < T"),
        ("WP", "WP needs w"),
        ("WP(w=linear)", "none of harmonic"),
        ("ESL", "ESL needs n"),
        ("DCG(b=1)@5", "outside 1 < b"),
        ("AUC(curved)", "key=value"),
        ("SetP@10", "SetP has no cutoff"),
        ("RBP(p=0.5,gain=exp)", "none of binary, map"),
        ("RBP(p=0.5,rel=2,gain=map)", "rel says nothing unless gain=binary"),
        ("Judged(rel=2)@10", "no parameter 'rel' .*none"),
        ("P", "needs a cutoff"),
        ("P@0", "at least 1"),
        ("P_0", "at least 1"),
        ("P@-1", "whole number"),
        ("P@10.5", "whole number"),
        ("P@", "whole number"),
        ("P@1000000000", "too large: 999999999 at most"),
        ("bpref(k=1000001)", "outside 0 <= k"),
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
def values(draw, parameter):
    if parameter.kind == "word":
        return draw(st.sampled_from(parameter.words))
    low = parameter.at_least if parameter.above is None else parameter.above
    high = parameter.at_most if parameter.below is None else parameter.below
    if parameter.kind == "integer":
        return draw(st.integers(int(low or 0), int(high or 10**9 - 1)))
    inside = st.floats(
        low,
        high,
        exclude_min=parameter.above is not None,
        exclude_max=parameter.below is not None,
    )
    return draw(inside)


@st.composite
def measures(draw):
    family = draw(st.sampled_from(FAMILIES))
    options = {}
    for parameter in family.parameters:
        excluded = any(other in options for other in parameter.instead_of)
        needed = parameter.default is None and (not parameter.instead_of or "p1" in options)
        if not excluded and (needed or draw(st.booleans())):
            options[parameter.name] = draw(values(parameter))
    if family.name == "RBP" and not options.keys() & {"p", "p1"}:
        options = {"p": 0.5} | {key: value for key, value in options.items() if key != "p2"}
    rel = family.parameter("rel")
    if rel is not None and rel.only_with and options.get("gain") == "map":
        options.pop("rel", None)
    return make_measure(family.name, cutoff=draw(cutoffs(family)), **options)


def cutoffs(family):
    ranks = st.integers(1, 10**9 - 1)
    choices = {"required": ranks, "optional": st.none() | ranks, "recall": st.floats(0, 1)}
    return choices.get(family.cutoff, st.none())


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
        ("iprec_at_recall_0.50", "IPrec(rel=2,levels=trec_eval)@0.5"),
        ("MAP", "AP(rel=2)"),
        ("INSQ(T=1,gain=map)", "INSQ(T=1,gain=map)"),
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


def test_a_measure_has_the_name_that_trec_eval_gives_it():
    for name in ALL_TREC:
        if name == RELSTRING:
            continue
        measure = parse_measure(name)
        found = to_trec_eval(measure)
        assert found == ("Rprec" if name == "Rprec_mult_1.00" else name)
        assert parse_measure(found) == measure
    assert to_trec_eval(parse_measure("P(rel=2)@10")) == "P_10"
    for name in ("RBP(p=0.8)", "nDCG(gain=exp)", "DCG@5", "SetF(beta=2)", "Rprec@5", "RR@10"):
        assert to_trec_eval(parse_measure(name)) is None


def test_a_measure_made_by_hand_without_a_family_is_unknown():
    with pytest.raises(UnknownMeasure):
        family_of(Measure("Nonsense"))
