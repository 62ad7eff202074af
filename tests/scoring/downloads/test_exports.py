"""Tables and packages: what is in them, for whom, and that they say what they hold."""

import csv
import hashlib
import io
import json
import tempfile
import tracemalloc
import zipfile
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from datacite import schema45
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse

from campaigns import lifecycle
from campaigns.access import Viewer, viewer_or_404
from campaigns.models import Campaign, Qrels, Run, Team, Topic, User
from scoring.core.data.artefacts import pack_vector
from scoring.core.measures.names import parse_measure
from scoring.downloads import description
from scoring.downloads import scores as tables
from scoring.downloads.package import write_package
from scoring.downloads.scores import TidyRow, has_tidy_rows, tidy_json, tidy_rows, tidy_table
from scoring.evaluation.rules import rules_of, version_of
from scoring.leaderboard.tables import boards_table
from scoring.models import Score
from scoring.output import long_downloads
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
THEN = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def campaign() -> Campaign:
    """Published in TREC style, judged by a file, with one scored run of each of two teams."""
    campaign = make_campaign(measures=["AP"], persistences=[0.5], topics=("051", "51"))
    give_file(make_qrels(campaign))
    for name, value in (("Alpha", 0.25), ("Beta", 0.5)):
        run = make_run(
            campaign,
            make_team(campaign, make_user(f"{name.lower()}@example.org"), name=name),
            tag=f"run-of-{name}",
            digest=hashlib.sha256(name.encode()).hexdigest(),
        )
        make_scores(run, {"RBP(p=0.5)": (value, 0.125), "AP": (value / 2, None)})
    lifecycle.start_judging(campaign=campaign, actor=None)
    lifecycle.publish(campaign=campaign, actor=None)
    return campaign


def seen_by(campaign: Campaign, person: User | None = None) -> Viewer:
    return viewer_or_404(person or AnonymousUser(), campaign.slug)


def package_for(viewer: Viewer, **facts: object) -> dict[str, bytes]:
    out = io.BytesIO()
    write_package(viewer, viewer.campaign.active_qrels, out, made_at=THEN, **facts)
    with zipfile.ZipFile(out) as packed:
        assert packed.testzip() is None
        return {name: packed.read(name) for name in packed.namelist()}


# --- the tidy table -------------------------------------------------------------------------------


def test_a_row_for_each_run_topic_and_measure(campaign: Campaign) -> None:
    rows = list(tidy_rows(seen_by(campaign), campaign.active_qrels))
    assert TidyRow._fields == (
        "run", "team", "topic", "measure", "value", "residual", "qrels", "definitions",
        "run_sha256",
    )  # fmt: skip
    assert [row[:6] for row in rows] == [
        ("run-of-Alpha", "Alpha", "051", "RBP(p=0.5)", 0.25, 0.125),
        ("run-of-Alpha", "Alpha", "51", "RBP(p=0.5)", 0.25, 0.125),
        ("run-of-Alpha", "Alpha", "051", "AP", 0.125, None),
        ("run-of-Alpha", "Alpha", "51", "AP", 0.125, None),
        ("run-of-Beta", "Beta", "051", "RBP(p=0.5)", 0.5, 0.125),
        ("run-of-Beta", "Beta", "51", "RBP(p=0.5)", 0.5, 0.125),
        ("run-of-Beta", "Beta", "051", "AP", 0.25, None),
        ("run-of-Beta", "Beta", "51", "AP", 0.25, None),
    ]
    assert {row.qrels for row in rows} == {1}
    assert {row.run_sha256 for row in rows} == {run.digest for run in campaign.runs.all()}


def test_numbers_come_back_to_the_last_bit_and_nothing_is_nothing(campaign: Campaign) -> None:
    score = Score.objects.filter(measure="AP").earliest("pk")
    score.bases = pack_vector(np.array([1 / 3, np.nan]))
    score.save(update_fields=["bases"])
    rows = tidy_rows(seen_by(campaign), campaign.active_qrels)
    table = list(csv.DictReader(io.StringIO(tidy_table(rows, None).as_csv())))
    values = [row["value"] for row in table if row["measure"] == "AP"][:2]
    assert (float(values[0]), values[1]) == (1 / 3, "")
    assert [row["topic"] for row in table][:2] == ["051", "51"]


def test_the_page_names_measures_as_the_leaderboard_does(campaign: Campaign) -> None:
    Campaign.objects.update(highest_grade=2)
    page = Client().get(reverse("scoring:downloads", args=[campaign.slug])).content.decode()
    assert 'rel="nofollow">RBP(p=0.5), graded gains</a>' in page


