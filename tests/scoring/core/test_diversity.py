"""Measures of novelty and diversity: by hand, by a slow literal twin, and their bounds by brute
force."""

from fractions import Fraction
from itertools import product, starmap
from math import log2
from statistics import fmean as mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.diversity.measures import (
    DIVERSITY_FAMILIES,
    diversity_score,
    parse_diversity_measure,
)
from scoring.core.diversity.subtopics import judged_topic, labelled
from scoring.core.measures.measure import BadMeasure, UnknownMeasure

# Three subtopics; a has two of them. The ideal ranking is a, d, c: c and b repeat subtopic 2, and
# the id of c is the later one.
JUDGED = [("1", "a", 1), ("2", "a", 1), ("2", "b", 1), ("2", "c", 1), ("3", "d", 1), ("1", "e", 0)]
RANKING = ["b", "a", "e", "d"]


def score(name, judged=JUDGED, ranking=RANKING, **options):
    topic = judged_topic(judged, **options)
    return diversity_score(parse_diversity_measure(name), labelled(topic, ranking))


class TestByHand:
    """The gains of RANKING are 1, 1 + 1/2, 0, 1."""

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            # (1 + 1.5/2) over 3 + 1.5/2
            ("ERR_IA@2", Fraction(7, 4) / Fraction(15, 4)),
            # ideal gains 2, 1, 1/2, 1/4
            ("nERR_IA@2", Fraction(7, 4) / Fraction(5, 2)),
            ("alpha_DCG@2", (1 + 1.5 / log2(3)) / (3 + 1.5 / log2(3))),
            ("alpha_nDCG@2", (1 + 1.5 / log2(3)) / (2 + 1 / log2(3))),
            ("alpha_nDCG(alpha=1)@2", (1 + 1 / log2(3)) / (2 + 1 / log2(3))),
            # (1 - .25)/3 · (1 + 1.5/2 + 0/4 + 1/8)
            ("NRBP", Fraction(1, 4) * Fraction(15, 8)),
            ("nNRBP", Fraction(15, 8) / (2 + Fraction(1, 2) + Fraction(1, 8) + Fraction(1, 32))),
            # AP by subtopic: (1/2)/1, (1 + 1)/3, (1/4)/1
            ("AP_IA", (Fraction(1, 2) + Fraction(2, 3) + Fraction(1, 4)) / 3),
            ("P_IA@4", Fraction(4, 12)),
            ("P_IA@8", Fraction(4, 24)),
            ("StRecall@1", Fraction(1, 3)),
            ("StRecall@2", Fraction(2, 3)),
            ("StRecall@9", 1),
        ],
    )
    def test_scores(self, name, value):
        assert score(name).base == pytest.approx(float(value), abs=1e-15)

    def test_relevance_begins_at_a_grade(self):
        graded = [("1", "a", 2), ("2", "b", 1)]
        assert score("StRecall@1", graded, ["a"]).base == 0.5
        assert score("StRecall@1", graded, ["a"], rel=2).base == 1

    def test_what_cannot_be_bounded_has_no_residual(self):
        with_bounds = {"ERR_IA@3", "alpha_DCG@3", "NRBP", "P_IA@3", "StRecall@3"}
        without = {"nERR_IA@3", "alpha_nDCG@3", "nNRBP", "AP_IA"}
        assert {name for name in with_bounds if score(name).residual is None} == set()
        assert {name for name in without if score(name).residual is not None} == set()

    def test_a_grade_below_zero_is_no_judgment(self):
        assert score("P_IA@1", [("1", "a", 1), ("1", "b", -1)], ["b"]) == (0, 1)
        assert score("P_IA@1", [("1", "a", 1), ("1", "b", 0)], ["b"]) == (0, 0)

    @pytest.mark.parametrize("name", [f"{family.name}@2" for family in DIVERSITY_FAMILIES])
    def test_a_topic_without_subtopics_scores_nothing(self, name):
        name = (
            name if any(f.cutoff for f in DIVERSITY_FAMILIES if f.name == name[:-2]) else name[:-2]
        )
        found = score(name, [("1", "a", 0)], ["a", "x"])
        assert found.base == 0
        assert found.residual is None or 0 < found.residual <= 1


