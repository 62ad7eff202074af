"""Qrels versions with judgments of programs: sources, statements, and nothing mixed otherwise."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.errors import CannotActivateQrels, CannotFreeze, NothingJudged
from campaigns.judging import gold, plans
from campaigns.judging.plan_form import PlanForm
from campaigns.judging.program_judgments import import_grades
from campaigns.models import Campaign, Judgment, Plan, Program, Qrels, User
from campaigns.qrels import versions
from campaigns.qrels.files import text_of
from campaigns.qrels.provenance import origin_of
from tests.campaigns.api.conftest import client_of, faulty
from tests.campaigns.judging.making import make_assessor, make_plan, topic_of
from tests.campaigns.judging.programs import make_program
from tests.making import make_campaign, make_organiser, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]

BOTH, ALONE = Qrels.Sources.PEOPLE_THEN_PROGRAM, Qrels.Sources.PROGRAM


@pytest.fixture
def campaign() -> Campaign:
    return make_plan(make_campaign(highest_grade=3)).campaign


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def program(campaign: Campaign, organiser: User) -> Program:
    """It judges three documents, of which a person judges two differently."""
    person, topic = make_assessor(campaign), topic_of(campaign.plans.get())
    for doc_id, grade in (("d1", 0), ("d2", 1)):
        Judgment.objects.create(
            campaign=campaign, topic=topic, doc_id=doc_id, grade=grade, assessor=person
        )
    program = make_program(campaign, organiser, name="Judge")
    data = b"1 0 d1 3\n1 0 d2 3\n1 0 d3 2\n"
    import_grades(program=program, data=data, actor=organiser)
    return program


def freeze(campaign: Campaign, sources: str, program: Program | None, **facts: object) -> Qrels:
    return versions.freeze_judgments(
        campaign=campaign, note="", actor=None, sources=sources, program=program, **facts
    )


def text(qrels: Qrels) -> str:
    return b"".join(text_of(qrels)).decode()


def test_people_alone_are_frozen_unless_a_version_says_otherwise(
    campaign: Campaign, program: Program
) -> None:
    qrels = versions.freeze_judgments(campaign=campaign, note="", actor=None)
    assert text(qrels) == "1 0 d1 0\n1 0 d2 1\n"
    assert (qrels.sources, qrels.statement, qrels.counts_by_source) == ("people", "", "")
    assert "programs" not in qrels.provenance


def test_a_program_judges_what_nobody_judged(campaign: Campaign, program: Program) -> None:
    qrels = freeze(campaign, BOTH, program)
    assert text(qrels) == "1 0 d1 0\n1 0 d2 1\n1 1 d3 2\n"
    assert qrels.counts_by_source == "people: 2; Judge: 1"
    assert qrels.statement == (
        "2 judgments are by people, and 1 by a program, for documents that nobody judged. Judge: "
        "a model, version 1.0, run by Ann Ito on 2026-11-01, prompt sha256 "
        f"{program.prompt_digest[:12]}."
    )
    assert origin_of(qrels)[0] == qrels.statement
    assert qrels.provenance["judgments"] == 2
    assert qrels.provenance["programs"] == [
        {
            "name": "Judge", "model": "a model", "version": "1.0", "run_by": "Ann Ito",
            "run_on": "2026-11-01", "prompt_sha256": program.prompt_digest, "documents": 1,
        }
    ]  # fmt: skip
    assert [warning["code"] for warning in qrels.warnings] == ["MISSING_TOPICS"]  # not field 2


def test_a_program_alone(campaign: Campaign, program: Program) -> None:
    qrels = freeze(campaign, ALONE, program)
    assert text(qrels) == "1 1 d1 3\n1 1 d2 3\n1 1 d3 2\n"
    assert qrels.counts_by_source == "Judge: 3"
    assert qrels.statement.startswith("All 3 judgments are by a program. Judge: a model")
    assert origin_of(qrels) == [qrels.statement]


def test_the_latest_grade_of_the_program_counts(campaign: Campaign, program: Program) -> None:
    import_grades(program=program, data=b"1 0 d3 0\n", actor=None)
    assert "1 1 d3 0\n" in text(freeze(campaign, BOTH, program))


def test_gold_documents_are_left_out_of_both(
    campaign: Campaign, program: Program, organiser: User
) -> None:
    for doc_id in ("d2", "d3"):
        gold.mark(campaign=campaign, topic="1", doc_id=doc_id, grade=1, actor=organiser)
    assert text(freeze(campaign, ALONE, program, without_gold=True)) == "1 1 d1 3\n"
    with pytest.raises(NothingJudged, match="Judge has judged no document that the version lacks"):
        freeze(campaign, BOTH, program, without_gold=True)


def test_a_program_must_be_named(campaign: Campaign, program: Program) -> None:
    with pytest.raises(CannotFreeze, match="Choose the program"):
        freeze(campaign, BOTH, None)
    assert campaign.qrels.count() == 0


def test_the_same_grades_of_two_programs_are_two_versions(
    campaign: Campaign, program: Program, organiser: User
) -> None:
    other = make_program(campaign, organiser, name="Other")
    import_grades(program=other, data=b"1 0 d1 3\n1 0 d2 3\n1 0 d3 2\n", actor=organiser)
    first, second = freeze(campaign, ALONE, program), freeze(campaign, ALONE, other)
    assert first.digest == second.digest
    assert "Other: a model" in second.statement
    assert freeze(campaign, ALONE, program) == first


def test_a_downloaded_version_that_is_uploaded_again_keeps_its_sources(
    campaign: Campaign, program: Program
) -> None:
    qrels = freeze(campaign, BOTH, program)
    again, _ = versions.add_qrels(
        campaign=campaign, data=text(qrels).encode(), note="", actor=None, is_confirmed=True
    )
    assert again == qrels


def test_a_version_without_its_statement_is_neither_activated_nor_published(
    campaign: Campaign, program: Program
) -> None:
    qrels = freeze(campaign, BOTH, program, is_activated=False)
    Qrels.objects.filter(pk=qrels.pk).update(statement="")
    qrels.refresh_from_db()
    with pytest.raises(CannotActivateQrels, match="no statement says of which one"):
        versions.activate_qrels(campaign=campaign, qrels=qrels, actor=None)
    with pytest.raises(IntegrityError), transaction.atomic():
        Qrels.objects.filter(pk=qrels.pk).update(published_at=timezone.now())


def test_no_plan_starts_from_judgments_of_a_program(
    campaign: Campaign, program: Program, organiser: User
) -> None:
    """Otherwise they would count as judgments of people."""
    mixed = freeze(campaign, BOTH, program)
    people = freeze(campaign, Qrels.Sources.PEOPLE, None)
    assert list(PlanForm({}, campaign=campaign).versions.values()) == [people]
    plans.end_plan(plan=campaign.plans.get(), actor=None)
    make_run(campaign)
    with pytest.raises(ValidationError, match="judgments of a program"):
        plans.create_plan(
            plan=Plan(campaign=campaign, starts_from=mixed, budget=3), actor=organiser
        )


def test_the_page_offers_each_program(
    client: Client, campaign: Campaign, program: Program, organiser: User
) -> None:
    client.force_login(organiser)
    page = client.get(reverse("campaigns:campaign-manage", args=[campaign.slug])).content.decode()
    assert "people, then Judge for documents that nobody judged" in page
    assert "Judge only" in page
    freezing = reverse("campaigns:qrels-freeze", args=[campaign.slug])
    client.post(freezing, {"sources": f"people_then_program:{program.pk}"})
    assert campaign.qrels.get().counts_by_source == "people: 2; Judge: 1"
    client.post(freezing, {"sources": "program:0"})
    assert campaign.qrels.count() == 1
    shown = client.get(reverse("campaigns:campaign-manage", args=[campaign.slug])).content.decode()
    assert campaign.qrels.get().statement in shown


def test_the_api_freezes_with_a_program(
    campaign: Campaign, program: Program, organiser: User
) -> None:
    client, url = client_of(organiser), f"/api/campaigns/{campaign.slug}/qrels/freeze/"
    frozen = client.post(url, {"sources": "program", "program": "Judge"}, format="json").json()
    assert frozen["sources"] == "program"
    assert frozen["statement"].startswith("All 3 judgments are by a program.")
    refused = client.post(url, {"sources": "program"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "cannot_freeze")
    unknown = client.post(url, {"sources": "program", "program": "Nobody"}, format="json")
    assert faulty(unknown) == [("program", "unknown_program")]