def test_texts_cannot_become_formulas_and_negative_numbers_stay_numbers(campaign: Campaign) -> None:
    Team.objects.filter(name="Alpha").update(name='=HYPERLINK("x")')
    score = Score.objects.earliest("pk")
    score.residuals = pack_vector(np.array([-0.125, -0.25]))
    score.save(update_fields=["residuals"])
    rows = tidy_rows(seen_by(campaign), campaign.active_qrels)
    first = next(csv.DictReader(io.StringIO(tidy_table(rows, None).as_csv())))
    assert first["team"] == '\'=HYPERLINK("x")'
    assert first["residual"] == "-0.125"


def test_a_nameless_run_has_no_digest_but_for_its_team(campaign: Campaign) -> None:
    Team.objects.filter(name="Alpha").update(is_anonymous=True)
    own = User.objects.get(email="alpha@example.org")
    told = {}
    for who, person in (("public", None), ("own", own)):
        rows = tidy_rows(seen_by(campaign, person), campaign.active_qrels)
        told[who] = {(row.run, row.team, row.run_sha256) for row in rows if row.value == 0.25}
    run = Run.objects.get(tag="run-of-Alpha")
    assert told["own"] >= {("run-of-Alpha", "Alpha", run.digest)}
    assert (f"run-{run.public_id[:6]}", f"anonymous-{run.team.public_id[:6]}", "") in told["public"]
    assert "Alpha" not in str(told["public"])
    assert run.digest not in str(told["public"])


