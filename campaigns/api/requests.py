"""Request bodies: JSON that can be stored, without unknown fields."""

import json
from collections.abc import Mapping, Sequence
from typing import IO, Any

from django import forms
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ParseError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request

NAMED = 20  # unknown fields that a refusal names


class SoundJSONParser(JSONParser):
    """Refuses JSON that cannot be stored or returned: deep nesting, and halves of surrogate
    pairs."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            said = super().parse(stream, media_type, parser_context)
            # Half of a surrogate pair has no encoding in UTF-8.
            json.dumps(said, ensure_ascii=False).encode()
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        except UnicodeEncodeError as error:
            raise ParseError("A text contains half of a surrogate pair.") from error
        return said


class RequestSerializer(serializers.Serializer):
    """The fields of a request. Refuses an unknown field by name instead of ignoring it. `also` of
    the context names further fields."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        known = {*self.fields, *self.context.get("also", ())}
        if isinstance(data, Mapping) and (strange := sorted(set(data) - known)):
            words = "This field does not exist. "
            words += f"Fields: {', '.join(self.fields)}." if self.fields else "There are no fields."
            faults = {name: [ErrorDetail(words, "unknown")] for name in strange[:NAMED]}
            if len(strange) > NAMED:
                more = f"{len(strange) - NAMED:,} further fields do not exist."
                faults["non_field_errors"] = [ErrorDetail(more, "unknown")]
            raise serializers.ValidationError(faults)
        said: dict[str, Any] = super().to_internal_value(data)
        return said


class BoundedListField(serializers.ListField):
    """Refuses a list of more than `max_length` items before it looks at them."""

    def to_internal_value(self, data: Any) -> list[Any]:
        if isinstance(data, Sequence) and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        items: list[Any] = super().to_internal_value(data)
        return items


class BoundedDictField(serializers.DictField):
    """Refuses an object of more than `max_length` names before it looks at them."""

    default_error_messages = {
        "max_length": "Ensure this object has no more than {max_length} names."
    }

    def __init__(self, *, max_length: int, **facts: Any) -> None:
        super().__init__(**facts)
        self.max_length = max_length

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, Mapping) and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        values: dict[str, Any] = super().to_internal_value(data)
        return values


class EmptyRequest(RequestSerializer):
    """A request without fields."""


class ReasonRequest(RequestSerializer):
    reason = serializers.CharField(
        max_length=500, help_text="Shown with the disqualified run or team."
    )


def validated_data(
    kind: type[RequestSerializer], request: Request, *, also: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The valid fields of the request. Raises `ValidationError` with the errors of the others."""
    said = kind(data=request.data, context={"also": also})
    said.is_valid(raise_exception=True)
    found: dict[str, Any] = said.validated_data
    return found


def refuse_invalid(form: forms.BaseForm) -> None:
    """Raises `ValidationError` with the errors of an invalid form, by field."""
    if form.is_valid():
        return
    faults = form.errors.get_json_data()
    raise serializers.ValidationError(
        {
            name.replace(forms.forms.NON_FIELD_ERRORS, "non_field_errors"): [
                ErrorDetail(fault["message"], fault["code"] or "invalid") for fault in found
            ]
            for name, found in faults.items()
        }
    )
