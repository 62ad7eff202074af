"""The organisers' pages of programs, and files of their judgments."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from campaigns.errors import CannotChangeProgram, CannotJudge, CannotRemoveTopics
from campaigns.judging import plans, programs
from campaigns.judging.program_judgments import grades_of, import_grades
from campaigns.manage.archiving import delete_campaign
from campaigns.models import Campaign, Judgment, Program, ProgramJudgment, User
from campaigns.qrels.topics import remove_topics
from campaigns.trec.problems import FormatError
from tests.campaigns.judging.making import make_plan
from tests.campaigns.judging.programs import make_program
from tests.making import make_campaign, make_organiser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups")]

FORM = {
    "name": "Judge", "model": "a model", "version": "1", "prompt": "Judge it.", "run_by": "Ann",
    "run_on": "2026-11-01",
}  # fmt: skip


@pytest.fixture
def campaign() -> Campaign:
    return make_plan(make_campaign(highest_grade=3)).campaign


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def page(client: Client, organiser: User) -> Client:
    client.force_login(organiser)
    return client


def url(name: str, campaign: Campaign, *parts: object) -> str:
    return reverse(f"campaigns:judging-{name}", args=[campaign.slug, *parts])


def test_an_organiser_adds_a_program_and_gets_its_token_once(
    page: Client, campaign: Campaign
) -> None:
    added = page.post(url("programs", campaign), FORM)
    program = Program.objects.get()
    assert added.url == url("program", campaign, program.pk)
    assert len(program.prompt_digest) == 64
    shown = page.post(url("program-token", campaign, program.pk))
    token = shown.context["token"]
    assert token in shown.content.decode()
    found = programs.program_with_token(token)
    assert found == program
    again = page.get(url("program", campaign, program.pk)).content.decode()
    assert token not in again
    assert found.token_digest not in again
    page.post(url("program-token-revoke", campaign, program.pk))
    assert programs.program_with_token(token) is None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"prompt": ""}, "prompt"),
        ({"run_on": "soon"}, "run_on"),
        ({"quota": "0"}, "quota"),
        ({"cost_per_document": "-1", "currency": "EUR"}, "cost_per_document"),
        ({"cost_per_document": "0.01"}, "currency"),
        ({"name": "TAKEN"}, "name"),
    ],
)
def test_a_faulty_form_names_the_field(
    page: Client, campaign: Campaign, organiser: User, change: dict[str, str], field: str
) -> None:
    make_program(campaign, organiser, name="Taken")
    answer = page.post(url("programs", campaign), FORM | change)
    assert answer.status_code == 400
    assert set(answer.context["form"].errors) == {field}
    assert Program.objects.count() == 1


def test_what_a_program_is_stays_fixed_once_it_has_judged(
    page: Client, campaign: Campaign, organiser: User
) -> None:
    program = make_program(campaign, organiser, prompt="First.")
    here = url("program", campaign, program.pk)
    page.post(here, FORM | {"prompt": "Second."})
    program.refresh_from_db()
    assert program.prompt == "Second."
    import_grades(program=program, data=b"1 0 d1 2\n", actor=organiser)
    page.post(here, FORM | {"prompt": "Third.", "name": "Renamed", "quota": "5"})
    program.refresh_from_db()
    assert (program.prompt, program.name, program.quota) == ("Second.", "Renamed", 5)
    program.model = "Another"
    with pytest.raises(CannotChangeProgram, match="has judged documents"):
        programs.change_program(program=program, actor=organiser)


def test_a_retired_program_stays_with_its_judgments(
    page: Client, campaign: Campaign, organiser: User
) -> None:
    program = make_program(campaign, organiser)
    import_grades(program=program, data=b"1 0 d1 2\n", actor=organiser)
    page.post(url("program-retire", campaign, program.pk))
    program.refresh_from_db()
    assert program.retired_at is not None
    with pytest.raises(CannotJudge, match="retired"):
        import_grades(program=program, data=b"1 0 d2 2\n", actor=organiser)
    with pytest.raises(CannotChangeProgram, match="already retired"):
        programs.retire_program(program=program, actor=organiser)
    with pytest.raises(CannotChangeProgram, match="gets no token"):
        programs.create_token(program=program, actor=organiser)
    assert "retired" in page.get(url("programs", campaign)).content.decode()


def test_a_change_of_another_organiser_does_not_bring_a_revoked_token_back(
    campaign: Campaign, organiser: User
) -> None:
    program = make_program(campaign, organiser)
    token = programs.create_token(program=program, actor=organiser)
    opened = Program.objects.get()
    programs.revoke_token(program=program, actor=organiser)
    opened.name = "Renamed"
    programs.change_program(program=opened, actor=organiser)
    assert programs.program_with_token(token) is None
    opened = Program.objects.get()
    programs.retire_program(program=program, actor=organiser)
    opened.name = "Renamed again"
    programs.change_program(program=opened, actor=organiser)
    assert Program.objects.get().retired_at is not None


@pytest.mark.parametrize(
    "data", [b"1 0 d1 2\n1 0 d2 -1\n", b"topic,doc_id,grade\n1,d1,2\n1,d2,\n", b"1 d1 2 1 1\n"]
)
def test_a_file_of_judgments_is_stored_under_the_name_of_the_program(
    page: Client, campaign: Campaign, organiser: User, data: bytes
) -> None:
    program = make_program(campaign, organiser)
    file = SimpleUploadedFile("judgments.txt", data)
    page.post(url("program-import", campaign, program.pk), {"file": file})
    assert grades_of(program) == {(0, "1", "d1"): 2}
    assert ProgramJudgment.objects.get().is_imported
    assert Judgment.objects.count() == 0
    where = [campaign.slug, program.pk]
    table = page.get(reverse("scoring:program-judgments-csv", args=where)).content
    assert table == b"topic,doc_id,grade\n1,d1,2\n"
    records = page.get(reverse("api:program-judgments", args=where)).json()
    assert records == [{"topic": "1", "doc_id": "d1", "grade": 2}]


def test_a_file_may_follow_after_the_plan_ended(campaign: Campaign, organiser: User) -> None:
    plans.end_plan(plan=campaign.plans.get(), actor=None)
    program = make_program(campaign, organiser)
    assert import_grades(program=program, data=b"1 0 d1 2\n", actor=organiser).added == 1


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"1 0 d1 2\n1 0 d9 1\n", "UNKNOWN_DOCUMENT", 2),
        (b"1 0 d1 4\n", "GRADE", 1),
        (b"1 0 d1 2\n7 0 d1 1\n", "UNKNOWN_TOPIC", 2),
        (b"1 0 d1 2\n1 0 d1 1\n", "DUP", 2),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(
    page: Client, campaign: Campaign, organiser: User, data: bytes, code: str, line: int
) -> None:
    program = make_program(campaign, organiser)
    with pytest.raises(FormatError) as refused:
        import_grades(program=program, data=data, actor=organiser)
    assert [(each.code, each.line) for each in refused.value.problems] == [(code, line)]
    file = SimpleUploadedFile("judgments.txt", data)
    answer = page.post(url("program-import", campaign, program.pk), {"file": file})
    assert answer.status_code == 400
    assert ProgramJudgment.objects.count() == 0


def test_a_file_beyond_the_quota_is_refused(campaign: Campaign, organiser: User) -> None:
    program = make_program(campaign, organiser, quota=1)
    with pytest.raises(CannotJudge, match="quota"):
        import_grades(program=program, data=b"1 0 d1 2\n1 0 d2 1\n", actor=organiser)
    assert ProgramJudgment.objects.count() == 0


def test_the_command_imports_a_file(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    program = make_program(campaign, organiser, name="Judge")
    file = tmp_path / "judgments.txt"
    file.write_bytes(b"1 0 d1 2\n")
    out = StringIO()
    call_command("import_program_judgments", campaign.slug, "Judge", file, stdout=out)
    assert out.getvalue() == "Judge: 1 added, 0 changed, 0 already known.\n"
    assert grades_of(program) == {(0, "1", "d1"): 2}
    with pytest.raises(CommandError, match="no program named Nobody"):
        call_command("import_program_judgments", campaign.slug, "Nobody", file)
    file.write_bytes(b"1 0 d9 2\n")
    with pytest.raises(CommandError, match="Nothing was stored"):
        call_command("import_program_judgments", campaign.slug, "Judge", file)


def test_a_topic_that_a_program_judged_is_not_removed(organiser: User) -> None:
    campaign = make_campaign(stage=Campaign.Stage.DRAFT)
    campaign.documents.create(doc_id="d1")
    program = make_program(campaign)
    import_grades(program=program, data=b"1 0 d1 1\n", actor=organiser)
    with pytest.raises(CannotRemoveTopics, match="A program has judged"):
        remove_topics(campaign=campaign, codes=["1"], actor=organiser)


def test_a_deleted_campaign_takes_its_programs_along(organiser: User) -> None:
    campaign = make_campaign(stage=Campaign.Stage.DRAFT)
    campaign.documents.create(doc_id="d1")
    program = make_program(campaign)
    import_grades(program=program, data=b"1 0 d1 1\n", actor=organiser)
    delete_campaign(campaign=campaign, actor=organiser, typed_slug=campaign.slug)
    assert (Program.objects.count(), ProgramJudgment.objects.count()) == (0, 0)
