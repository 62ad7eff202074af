"""Every refusal is of one shape, has a code for programs, and does not say what is hidden."""

import json
import re
from functools import partial
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient
from rest_framework.throttling import SimpleRateThrottle

from campaigns import api, errors
from campaigns.api.requests import SoundJSONParser
from campaigns.api.responses import NOT_FOUND
from campaigns.models import Campaign, Qrels, Run, Team, Topic
from tests.campaigns.api.conftest import FILE, World, client_of, faulty
from tests.campaigns.judging.programs import client_of_program, make_program
from tests.making import make_team, make_user
from trackside.api_version import API_VERSION

pytestmark = pytest.mark.django_db
DOCS = (Path(api.__path__[0]).parents[1] / "docs" / "api.md").read_text()


def a_file(data: bytes = FILE) -> SimpleUploadedFile:
    return SimpleUploadedFile("run.txt", data)


# --- the shape ------------------------------------------------------------------------------------


def test_every_kind_of_refusal_has_a_code_and_a_message(world: World, settings) -> None:
    organiser_client, nobody = client_of(world.organiser), client_of(None)
    revoked = APIClient()
    revoked.credentials(HTTP_AUTHORIZATION="Token nonsense")
    settings.MAX_UPLOAD_BYTES = 1000
    answers = [
        nobody.post(f"{world.url}steps/close/"),
        revoked.get(world.url),
        revoked.get("/api/schema/", HTTP_ACCEPT="application/json"),
        client_of(make_user()).post("/api/campaigns/", {}, format="json"),
        nobody.get("/api/campaigns/no-such/"),
        nobody.delete(f"{world.url}topics/"),
        nobody.get(world.url, HTTP_ACCEPT="text/html"),
        organiser_client.post(f"{world.url}steps/open/"),
        organiser_client.post(f"{world.url}topics/", {"file": a_file(b"x" * 70_000)}),
        organiser_client.patch(world.url, {"name": "x"}, format="multipart"),
        organiser_client.patch(world.url, "{", content_type="application/json"),
        organiser_client.patch(world.url, {"slug": "x"}, format="json"),
        organiser_client.post(f"{world.url}qrels/", {"file": a_file(b"1 0 d1 good")}),
        organiser_client.get(f"{world.url}runs/?state=%00"),
    ]
    got = [(answer.status_code, answer.json()["code"]) for answer in answers]
    assert got == [
        (401, "not_authenticated"), (401, "authentication_failed"), (401, "authentication_failed"),
        (403, "permission_denied"), (404, "not_found"), (405, "method_not_allowed"),
        (406, "not_acceptable"), (409, "cannot_step"), (413, "too_large"),
        (415, "unsupported_media_type"), (400, "parse_error"), (400, "fields"), (400, "file"),
        (400, "bad_address"),
    ]  # fmt: skip
    assert all(answer.json()["message"] for answer in answers)
    assert all("detail" not in answer.json() for answer in answers)
    missing = {code for _, code in got if f"`{code}`" not in DOCS}
    assert not missing


def test_throttled_requests_are_refused_in_the_same_form(world: World, monkeypatch) -> None:
    rates = SimpleRateThrottle.THROTTLE_RATES | {"organise": "1/hour"}
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", rates)
    organiser_client = client_of(world.organiser)
    organiser_client.post(f"{world.url}steps/open/")
    again = organiser_client.post(f"{world.url}steps/open/")
    assert (again.status_code, again.json()["code"]) == (429, "throttled")


BY_PAGES_ALONE = {
    errors.Refusal, errors.CannotAdjudicate, errors.CannotAssignTopics, errors.CannotJudge,
    errors.CannotJoin, errors.CannotRemoveMember, errors.CannotCloseAccount, errors.TooManyTokens,
    errors.CannotRequest, errors.CannotChangeProgram,
}  # fmt: skip


def test_every_code_of_what_cannot_be_done_now_is_written_down() -> None:
    found = {
        each.code
        for each in vars(errors).values()
        if isinstance(each, type)
        and issubclass(each, errors.Refusal)
        and each not in BY_PAGES_ALONE
    }
    assert {"archived", "cannot_merge", "nothing_judged", "cannot_take", "cannot_delete"} <= found
    assert [code for code in sorted(found) if f"`{code}`" not in DOCS] == []


