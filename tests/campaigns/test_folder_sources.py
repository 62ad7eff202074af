"""Judgments of a program stay judgments of a program when a campaign is exported and imported."""

import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from campaigns.judging.program_judgments import import_grades
from campaigns.models import Campaign, Judgment, Qrels
from campaigns.qrels import versions
from tests.campaigns.judging.making import make_assessor, make_plan, topic_of
from tests.campaigns.judging.programs import make_program
from tests.making import make_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files_of_its_own")]

BOTH, ALONE = Qrels.Sources.PEOPLE_THEN_PROGRAM, Qrels.Sources.PROGRAM
QRELS = "1 0 d1 1\n1 1 d2 3\n1 1 d3 2\n"


def exported(tmp_path: Path, sources: str) -> tuple[Qrels, Path]:
    """A version of a judgment by a person and two or three by a program, and the folder."""
    campaign = make_plan(make_campaign(highest_grade=3)).campaign
    person, topic = make_assessor(campaign), topic_of(campaign.plans.get())
    Judgment.objects.create(campaign=campaign, topic=topic, doc_id="d1", grade=1, assessor=person)
    program = make_program(campaign, name="Judge Ä")
    import_grades(program=program, data=b"1 0 d1 3\n1 0 d2 3\n1 0 d3 2\n", actor=None)
    qrels = versions.freeze_judgments(
        campaign=campaign, note="", actor=None, sources=sources, program=program
    )
    folder = tmp_path / "out"
    call_command("export_campaign", campaign.slug, str(folder), stdout=io.StringIO())
    return qrels, folder


def imported(folder: Path) -> Qrels:
    call_command("import_campaign", str(folder), slug="again", stdout=io.StringIO())
    qrels = Campaign.objects.get(slug="again").active_qrels
    assert qrels is not None
    return qrels


@pytest.mark.parametrize("sources", [BOTH, ALONE])
def test_a_version_of_a_program_comes_back_with_its_sources(tmp_path: Path, sources: str) -> None:
    before, folder = exported(tmp_path, sources)
    after = imported(folder)
    assert (after.sources, after.statement) == (sources, before.statement)
    assert after.provenance["programs"] == before.provenance["programs"]
    assert after.counts_by_source == before.counts_by_source != ""
    assert after.digest == before.digest
    assert "FIELD_2" not in {warning["code"] for warning in after.warnings}
    assert imported(folder) == after  # the second import adds no version
    assert after.campaign.qrels.count() == 1


def test_a_version_of_a_program_that_found_nothing_comes_back(tmp_path: Path) -> None:
    campaign = make_plan(make_campaign()).campaign
    program = make_program(campaign)
    import_grades(program=program, data=b"1 0 d1 0\n", actor=None)
    before = versions.freeze_judgments(
        campaign=campaign, note="", actor=None, sources=ALONE, program=program
    )
    folder = tmp_path / "out"
    call_command("export_campaign", campaign.slug, str(folder), stdout=io.StringIO())
    after = imported(folder)
    assert (after.digest, after.statement) == (before.digest, before.statement)


def test_the_folder_of_a_version_of_people_has_no_file_of_sources(tmp_path: Path) -> None:
    _, folder = exported(tmp_path, Qrels.Sources.PEOPLE)
    assert not (folder / "campaign.json").exists()
    after = imported(folder)
    assert (after.sources, after.statement) == ("people", "")


@pytest.mark.parametrize("text", [None, "{}", '{"qrels": {"sources": "people"}}'])
def test_a_folder_that_names_no_program_is_imported_as_before(
    tmp_path: Path, text: str | None
) -> None:
    _, folder = exported(tmp_path, BOTH)
    (folder / "campaign.json").unlink()
    if text is not None:
        (folder / "campaign.json").write_text(text)
    after = imported(folder)
    assert (after.sources, after.statement, after.judgment_count) == ("people", "", 3)


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda facts: facts.pop("statement"), '"statement" names no program'),
        (lambda facts: facts.update(statement=" "), '"statement" names no program'),
        (lambda facts: facts.update(statement="By a program."), "does not name the program Judge"),
        (lambda facts: facts.update(sources="robots"), "'robots', not one of people, people_then"),
        (lambda facts: facts.pop("sources"), "None, not one of people, people_then_program"),
        (lambda facts: facts.update(sources=["program"]), "not one of people"),
        (lambda facts: facts.update(sources="people"), "is people, but a program is named"),
        (lambda facts: facts.update(sources="program"), "with 0 in field 2 of the qrels is 1"),
        (lambda facts: facts.update(programs=[]), '"programs" needs an entry for each program'),
        (lambda facts: facts.update(programs=3), '"programs" needs an entry for each program'),
        (lambda facts: facts["programs"][0].pop("model"), "with the texts name, model, version"),
        (lambda facts: facts["programs"][0].update(name="a\0b"), '"programs" needs an entry'),
        (lambda facts: facts["programs"][0].update(documents=True), '"programs" needs an entry'),
        (
            lambda facts: facts["programs"][0].update(documents=3),
            "it states 3 judgments of a program, but the number of judgments with 1 in field 2 of "
            "the qrels is 2",
        ),
        (lambda facts: facts["programs"].append(facts["programs"][0]), "names a program twice"),
    ],
)
def test_sources_that_contradict_each_other_are_refused_with_the_way_out(
    tmp_path: Path, change: Change, words: str
) -> None:
    _, folder = exported(tmp_path, BOTH)
    content = json.loads((folder / "campaign.json").read_text(encoding="utf-8"))
    change(content["qrels"])
    (folder / "campaign.json").write_text(json.dumps(content))
    refused(folder, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b'{"qrels": {"sour', "it is not JSON"),
        (b"\xff\xfe\xff", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"[]", "it is not a JSON object"),
        (b'{"qrels": "program"}', '"qrels" is not a JSON object'),
    ],
    ids=["cut", "not UTF-8", "deep", "a list", "a text"],
)
def test_a_damaged_file_of_sources_is_refused(tmp_path: Path, text: bytes, words: str) -> None:
    _, folder = exported(tmp_path, BOTH)
    (folder / "campaign.json").write_bytes(text)
    refused(folder, words)


@pytest.mark.parametrize(
    ("qrels", "words"),
    [
        (QRELS.replace("1 1 d3 2\n", ""), "with 1 in field 2 of the qrels is 1"),
        (QRELS.replace("1 1 d3 2", "1 1 d3 -1"), "with 1 in field 2 of the qrels is 1"),
        (QRELS.replace("1 0 d1", "1 2 d1"), "field 2 of the qrels contains '2', not 0 for people"),
        ("# judgments\n" + QRELS, "need four fields in each line, without comments"),
        ("topic,0,document,grade\n1,0,d1,1\n", "need four fields in each line, without comments"),
        (None, "it states sources, but the folder has no qrels"),
    ],
)
def test_sources_that_do_not_fit_the_qrels_are_refused(
    tmp_path: Path, qrels: str | None, words: str
) -> None:
    _, folder = exported(tmp_path, BOTH)
    (folder / "qrels.txt.gz").unlink()
    if qrels is not None:
        (folder / "qrels.txt.gz").write_bytes(gzip.compress(qrels.encode()))
    refused(folder, words)


def refused(folder: Path, words: str) -> None:
    with pytest.raises(CommandError, match=re.escape(words)) as caught:
        imported(folder)
    assert "campaign.json: " in str(caught.value)
    assert str(caught.value).endswith("Export the campaign again, or correct this file.")
    assert not Campaign.objects.filter(slug="again").exists()