def test_own_scores_by_topic_before_publication_are_a_teams_own(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(
        stage="open", board_audience=0, shows_own_scores=True, per_topic_audience=1
    )
    alpha = seen_by(campaign, User.objects.get(email="alpha@example.org"))
    assert {row.team for row in tidy_rows(alpha, campaign.active_qrels)} == {"Alpha"}
    assert not has_tidy_rows(seen_by(campaign))
    assert list(tidy_rows(seen_by(campaign), campaign.active_qrels)) == []


def _of_many_runs(campaign: Campaign, count: int, topics: int) -> None:
    Topic.objects.bulk_create(
        Topic(campaign=campaign, code=f"t{n}", position=n) for n in range(2, topics)
    )
    team, vector = campaign.teams.earliest("pk"), pack_vector(np.linspace(0, 1, topics))
    for n in range(count):
        make_scores(make_run(campaign, team, tag=f"many-{n}"), {"RBP(p=0.5)": (0.5, 0.1)})
    Score.objects.update(bases=vector, residuals=vector)


def test_vectors_are_read_for_some_runs_at_a_time(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    _of_many_runs(campaign, 8, 4)
    whole = list(tidy_rows(seen_by(campaign), campaign.active_qrels))
    monkeypatch.setattr(tables, "VALUES_AT_A_TIME", 3 * 2 * 4)
    assert list(tidy_rows(seen_by(campaign), campaign.active_qrels)) == whole
    assert len({row.run for row in whole}) == 10
    assert json.loads(b"".join(tidy_json(whole))) == [row._asdict() for row in whole]
    assert b"".join(tidy_json([])) == b"[]"


@pytest.mark.long
def test_memory_does_not_grow_with_the_runs(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Package, CSV and the API's JSON, which was built as a whole: 230 bytes a row. None is written
    by a worker here."""
    monkeypatch.setattr(long_downloads, "LONG_ROWS", 1_000_000)
    _of_many_runs(campaign, 60, 1_000)
    organiser = Client()
    organiser.force_login(make_organiser(campaign))
    where = f"/campaigns/{campaign.slug}"
    for path in (f"/api{where}/scores/", f"{where}/scores.csv", f"{where}/package.zip"):
        organiser.get(path).close()
        tracemalloc.start()
        try:
            response = organiser.get(path)
            size = sum(map(len, response))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert size > 250_000
        assert peak < 12e6, path


def test_the_memory_of_a_package_grows_neither_with_measures_nor_with_topics(
    campaign: Campaign,
) -> None:
    """Boards of 42 measures and 3,000 topics of 3 kB were a text each."""
    Campaign.objects.update(per_topic_audience=0, persistences=[n / 50 for n in range(1, 41)])
    campaign.refresh_from_db()
    Topic.objects.bulk_create(
        Topic(campaign=campaign, code=f"t{n}", position=n, fields=[["narrative", "so " * 1_000]])
        for n in range(2, 3_000)
    )
    measures = [str(measure) for measure in rules_of(campaign).measures]
    team = campaign.teams.earliest("pk")
    for n in range(40):
        run = make_run(campaign, team, tag=f"many-{n}")
        evaluation = make_scores(run, {})
        Score.objects.bulk_create(
            Score(
                evaluation=evaluation, measure=name, definition=version_of(parse_measure(name)),
                mean_base=0.5, mean_residual=0.1, topic_count=2, bases=pack_vector(np.zeros(2)),
            )
            for name in measures
        )  # fmt: skip
    viewer = seen_by(campaign)
    package_for(viewer)
    with tempfile.TemporaryFile() as out:
        tracemalloc.start()
        try:
            write_package(viewer, campaign.active_qrels, out, made_at=THEN)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        with zipfile.ZipFile(out) as packed:
            sizes = {each.filename: each.file_size for each in packed.infolist()}
    assert sizes["topics.xml"] > 9e6
    assert sizes["leaderboard.csv"] > 100_000
    assert peak < 5e6


# --- the package ----------------------------------------------------------------------------------


def test_the_description_is_true_of_every_file(campaign: Campaign) -> None:
    files = package_for(seen_by(campaign), url="https://trackside.example/x")
    described = json.loads(files["datapackage.json"])
    assert described["trackside"]["qrels"]["sha256"] == campaign.active_qrels.digest
    assert {each["path"] for each in described["resources"]} == set(files) - {
        "datapackage.json", "README.md", "CITATION.cff", "ro-crate-metadata.json", "croissant.json",
        "datacite.json",
    }  # fmt: skip
    for each in described["resources"]:
        data = files[each["path"]]
        assert each["bytes"] == len(data)
        assert each["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
        if each["format"] == "csv":
            header = data.decode().splitlines()[0].split(",")
            assert [field["name"] for field in each["schema"]["fields"]] == header


def test_every_value_is_of_the_type_that_is_said(campaign: Campaign) -> None:
    files = package_for(seen_by(campaign))
    read = {"integer": int, "number": float, "string": str}
    tables = [
        each for each in json.loads(files["datapackage.json"])["resources"] if "schema" in each
    ]
    for table in tables:
        kinds = {field["name"]: field["type"] for field in table["schema"]["fields"]}
        rows = list(csv.DictReader(io.StringIO(files[table["path"]].decode())))
        assert rows
        for row in rows:
            for name, value in row.items():
                assert value == "" or read[kinds[name]](value) is not None
    assert len(tables) == 2
    assert list(description.BOARD) == [
        column.key for column in boards_table((), Qrels()).columns if column.key
    ]
    assert list(description.TIDY) == list(TidyRow._fields)


def test_archives_and_catalogues_learn_of_every_file_and_column(campaign: Campaign) -> None:
    """roc-validator 0.13 accepts such a crate (run by hand); mlcroissant is asked below."""
    files = package_for(seen_by(campaign), url="https://trackside.example/x")
    described = {each["path"]: each for each in json.loads(files["datapackage.json"])["resources"]}
    graph = json.loads(files["ro-crate-metadata.json"])["@graph"]
    entities = {each["@id"]: each for each in graph}
    assert entities["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    root = entities["./"]
    assert root["url"] == "https://trackside.example/x"
    assert [part["@id"] for part in root["hasPart"]] == list(described)
    assert root["author"]["@id"] in entities
    assert "the organisers" in entities[root["license"]["@id"]]["description"].lower()
    croissant = json.loads(files["croissant.json"])
    assert [each["@id"] for each in croissant["distribution"]] == list(described)
    for each in croissant["distribution"]:
        assert each["sha256"] == hashlib.sha256(files[each["contentUrl"]]).hexdigest()
        assert entities[each["@id"]]["sha256"] == each["sha256"]
    for each in croissant["recordSet"]:
        columns = [field["source"]["extract"]["column"] for field in each["field"]]
        (path,) = {field["source"]["fileObject"]["@id"] for field in each["field"]}
        assert files[path].decode().splitlines()[0].split(",") == columns
    assert len(croissant["recordSet"]) == 2


@pytest.mark.long
def test_mlcroissant_reads_the_tables(campaign: Campaign, tmp_path: Path) -> None:
    files = package_for(seen_by(campaign), url="https://trackside.example/x")
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    mlcroissant = import_module("mlcroissant")  # takes seconds
    dataset = mlcroissant.Dataset(jsonld=str(tmp_path / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    assert dataset.metadata.name
    rows = list(dataset.records("leaderboard"))
    written = list(csv.DictReader(io.StringIO(files["leaderboard.csv"].decode())))
    assert len(rows) == len(written) > 0
    assert [row["leaderboard/run"].decode() for row in rows] == [row["run"] for row in written]
    assert [row["leaderboard/base"] for row in rows] == [float(row["base"]) for row in written]


def test_the_schema_of_datacite_accepts_the_metadata(campaign: Campaign) -> None:
    anonymous = json.loads(package_for(seen_by(campaign))["datacite.json"])
    schema45.validator.validate(anonymous)
    assert "rightsList" not in anonymous
    assert "url" not in anonymous
    Campaign.objects.filter(pk=campaign.pk).update(licence="CC-BY-4.0")
    files = package_for(seen_by(campaign), url="https://trackside.example/x")
    described = json.loads(files["datacite.json"])
    schema45.validator.validate(described)
    assert described["url"] == "https://trackside.example/x"
    assert described["rightsList"][0]["rightsIdentifier"] == "CC-BY-4.0"
    assert described["creators"] == [
        {
            "name": f"The organisers and participants of {campaign.name}",
            "nameType": "Organizational",
        }
    ]


def test_what_the_context_of_ro_crate_lacks_is_defined(campaign: Campaign) -> None:
    crate = json.loads(package_for(seen_by(campaign))["ro-crate-metadata.json"])
    _, own_terms = crate["@context"]
    assert own_terms == {"sha256": "http://schema.org/sha256"}
    assert any("sha256" in entity for entity in crate["@graph"])


def test_the_licence_is_stated_by_packages_and_a_missing_one_too(campaign: Campaign) -> None:
    without = package_for(seen_by(campaign))
    stated = "The organisers state no licence. Ask them before you use these data."
    assert json.loads(without["croissant.json"])["license"] == stated
    assert b"Licence" not in without["README.md"]
    Campaign.objects.filter(pk=campaign.pk).update(licence="CC-BY-4.0")
    files = package_for(seen_by(campaign))
    url = "https://creativecommons.org/licenses/by/4.0/"
    graph = json.loads(files["ro-crate-metadata.json"])["@graph"]
    root = next(entity for entity in graph if entity["@id"] == "./")
    assert root["license"] == {"@id": url}
    assert json.loads(files["croissant.json"])["license"] == url
    assert json.loads(files["datapackage.json"])["licenses"][0]["path"] == url
    assert url in files["README.md"].decode()
    assert b"LICENSE.txt" not in files["README.md"]


def test_equal_contents_are_equal_bytes(campaign: Campaign) -> None:
    made = []
    for _ in range(2):
        out = io.BytesIO()
        write_package(seen_by(campaign), campaign.active_qrels, out, made_at=THEN)
        made.append(out.getvalue())
    assert made[0] == made[1]


def test_it_holds_what_its_reader_may_see(campaign: Campaign) -> None:
    always = {
        "leaderboard.csv", "README.md", "CITATION.cff", "datapackage.json",
        "ro-crate-metadata.json", "croissant.json",
        "datacite.json",
    }  # fmt: skip
    by_topic, judgments = {"scores.csv"}, {"qrels.txt"}
    organiser = make_organiser(campaign)
    assert set(package_for(seen_by(campaign))) == always | by_topic | {"topics.xml"}
    everything = always | by_topic | judgments | {"topics.xml"}
    assert set(package_for(seen_by(campaign, organiser))) == everything
    Campaign.objects.filter(pk=campaign.pk).update(per_topic_audience=0, qrels_audience=2)
    assert set(package_for(seen_by(campaign))) == always | judgments | {"topics.xml"}
    Campaign.objects.filter(pk=campaign.pk).update(
        per_topic_audience=2, topics_released_at="2100-01-01T00:00:00Z"
    )
    assert set(package_for(seen_by(campaign))) == always | judgments  # scores would name topics


def test_the_citation_survives_any_title(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(name='A "track":\n- evil: yes')
    files = package_for(seen_by(campaign))
    lines = dict(line.split(": ", 1) for line in files["CITATION.cff"].decode().splitlines()[:6])
    assert json.loads(lines["title"]).startswith('A "track": - evil: yes')
    assert files["README.md"].decode().splitlines()[0].startswith('# A "track": - evil')


def test_late_and_disqualified_runs_are_in_the_board_without_a_rank(campaign: Campaign) -> None:
    Run.objects.filter(tag="run-of-Beta").update(
        disqualified_at=THEN, disqualified_reason="two accounts"
    )
    Run.objects.filter(tag="run-of-Alpha").update(is_late=True)
    board = package_for(seen_by(campaign))["leaderboard.csv"].decode()
    rows = {row["run"]: row for row in csv.DictReader(io.StringIO(board))}
    found = {run: (row["rank"], row["status"], row["reason"]) for run, row in rows.items()}
    assert found == {
        "run-of-Alpha": ("", "late", ""),
        "run-of-Beta": ("", "disqualified", "two accounts"),
    }