# --- a slow literal twin -------------------------------------------------------------------------

RANKS = 4
SUBTOPICS = ("1", "2", "3")
DOCUMENTS = "abcdef"


class Twin:
    """The definitions, document by document. `subtopics_of` has each document's subtopics,
    `relevant` each document of the qrels that is relevant to any."""

    def __init__(self, subtopics_of, ranking, relevant, alpha=0.5, beta=0.5):
        self.subtopics_of, self.ranking, self.relevant = subtopics_of, ranking, relevant
        self.alpha, self.beta = alpha, beta
        self.known = sorted(set().union(*(subtopics_of[d] for d in relevant)))

    def gained(self, documents):
        seen = dict.fromkeys(self.known, 0)
        for document in documents:
            yield self.worth(document, seen)
            for s in self.known:
                seen[s] += s in self.subtopics_of[document]

    def worth(self, document, seen):
        found = [s for s in self.known if s in self.subtopics_of[document]]
        return sum((1 - self.alpha) ** seen[s] for s in found)

    def best_order(self):
        left, seen = sorted(self.relevant, reverse=True), dict.fromkeys(self.known, 0)
        while left:
            worth = [self.worth(d, seen) for d in left]
            taken = left.pop(worth.index(max(worth)))
            yield taken
            for s in self.subtopics_of[taken]:
                seen[s] += 1

    def over_everything(self, discount, k):
        most = [len(self.known) * (1 - self.alpha) ** n for n in range(k)]
        return total(self.gained(self.ranking[:k]), discount) / total(most, discount)

    def over_ideal(self, discount, k):
        ideal = list(self.best_order())[:k]
        return total(self.gained(self.ranking[:k]), discount) / total(self.gained(ideal), discount)

    def patience(self, rank):
        return self.beta ** (rank - 1)

    def nrbp(self):
        scale = (1 - (1 - self.alpha) * self.beta) / len(self.known)
        return scale * total(self.gained(self.ranking), self.patience)

    def places(self, k):
        """The ranks of the documents of each subtopic."""
        ranks = list(enumerate(self.ranking[:k], 1))
        return {s: [r for r, d in ranks if s in self.subtopics_of[d]] for s in self.known}

    def average_precision(self, subtopic, places):
        precisions = [(n + 1) / rank for n, rank in enumerate(places)]
        return sum(precisions) / sum(subtopic in self.subtopics_of[d] for d in self.relevant)

    def score(self, name):
        family, _, cutoff = name.partition("@")
        k = int(cutoff or len(self.ranking))
        if not self.known:
            return 0.0
        return {
            "ERR_IA": lambda: self.over_everything(reciprocal, k),
            "nERR_IA": lambda: self.over_ideal(reciprocal, k),
            "alpha_DCG": lambda: self.over_everything(logarithmic, k),
            "alpha_nDCG": lambda: self.over_ideal(logarithmic, k),
            "NRBP": self.nrbp,
            "nNRBP": lambda: self.over_ideal(self.patience, None),
            "AP_IA": lambda: mean(starmap(self.average_precision, self.places(k).items())),
            "P_IA": lambda: mean(len(places) / k for places in self.places(k).values()),
            "StRecall": lambda: mean(bool(places) for places in self.places(k).values()),
        }[family]()


def total(gains, discount):
    return sum(gain * discount(rank) for rank, gain in enumerate(gains, 1))


def reciprocal(rank):
    return 1 / rank


def logarithmic(rank):
    return 1 / log2(rank + 1)


def literal(name, subtopics_of, ranking, relevant):
    return Twin(subtopics_of, ranking, relevant).score(name)


NAMES = tuple(f"{f.name}@{RANKS}" if f.cutoff else f.name for f in DIVERSITY_FAMILIES)
topics_of_documents = st.dictionaries(
    st.sampled_from(DOCUMENTS), st.sets(st.sampled_from(SUBTOPICS)), min_size=1
)


