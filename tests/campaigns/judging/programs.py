"""Programs that judge, and clients that send their tokens."""

import datetime
import itertools

from rest_framework.test import APIClient

from campaigns.judging import programs
from campaigns.models import Campaign, Program, User
from tests.making import make_organiser

_numbers = itertools.count(1)


def make_program(campaign: Campaign, actor: User | None = None, **facts: object) -> Program:
    defaults = {
        "name": f"Program {next(_numbers)}",
        "model": "a model",
        "version": "1.0",
        "prompt": "Is the document relevant to the topic?",
        "run_by": "Ann Ito",
        "run_on": datetime.date(2026, 11, 1),
    }
    program = Program(campaign=campaign, **defaults | facts)
    return programs.add_program(program=program, actor=actor or make_organiser(campaign))


def client_of_program(program: Program) -> APIClient:
    token = programs.create_token(program=program, actor=program.added_by)
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return client
