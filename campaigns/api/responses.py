"""The form of the responses to errors.

`code` is for programs and `message` for people. Errors in fields and in lines of a file are listed,
each with its own code.
"""

from collections.abc import Iterator
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from campaigns.trec.problems import FormatError, Problem

MOST = 25  # errors that are listed; the total is given
NO_FIELD = "non_field_errors"


class RefusalSerializer(serializers.Serializer):
    """Why a request was refused. `code` is for programs."""

    code = serializers.CharField()
    message = serializers.CharField()


class InvalidFieldSerializer(RefusalSerializer):
    """A field and its error."""

    field = serializers.CharField(
        allow_null=True,
        help_text="The name of the field, such as run_fields.0.kind. null: the whole request.",
    )


class ProblemSerializer(serializers.Serializer):
    """An error or a warning in a file, with its line."""

    code = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)
    field = serializers.IntegerField(allow_null=True)
    value = serializers.CharField()
    message = serializers.CharField()
    count = serializers.IntegerField(default=1, help_text="of the lines; `line` is the first")


class InvalidRequestSerializer(RefusalSerializer):
    """`fields`: the first 25 errors of the request. The rest: the first 25 problems of the file,
    and how many it has."""

    fields = InvalidFieldSerializer(many=True, required=False)
    problem_count = serializers.IntegerField(required=False)
    problems = ProblemSerializer(many=True, required=False)
    warnings = ProblemSerializer(many=True, required=False)


class SubmissionRefusedSerializer(RefusalSerializer):
    next_at = serializers.DateTimeField(
        required=False, help_text="When the next run is accepted, if waiting helps."
    )


NOT_FOUND = {"code": "not_found", "message": "Not found, or you do not have access."}
SHAPES = {
    400: (InvalidRequestSerializer, "The request is not valid. Nothing was stored."),
    401: (RefusalSerializer, "Send a valid token."),
    403: (RefusalSerializer, "You do not have permission."),
    404: (RefusalSerializer, "Not found, or you do not have access. Both have the same message."),
    409: (SubmissionRefusedSerializer, "Not possible in the current state. The message says why."),
    413: (RefusalSerializer, "The request is too large."),
    415: (RefusalSerializer, "Send JSON, or a multipart form for a file."),
    429: (
        SubmissionRefusedSerializer,
        "Too many requests. Wait as many seconds as the header Retry-After says.",
    ),
}


def refusals(*statuses: int) -> dict[int, OpenApiResponse]:
    """The error responses of an endpoint, for the schema."""
    return {
        status: OpenApiResponse(SHAPES[status][0], description=SHAPES[status][1])
        for status in (*statuses, 429)
    }


READS = refusals(400, 404)
WRITES = refusals(400, 401, 404, 409, 413, 415)


FAULTY = OpenApiExample(
    "a fault in line 7",
    value={
        "code": "file",
        "message": "The file was refused. Nothing was stored.",
        "problem_count": 1,
        "problems": [
            {"code": "GRADE", "line": 7, "field": 4, "value": "x", "message": "not a whole number"}
        ],
        "warnings": [],
    },
    response_only=True,
    status_codes=["400"],
)
FAULTY_FIELD = OpenApiExample(
    "a field that cannot be",
    value={
        "code": "fields",
        "message": "closes_at: Submissions close before they open.",
        "fields": [
            {
                "code": "invalid",
                "message": "Submissions close before they open.",
                "field": "closes_at",
            }
        ],
    },
    response_only=True,
    status_codes=["400"],
)


def faulty_file(error: FormatError, code: str, message: str) -> dict[str, Any]:
    return {
        "code": code,
        "message": message,
        "problem_count": error.total,
        "problems": as_dicts(error.problems),
        "warnings": as_dicts(error.warnings),
    }


def faulty_fields(detail: Any) -> dict[str, Any]:
    """The body for the nested errors of `serializers.ValidationError`."""
    faults = list(_faults(detail, ""))
    first = faults[0]
    name = f"{first['field']}: " if first["field"] else ""
    more = f" And {len(faults) - 1} more." if len(faults) > 1 else ""
    return {
        "code": "fields",
        "message": f"{name}{first['message']}{more}",
        "fields": faults[:MOST],
    }


def as_dicts(problems: tuple[Problem, ...] | list[Problem]) -> list[dict[str, Any]]:
    return [problem.as_dict() for problem in problems]


def _faults(detail: Any, path: str) -> Iterator[dict[str, str | None]]:
    if isinstance(detail, ErrorDetail):
        yield {"code": detail.code or "invalid", "message": str(detail), "field": path or None}
        return
    inside = detail.items() if isinstance(detail, dict) else enumerate(detail)
    for name, faults in inside:
        # An error in a list belongs to the field itself, not to one that is named by its number.
        is_named = name != NO_FIELD and not isinstance(faults, ErrorDetail)
        yield from _faults(faults, ".".join(filter(None, (path, str(name)))) if is_named else path)
