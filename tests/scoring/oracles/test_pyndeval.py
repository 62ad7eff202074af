"""Measures of novelty and diversity against ndeval, as pyndeval binds it: simulated judgments and
runs, because the folder of real data has no judgments by subtopic."""

import random
from math import isnan

import pytest

from scoring.library.diversity import NDEVAL, diversity
from tests.scoring.oracles.peers import peer

THEIRS = {"AP_IA": "MAP-IA", "StRecall": "strec"}
TOPICS, DEPTH = 40, 60


def ndeval_name(measure: str) -> str:
    family, at, cutoff = measure.partition("@")
    return THEIRS.get(family, family.replace("_", "-")) + at + cutoff


def simulated(seed: int) -> tuple[list[tuple[str, str, str, int]], dict[str, dict[str, float]]]:
    """Judgments, and a run without ties."""
    draw = random.Random(seed)
    judgments, run = [], {}
    for topic in map(str, range(1, TOPICS + 1)):
        subtopics, judged = draw.randint(1, 9), draw.randint(1, DEPTH)
        for document in range(judged):
            for subtopic in map(str, range(1, subtopics + 1)):
                if draw.random() < 0.6:
                    grade = int(draw.random() < 0.3) * draw.randint(1, 2)
                    judgments.append((topic, subtopic, f"d{document}", grade))
        documents = draw.sample([f"d{n}" for n in range(90)], draw.randint(1, DEPTH))
        scores = draw.sample(range(1000), len(documents))
        run[topic] = dict(zip(documents, map(float, scores), strict=True))
    return judgments, run


def with_parameters(measure: str, alpha: float, beta: float) -> str:
    family, at, cutoff = measure.partition("@")
    given = {"NRBP": f"(alpha={alpha},beta={beta})", "nNRBP": f"(alpha={alpha},beta={beta})"}
    has_alpha = "ERR" in family or "DCG" in family
    return family + given.get(family, f"(alpha={alpha})" if has_alpha else "") + at + cutoff


@pytest.mark.parametrize(
    ("alpha", "beta", "rel"), [(0.5, 0.5, 1), (0.3, 0.8, 1), (1, 0.2, 2), (0, 0, 1)]
)
def test_every_cell_is_that_of_ndeval(alpha: float, beta: float, rel: int) -> None:
    judgments, run = simulated(seed=4)
    names = {ndeval_name(measure): with_parameters(measure, alpha, beta) for measure in NDEVAL}
    evaluator = peer("pyndeval").RelevanceEvaluator(
        judgments, list(names), relevance_level=rel, alpha=alpha, beta=beta
    )
    lines = [(topic, d, score) for topic, found in run.items() for d, score in found.items()]
    expected = evaluator.evaluate(lines)
    ours = diversity(judgments, run, names.values(), rel=rel)
    found: dict[str, list[float]] = {}
    for row in ours:
        found.setdefault(row.topic, []).append(row.value)
    assert found.keys() == expected.keys()
    for topic, values in found.items():
        theirs = [expected[topic][name] for name in names]
        if not any(theirs[:3]):  # nothing relevant: its nNRBP is 0/0
            theirs = [0.0 if isnan(value) else value for value in theirs]
        assert values == pytest.approx(theirs, abs=1e-12), topic
    assert len(ours) == TOPICS * len(NDEVAL)


def test_pyndeval_orders_tied_documents_by_ascending_ids() -> None:
    """ndeval itself orders them by descending ids (`resultCompareByScore`), as we do."""
    judgments, run = simulated(seed=5)
    tied = {
        topic: {document: score // 250 for document, score in found.items()}
        for topic, found in run.items()
    }
    names = {ndeval_name(measure): measure for measure in NDEVAL}
    evaluator = peer("pyndeval").RelevanceEvaluator(judgments, list(names))

    def theirs(*, descending: bool) -> dict[str, list[float]]:
        lines = []
        for topic, found in tied.items():
            ordered = sorted(found, reverse=descending)
            ordered.sort(key=found.__getitem__, reverse=True)
            lines += [(topic, document, -float(rank)) for rank, document in enumerate(ordered)]
        found = evaluator.evaluate(lines)
        return {topic: [found[topic][name] for name in names] for topic in found}

    as_given = evaluator.evaluate(
        [
            (topic, document, score)
            for topic, found in tied.items()
            for document, score in found.items()
        ]
    )
    ascending, descending = theirs(descending=False), theirs(descending=True)
    ours: dict[str, list[float]] = {}
    for row in diversity(judgments, tied, names.values()):
        ours.setdefault(row.topic, []).append(row.value)
    apart = 0
    for topic in tied:
        its = [as_given[topic][name] for name in names]
        assert its == pytest.approx(ascending[topic], abs=1e-12, nan_ok=True)
        if not any(map(isnan, its)):  # something is relevant
            assert ours[topic] == pytest.approx(descending[topic], abs=1e-12)
        apart += its != pytest.approx(ours[topic], abs=1e-12, nan_ok=True)
    assert apart > TOPICS / 2
