"""All real runs are scored the same, bit for bit, by compiled code and by Python."""

import os
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pytest

from campaigns.trec import compiled as reading
from scoring.cli.opening import open_qrels
from scoring.cli.scored_files import score_files
from scoring.core.data import compiled as aligning
from scoring.core.measures.graded import default_gain_map
from scoring.library.bad_input import BadInput
from scoring.library.measure_lines import read_measures
from scoring.library.scored_runs import Scored, ScoredRun
from scoring.library.scoring_options import ScoringOptions

DATA = Path(os.environ.get("TRACKSIDE_DATA", ""))
pytestmark = [
    pytest.mark.data,
    pytest.mark.long,
    pytest.mark.skipif(
        not DATA.name, reason="TRACKSIDE_DATA does not name the folder of real data"
    ),
    pytest.mark.skipif(reading.scan is None, reason="the extensions were not compiled"),
]
CAMPAIGNS = {
    "trec8-adhoc": "qrels.trec8.adhoc.txt.gz",
    "trec-covid-round1": "qrels.txt.gz",
    "trec-dl19-passage": "qrels.txt.gz",
}
MEASURES = (
    *("AP", "nDCG", "nDCG@10", "P@10", "P@100", "R@100", "RR", "RBP(p=0.5)", "RBP(p=0.8)"),
    *("RBP(p=0.95)", "ERR@20", "DCG@20", "Judged@10", "Success@5", "Rprec"),
)


@pytest.mark.parametrize("ties", ["docno", "bounds"])
@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_every_score_is_the_same(campaign: str, ties: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = DATA / campaign
    table = open_qrels(str(folder / CAMPAIGNS[campaign]))
    options = ScoringOptions(
        read_measures(MEASURES), table, default_gain_map(table.highest_grade), ties=ties
    )
    paths = [str(path) for path in sorted((folder / "runs").iterdir())]
    by_compiled = [_vectors(run) for run in score_files(paths, options)]
    monkeypatch.setattr(reading, "scan", None)
    monkeypatch.setattr(aligning, "align", None)
    by_python = map(_vectors, score_files(paths, options))
    for path, ours, theirs in zip_longest(paths, by_compiled, by_python):
        assert len(ours) == len(theirs) >= 2 * len(MEASURES)
        assert ours == theirs, path


def _vectors(run: ScoredRun | BadInput) -> list[bytes]:
    """The bits of everything that was computed."""
    assert isinstance(run, ScoredRun)
    return [part.tobytes() for found in run.found for part in _parts(found)]


def _parts(found: Scored) -> Iterator[np.ndarray]:
    yield from (found.scores.base, np.array(found.mean.base))
    optional = (found.scores.residual, found.low, found.high, found.mean_low, found.mean_high)
    yield from (np.asarray(part) for part in optional if part is not None)
