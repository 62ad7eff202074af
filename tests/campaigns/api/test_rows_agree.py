"""What a role downloads are the rows that its page and its API show, no more and no fewer."""

import csv
import io
import json
import re

import pytest
from django.test import Client
from django.utils import timezone

from campaigns import lifecycle
from campaigns.models import Campaign, Membership, Preset, Run, User
from campaigns.models.showing import TABLES
from scoring.evaluation.rules import rules_of
from tests.making import (
    give_file,
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)

pytestmark = pytest.mark.django_db
ROLES = ("nobody", "stranger", "participant", "nameless", "reader", "assessor", "organiser")
URL = "/campaigns/the-campaign/"


@pytest.fixture
def people(db: None) -> dict[str, User | None]:
    """A campaign with a run of every kind: ranked, of a nameless team, late, disqualified,
    withdrawn, refused, and one that has no score."""
    campaign = make_campaign(slug="the-campaign", measures=["AP"], persistences=[0.5])
    people: dict[str, User | None] = {role: make_user() for role in ROLES} | {"nobody": None}
    make_organiser(campaign, people["organiser"])
    for role in ("reader", "assessor"):
        Membership.objects.create(campaign=campaign, person=people[role], role=role)
    give_file(make_qrels(campaign))
    ours = make_team(campaign, people["participant"], name="Ours")
    nameless = make_team(campaign, people["nameless"], name="Nameless")
    nameless.is_anonymous = True
    nameless.save(update_fields=["is_anonymous"])
    now = timezone.now()
    scored = [
        make_run(campaign, ours, tag="first"),
        make_run(campaign, nameless, tag="secret"),
        make_run(campaign, nameless, tag="late", is_late=True),
        make_run(campaign, ours, tag="out", disqualified_at=now, disqualified_reason="why"),
        make_run(campaign, ours, tag="withdrawn", withdrawn_at=now),
    ]
    for place, run in enumerate(scored):
        value = 0.5 - place / 10
        make_scores(run, {str(m): (value, 0.1) for m in rules_of(campaign).measures})
    make_run(campaign, nameless, tag="", state=Run.State.REFUSED)
    make_run(campaign, ours, tag="unscored")
    return people


@pytest.fixture(params=["blind", "live", "class room", "published"])
def shown(request: pytest.FixtureRequest, people: dict[str, User | None]) -> str:
    campaign, actor = Campaign.objects.get(slug="the-campaign"), people["organiser"]
    preset = {"live": Preset.LIVE, "class room": Preset.CLASS_ROOM}.get(request.param, Preset.TREC)
    lifecycle.change_visibility(
        campaign=campaign, preset=preset, table=TABLES[preset](), actor=actor
    )
    lifecycle.start_judging(campaign=campaign, actor=actor)
    if request.param == "published":
        lifecycle.publish(campaign=campaign, actor=actor)
    return request.param


def browser_of(person: User | None) -> Client:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client


def table_of(client: Client, path: str) -> list[dict[str, str]] | int:
    response = client.get(path)
    if response.status_code != 200:
        return response.status_code
    text = b"".join(response) if response.streaming else response.content
    return list(csv.DictReader(io.StringIO(text.decode())))


def answer_of(client: Client, path: str) -> list[dict] | int:
    response = client.get(path)
    return json.loads(b"".join(response)) if response.status_code == 200 else response.status_code


def as_text(rows: list[dict] | int, columns: tuple[str, ...]) -> list[tuple[str, ...]] | int:
    if isinstance(rows, int):
        return rows
    return [tuple("" if row[c] is None else str(row[c]) for c in columns) for row in rows]


def linked_runs(client: Client, path: str) -> list[str] | int:
    response = client.get(path)
    if response.status_code != 200:
        return response.status_code
    found = re.findall(rf'href="{URL}runs/([a-z0-9]{{16}})/"', response.content.decode())
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("role", ROLES)
def test_the_leaderboard(role: str, shown: str, people: dict[str, User | None]) -> None:
    client = browser_of(people[role])
    for measure in ("RBP(p=0.5)", "AP"):
        query = f"?measure={measure}"
        table = table_of(client, f"{URL}leaderboard.csv{query}")
        answer = answer_of(client, f"/api{URL}leaderboard/{query}")
        again = table_of(client, f"/api{URL}leaderboard/{query}&format=csv")
        columns = ("rank", "run", "team", "base", "residual", "qrels", "run_id", "status")
        assert table == again
        assert as_text(table, columns) == as_text(answer, columns)
        on_page = linked_runs(client, f"{URL}leaderboard/{query}")
        ids = [] if isinstance(table, int) else [row["run_id"] for row in table]
        assert on_page == ids


@pytest.mark.parametrize("role", ROLES)
def test_scores_by_topic(role: str, shown: str, people: dict[str, User | None]) -> None:
    client = browser_of(people[role])
    table = table_of(client, f"{URL}scores.csv")
    answer = answer_of(client, f"/api{URL}scores/")
    columns = (
        "run", "team", "topic", "measure", "value", "residual", "qrels", "definitions",
        "run_sha256",
    )  # fmt: skip
    assert as_text(table, columns) == as_text(answer, columns)
    if isinstance(table, int):
        return
    # The same runs as on the board, each with every topic and measure that its own table has.
    board = table_of(client, f"{URL}leaderboard.csv")
    assert {row["run"] for row in table} == {row["run"] for row in board}
    for row in board:
        own = table_of(client, f"{URL}runs/{row['run_id']}/scores.csv")
        by_topic = [
            (each["topic"], each["measure"], each["base"]) for each in own if each["topic"] != "all"
        ]
        tidy = [(t["topic"], t["measure"], t["value"]) for t in table if t["run"] == row["run"]]
        assert tidy == by_topic


@pytest.mark.parametrize("role", ROLES)
def test_the_runs(role: str, shown: str, people: dict[str, User | None]) -> None:
    client = browser_of(people[role])
    if people[role] is None and shown in ("blind", "class room"):
        assert answer_of(client, f"/api{URL}runs/") == 404
        assert client.get(f"{URL}runs.csv").status_code in (302, 404)
        return
    table = table_of(client, f"{URL}runs.csv")
    answer = answer_of(client, f"/api{URL}runs/")
    columns = ("id", "run", "team", "type", "state", "sha256")
    assert as_text(table, columns) == as_text(answer, columns)
    on_page = linked_runs(client, f"{URL}runs/")
    assert on_page == (table if isinstance(table, int) else [row["id"] for row in table])


def test_there_are_rows_to_compare(people: dict[str, User | None]) -> None:
    """So that nothing above compares nothing with nothing."""
    organiser_client = browser_of(people["organiser"])
    board = table_of(organiser_client, f"{URL}leaderboard.csv")
    assert [row["run"] for row in board] == ["first", "secret", "late", "out"]
    assert len(table_of(organiser_client, f"{URL}scores.csv")) == 4 * 2 * 2
    assert len(table_of(organiser_client, f"{URL}runs.csv")) == 7
