"""What scripts are answered where something is refused."""

from collections.abc import Mapping
from typing import Any

from django.http import QueryDict
from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.trec.problems import FormatError, Problem


class RefusalSerializer(serializers.Serializer):
    """Why something was not done; `code` is for programs."""

    code = serializers.CharField()
    message = serializers.CharField()


class ProblemSerializer(serializers.Serializer):
    """One fault or warning of a file, at its line."""

    code = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)
    field = serializers.IntegerField(allow_null=True)
    value = serializers.CharField()
    message = serializers.CharField()


class FaultyFileSerializer(RefusalSerializer):
    """The first 25 problems of a file, and how many it has."""

    problem_count = serializers.IntegerField()
    problems = ProblemSerializer(many=True)
    warnings = ProblemSerializer(many=True)
    fields = serializers.DictField(
        required=False, help_text="What is wrong with the form around it, by field."
    )


FAULTY = OpenApiExample(
    "a fault in line 7",
    value={
        "code": "file",
        "message": "The file is refused; nothing of it was stored.",
        "problem_count": 1,
        "problems": [
            {"code": "GRADE", "line": 7, "field": 4, "value": "x", "message": "not a whole number"}
        ],
        "warnings": [],
    },
    response_only=True,
    status_codes=["400"],
)


def json_of(request: Request) -> Any:
    """What a request says that must be JSON: a form cannot say what is a number and what is not."""
    if isinstance(request.data, QueryDict) and request.content_type:
        raise UnsupportedMediaType(request.content_type)
    return request.data


def refused(code: str, error: Exception) -> Response:
    return Response({"code": code, "message": str(error)}, status=409)


def faulty_file(error: FormatError, *, code: str = "file", message: str = "") -> Response:
    """Nothing of the file was stored."""
    body: dict[str, Any] = {
        "code": code,
        "message": message or "The file is refused; nothing of it was stored.",
        "problem_count": error.total,
        "problems": as_dicts(error.problems),
        "warnings": as_dicts(error.warnings),
    }
    return Response(body, status=400)


def faulty_form(errors: Mapping[str, Any]) -> Response:
    """There is no file, or what comes with it is wrong."""
    answer = faulty_file(FormatError(()), code="form", message="The form is not filled in right.")
    answer.data["fields"] = errors
    return answer


def as_dicts(problems: tuple[Problem, ...] | list[Problem]) -> list[dict[str, Any]]:
    return [problem.as_dict() for problem in problems]