def test_a_file_over_the_limit_is_refused_by_a_page_in_a_browser_and_by_a_line_elsewhere(
    world: World, settings
) -> None:
    settings.MAX_UPLOAD_BYTES = 1000
    url, files = "/campaigns/the-campaign/submit/", {"file": a_file(b"x" * 70_000)}
    line = client_of(None).post(url, files)
    assert (line.status_code, line["Content-Type"]) == (413, "text/plain")
    files["file"].seek(0)
    page = client_of(None).post(url, files, headers={"Accept": "text/html,*/*;q=0.8"})
    assert (page.status_code, page["Content-Type"]) == (413, "text/html; charset=utf-8")
    assert "<h1>The file is too large</h1>" in page.content.decode()
    assert "Content-Security-Policy" in page


# --- 404 ------------------------------------------------------------------------------------------


def test_every_404_has_the_same_message(world: World) -> None:
    Campaign.objects.filter(pk=world.campaign.pk).update(board_audience=0)
    organiser_client, nobody = client_of(world.organiser), client_of(None)
    here = world.url
    asked = [
        (nobody, "get", "/api/campaigns/no-such/"),
        (nobody, "get", f"{here}topics/99/"),
        (nobody, "get", f"{here}runs/nothing/"),
        (nobody, "get", f"{here}runs/{world.run.public_id}/file/"),
        (nobody, "get", f"{here}qrels/1/"),
        (nobody, "get", f"{here}teams/"),
        (nobody, "get", f"{here}leaderboard/"),
        (nobody, "get", f"{here}leaderboard/?measure=Foo"),
        (organiser_client, "post", f"{here}steps/sideways/"),
        (organiser_client, "post", f"{here}teams/none/approve/"),
        (organiser_client, "delete", f"{here}topics/99/"),
        (nobody, "get", "/api/"),
        (nobody, "get", "/api/nothing/of/the/kind/"),
        (nobody, "post", "/api/campaigns/Not A Slug/"),
        (organiser_client, "delete", f"{here}members/"),
    ]
    answers = {(verb, path): getattr(client, verb)(path) for client, verb, path in asked}
    different = {
        of: (answer.status_code, answer.content)
        for of, answer in answers.items()
        if answer.status_code != 404 or answer.json() != NOT_FOUND
    }
    assert different == {}


def test_a_url_without_its_slash_leads_to_the_one_with_it() -> None:
    for path in ("/api/campaigns", "/api/nothing"):
        assert client_of(None).get(path)["Location"] == f"{path}/"


def test_the_list_of_teams_is_for_organisers_only(world: World) -> None:
    """Whoever has no token is answered as a stranger is."""
    for path in ("teams/", "qrels/"):
        for client in (client_of(None), client_of(make_user()), client_of(world.participant)):
            answer = client.get(world.url + path)
            assert (answer.status_code, answer.json()) == (404, NOT_FOUND), path
    assert client_of(world.organiser).get(f"{world.url}teams/").status_code == 200


# --- fields ---------------------------------------------------------------------------------------


def writes() -> list[tuple[str, str, str]]:
    """Method, path and kind of body of everything that a script may write, from the schema."""
    return [
        (method, path, next(iter(operation.get("requestBody", {}).get("content", {})), ""))
        for path, methods in SchemaGenerator().get_schema(public=True)["paths"].items()
        for method, operation in methods.items()
        if method in ("post", "patch")
    ]


@pytest.mark.parametrize(("method", "path", "kind"), writes())
def test_a_field_that_nobody_knows_is_refused_by_its_name(
    method: str, path: str, kind: str, world: World
) -> None:
    places = {"slug": world.campaign.slug, "public_id": world.run.public_id, "version": 1,
              "announcement": 0, "program": 0, "upload": world.upload.public_id,
              "team": world.run.team.public_id, "step": "close"}  # fmt: skip
    person = world.participant if path.endswith(("/runs/", "accept/")) else world.organiser
    url = path.format(**places)
    format = "multipart" if kind.startswith("multipart") else "json"
    said = {"nonsense": "x"} | ({"file": a_file()} if format == "multipart" else {})

    def rows() -> list[dict]:
        kinds = (Campaign, Run, Team, Qrels, Topic)
        return [row for kind in kinds for row in kind.objects.order_by("pk").values()]

    before = rows()
    client = client_of(person)
    if path.endswith("/judging/judgments/"):  # no person has the token that it asks for
        client = client_of_program(make_program(world.campaign, world.organiser))
    answer = getattr(client, method)(url, said, format=format)
    assert faulty(answer) == [("nonsense", "unknown")]
    assert rows() == before