def as_judgments(subtopics_of):
    return [
        (subtopic, document, int(subtopic in found))
        for document, found in subtopics_of.items()
        for subtopic in SUBTOPICS
    ]


@given(topics_of_documents, st.permutations(DOCUMENTS), st.integers(0, 6))
def test_every_measure_equals_its_definition(subtopics_of, documents, length):
    ranking = documents[:length]
    everything = {d: subtopics_of.get(d, set()) for d in DOCUMENTS}
    relevant = [d for d in DOCUMENTS if everything[d]]
    for name in NAMES:
        found = score(name, as_judgments(subtopics_of), ranking)
        expected = literal(name, everything, ranking, relevant)
        assert found.base == pytest.approx(expected, abs=1e-12), name


@given(topics_of_documents, st.permutations(DOCUMENTS), st.integers(1, 4))
def test_the_upper_bound_is_the_best_of_all_completions(subtopics_of, documents, length):
    """Every way to label the unjudged documents of the ranking with subtopics that the topic has,
    and the ranks below with new documents."""
    ranking = documents[:length]
    known = sorted(set().union(*subtopics_of.values()))
    unjudged = [d for d in ranking if d not in subtopics_of][:2]
    if not known or len([d for d in ranking if d not in subtopics_of]) > 2:
        return
    every = [set(), *({s} for s in known), set(known)]
    for name in ("ERR_IA@4", "alpha_DCG@4", "P_IA@4", "StRecall@4"):
        found = score(name, as_judgments(subtopics_of), ranking)
        longer = [*ranking, *(f"new{n}" for n in range(RANKS - len(ranking)))]
        best = 0.0
        for completed in product(every, repeat=len(unjudged)):
            labels = dict(subtopics_of) | dict(zip(unjudged, completed, strict=True))
            labels |= {d: set(known) for d in longer if d.startswith("new")}
            everything = {d: labels.get(d, set()) for d in [*DOCUMENTS, *longer]}
            relevant = [d for d in everything if everything[d]]
            best = max(best, literal(name, everything, longer, relevant))
        assert found.base + found.residual == pytest.approx(best, abs=1e-12), name


def test_the_residual_of_nrbp_reaches_below_the_last_document():
    found = score("NRBP", [("1", "a", 1)], ["a"])
    assert found.base == pytest.approx(0.75, abs=1e-15)
    endless = literal("NRBP", {n: {"1"} for n in range(80)}, list(range(80)), [0])
    assert found.base + found.residual == pytest.approx(endless, abs=1e-12)
    assert endless == pytest.approx(1, abs=1e-12)


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("alpha_nDCG@10", "alpha_nDCG@10"),
        (" alpha_nDCG( alpha = 0.50 )@10 ", "alpha_nDCG@10"),
        ("alpha_nDCG(alpha=.3)@10", "alpha_nDCG(alpha=0.3)@10"),
        ("NRBP(beta=0.8,alpha=1)", "NRBP(alpha=1,beta=0.8)"),
    ],
)
def test_names_are_printed_canonically(name, canonical):
    assert str(parse_diversity_measure(name)) == canonical


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("alpha_nDCG", BadMeasure, "needs a cutoff"),
        ("NRBP@5", BadMeasure, "has no cutoff"),
        ("alpha_nDCG(alpha=2)@5", BadMeasure, "outside 0 <= alpha <= 1"),
        ("NRBP(beta=1)", BadMeasure, "outside 0 <= beta < 1"),
        ("StRecall(alpha=0.5)@5", BadMeasure, "has no parameter 'alpha'"),
        ("alpha_ndgc@5", UnknownMeasure, "did you mean alpha_nDCG?"),
        ("???", BadMeasure, "not of the form"),
        ("x" * 300, BadMeasure, "at most 200 characters"),
    ],
)
def test_a_wrong_name_is_refused_with_its_reason(name, error, words):
    with pytest.raises(error, match=words.replace("?", r"\?")):
        parse_diversity_measure(name)
