"""Compatibility, accuracy and measures of judged documents alone against ir_measures (its own code
for the first two, pytrec_eval for the others), given each topic's documents in our order.

Our names are those that it prints.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.cli.opening import open_run
from scoring.core.measures.graded import evaluate
from scoring.core.measures.names import parse_measure
from scoring.library.prepared import rank_run
from tests.scoring.oracles.peers import peer
from tests.scoring.oracles.round_one import (
    EACH_TWELFTH_OR_ALL,
    WITH_DATA,
    graded_topics,
    judgment_table,
    ordered_documents,
    plain_grades,
    run_paths,
)

pytestmark = [pytest.mark.long, *WITH_DATA, pytest.mark.xdist_group("ir_measures")]

NAMES = (
    "Compat",
    "Compat(p=0.8,normalize=False)",
    "Accuracy",
    "Accuracy(rel=2)@100",
    "P(judged_only=True)@10",
    "AP(rel=2,judged_only=True)",
    "RR(judged_only=True)",
    "nDCG(judged_only=True)@20",
    "Rprec(judged_only=True)",
    "Success(judged_only=True)@1",
    "SetP(judged_only=True)",
    "SetAP(judged_only=True)",
    "IPrec(judged_only=True)@0.1",
)


def cells_of(path: Any, measures: dict[str, Any], evaluator: Any) -> dict[str, list[Any]]:
    """(ours, theirs) of each topic of one run, by measure."""
    table = judgment_table()
    ranking = rank_run(open_run(str(path)))
    scores = evaluate(list(measures.values()), graded_topics(ranking, table))
    run = {
        topic: {doc_id: float(len(doc_ids) - rank) for rank, doc_id in enumerate(doc_ids)}
        for topic, doc_ids in ordered_documents(ranking)
    }
    theirs = defaultdict(dict)
    for metric in evaluator.iter_calc(run):
        theirs[str(metric.measure)][metric.query_id] = metric.value
    return {
        name: [(scores[measure].base[table.row_of[topic]], found.get(topic, 0.0)) for topic in run]
        for (name, measure), found in zip(
            measures.items(), (theirs[name] for name in measures), strict=True
        )
    }


@pytest.fixture(scope="module", params=EACH_TWELFTH_OR_ALL)
def paths(request: pytest.FixtureRequest) -> list[Path]:
    return run_paths()[:: request.param]


@pytest.fixture(scope="module")
def cells(paths: list[Path]) -> dict[str, Any]:
    tool = peer("ir_measures")
    theirs = {name: tool.parse_measure(name) for name in NAMES}
    evaluator = tool.evaluator(list(theirs.values()), plain_grades())
    measures = {str(theirs[name]): parse_measure(name) for name in NAMES}
    assert tuple(measures) == NAMES
    found = defaultdict(list)
    for path in paths:
        for name, pairs in cells_of(path, measures, evaluator).items():
            found[name] += pairs
    return {name: np.array(pairs) for name, pairs in found.items()}


@pytest.mark.parametrize("name", NAMES)
def test_every_topic_of_every_run_is_equal(
    cells: dict[str, Any], paths: list[Path], name: str
) -> None:
    ours, theirs = cells[name].T
    assert len(ours) == len(paths) * 30
    assert len(set(ours[~np.isnan(ours)])) > 1
    undefined = np.isnan(ours)  # is 0 there
    assert name.startswith("Accuracy") or not undefined.any()
    np.testing.assert_allclose(np.where(undefined, 0, ours), theirs, rtol=0, atol=1e-12)
