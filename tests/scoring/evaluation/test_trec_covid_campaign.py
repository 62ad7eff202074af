"""TREC-COVID round 1, all of it, through the site: imported, scored, and on the board."""

import csv
import gzip
import io
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, LogEntry, Run
from scoring.core.data.artefacts import unpack_vector
from scoring.models import Evaluation, Score
from scoring.worker import perform_waiting_jobs
from tests.making import make_organiser

DATA = os.environ.get("TRACKSIDE_DATA")
pytestmark = [
    pytest.mark.long,
    pytest.mark.data,
    pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs"),
]
FOLDER = Path(DATA or ".") / "trec-covid-round1"


@pytest.fixture(scope="module")
def covid(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[Campaign]:
    """Imported once for all tests of this file, and told by the command as a person sees it."""
    with django_db_blocker.unblock():
        call_command(
            "import_campaign",
            str(FOLDER),
            slug="covid",
            runs_table=FOLDER / "leaderboard.csv",
            no_relevant="zero",
            stdout=io.StringIO(),
        )
        yield Campaign.objects.select_related("active_qrels").get(slug="covid")
        delete_campaign("covid")


def delete_campaign(slug: str) -> None:
    """Bottom up, as the protected rows demand."""
    campaign = Campaign.objects.get(slug=slug)
    Evaluation.objects.filter(run__campaign=campaign).delete()
    for run in campaign.runs.all():
        run.grades.all().delete()
        run.ranking.delete()
    LogEntry.erasable.filter(campaign=campaign).delete()
    campaign.runs.all().delete()
    campaign.active_qrels = None
    campaign.save()
    for rows in (campaign.qrels, campaign.topics, campaign.memberships, campaign.teams):
        rows.all().delete()
    campaign.delete()


@pytest.fixture
def nist() -> dict[str, dict[str, str]]:
    with (FOLDER / "leaderboard.csv").open() as file:
        return {row["run"]: row for row in csv.DictReader(file)}


def means(campaign: Campaign, measure: str) -> dict[str, float]:
    scores = Score.objects.filter(evaluation__run__campaign=campaign, measure=measure)
    return dict(scores.values_list("evaluation__run__tag", "mean_base"))


@pytest.mark.django_db
def test_all_runs_are_in_with_their_teams(covid: Campaign, nist: dict[str, dict[str, str]]) -> None:
    runs = Run.objects.filter(campaign=covid, state=Run.State.ACCEPTED).select_related("team")
    assert {run.tag: run.team.name for run in runs} == {
        tag: row["team"] for tag, row in nist.items()
    }
    assert len(runs) == 143
    scored = Evaluation.objects.filter(run__campaign=covid, state=Evaluation.State.SCORED)
    assert scored.count() == 143


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("measure", "column"), [("AP", "MAP"), ("RBP(p=0.5,gain=map)", "RBP(p=.5)")]
)
def test_means_are_nists_for_all_but_the_run_that_needs_single_precision(
    covid: Campaign, nist: dict[str, dict[str, str]], measure: str, column: str
) -> None:
    ours = means(covid, measure)
    different = {tag for tag, row in nist.items() if f"{ours[tag]:.4f}" != row[column]}
    assert different == {"BERT"}
    if measure == "AP":
        assert (f"{ours['BERT']:.4f}", nist["BERT"]["MAP"]) == ("0.0652", "0.0653")


@pytest.mark.django_db
def test_importing_again_changes_nothing(covid: Campaign) -> None:
    before = set(Run.objects.values_list("pk", "state_changed_at"))
    call_command(
        "import_campaign",
        str(FOLDER),
        slug="covid",
        runs_table=FOLDER / "leaderboard.csv",
        stdout=io.StringIO(),
    )
    assert set(Run.objects.values_list("pk", "state_changed_at")) == before


@pytest.mark.django_db
def test_base_and_residual_of_a_run_are_those_of_a_loop_by_hand(covid: Campaign) -> None:
    tag, p = "sab20.1.meta.docs", 0.8
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in gzip.decompress((FOLDER / "qrels.txt.gz").read_bytes()).decode().splitlines():
        topic, _, document, grade = line.split()
        grades[topic][document] = int(grade)
    ranked: dict[str, list[tuple[float, bytes]]] = defaultdict(list)
    run_file = FOLDER / "runs" / f"{tag}.gz"
    for line in gzip.decompress(run_file.read_bytes()).decode().splitlines():
        topic, _, document, _, score, _ = line.split()
        ranked[topic].append((float(score), document.encode()))
    stored = Score.objects.get(evaluation__run__tag=tag, measure="RBP(p=0.8)")
    bases, residuals = unpack_vector(stored.bases), unpack_vector(stored.residuals)
    for position, topic in enumerate(covid.topics.order_by("position")):
        base = residual = 0.0
        listed = sorted(ranked[topic.code], reverse=True)
        for rank, (_, document) in enumerate(listed, start=1):
            grade = grades[topic.code].get(document.decode(), -1)
            weight = (1 - p) * p ** (rank - 1)
            base += weight if grade >= 1 else 0.0
            residual += weight if grade < 0 else 0.0
        residual += p ** len(listed)
        assert bases[position] == pytest.approx(base, abs=1e-12)
        assert residuals[position] == pytest.approx(residual, abs=1e-12)
    assert stored.mean_base == pytest.approx(bases.mean(), abs=1e-12)
    assert stored.mean_residual == pytest.approx(residuals.mean(), abs=1e-12)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    ["", "?measure=AP", "?measure=RBP(p%3D0.8)&sort=judged", "?columns=AP&columns=RR&ties=on"],
)
def test_the_board_of_143_runs_takes_at_most_12_queries(
    covid: Campaign, client: Client, query: str, django_assert_max_num_queries: object
) -> None:
    client.force_login(make_organiser(covid))
    url = reverse("scoring:leaderboard", args=["covid"]) + query
    client.get(url)  # asks which runs cannot be told apart
    perform_waiting_jobs(covid)
    with django_assert_max_num_queries(12):
        page = client.get(url)
    assert page.status_code == 200
    assert page.content.count(b"/runs/") >= 143


@pytest.mark.django_db
def test_page_csv_and_json_give_the_same_rows(covid: Campaign, client: Client) -> None:
    client.force_login(make_organiser(covid))
    query = "?measure=RBP(p%3D0.8)"
    page = client.get(reverse("scoring:leaderboard", args=["covid"]) + query)
    text = client.get(reverse("scoring:leaderboard-csv", args=["covid"]) + query).content.decode()
    data = client.get(reverse("api:leaderboard", args=["covid"]) + query).json()
    table = list(csv.DictReader(io.StringIO(text)))
    shown = [(str(r.rank), r.name, repr(r.base), repr(r.residual)) for r in page.context["rows"]]
    assert shown == [(r["rank"], r["run"], r["base"], r["residual"]) for r in table]
    assert shown == [(str(r["rank"]), r["run"], repr(r["base"]), repr(r["residual"])) for r in data]
