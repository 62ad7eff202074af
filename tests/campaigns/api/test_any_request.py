"""Whatever a script sends, the site never fails, and answers as the schema says: requests made up
from the schema itself, good ones and bad ones, by an organiser, a participant and nobody."""

import pytest
import schemathesis
from django.db import transaction
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, settings
from knox.models import AuthToken
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from campaigns.judging import programs
from tests.campaigns.api.conftest import World
from tests.campaigns.judging.programs import make_program
from trackside.wsgi import application

EXAMPLES = max(2, settings().max_examples // 25)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SCHEMA = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(public=True))
SCHEMA.app = application
OPERATIONS = {each.label: each for each in (found.ok() for found in SCHEMA.get_all_operations())}
GOOD = [(label, GenerationMode.POSITIVE) for label in OPERATIONS]
FOR_PROGRAMS = ("/judging/next/", "/judging/judgments/", "/judging/progress/")
BAD = [  # where there is more to get wrong than the URL
    (label, GenerationMode.NEGATIVE)
    for label, operation in OPERATIONS.items()
    if operation.query or operation.body
]


@pytest.mark.hypothesis  # and so in both tiers, with few examples and with more
@pytest.mark.parametrize(("label", "mode"), GOOD + BAD)
def test_no_request_makes_the_site_fail(label: str, mode: GenerationMode, world: World) -> None:
    operation = OPERATIONS[label]
    strategy = operation.as_strategy(generation_mode=mode)
    program = make_program(world.campaign, world.organiser)
    token_of_program = programs.create_token(program=program, actor=world.organiser)
    places = {
        "slug": "the-campaign",
        "public_id": (world.snapshot if "/snapshots/" in label else world.run).public_id,
        "team": world.run.team.public_id,
        "code": "a/b",
        "version": 1,
        "old": 1,
        "new": 1,
        "announcement": 0,
        "upload": world.upload.public_id,
        "program": program.pk,
    }
    senders = [_token(world.organiser), _token(world.participant), {}]
    if label.endswith(FOR_PROGRAMS):
        senders.append({"Authorization": f"Token {token_of_program}"})

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=strategy)
    def send(case: schemathesis.Case) -> None:
        for name in set(places) & set(case.path_parameters):
            case.path_parameters[name] = places[name]
        for headers in senders:
            with transaction.atomic():  # what it changed is taken back
                # It takes a body as it was sent, and does not unpack it.
                response = case.call(headers=headers | {"Accept-Encoding": "identity"})
                transaction.set_rollback(True)
            case.validate_response(response, checks=CHECKS)

    send()


def _token(person: object) -> dict[str, str]:
    _, token = AuthToken.objects.create(person)
    return {"Authorization": f"Token {token}"}
