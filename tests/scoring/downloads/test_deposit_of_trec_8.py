"""The deposit of TREC-8's campaign contains all that its numbers need: it is unpacked in an empty
folder, validated, and evaluated again from nothing but itself."""

import csv
import hashlib
import io
import json
import os
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from datacite import schema45
from django.core.management import call_command

from campaigns.models import Campaign, Team
from tests.scoring.oracles.round_one import DATA, WITH_DATA

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(DATA) / "trec8-adhoc"
TYPES = {"integer": int, "number": float, "string": str}

# Steps through the 129 runs.
EACH_EIGHTH_OR_ALL = [
    pytest.param(8, id="each-eighth"),
    pytest.param(1, id="all", marks=pytest.mark.exhaustive),
]

pytestmark = [pytest.mark.long, *WITH_DATA]

Row = dict[str, str]


@pytest.fixture(params=EACH_EIGHTH_OR_ALL)
def deposit(db: None, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The unpacked deposit; what it was made of is elsewhere."""
    source, unpacked = tmp_path / "source", tmp_path / "unpacked"
    (source / "runs").mkdir(parents=True)
    for path in sorted((FOLDER / "runs").iterdir())[:: request.param]:
        (source / "runs" / path.name).symlink_to(path)
    (source / "qrels.txt.gz").symlink_to(FOLDER / "qrels.trec8.adhoc.txt.gz")
    (source / "topics.txt").symlink_to(FOLDER / "topics.adhoc.401-450.txt")
    name = "TREC-8 ad hoc"
    call_command("import_campaign", str(source), slug="trec-8", name=name, stdout=io.StringIO())
    Team.objects.update(shares_files=True)
    facts = {"licence": "CC-BY-4.0", "authors": "Voorhees, Ellen M.; NIST\nHarman, Donna; NIST"}
    Campaign.objects.update(**facts)
    target = tmp_path / "deposit.zip"
    call_command("export_deposit", "trec-8", str(target), stdout=io.StringIO())
    with zipfile.ZipFile(target) as packed:
        assert packed.testzip() is None
        packed.extractall(unpacked)
    return unpacked


def rows_of(path: Path) -> list[Row]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_it_is_valid_and_evaluated_again_with_equal_numbers(deposit: Path) -> None:
    validate_data_package(deposit)
    validate_citations(deposit)
    validate_croissant(deposit)
    runs = rows_of(deposit / "runs.csv")
    assert len(runs) in (17, 129)
    for run in runs:
        assert hashlib.sha256((deposit / run["file"]).read_bytes()).hexdigest() == run["sha256"]
    assert_equal_numbers(deposit, runs)


def validate_data_package(deposit: Path) -> None:
    """Every file is described, has the stated size and digest, and columns of the stated types."""
    package = json.loads((deposit / "datapackage.json").read_text())
    described = {each["path"]: each for each in package["resources"]}
    descriptions = {
        "README.md", "CITATION.cff", "LICENSE.txt", "citation.bib", "datapackage.json",
        "croissant.json", "datacite.json", "ro-crate-metadata.json",
    }  # fmt: skip
    there = {str(path.relative_to(deposit)) for path in deposit.rglob("*") if path.is_file()}
    assert set(described) == there - descriptions
    for path, resource in described.items():
        content = (deposit / path).read_bytes()
        assert resource["bytes"] == len(content)
        assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
    tables = [each for each in described.values() if "schema" in each]
    assert {each["path"] for each in tables} == {"leaderboard.csv", "scores.csv", "runs.csv"}
    for table in tables:
        read = {each["name"]: TYPES[each["type"]] for each in table["schema"]["fields"]}
        for row in rows_of(deposit / table["path"]):
            assert row.keys() == read.keys()
            assert all(value == "" or read[name](value) is not None for name, value in row.items())


def validate_citations(deposit: Path) -> None:
    datacite = json.loads((deposit / "datacite.json").read_text())
    schema45.validator.validate(datacite)
    citation = yaml.safe_load((deposit / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors", "license"} <= citation.keys()
    names = [author["family-names"] for author in citation["authors"]]
    assert names == [each["familyName"] for each in datacite["creators"]] == ["Voorhees", "Harman"]


def validate_croissant(deposit: Path) -> None:
    mlcroissant = import_module("mlcroissant")  # takes seconds
    dataset = mlcroissant.Dataset(jsonld=str(deposit / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    board = [record["leaderboard/base"] for record in dataset.records("leaderboard")]
    assert board == [float(row["base"]) for row in rows_of(deposit / "leaderboard.csv")]


def assert_equal_numbers(deposit: Path, runs: list[Row]) -> None:
    """Each digit of scores.csv and leaderboard.csv is that of the command on the files."""
    scores, board = rows_of(deposit / "scores.csv"), rows_of(deposit / "leaderboard.csv")
    measures = sorted({row["measure"] for row in scores})
    found = {
        (row["run"], row["topic"], row["measure"]): (row["value"], row["residual"])
        for row in evaluated_again(deposit, [run["file"] for run in runs], measures)
    }
    by_topic = {
        (row["run"], row["topic"], row["measure"]): (row["value"], row["residual"])
        for row in scores
    }
    means = {(row["run"], "all", row["measure"]): (row["base"], row["residual"]) for row in board}
    assert len(measures) >= 5
    assert len(by_topic) == len(scores) == len(runs) * 50 * len(measures)
    assert len(means) == len(board) == len(runs) * len(measures)
    assert {cell: found.get(cell) for cell in by_topic | means} == by_topic | means
    assert found.keys() == by_topic.keys() | means.keys()


def evaluated_again(deposit: Path, files: list[str], measures: list[str]) -> Iterator[Row]:
    """By the command of the README, on all files and measures."""
    readme = (deposit / "README.md").read_text()
    (line,) = (each for each in readme.splitlines() if "trackside evaluate" in each)
    program, command, qrels, run, flag, measure, *options = shlex.split(line)
    assert [program, command, run, flag] == ["trackside", "evaluate", "run.gz", "-m"]
    assert measure in measures
    named = [argument for name in measures for argument in ("-m", name)]
    done = subprocess.run(
        [sys.executable, "-m", "trackside", "evaluate", qrels, *files, *named, *options],
        cwd=deposit,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return csv.DictReader(io.StringIO(done.stdout))
