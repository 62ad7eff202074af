"""Programs that judge: adding, changing, retiring, and the token with which a program judges.

A program is no account. Its token judges documents of one campaign and does nothing else.
"""

import hashlib
import secrets
from collections.abc import Collection
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from campaigns.errors import CannotChangeProgram
from campaigns.lifecycle import refuse_archived
from campaigns.log import differences, record
from campaigns.models import Campaign, Program, User

IDENTITY: Final = ("model", "version", "prompt")  # fixed by the first judgment
CHANGEABLE: Final = ("name", "run_by", "run_on", "quota", "cost_per_document", "currency")
TOKEN_BYTES: Final = 32


def programs_of(campaign: Campaign) -> QuerySet[Program]:
    """All programs, also retired ones, in the order in which they were added."""
    return campaign.programs.order_by("pk")


@transaction.atomic
def add_program(*, program: Program, actor: User) -> Program:
    """Saves a validated program. Raises `CannotChangeProgram` if its name is taken."""
    refuse_archived(program.campaign)
    program.added_by = actor
    _save(program)
    record(program.campaign, actor, "added program", program.name, prompt=program.prompt_digest)
    return program


@transaction.atomic
def change_program(*, program: Program, actor: User) -> None:
    """Saves a validated program. Raises `CannotChangeProgram` if it has judged and its model,
    version or prompt differ: its judgments were made with those."""
    refuse_archived(program.campaign)
    before = Program.objects.select_for_update().get(pk=program.pk)
    changed = [
        field
        for field in (*IDENTITY, *CHANGEABLE)
        if getattr(before, field) != getattr(program, field)
    ]
    if before.judgments.exists() and set(changed) & set(IDENTITY):
        raise CannotChangeProgram(
            f"{before.name} has judged documents, so its model, version and prompt cannot change. "
            "Add another program, and retire this one."
        )
    # Not the token: another organiser may have revoked it in the meantime.
    _save(program, (*IDENTITY, *CHANGEABLE, "prompt_digest"))
    if changed:
        changes = differences(before, program, changed)
        record(program.campaign, actor, "changed program", program.name, **changes)


@transaction.atomic
def retire_program(*, program: Program, actor: User) -> None:
    """The program judges no more, and its token is revoked. Its judgments stay."""
    refuse_archived(program.campaign)
    retired = Program.objects.filter(pk=program.pk, retired_at=None).update(
        retired_at=timezone.now(), token_digest="", token_created_at=None
    )
    if not retired:
        raise CannotChangeProgram(f"{program.name} is already retired.")
    record(program.campaign, actor, "retired program", program.name)


@transaction.atomic
def create_token(*, program: Program, actor: User) -> str:
    """A new token, which replaces the one before. Only its digest is stored."""
    refuse_archived(program.campaign)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    created = Program.objects.filter(pk=program.pk, retired_at=None).update(
        token_digest=_digest(token), token_created_at=timezone.now()
    )
    if not created:
        raise CannotChangeProgram(f"{program.name} is retired, so it gets no token.")
    record(
        program.campaign, actor, "created token of program", program.name, program=program.pk
    )  # the log says whose tokens to revoke if the person is removed
    return token


@transaction.atomic
def revoke_token(*, program: Program, actor: User) -> None:
    refuse_archived(program.campaign)
    Program.objects.filter(pk=program.pk).update(token_digest="", token_created_at=None)
    record(program.campaign, actor, "revoked token of program", program.name)


def program_with_token(token: str) -> Program | None:
    """The program that has this token, if it is not retired. One query."""
    programs = Program.objects.select_related("campaign")
    return programs.filter(token_digest=_digest(token), retired_at=None).first()


def _save(program: Program, fields: Collection[str] | None = None) -> None:
    """These fields, or all of a new program."""
    program.prompt_digest = _digest(program.prompt)
    try:
        with transaction.atomic():
            program.save(update_fields=fields)
    except IntegrityError as error:
        raise CannotChangeProgram(f"A program named {program.name} exists already.") from error


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
