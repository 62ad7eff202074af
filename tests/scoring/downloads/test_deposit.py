"""The deposit of a campaign: what is in the zip, and what never is."""

import csv
import gzip
import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest
import yaml
from datacite import schema45
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Campaign, Run, Team, User
from scoring.citations.authors import parse_authors
from scoring.evaluation.rules import rules_of
from tests.making import (
    give_file,
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
)

pytestmark = pytest.mark.django_db
AUTHORS = "Ito, Ann; University of X & Y; 0000-0002-1825-0097\n\nCranfield Laboratory\n"
LINES = b"1 Q0 d1 1 2.5 %s\n2 Q0 d2 1 1.5 %s\n"


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(
        name="Night <trains>", stage=Campaign.Stage.PUBLISHED, measures=["AP"], persistences=[0.5]
    )
    for note in ("first", "second"):
        give_file(make_qrels(campaign, note=note), b"1 0 d1 1\n2 0 d2 %d\n" % (note == "first"))
    for name, facts in {
        "Open": {"shares_files": True},
        "Closed": {},
        "Secret Team": {"shares_files": True, "is_anonymous": True},
    }.items():
        team = make_team(campaign, name=name)
        Team.objects.filter(pk=team.pk).update(**facts)
        team.refresh_from_db()
        submit(campaign, team, name.split()[0].lower(), is_packed=name == "Open")
    return campaign


def submit(campaign: Campaign, team: Team, tag: str, *, is_packed: bool) -> Run:
    data = LINES % (tag.encode(), tag.encode())
    data = gzip.compress(data) if is_packed else data
    key = default_storage.save(f"runs/{tag}", ContentFile(data))
    digest = hashlib.sha256(data).hexdigest()
    run = make_run(campaign, team, tag=tag, storage_key=key, digest=digest, size=len(data))
    make_scores(run, {str(measure): (0.5, 0.125) for measure in rules_of(campaign).measures})
    return run


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def client(organiser: User) -> Client:
    client = Client()
    client.force_login(organiser)
    return client


def save(client: Client, campaign: Campaign, **fields: str) -> str:
    path = reverse("scoring:deposit", args=[campaign.slug])
    facts = {"licence": "CC-BY-4.0", "authors": AUTHORS} | fields
    return client.post(path, facts, follow=True).content.decode()


def download(client: Client, campaign: Campaign) -> zipfile.ZipFile:
    answer = client.get(reverse("scoring:deposit-file", args=[campaign.slug]))
    assert answer["Content-Type"] == "application/zip"
    return zipfile.ZipFile(io.BytesIO(b"".join(answer)))


def test_the_deposit_contains_the_campaign(client: Client, campaign: Campaign) -> None:
    page = save(client, campaign)
    assert "3 runs with names and descriptions, and the files of 1 of them" in page
    assert "do not share their run files: Closed, anonymous-" in page
    packed = download(client, campaign)
    shared = next(name for name in packed.namelist() if name.startswith("runs/"))
    assert set(packed.namelist()) == {
        "leaderboard.csv", "scores.csv", "topics.xml", "qrels.txt", "qrels-v1.txt", "runs.csv",
        shared, "README.md", "LICENSE.txt", "CITATION.cff", "citation.bib", "datapackage.json",
        "ro-crate-metadata.json", "croissant.json",
        "datacite.json",
    }  # fmt: skip
    assert shared.startswith("runs/open-")
    assert shared.endswith(".txt.gz")
    assert gzip.decompress(packed.read(shared)) == LINES % (b"open", b"open")
    assert packed.read("qrels.txt") == b"1 0 d1 1\n2 0 d2 0\n"
    assert packed.read("qrels-v1.txt") == b"1 0 d1 1\n2 0 d2 1\n"
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(text(packed, "runs.csv")))}
    assert rows["open"]["file"] == shared
    assert rows["open"]["sha256"] == hashlib.sha256(packed.read(shared)).hexdigest()
    assert rows["closed"]["file"] == rows["closed"]["sha256"] == ""


def test_the_stated_pool_depths_are_in_the_description(client: Client, campaign: Campaign) -> None:
    campaign.qrels.filter(version=1).update(pool_depth=100)
    save(client, campaign)
    package = json.loads(download(client, campaign).read("datapackage.json"))
    by_path = {each["path"]: each for each in package["resources"]}
    assert by_path["qrels-v1.txt"]["pool_depth"] == 100
    assert "runs were pooled to depth 100" in by_path["qrels-v1.txt"]["description"]
    assert "pool_depth" not in by_path["qrels.txt"]


def text(packed: zipfile.ZipFile, name: str) -> str:
    return packed.read(name).decode()


def test_an_anonymous_team_stays_anonymous(client: Client, campaign: Campaign) -> None:
    campaign.runs.filter(tag="open").update(description="BM25 with feedback")
    campaign.runs.filter(tag="secret").update(description="The method of the Secret Team")
    save(client, campaign)
    packed = download(client, campaign)
    everything = b"".join(packed.read(name) for name in packed.namelist()).lower()
    assert b"secret" not in everything
    assert b"anonymous-" in everything
    assert b"bm25 with feedback" in everything