def test_several_faults_are_named_each_with_its_code(world: World) -> None:
    answer = client_of(world.organiser).patch(
        world.url, {"rel": 0, "name": "", "gain_map": [0, 7, "x"]}, format="json"
    )
    assert sorted(faulty(answer)) == [
        ("gain_map.1", "max_value"), ("gain_map.2", "invalid"), ("name", "blank"),
        ("rel", "min_value"),
    ]  # fmt: skip
    assert answer.json()["message"].endswith("And 3 more.")


def test_a_fault_of_the_whole_is_of_no_field(world: World) -> None:
    organiser_client = client_of(world.organiser)
    assert faulty(organiser_client.patch(world.url, [], format="json")) == [(None, "invalid")]


def test_more_than_a_page_of_faults_is_cut_short(world: World) -> None:
    strange = {f"strange{number}": 1 for number in range(100)}
    answer = client_of(world.organiser).patch(world.url, strange, format="json")
    names = sorted(strange)[:20]
    assert faulty(answer) == [*((name, "unknown") for name in names), (None, "unknown")]
    assert answer.json()["fields"][-1]["message"] == "80 further fields do not exist."
    many = client_of(world.organiser).patch(
        world.url, {"feedback_topics": [""] * 60}, format="json"
    )
    assert len(faulty(many)) == 25
    assert many.json()["message"].endswith("And 59 more.")


@pytest.mark.parametrize(
    ("method", "path", "largest"),
    [("post", "steps/close/", 64), ("post", "archive/", 64), ("patch", "", 1024)],
)
def test_a_large_body_is_refused_before_it_is_read(
    method: str, path: str, largest: int, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    monkeypatch.setattr(SoundJSONParser, "parse", lambda *_: read.append(1) or {})
    body = json.dumps({"x": "y" * largest * 1024})
    send = partial(client_of(world.organiser).generic, method.upper(), world.url + path)
    answer = send(body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"], read) == (413, "too_large", [])
    assert f"more than {largest} kB" in answer.json()["message"]
    send(body[: largest * 1024], content_type="application/json")
    assert read == [1]


@pytest.mark.parametrize(
    "path", ["steps/close/", "archive/", "runs/{}/baseline/", "qrels/1/activate/"]
)
def test_the_permission_is_checked_before_the_body(path: str, world: World) -> None:
    """Nobody learns from unknown fields whether a campaign exists."""
    client = client_of(world.participant)
    for here in (world.url, "/api/campaigns/nope/"):
        url = here + path.format(world.run.public_id)
        assert client.post(url, {"nonsense": 1}, format="json").status_code == 404


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"gain_map": ["x"] * 129}, ("gain_map", "max_length")),
        ({"persistences": ["x"] * 11}, ("persistences", "max_length")),
        ({"measures": [""] * 201}, ("measures", "max_length")),
        ({"run_types": [""] * 11}, ("run_types", "max_length")),
        ({"feedback_topics": [""] * 10_001}, ("feedback_topics", "max_length")),
        ({"stage_switches": {str(n): 1 for n in range(51)}}, ("stage_switches", "max_length")),
        (
            {"stage_switches": {"draft": {str(n): 1 for n in range(51)}}},
            ("stage_switches.draft", "max_length"),
        ),
    ],
)
def test_the_length_of_a_list_is_checked_before_its_items(
    said: dict, fault: tuple[str, str], world: World
) -> None:
    assert faulty(client_of(world.organiser).patch(world.url, said, format="json")) == [fault]


@pytest.mark.parametrize(
    ("facts", "said", "fault"),
    [
        ({}, {"answer_k1": "0.9"}, ("answer_k1", "unknown")),
        ({}, {"priority": "1"}, ("priority", "not_asked")),
        ({"asks_priority": True}, {"priority": "0"}, ("priority", "min_value")),
        ({"run_types": ["automatic"]}, {"run_type": "manual"}, ("run_type", "invalid")),
        ({"run_fields": True}, {}, ("answer_k1", "required")),
        ({"run_fields": True}, {"answer_k1": "much"}, ("answer_k1", "invalid")),
        ({}, {"idempotency_key": "key"}, ("idempotency_key", "unknown")),
    ],
)
def test_fields_of_a_run_are_accepted_or_refused_by_name(
    facts: dict, said: dict, fault: tuple[str, str], world: World
) -> None:
    asked = {"name": "k1", "label": "k1", "kind": "number", "choices": [], "is_required": True}
    facts = facts | ({"run_fields": [asked]} if "run_fields" in facts else {})
    Campaign.objects.filter(pk=world.campaign.pk).update(stage="open", is_accepting=True, **facts)
    answer = client_of(world.participant).post(f"{world.url}runs/", {"file": a_file(), **said})
    assert faulty(answer) == [fault]
    assert Run.objects.count() == 1


