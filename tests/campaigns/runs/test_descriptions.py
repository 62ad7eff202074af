"""What organisers ask of runs, and what teams say of them: on the page and by script alike."""

import csv
import io
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from campaigns.models import LogEntry, Run
from campaigns.runs import description as descriptions
from tests.flow_world import World, perform_jobs, run_file

pytestmark = pytest.mark.usefixtures("wake_ups")

FIELDS: list[dict[str, Any]] = [
    {"name": "model", "label": "Model", "kind": "text", "choices": [], "is_required": True},
    {"name": "k1", "label": "BM25's k1", "kind": "number", "choices": [], "is_required": False},
    {
        "name": "stage",
        "label": "Last stage",
        "kind": "choice",
        "choices": ["first", "re-ranking"],
        "is_required": False,
    },
    {"name": "llm", "label": "An LLM was used", "kind": "yes", "choices": [], "is_required": False},
]
ANSWERS = {
    "answer_model": "BM25",
    "answer_k1": "0.9",
    "answer_stage": "re-ranking",
    "answer_llm": "on",
}


def sent_by_script(world: World, **fields: str) -> Any:
    url = reverse("api:run-create", args=[world.campaign.slug])
    file = SimpleUploadedFile("run.txt", run_file("by-script"))
    return world.browser.post(url, {"file": file, **fields})


def test_answers_from_page_and_script_are_stored_in_the_same_way(world: World) -> None:
    world.change(run_fields=FIELDS, asks_priority=True, run_types=["automatic", "manual"])
    page = world.submit(
        run_file("by-page"), run_type="manual", priority="2", description="As it is.", **ANSWERS
    )
    assert page.status_code == 302, page.content.decode()
    script = sent_by_script(
        world, run_type="manual", priority="2", description="As it is.", **ANSWERS
    )
    assert script.status_code == 202
    for run in Run.objects.all():
        assert (run.run_type, run.judging_priority, run.description) == ("manual", 2, "As it is.")
        assert run.answers == {"model": "BM25", "k1": 0.9, "stage": "re-ranking", "llm": True}
    perform_jobs()
    shown = world.page_of(Run.objects.first())
    assert "BM25&#x27;s k1" in shown
    assert "re-ranking" in shown


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("answer_model", ""),
        ("answer_model", "x" * 2001),
        ("answer_k1", "much"),
        ("answer_k1", "nan"),
        ("answer_k1", "1e999"),
        ("answer_stage", "third"),
        ("priority", "0"),
        ("priority", "101"),
        ("priority", "1.5"),
        ("priority", "²"),
        ("run_type", "manual"),
        ("run_type", "magic"),
        ("description", "x" * 4001),
    ],
)
def test_a_wrong_answer_is_named_on_the_page_and_by_the_api(
    world: World, key: str, value: str
) -> None:
    world.change(run_fields=FIELDS, asks_priority=True, run_types=["automatic"])
    fields = ANSWERS | {key: value}
    page = world.submit(run_file(), **fields)
    assert page.status_code == 400
    assert key in page.context["form"].errors
    answer = sent_by_script(world, **fields)
    assert answer.status_code == 400
    assert [fault["field"] for fault in answer.json()["fields"]] == [key]
    assert Run.objects.count() == 0


def test_a_nul_in_an_answer_is_refused(world: World) -> None:
    world.change(run_fields=FIELDS)
    for response in (
        world.submit(run_file(), **ANSWERS | {"answer_model": "a\0b"}),
        sent_by_script(world, **ANSWERS | {"answer_model": "a\0b"}),
        sent_by_script(world, **ANSWERS, replaces="a\0b"),
        sent_by_script(world, **ANSWERS, team="a\0b"),
    ):
        assert response.status_code in {400, 404}
    assert Run.objects.count() == 0


def test_unknown_answers_are_not_stored(world: World) -> None:
    world.submitted_run(run_file(), priority="1", answer_model="BM25")
    run = Run.objects.get()
    assert (run.judging_priority, run.answers) == (None, {})


def test_the_script_of_the_page_learns_which_field_is_invalid(world: World) -> None:
    world.change(run_fields=FIELDS)
    answer = world.browser.post(
        reverse("campaigns:run-create", args=[world.campaign.slug]),
        {"file": SimpleUploadedFile("run.txt", run_file()), "run_type": "automatic"},
        headers={"Accept": "application/json"},
    )
    assert answer.json()["problems"] == ["Model: This field is required."]


