"""The description that a team submits with a run, and the form that organisers set for it.

Page and API read the same keys: `name`, `run_type`, `description`, `priority`, and
`answer_<name>` for each field that the organisers added.
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
from campaigns.trec.names import NAME_CHARACTERS, composed, name_fault

KINDS = {
    "text": "text",
    "number": "number",
    "choice": "one of several choices",
    "yes": "yes or no",
}
FIELD_LIMIT = 20
CHOICE_LIMIT = 50
LONGEST_NAME = NAME_CHARACTERS
LONGEST_TEXT = 4000
LONGEST_ANSWER = 2000
LONGEST_LABEL = 120
PRIORITIES = range(1, 101)
NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")
YES = {"on", "yes", "true", "1"}

Answer = str | float | bool


@dataclass(frozen=True)
class Description:
    name: str = ""  # of the run; "": the tag of its file
    run_type: str = Run.Type.AUTOMATIC
    text: str = ""
    priority: int | None = None  # 1 is judged first
    answers: dict[str, Answer] = field(default_factory=dict)


def read_description(campaign: Campaign, data: Mapping[str, Any]) -> Description:
    """Reads a form or a request. Raises `FaultyDescription`."""
    # Of all fields, so that a person corrects them at once.
    errors: dict[str, str] = {}

    def read(key: str, reader: Any, *arguments: Any) -> Any:
        raw = str(data.get(key) or "").strip()
        try:
            if "\0" in raw:
                raise ValueError("Remove the NUL character.")
            return reader(raw, *arguments)
        except ValueError as error:
            errors[key] = str(error)
        except ValidationError as error:
            errors[key] = error.message

    name = read("name", read_name)
    run_type = read("run_type", _run_type, campaign.run_types)
    text = read("description", _text, LONGEST_TEXT)
    priority = read("priority", _priority) if campaign.asks_priority else None
    answers = {
        field["name"]: read(f"answer_{field['name']}", _answer, field)
        for field in campaign.run_fields
    }
    if errors:
        raise FaultyDescription(errors)
    given = {name: answer for name, answer in answers.items() if answer is not None}
    return Description(name=name, run_type=run_type, text=text, priority=priority, answers=given)


def read_name(raw: str) -> str:
    """The name that a person typed, "" for the tag of the file. Raises `ValidationError`."""
    return checked_name(raw) if raw.strip() else ""


def checked_name(name: str) -> str:
    """The name of a run as it is stored, with single spaces. Raises `ValidationError`."""
    name = composed(" ".join(name.split()))
    if fault := name_fault(name):
        raise ValidationError(f"{fault[0].upper()}{fault[1:]}. Write another name.")
    return name


def check_fields(spec: object) -> None:
    """Raises `ValidationError` unless these are at most 20 fields of known kinds."""
    if not isinstance(spec, list) or len(spec) > FIELD_LIMIT:
        raise ValidationError(f"Give a list of at most {FIELD_LIMIT} fields.")
    names = [_checked_field(field) for field in spec]
    if len(set(names)) != len(names):
        raise ValidationError("Two fields have the same name. Rename one of them.")


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
    """Changes the run description form. Submitted runs keep their descriptions. Raises
    `Archived`."""
    lifecycle.refuse_archived(campaign)
    types = [known for known in Run.Type.values if known in run_types]
    if not types:
        raise ValidationError("Choose at least one run type.")
    check_fields(run_fields)
    campaign.run_types, campaign.run_fields = types, run_fields
    campaign.asks_priority, campaign.asks_acceptance = asks_priority, asks_acceptance
    columns = ["run_types", "run_fields", "asks_priority", "asks_acceptance"]
    campaign.save(update_fields=columns)
    details = {column: getattr(campaign, column) for column in columns}
    record(campaign, actor, "changed run description form", **details)


def answers_of(campaign: Campaign, run: Run) -> list[tuple[str, str | float]]:
    """Pairs of a field's label, or its name if the form no longer has the field, and the answer."""
    labels = {field["name"]: field["label"] for field in campaign.run_fields}
    return [(labels.get(name, name), shown_answer(answer)) for name, answer in run.answers.items()]


def shown_answer(answer: Answer) -> str | float:
    """Writes booleans as yes and no, and whole numbers without decimals."""
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    # Below 1e15 every whole number is a float, so none is shown that was not typed.
    if isinstance(answer, float) and answer.is_integer() and abs(answer) < 1e15:
        return int(answer)
    return answer


def _checked_field(field: object) -> str:
    if not isinstance(field, dict) or not NAME.fullmatch(str(field.get("name", ""))):
        message = "The name of a field consists of a-z, 0-9 and _, and begins with a letter."
        raise ValidationError(message)
    name, label = field["name"], field.get("label")
    if set(field) - {"name", "label", "kind", "choices", "is_required"}:
        raise ValidationError(f"{name}: a field has name, label, kind, choices and is_required.")
    if not isinstance(label, str) or not 1 <= len(label) <= LONGEST_LABEL or "\0" in label:
        raise ValidationError(f"{name}: write a label of 1 to {LONGEST_LABEL} characters.")
    if field.get("kind") not in KINDS:
        raise ValidationError(f"{name}: choose the kind from {', '.join(KINDS)}.")
    choices = field.get("choices", [])
    is_list = isinstance(choices, list) and all(
        isinstance(choice, str) and 1 <= len(choice) <= LONGEST_LABEL and "\0" not in choice
        for choice in choices
    )
    if not is_list or len(set(choices)) != len(choices) or len(choices) > CHOICE_LIMIT:
        raise ValidationError(f"{name}: write at most {CHOICE_LIMIT} different choices.")
    if (field["kind"] == "choice") != bool(len(choices) >= 2):
        message = "a field of kind choice needs two choices or more, and other kinds have none."
        raise ValidationError(f"{name}: {message}")
    return str(name)


def _run_type(raw: str, allowed: Sequence[str]) -> str:
    chosen = raw or allowed[0]
    if chosen not in allowed:
        raise ValueError(f"Choose one of {', '.join(allowed)}.")
    return chosen


def _text(raw: str, longest: int) -> str:
    if len(raw) > longest:
        raise ValueError(f"Shorten the text to {longest:,} characters. It has {len(raw):,}.")
    return raw


def _priority(raw: str) -> int | None:
    if not raw:
        return None
    # `isdigit` alone accepts ², which `int` does not.
    if not (raw.isascii() and raw.isdigit() and len(raw) < 4 and int(raw) in PRIORITIES):
        raise ValueError(f"Write a whole number from {PRIORITIES[0]} to {PRIORITIES[-1]}.")
    return int(raw)


def _answer(raw: str, field: Mapping[str, Any]) -> Answer | None:
    """None for an empty answer."""
    if field["kind"] == "yes":
        is_yes = raw.lower() in YES
        if field.get("is_required") and not is_yes:
            raise ValueError("Confirm this.")
        return is_yes
    if not raw:
        if field.get("is_required"):
            raise ValueError("This field is required.")
        return None
    if field["kind"] == "number":
        return _number(raw)
    if field["kind"] == "choice" and raw not in field["choices"]:
        raise ValueError(f"Choose one of {', '.join(field['choices'])}.")
    return _text(raw, LONGEST_ANSWER)


def _number(raw: str) -> float:
    try:
        number = float(raw)
    except ValueError:
        number = math.nan
    # `float` also reads nan, inf and 1e999.
    if not math.isfinite(number):
        raise ValueError("Write a number.")
    return number
