"""What the leaderboard of TREC-8 prints. One run that was never pooled has a residual of 0.86. It
blurred the others while all rows had the digits that the largest residual leaves certain."""

import os
from itertools import combinations
from pathlib import Path

import pytest

import trackside as ts
from scoring.core.statistics.means import Interval, shown_digits
from scoring.leaderboard.digits import distinct_digits
from scoring.output.numbers import Digits, score

DATA = os.environ.get("TRACKSIDE_DATA")
FOLDER = Path(DATA or ".") / "trec8-adhoc"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs"),
]
AT_59 = {
    "Sab8A2": "0.5945",
    "nttd8ale": "0.5944",
    "acsys8aln2": "0.5929",
    "Sab8A4": "0.5924",
    "ibms99c": "0.5888",
    "UniNET8St": "0.5876",
    "att99atde": "0.5874",
    "tno8d3": "0.5866",
}


def test_eight_runs_of_trec_8_that_were_all_59_differ() -> None:
    runs = sorted((FOLDER / "runs").iterdir())
    scores = ts.evaluate(FOLDER / "qrels.trec8.adhoc.txt.gz", runs, "RBP(p=0.5)", complete=True)
    rows = [(row.run, Interval(row.value, row.residual)) for row in scores.means]
    intervals = [interval for _, interval in rows]
    certain = min(shown_digits(each.residual) for each in intervals)
    before = [score(each.base, Digits(certain, certain + 1)) for each in intervals]
    now = [
        score(each.base, digits)
        for each, digits in zip(intervals, distinct_digits(intervals), strict=True)
    ]
    assert (len(rows), certain, len(set(before)), len(set(now))) == (129, 1, 54, 126)
    alike = {
        run: text for (run, _), old, text in zip(rows, before, now, strict=True) if old == "0.59"
    }
    assert alike == AT_59
    for (first, one), (second, other) in combinations(zip(now, intervals, strict=True), 2):
        if first == second:  # the two intervals overlap
            lower, higher = sorted((one, other), key=lambda each: each.base)
            assert higher.base <= lower.base + lower.residual + 1e-12