# --- the organisers' form -------------------------------------------------------------------------


def form_data(*rows: dict[str, str], kept: int = 0, **facts: object) -> dict[str, object]:
    data: dict[str, object] = {
        "run_types": ["automatic"],
        "field-TOTAL_FORMS": len(rows),
        "field-INITIAL_FORMS": kept,
    }
    for number, row in enumerate(rows):
        data |= {f"field-{number}-{name}": value for name, value in row.items()}
    return data | facts


def test_an_organiser_sets_the_fields_of_the_form(world: World) -> None:
    url = reverse("campaigns:run-form", args=[world.campaign.slug])
    asked = {"label": "Modèle de base", "kind": "text", "choices": ""}
    stage = {"label": "Stage", "kind": "choice", "choices": "first\n\nlast\n", "is_required": "on"}
    blank = {"label": "", "kind": "text", "choices": ""}
    saved = world.organiser_client.post(url, form_data(asked, stage, blank, asks_acceptance="on"))
    assert saved.status_code == 302
    world.campaign.refresh_from_db()
    assert (world.campaign.run_types, world.campaign.asks_acceptance) == (["automatic"], True)
    assert world.campaign.run_fields == [
        {
            "name": "modele_de_base",
            "label": "Modèle de base",
            "kind": "text",
            "choices": [],
            "is_required": False,
        },
        {
            "name": "stage",
            "label": "Stage",
            "kind": "choice",
            "choices": ["first", "last"],
            "is_required": True,
        },
    ]
    assert LogEntry.objects.latest("pk").verb == "changed run description form"

    renamed = {"name": "stage", "label": "Last stage", "kind": "choice", "choices": "first\nlast"}
    gone = {"name": "modele_de_base", **asked, "DELETE": "on"}
    twin = {"label": "Stage", "kind": "text", "choices": ""}
    saved = world.organiser_client.post(url, form_data(gone, renamed, twin, kept=2))
    assert saved.status_code == 302
    world.campaign.refresh_from_db()
    names = [(field["name"], field["label"]) for field in world.campaign.run_fields]
    assert names == [("stage", "Last stage"), ("stage_2", "Stage")]
    assert "Last stage" in world.organiser_client.get(url).content.decode()


def test_two_organisers_set_the_fields_one_after_the_other(world: World) -> None:
    url = reverse("campaigns:run-form", args=[world.campaign.slug])
    version = world.organiser_client.get(url).context["version"]
    first = form_data({"label": "Mine", "kind": "text", "choices": ""}, version=version)
    assert world.organiser_client.post(url, first).status_code == 302
    refused = world.organiser_client.post(
        url, form_data({"label": "Yours", "kind": "text", "choices": ""}, version=version)
    )
    assert refused.status_code == 400
    assert "has saved changes since" in refused.content.decode()
    world.campaign.refresh_from_db()
    assert [field["label"] for field in world.campaign.run_fields] == ["Mine"]


def test_the_form_of_an_archived_campaign_cannot_be_changed(world: World) -> None:
    url = reverse("campaigns:run-form", args=[world.campaign.slug])
    world.change(archived_at=timezone.now(), stage="published", is_accepting=False)
    page = world.organiser_client.get(url).content.decode()
    assert page.count("<fieldset") == page.count("<fieldset disabled>") == 2
    assert "is archived" in page
    sent = form_data({"label": "Late", "kind": "text", "choices": ""})
    page = world.organiser_client.post(url, sent, follow=True).content.decode()
    assert "The campaign is archived" in page
    world.campaign.refresh_from_db()
    assert world.campaign.run_fields == []


def test_a_whole_number_is_shown_as_it_was_typed() -> None:
    assert [descriptions.shown_answer(value) for value in (3.0, 2.5, True, "3.0")] == [
        3, 2.5, "yes", "3.0",
    ]  # fmt: skip


def test_a_choice_of_one_is_no_choice(world: World) -> None:
    url = reverse("campaigns:run-form", args=[world.campaign.slug])
    row = {"label": "Stage", "kind": "choice", "choices": "only"}
    page = world.organiser_client.post(url, form_data(row))
    assert page.status_code == 400
    assert "needs two choices or more" in page.content.decode()
    assert world.organiser_client.post(url, form_data(run_types=[])).status_code == 400
    world.campaign.refresh_from_db()
    assert world.campaign.run_fields == []


