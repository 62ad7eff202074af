"""The file that a role downloads has exactly the rows that this role's page shows and its script
is given, in the same order and with the same numbers: for every role, stage and way of showing."""

import csv
import io
import json
import re
import zipfile

import pytest
from django.http import HttpResponse
from django.test import Client

from campaigns import lifecycle
from campaigns.models import Preset, Run
from campaigns.models.showing import TABLES
from tests.access.worlds import SECOND, SLUG, World, world

pytestmark = pytest.mark.django_db

HERE = f"/campaigns/{SLUG}"
ROLES = (
    "nobody",
    "stranger",
    "participant",
    "bystander",
    "pending",
    "reader",
    "assessor",
    "organiser",
    "outsider",
)
CASES = [
    (Preset.CLASS_ROOM, "closed"),  # where roles differ the most; the others in the long tier
    *(
        pytest.param(*case, marks=pytest.mark.long)
        for case in (
            (Preset.TREC, "open"),
            (Preset.TREC, "published"),
            (Preset.LIVE, "open"),
            (Preset.CLASS_ROOM, "published"),
        )
    ),
]
DATA = {kind: re.compile(rf'\bdata-{kind}="([^"]+)"') for kind in ("run", "topic", "measure")}


class Reader:
    """One person's browser and script; nothing where the site says 404."""

    def __init__(self, here: World, role: str) -> None:
        self.client = Client()
        if person := here.people[role]:
            self.client.force_login(person)

    def page(self, path: str, kind: str) -> list[str]:
        """What the rows of the page's tables are of, in their order."""
        response = self._get(path)
        return DATA[kind].findall(response.content.decode()) if response else []

    def table(self, path: str) -> list[dict[str, str]]:
        response = self._get(path)
        if response is None:
            return []
        body = b"".join(response) if response.streaming else response.content
        return list(csv.DictReader(io.StringIO(body.decode())))

    def rows(self, path: str) -> list[dict[str, str]]:
        """JSON, each value as a CSV writes it."""
        response = self._get(path)
        return [] if response is None else [as_cells(row) for row in json.loads(b"".join(response))]

    def package(self) -> dict[str, list[dict[str, str]]]:
        response = self._get(f"{HERE}/package.zip")
        if response is None:
            return {}
        with zipfile.ZipFile(io.BytesIO(b"".join(response))) as packed:
            return {
                name.rpartition("/")[2]: list(
                    csv.DictReader(io.StringIO(packed.read(name).decode()))
                )
                for name in packed.namelist()
                if name.endswith(".csv")
            }

    def _get(self, path: str) -> HttpResponse | None:
        response = self.client.get(path)
        assert response.status_code in (200, 302, 400, 404), path
        return response if response.status_code == 200 else None


def as_cells(row: dict[str, object]) -> dict[str, str]:
    return {key: "" if value is None else str(value) for key, value in row.items()}


def only(rows: list[dict[str, str]], *columns: str) -> list[tuple[str, ...]]:
    return [tuple(row[column] for column in columns) for row in rows]


@pytest.mark.parametrize(("preset", "stage"), CASES)
def test_page_csv_and_api_give_the_same_rows(preset: str, stage: str) -> None:
    seen = {}
    with world(SECOND, stage) as here:
        table = TABLES[Preset(preset)]()
        lifecycle.change_visibility(campaign=here.campaign, preset=preset, table=table, actor=None)
        for role in ROLES:
            reader = Reader(here, role)
            seen[role] = {
                "board": board_of(reader),
                "runs": runs_of(reader),
                "topics": topics_of(reader),
                "scores": scores_of(reader),
            }
            for run in Run.objects.order_by("pk")[3:6]:  # two of the others', one of ours
                run_page_of(reader, run.public_id)
    assert {role: what["board"] for role, what in seen.items()} == boards_expected(preset, stage)
    assert all(what["topics"] == 2 for what in seen.values())
    assert seen["organiser"]["runs"] == 8
    assert seen["organiser"]["scores"] > 0
    assert seen["participant"]["runs"] >= 3


def boards_expected(preset: str, stage: str) -> dict[str, int]:
    """How many rows each role gets: of four of theirs one is disqualified, and one is ours. After
    the close the bystander is no participant: that team has submitted nothing."""
    shown = {"organiser"}
    if preset == Preset.CLASS_ROOM:
        shown |= {"participant"}
    elif preset == Preset.LIVE or stage == "published":
        shown = set(ROLES)
    return {role: 5 if role in shown else 0 for role in ROLES}


def board_of(reader: Reader) -> int:
    count = 0
    for query in ("", "measure=AP&qrels=1", "qrels=2&type=manual"):
        found = reader.table(f"{HERE}/leaderboard.csv?{query}")
        assert found == reader.rows(f"/api{HERE}/leaderboard/?{query}")
        shown = reader.page(f"{HERE}/leaderboard/?{query}", "run")
        assert shown == [row["run_id"] for row in found]
        count = max(count, len(shown))
    return count


def runs_of(reader: Reader) -> int:
    for query in ("", "type=automatic&state=accepted"):
        found = reader.table(f"{HERE}/runs.csv?{query}")
        script = reader.rows(f"/api{HERE}/runs/?{query}")
        told = ("id", "run", "team", "type", "state", "sha256", "description", "size")
        assert only(found, *told) == only(script, *told)
        assert reader.page(f"{HERE}/runs/?{query}", "run") == [row["id"] for row in found]
    return len(reader.table(f"{HERE}/runs.csv"))


def topics_of(reader: Reader) -> int:
    for query in ("", "measure=AP"):
        found = reader.table(f"{HERE}/topics.csv?{query}")
        assert reader.page(f"{HERE}/topics/?{query}", "topic") == [row["topic"] for row in found]
        script = reader.rows(f"/api{HERE}/topics/")
        assert [row["topic"] for row in found] == [row["code"] for row in script]
    return len(found)


def scores_of(reader: Reader) -> int:
    """Every score by topic, in the tidy table, by script, in the package and on topics' pages."""
    found = reader.table(f"{HERE}/scores.csv")
    script = reader.rows(f"/api{HERE}/scores/")
    assert found == script
    package = reader.package()
    assert package.get("scores.csv", []) == (found if package else [])
    by_topic = []
    for code in ("1", "2"):
        rows = reader.table(f"{HERE}/topics/{code}.csv?measure=AP")
        path = f"{HERE}/topics/{code}/?measure=AP"
        assert reader.page(path, "run") == [row["run_id"] for row in rows]
        by_topic += only(rows, "run", "team", "topic", "base")
    tidy = [row for row in found if row["measure"] == "AP"]
    assert sorted(only(tidy, "run", "team", "topic", "value")) == sorted(by_topic)
    return len(found)


def run_page_of(reader: Reader, run: str) -> None:
    """One run's scores: by measure and by topic, on its page, in its table and by script."""
    means, topics = [], []
    for row in reader.table(f"{HERE}/runs/{run}/scores.csv"):
        (means if row["topic"] == "all" else topics).append(row)
    assert reader.page(f"{HERE}/runs/{run}/", "measure") == [row["measure"] for row in means]
    shown = reader.page(f"{HERE}/runs/{run}/?measure=AP", "topic")
    assert shown == [row["topic"] for row in topics if row["measure"] == "AP"]
    response = reader.client.get(f"/api{HERE}/runs/{run}/")
    script = response.json()["scores"] if response.status_code == 200 else []
    told = ("measure", "base", "residual", "topics")
    assert only(means, *told) == only([as_cells(row) for row in script], *told)
