"""Table 2 of Moffat's Seven numeric properties comes out of a search, as printed."""

from itertools import product

import pytest

from scoring.core.measures.catalogue import family_of
from scoring.core.measures.names import parse_measure
from scoring.core.properties.properties import PROPERTIES, properties_of
from tests.scoring.core.drawn import base
from tests.scoring.core.test_catalogue import EXAMPLES

# Bnd Mono Conv Top Loc Compl Real
TABLE_2 = {
    "DCG@5": "n y y y y y n",
    "SP@5": "n y y y y y n",
    "Rprec@5": "y n n n n n y",
    "SNDCG@5": "y n n y y n y",
    "SNAP@5": "y n n y y n y",
    "P@5": "y n y n y y n",
    "nDCG@5": "y n y y n n y",
    "SDCG@5": "y n y y y y n",
    "HIT@5": "y y n n y y y",
    "RR@5": "y y n n y y y",
    "R@5": "y y y n n n n",
    "AP@5": "y y y y n n n",
    "RBP(p=0.8)@5": "y y y y y y n",
}


def row(name):
    found = properties_of(parse_measure(name))
    return " ".join("y" if found[each].holds else "n" for each in PROPERTIES)


@pytest.mark.parametrize("name", TABLE_2)
def test_table_2(name):
    assert row(name) == TABLE_2[name]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CG@5", "n y y n y y n"),
        ("INSQ(T=2)", "y y y y y y n"),
        ("WP(w=harmonic)", "y y y y y y n"),
        ("Success@5", "y y n n y y y"),
        ("ERR@5", "y y y y y y n"),  # binary: s = 1/2
        ("F1@5", "y n y n n n n"),
        ("bpref", "y y n n n n n"),  # R = 1: one document above costs as much as two
        ("Judged@5", "y y n n y y y"),
        # undefined before the nth relevant document: here always, and so nothing shows a bound
        ("ESL(n=1000)", "n y y y y n y"),
    ],
)
def test_rows_of_further_measures(name, expected):
    assert row(name) == expected


@pytest.mark.parametrize(
    ("name", "which", "rankings", "cutoffs", "scores"),
    [
        ("P@1", "monotonic", ("10", "10"), (1, 2), (1, 1 / 2)),
        ("P@1", "top-weighted", ("010", "100"), (2, 2), (1 / 2, 1 / 2)),
        ("RR@1", "convergent", ("101", "110"), (2, 2), (1, 1)),
        ("SNAP@1", "complete", ("00",), (1,), None),
        ("AP@1", "localized", ("10", "11"), (1, 1), (1, 1 / 2)),
        ("AP@1", "realizable", ("11",), (1,), (1 / 2,)),
        ("RBP(p=0.8)", "realizable", ("100",), (2,), (0.2,)),
    ],
)
def test_the_smallest_counter_example_is_shown(name, which, rankings, cutoffs, scores):
    example = properties_of(parse_measure(name))[which].counter_example
    assert example.rankings == rankings
    assert example.cutoffs == cutoffs
    assert example.cutoff == cutoffs[0]
    if scores is not None:
        assert example.scores == pytest.approx(scores, abs=1e-15)


@pytest.mark.parametrize("name", TABLE_2)
def test_a_counter_example_is_one(name):
    family, _, _ = name.partition("@")
    for which, finding in properties_of(parse_measure(name)).items():
        assert (finding.counter_example is None) == (finding.holds or which == "bounded")
        if finding.counter_example is None or which == "complete":
            continue
        example = finding.counter_example
        scores = [
            base(f"{family}@{cutoff}", ranking)
            for ranking, cutoff in zip(example.rankings, example.cutoffs, strict=True)
        ]
        assert list(example.scores) == pytest.approx(scores, abs=1e-15)
        if which == "monotonic":
            assert scores[1] < scores[0]
        elif which in ("convergent", "top-weighted"):
            assert scores[1] <= scores[0] + 1e-9
        elif which == "localized":
            assert abs(scores[0] - scores[1]) > 1e-9


def all_rankings(size):
    return ["".join(digits) for digits in product("01", repeat=size)]


def lifts(ranking):
    """Every swap of a relevant document with an irrelevant one above it: the lower rank, and what
    the ranking becomes."""
    for i, j in product(range(len(ranking)), repeat=2):
        if i < j and ranking[i] == "0" and ranking[j] == "1":
            yield j, ranking[:i] + "1" + ranking[i + 1 : j] + "0" + ranking[j + 1 :]


def broken(family, rankings, k):
    """The properties that collections of one size contradict at a cutoff, by the paper's words."""
    score = {r: base(f"{family}@{k}", r) for r in rankings}
    for r in rankings:
        if base(f"{family}@{k + 1}", r) < score[r] - 1e-9:
            yield "monotonic"
        for lower, lifted in lifts(r):
            if lifted[:k] != r[:k] and score[lifted] <= score[r] + 1e-9:
                yield "convergent" if lower >= k else "top-weighted"
        if any(r[:k] == o[:k] and abs(score[r] - score[o]) > 1e-9 for o in rankings):
            yield "localized"


@pytest.mark.parametrize("family", ["P", "AP", "RR", "nDCG", "Rprec", "R", "RBP(p=0.8)"])
def test_a_literal_search_over_pairs_finds_the_same(family):
    """Collections of up to four documents."""
    needs_relevant = family_of(parse_measure(f"{family}@1")).facts.needs_relevant
    lacking = set()
    for size in (2, 3, 4):
        rankings = [r for r in all_rankings(size) if "1" in r or not needs_relevant]
        for k in range(1, size):
            lacking.update(broken(family, rankings, k))
    found = properties_of(parse_measure(f"{family}@1"))
    others = ("monotonic", "convergent", "top-weighted", "localized")
    assert lacking == {name for name in others if not found[name].holds}


@pytest.mark.parametrize("measure", EXAMPLES, ids=str)
def test_every_measure_has_its_row(measure):
    found = properties_of(measure)
    assert tuple(found) == PROPERTIES
    unbounded = family_of(measure).facts.range[1] == float("inf")
    assert found["bounded"].holds != unbounded or measure.family == "ESL"