@pytest.mark.parametrize(
    "spec",
    [
        "text",
        [{"name": "a"}],
        [{"name": "A", "label": "A", "kind": "text"}],
        [{"name": "a", "label": "", "kind": "text"}],
        [{"name": "a", "label": "A", "kind": "magic"}],
        [{"name": "a", "label": "A", "kind": "text", "choices": ["x", "y"]}],
        [{"name": "a", "label": "A", "kind": "choice", "choices": ["x", "x"]}],
        [{"name": "a", "label": "A", "kind": "choice", "choices": ["x", 1]}],
        [{"name": "a", "label": "A", "kind": "text", "more": 1}],
        [{"name": "a", "label": "A", "kind": "text"}] * 2,
        [{"name": f"a{n}", "label": "A", "kind": "text"} for n in range(21)],
    ],
)
def test_a_faulty_form_is_refused(spec: object) -> None:
    with pytest.raises(ValidationError):
        descriptions.check_fields(spec)


def test_a_valid_form_is_accepted() -> None:
    descriptions.check_fields(FIELDS)


# --- the runs page and its CSV --------------------------------------------------------------------


def rows_of(world: World, browser: Any, **query: str) -> list[dict[str, str]]:
    url = reverse("scoring:runs-csv", args=[world.campaign.slug])
    response = browser.get(url, query)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_csv_has_what_was_said_and_is_safe_to_open(world: World) -> None:
    world.change(run_fields=FIELDS)
    world.submitted_run(run_file("ours"), description="=1+1", **ANSWERS)
    (row,) = rows_of(world, world.browser)
    assert (row["run"], row["type"], row["state"]) == ("ours", "automatic", "accepted")
    assert row["description"] == "'=1+1"
    assert (row["answer_k1"], row["answer_llm"]) == ("0.9", "yes")
    assert row["sha256"] == Run.objects.get().digest


def test_of_other_teams_only_runs_on_the_leaderboard_are_listed(world: World) -> None:
    world.change(run_fields=FIELDS)
    rival = world.another_team()
    world.submitted_run(run_file("theirs"), browser=rival, **ANSWERS, description="A secret.")
    world.submitted_run(run_file("ours"), **ANSWERS)
    assert [row["run"] for row in rows_of(world, world.browser)] == ["ours"]
    world.change(runs_audience=2)
    ours, theirs = rows_of(world, world.browser)
    assert (ours["run"], theirs["run"]) == ("ours", "theirs")
    hidden = ("sha256", "size", "description", "answer_model", "priority")
    assert [theirs[name] for name in hidden] == [""] * len(hidden)
    world.submitted_run(b"", browser=rival, **ANSWERS)
    assert len(rows_of(world, world.browser)) == 2
    assert len(rows_of(world, world.organiser_client)) == 3


def test_latex_lists_the_runs_of_the_page_with_what_was_said(world: World) -> None:
    world.change(run_fields=FIELDS)
    rival = world.another_team()
    world.submitted_run(run_file("theirs"), browser=rival, **ANSWERS | {"answer_model": "Secret"})
    world.submitted_run(run_file("our_1"), **ANSWERS | {"answer_model": "BM25 & RM3"})
    url = reverse("scoring:runs-latex", args=[world.campaign.slug])
    ours = world.browser.get(url).content.decode()
    assert r"our\_1 & " in ours
    assert r"automatic & accepted & BM25 \& RM3 & 0.9" in ours
    assert "theirs" not in ours
    world.change(runs_audience=2)
    everyones = world.browser.get(url).content.decode()
    assert "theirs" in everyones
    assert "Secret" not in everyones


def test_filters_are_from_a_list_and_an_unseen_value_is_not_found(world: World) -> None:
    world.submitted_run(run_file("one"))
    world.submitted_run(run_file("two"), run_type="manual")
    rival = world.another_team()
    theirs = world.submitted_run(run_file("theirs"), browser=rival)
    assert [row["run"] for row in rows_of(world, world.browser, type="manual")] == ["two"]
    assert len(rows_of(world, world.browser, tag="one", submitted_at="2020")) == 2
    url = reverse("scoring:runs-csv", args=[world.campaign.slug])
    unseen, unknown = (
        world.browser.get(url, {"team": team}) for team in (theirs.team.public_id, "nobodys")
    )
    assert unseen.status_code == unknown.status_code == 404
    assert len(rows_of(world, world.organiser_client, team=theirs.team.public_id)) == 1
