"""Every URL answers the methods that the schema names, refuses others with 405 and names its
own in Allow; an empty or unknown parameter is refused."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from campaigns.models import LogEntry
from tests.campaigns.api.conftest import World, client_of
from tests.campaigns.judging.programs import client_of_program, make_program

pytestmark = pytest.mark.django_db
PATHS: dict[str, dict[str, Any]] = SchemaGenerator().get_schema(public=True)["paths"]
EVERY = ("get", "post", "put", "patch", "delete", "trace")


def url(path: str, world: World) -> str:
    places = {
        "slug": "the-campaign", "public_id": world.run.public_id, "code": "1", "version": 1,
        "announcement": 0,
        "program": 0, "old": 1, "new": 1,
        "team": world.run.team.public_id, "step": "close", "upload": world.upload.public_id,
    }  # fmt: skip
    return path.format(**places)


def allowed(answer: HttpResponse) -> set[str]:
    return {name.lower() for name in answer["Allow"].split(", ")} - {"head", "options"}


def test_a_method_that_is_not_offered_is_refused_with_those_that_are(world: World) -> None:
    for path, acts in PATHS.items():
        for method in EVERY:
            if method in acts:
                continue
            answer = Client().generic(method, url(path, world))
            found = (answer.status_code, answer.json()["code"])
            assert found == (405, "method_not_allowed"), (method, path)
            assert allowed(answer) == set(acts), (method, path)


def test_every_answer_names_all_methods_of_its_url(world: World) -> None:
    for path, acts in PATHS.items():
        if "get" in acts:
            answer = client_of(None).get(url(path, world))
            assert allowed(answer) == set(acts), path


def test_an_empty_parameter_is_refused(world: World) -> None:
    enumerated = [
        (path, parameter["name"])
        for path, acts in PATHS.items()
        for parameter in acts.get("get", {}).get("parameters", ())
        if parameter["in"] == "query" and "enum" in parameter["schema"]
    ]
    assert ("/api/campaigns/", "stage") in enumerated
    for path, name in enumerated:
        answer = client_of(world.organiser).get(url(path, world), {name: ""})
        assert answer.status_code == 400, (path, name)
        faults = [(each["field"], each["code"]) for each in answer.json()["fields"]]
        assert faults == [(name, "blank")], path


@pytest.mark.parametrize("path", [path for path, acts in PATHS.items() if "get" in acts])
def test_an_unknown_parameter_is_refused(path: str, world: World) -> None:
    """`?mesure=AP` would return another measure. The message lists the parameters there are."""
    client = client_of(world.organiser)
    if path.endswith(("/judging/next/", "/judging/progress/")):
        client = client_of_program(make_program(world.campaign, world.organiser))
    answer = client.get(url(path, world), {"mesure": "AP"})
    assert answer.status_code == 400
    (fault,) = answer.json()["fields"]
    assert (fault["field"], fault["code"]) == ("mesure", "unknown")
    documented = PATHS[path]["get"].get("parameters", ())
    names = [each["name"] for each in documented if each["in"] == "query"]
    for name in names:
        assert name in fault["message"]
    assert ("Did you mean measure?" in fault["message"]) == ("measure" in names)


@pytest.mark.parametrize(
    ("method", "path"),
    [(method, path) for path, acts in PATHS.items() for method in acts if method != "get"],
)
def test_an_unknown_parameter_changes_nothing(method: str, path: str, world: World) -> None:
    client = client_of(world.organiser)
    if "/judging/judgments/" in path:
        client = client_of_program(make_program(world.campaign, world.organiser))
    before = LogEntry.objects.count()
    answer = client.generic(method.upper(), f"{url(path, world)}?nottify=no")
    assert answer.status_code == 400
    assert [(each["field"], each["code"]) for each in answer.json()["fields"]] == [
        ("nottify", "unknown")
    ]
    assert LogEntry.objects.count() == before


@pytest.mark.parametrize("path", ["/api/schema/", "/api/docs/"])
def test_the_description_refuses_in_the_same_shape(path: str) -> None:
    answer = Client().generic("TRACE", path)
    assert (answer.status_code, answer["Content-Type"]) == (405, "application/json")
    assert answer.json()["code"] == "method_not_allowed"


def test_options_name_an_endpoint_of_several_methods_in_words() -> None:
    assert Client().options("/api/campaigns/").json()["name"] == "Endpoint"