def test_a_key_that_cannot_be_kept_is_refused(world: World) -> None:
    Campaign.objects.filter(pk=world.campaign.pk).update(stage="open", is_accepting=True)
    answer = client_of(world.participant).post(
        f"{world.url}runs/", {"file": a_file()}, HTTP_IDEMPOTENCY_KEY="k" * 65
    )
    assert faulty(answer) == [("Idempotency-Key", "invalid")]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("[" * 100_000, 400, "parse_error"),
        ('{"name": "half \\ud800 of one"}', 400, "parse_error"),
        ('{"half \\ud800 of one": 1}', 400, "parse_error"),
        (b'{"name": "\xff"}', 400, "parse_error"),
        ('{"name": "' + "x" * 3_000_000 + '"}', 413, "too_large"),
    ],
    ids=["nested", "half a text", "half a name", "not UTF-8", "large"],
)
def test_json_that_cannot_be_kept_is_refused(
    body: str | bytes, status: int, code: str, world: World
) -> None:
    organiser_client = client_of(world.organiser)
    answer = organiser_client.patch(world.url, body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_too_many_fields_are_refused(world: World) -> None:
    fields = {f"answer_{number}": "x" for number in range(300)}
    answer = client_of(world.participant).post(f"{world.url}runs/", {"file": a_file(), **fields})
    assert (answer.status_code, answer.json()["code"]) == (400, "parse_error")


def test_an_unknown_team_and_another_campaigns_are_equally_nothing_to_merge_into(
    world: World,
) -> None:
    organiser_client = client_of(world.organiser)
    theirs = make_team(Campaign.objects.create(slug="elsewhere", name="Elsewhere"))
    url = f"{world.url}teams/{world.run.team.public_id}/merge/"
    answers = [
        organiser_client.post(url, {"into": public_id}, format="json")
        for public_id in (theirs.public_id, "nosuchteamatall2")
    ]
    assert faulty(answers[0]) == [("into", "unknown_team")]
    assert answers[0].content == answers[1].content


def test_the_words_of_the_docs_are_the_words_of_the_site() -> None:
    assert re.search(re.escape(NOT_FOUND["message"]), DOCS)


def test_a_server_error_has_the_same_form(world: World, monkeypatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret words")

    monkeypatch.setattr("campaigns.access.viewer_or_404", fail)
    browser = Client(raise_request_exception=False)
    answer = browser.get(f"/api/campaigns/{world.campaign.slug}/")
    assert (answer.status_code, answer.json()["code"]) == (500, "error")
    assert "secret" not in answer.content.decode()
    page = browser.get(f"/campaigns/{world.campaign.slug}/")
    assert (page.status_code, page["Content-Type"]) == (500, "text/html; charset=utf-8")


def test_every_response_of_the_api_has_its_version_and_no_page_has_it(world: World) -> None:
    nobody = client_of(None)
    asked = {
        "/api/campaigns/": 200,
        world.url: 200,
        "/api/schema/": 200,
        "/api/nothing/": 404,
        f"{world.url}?%00": 400,
    }
    for path, status in asked.items():
        answer = nobody.get(path)
        assert (answer.status_code, answer["Trackside-API-Version"]) == (status, API_VERSION), path
    assert "Trackside-API-Version" not in Client().get("/")
    schema = SchemaGenerator().get_schema(request=None, public=True)
    assert schema["info"]["version"] == API_VERSION
    assert f"`Trackside-API-Version`, now `{API_VERSION}`" in DOCS


@pytest.mark.parametrize("version", ["2", "", "1.0", "x" * 5000])
def test_a_request_of_another_version_changes_nothing(world: World, version: str) -> None:
    client = client_of(world.organiser)
    before = Run.objects.count()
    headers = {"HTTP_TRACKSIDE_API_VERSION": version}
    answer = client.post(f"{world.url}runs/", {"file": a_file()}, **headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "api_version")
    assert answer.json()["message"] == (
        "Another version of the API. This site has version 1. Install the release that the site "
        "has."
    )
    assert Run.objects.count() == before
    headers = {"HTTP_TRACKSIDE_API_VERSION": API_VERSION}
    assert client.get(world.url, **headers).status_code == 200
