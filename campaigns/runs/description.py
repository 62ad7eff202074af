"""What a team says of its run: asked as its organisers set the form, read for page and API alike.

The keys are `run_type`, `description`, `priority`, and `answer_<name>` for every field of the
organisers' own.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from campaigns import lifecycle
from campaigns.errors import FaultyDescription
from campaigns.log import record
from campaigns.models import Campaign, Run, User

KINDS = {
    "text": "a text",
    "number": "a number",
    "choice": "one of several",
    "yes": "yes or no",
}
FIELD_LIMIT = 20
CHOICE_LIMIT = 50
LONGEST_TEXT = 4000
LONGEST_ANSWER = 2000
LONGEST_LABEL = 120
PRIORITIES = range(1, 101)
NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")
YES = {"on", "yes", "true", "1"}

Answer = str | float | bool


@dataclass(frozen=True)
class Description:
    """What a team says of one run."""

    run_type: str = Run.Type.AUTOMATIC
    text: str = ""
    priority: int | None = None  # 1: to be judged first
    answers: dict[str, Answer] = field(default_factory=dict)


def read_description(campaign: Campaign, data: Mapping[str, Any]) -> Description:
    """What this form or request says. Raises `FaultyDescription`."""
    faults: dict[str, str] = {}

    def read(key: str, reader: Any, *further: Any) -> Any:
        raw = str(data.get(key) or "").strip()
        try:
            if "\0" in raw:
                raise ValueError("A text holds no NUL.")
            return reader(raw, *further)
        except ValueError as error:
            faults[key] = str(error)

    run_type = read("run_type", _run_type, campaign.run_types)
    text = read("description", _text, LONGEST_TEXT)
    priority = read("priority", _priority) if campaign.asks_priority else None
    answers = {
        asked["name"]: read(f"answer_{asked['name']}", _answer, asked)
        for asked in campaign.run_fields
    }
    if faults:
        raise FaultyDescription(faults)
    given = {name: answer for name, answer in answers.items() if answer is not None}
    return Description(run_type=run_type, text=text, priority=priority, answers=given)


def check_fields(spec: object) -> None:
    """What organisers may ask: at most 20 fields of known kinds. Raises `ValidationError`."""
    if not isinstance(spec, list) or len(spec) > FIELD_LIMIT:
        raise ValidationError(f"Ask at most {FIELD_LIMIT} things.")
    names = [_checked_field(asked) for asked in spec]
    if len(set(names)) != len(names):
        raise ValidationError("Two fields have the same name.")


@transaction.atomic
def change_run_form(
    *,
    campaign: Campaign,
    run_types: Sequence[str],
    asks_priority: bool,
    asks_acceptance: bool,
    run_fields: list[dict[str, Any]],
    actor: User,
) -> None:
    """What is asked of runs from now on; the ones that are here keep what was said of them. Raises
    `Archived`."""
    lifecycle.refuse_archived(campaign)
    types = [known for known in Run.Type.values if known in run_types]
    if not types:
        raise ValidationError("Take at least one type of run.")
    check_fields(run_fields)
    campaign.run_types, campaign.run_fields = types, run_fields
    campaign.asks_priority, campaign.asks_acceptance = asks_priority, asks_acceptance
    columns = ["run_types", "run_fields", "asks_priority", "asks_acceptance"]
    campaign.save(update_fields=columns)
    details = {column: getattr(campaign, column) for column in columns}
    record(campaign, actor, "changed the run form", **details)


def answers_of(campaign: Campaign, run: Run) -> list[tuple[str, str | float]]:
    """What was answered, by label; by name where the organisers ask it no more."""
    labels = {asked["name"]: asked["label"] for asked in campaign.run_fields}
    return [(labels.get(name, name), shown_answer(answer)) for name, answer in run.answers.items()]


def shown_answer(answer: Answer) -> str | float:
    """Yes and no are written out; a whole number has no decimals; the rest is as it was given."""
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, float) and answer.is_integer() and abs(answer) < 1e15:
        return int(answer)
    return answer


def _checked_field(asked: object) -> str:
    if not isinstance(asked, dict) or not NAME.fullmatch(str(asked.get("name", ""))):
        raise ValidationError("A field's name is of a-z, 0-9 and _, and begins with a letter.")
    name, label = asked["name"], asked.get("label")
    if set(asked) - {"name", "label", "kind", "choices", "is_required"}:
        raise ValidationError(f"{name}: a field has name, label, kind, choices and is_required.")
    if not isinstance(label, str) or not 1 <= len(label) <= LONGEST_LABEL or "\0" in label:
        raise ValidationError(f"{name}: a label has 1 to {LONGEST_LABEL} characters.")
    if asked.get("kind") not in KINDS:
        raise ValidationError(f"{name}: ask for {', '.join(KINDS)}.")
    choices = asked.get("choices", [])
    is_list = isinstance(choices, list) and all(
        isinstance(choice, str) and 1 <= len(choice) <= LONGEST_LABEL and "\0" not in choice
        for choice in choices
    )
    if not is_list or len(set(choices)) != len(choices) or len(choices) > CHOICE_LIMIT:
        raise ValidationError(f"{name}: choices are up to {CHOICE_LIMIT} different texts.")
    if (asked["kind"] == "choice") != bool(len(choices) >= 2):
        raise ValidationError(f"{name}: a choice offers two or more, and nothing else does.")
    return str(name)


def _run_type(raw: str, allowed: Sequence[str]) -> str:
    chosen = raw or allowed[0]
    if chosen not in allowed:
        raise ValueError(f"Choose one of {', '.join(allowed)}.")
    return chosen


def _text(raw: str, longest: int) -> str:
    if len(raw) > longest:
        raise ValueError(f"At most {longest:,} characters; these are {len(raw):,}.")
    return raw


def _priority(raw: str) -> int | None:
    if not raw:
        return None
    if not (raw.isascii() and raw.isdigit() and len(raw) < 4 and int(raw) in PRIORITIES):
        raise ValueError(f"A whole number from {PRIORITIES[0]} to {PRIORITIES[-1]}.")
    return int(raw)


def _answer(raw: str, asked: Mapping[str, Any]) -> Answer | None:
    """None where nothing was said."""
    if asked["kind"] == "yes":
        return _yes(raw, asked)
    if not raw:
        if asked.get("is_required"):
            raise ValueError("This field is required.")
        return None
    if asked["kind"] == "number":
        return _number(raw)
    if asked["kind"] == "choice" and raw not in asked["choices"]:
        raise ValueError(f"Choose one of {', '.join(asked['choices'])}.")
    return _text(raw, LONGEST_ANSWER)


def _yes(raw: str, asked: Mapping[str, Any]) -> bool:
    is_yes = raw.lower() in YES
    if asked.get("is_required") and not is_yes:
        raise ValueError("This has to be confirmed.")
    return is_yes


def _number(raw: str) -> float:
    try:
        number = float(raw)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError("Write a number.")
    return number