def test_authors_and_licence_are_entities_of_the_crate(client: Client, campaign: Campaign) -> None:
    save(client, campaign)
    packed = download(client, campaign)
    graph = json.loads(packed.read("ro-crate-metadata.json"))["@graph"]
    entities = {each["@id"]: each for each in graph}
    root = entities["./"]
    ann, laboratory = (entities[author["@id"]] for author in root["author"])
    assert ann["@id"] == "https://orcid.org/0000-0002-1825-0097"
    assert (ann["@type"], ann["familyName"], ann["givenName"]) == ("Person", "Ito", "Ann")
    assert ann["affiliation"] == "University of X & Y"
    assert laboratory == {
        "@id": "#Cranfield-Laboratory",
        "@type": "Organization",
        "name": "Cranfield Laboratory",
    }
    assert entities[root["license"]["@id"]]["name"] == "Creative Commons Attribution 4.0"
    croissant = json.loads(packed.read("croissant.json"))
    assert croissant["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert croissant["creator"][0]["@id"] == ann["@id"]
    assert "@id" not in croissant["creator"][1]
    datacite = json.loads(packed.read("datacite.json"))
    schema45.validator.validate(datacite)
    assert datacite["creators"][0]["nameIdentifiers"][0]["nameIdentifier"] == ann["@id"]


def test_licence_and_authors_are_in_every_description(client: Client, campaign: Campaign) -> None:
    save(client, campaign)
    packed = download(client, campaign)
    package = json.loads(packed.read("datapackage.json"))
    assert package["licenses"][0]["name"] == "CC-BY-4.0"
    assert [each["title"] for each in package["contributors"]] == [
        "Ann Ito",
        "Cranfield Laboratory",
    ]
    for resource in package["resources"]:
        data = packed.read(resource["path"])
        assert resource["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
        assert resource["bytes"] == len(data)
    citation = yaml.safe_load(packed.read("CITATION.cff"))
    assert citation["license"] == "CC-BY-4.0"
    assert citation["authors"] == [
        {
            "family-names": "Ito",
            "given-names": "Ann",
            "affiliation": "University of X & Y",
            "orcid": "https://orcid.org/0000-0002-1825-0097",
        },
        {"name": "Cranfield Laboratory"},
    ]
    bibtex = text(packed, "citation.bib")
    assert "author = {Ito, Ann and {Cranfield Laboratory}}" in bibtex
    assert bibtex.count("{") == bibtex.count("}")
    assert "creativecommons.org/licenses/by/4.0/" in text(packed, "LICENSE.txt")


def test_a_deposit_needs_licence_authors_and_scores(client: Client, campaign: Campaign) -> None:
    path = reverse("scoring:deposit-file", args=[campaign.slug])
    assert "Choose a licence and list the authors" in client.get(path, follow=True).content.decode()
    save(client, campaign)
    make_run(campaign, campaign.teams.get(name="Open"), tag="unscored")
    assert "One run has no score yet" in client.get(path, follow=True).content.decode()


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("Ito, Ann; X; 0000-0002-1825-0098", "Line 2: 0000-0002-1825-0098 is not an ORCID"),
        ("Ito, Ann; X; 12", "Line 2: 12 is not an ORCID"),
        ("; X", "Line 2: type the name"),
        ("a; b; c; d", "Line 2: type the name"),
    ],
)
def test_a_line_that_is_no_author_is_named(
    client: Client, campaign: Campaign, line: str, fault: str
) -> None:
    facts = {"licence": "CC-BY-4.0", "authors": f"Ito, Ann\n{line}"}
    answer = client.post(reverse("scoring:deposit", args=[campaign.slug]), facts)
    assert answer.status_code == 400
    assert fault in answer.content.decode()
    campaign.refresh_from_db()
    assert campaign.authors == ""


def test_the_licence_of_an_archived_campaign_stays(client: Client, campaign: Campaign) -> None:
    Campaign.objects.update(archived_at=timezone.now())
    assert "The campaign is archived." in save(client, campaign)
    campaign.refresh_from_db()
    assert campaign.licence == ""


def test_check_digits_of_orcids() -> None:
    """Examples of ORCID's own documentation."""
    for orcid in (
        "0000-0002-1825-0097",
        "https://orcid.org/0000-0001-5109-3700",
        "0000-0002-1694-233X",
    ):
        assert next(parse_authors(f"A, B;;{orcid}")).orcid == orcid[-19:]


def test_the_command_writes_the_same_files(
    client: Client, campaign: Campaign, tmp_path: Path
) -> None:
    target = tmp_path / "deposit.zip"
    with pytest.raises(CommandError, match="Choose a licence"):
        call_command("export_deposit", campaign.slug, str(target))
    assert list(tmp_path.iterdir()) == []
    save(client, campaign)
    missing = tmp_path / "missing" / "deposit.zip"
    with pytest.raises(CommandError, match=f"{missing} cannot be written: No such file"):
        call_command("export_deposit", campaign.slug, str(missing))
    call_command("export_deposit", campaign.slug, str(target), stdout=io.StringIO())
    written, downloaded = zipfile.ZipFile(target), download(client, campaign)
    assert written.namelist() == downloaded.namelist()
    for name in ("leaderboard.csv", "scores.csv", "runs.csv", "qrels.txt"):
        assert written.read(name) == downloaded.read(name)
