"""TREC-COVID round 1 scored again after a correction of its qrels: what it takes is printed
(`pytest -s`), and the old scores stay."""

import gzip
import io
import os
import time
from pathlib import Path

import pytest
from django.core.management import call_command

from campaigns.access import Viewer
from campaigns.models import Campaign
from campaigns.qrels import versions
from scoring.core.measures.names import parse_measure
from scoring.evaluation.rescoring import rescoring
from scoring.models import Evaluation, Score
from scoring.qrels.diff import diff
from scoring.worker import perform_waiting_jobs

DATA = os.environ.get("TRACKSIDE_DATA")
pytestmark = [
    pytest.mark.long,
    pytest.mark.data,
    pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs"),
]
FOLDER = Path(DATA or ".") / "trec-covid-round1"
CHANGED = 50


def corrected() -> bytes:
    """The qrels with 50 judgments turned round, spread over the file."""
    lines = gzip.decompress((FOLDER / "qrels.txt.gz").read_bytes()).decode().splitlines()
    for number in range(0, len(lines), len(lines) // CHANGED)[:CHANGED]:
        head, _, grade = lines[number].rpartition(" ")
        lines[number] = f"{head} {0 if int(grade) > 0 else 1}"
    return "\n".join(lines).encode() + b"\n"


@pytest.mark.django_db
def test_143_runs_are_scored_again_and_compared() -> None:
    call_command(
        "import_campaign",
        str(FOLDER),
        slug="covid",
        runs_table=FOLDER / "leaderboard.csv",
        no_relevant="zero",
        stdout=io.StringIO(),
    )
    campaign = Campaign.objects.get(slug="covid")
    first = campaign.active_qrels
    old = dict(Score.objects.values_list("pk", "mean_base"))
    start = time.perf_counter()
    second, _ = versions.add_qrels(
        campaign=campaign, data=corrected(), note="50 turned round", actor=None
    )
    asked = time.perf_counter()
    performed = perform_waiting_jobs(campaign)
    scored = time.perf_counter()
    campaign.refresh_from_db()
    organiser = Viewer(campaign, person=None, roles=frozenset({"organiser"}), team=None)
    found = diff(organiser, first, second, parse_measure("AP"))
    compared = time.perf_counter()
    print(
        f"\n143 runs scored again, one process: asked for in {asked - start:.2f} s, "
        f"done in {scored - asked:.2f} s; the versions compared in {compared - scored:.2f} s"
    )

    progress = rescoring(campaign)
    assert progress is not None
    assert (performed, progress.total, progress.scored) == (143, 143, 143)
    assert Evaluation.objects.filter(qrels=first, state="scored").count() == 143
    assert old.items() <= dict(Score.objects.values_list("pk", "mean_base")).items()
    assert (found.changes.regraded, len(found.changes)) == (CHANGED, CHANGED)
    assert (len(found.moves), found.waiting_count) == (143, 0)
    assert found.tau_b is not None
    assert 0.9 < found.tau_b < 1
