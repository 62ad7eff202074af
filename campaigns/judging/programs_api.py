"""API for programs that judge: the next documents, grades, and progress."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.endpoints import LIST_BODY, View, read_view, write_view
from campaigns.api.requests import RequestSerializer, validated_data
from campaigns.api.responses import refusals
from campaigns.judging import program_judgments
from campaigns.judging.documents import url_of
from campaigns.judging.program_judgments import DocumentToJudge, GivenGrade
from campaigns.judging.program_tokens import IsProgram, ProgramAuthentication, ProgramThrottle
from campaigns.models import Program

DOCUMENTS, MOST_DOCUMENTS = 20, 200  # of a request
MOST_GRADES = 1000
ANSWERS = refusals(400, 401, 404, 409)


class JudgedTopicSerializer(serializers.Serializer):
    code = serializers.CharField()
    fields = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Pairs of a name and a text, in the order of the topics file.",
    )


class DocumentToJudgeSerializer(serializers.Serializer):
    topic = serializers.CharField()
    doc_id = serializers.CharField()
    title = serializers.CharField()
    text = serializers.CharField(help_text="Empty if the campaign does not have the text.")
    address = serializers.CharField(help_text="A link to the document, or empty.")


class DocumentsToJudgeSerializer(serializers.Serializer):
    """`topics` are those of the documents."""

    highest_grade = serializers.IntegerField()
    topics = JudgedTopicSerializer(many=True)
    documents = DocumentToJudgeSerializer(many=True)


class GradeRequest(RequestSerializer):
    topic = serializers.CharField(max_length=64)
    doc_id = serializers.CharField(max_length=1024, trim_whitespace=False)
    grade = serializers.IntegerField()


class GradesRequest(RequestSerializer):
    judgments = GradeRequest(many=True, allow_empty=False, max_length=MOST_GRADES)


class ProgramProgressSerializer(serializers.Serializer):
    """Counts of documents."""

    program = serializers.CharField()
    selected = serializers.IntegerField(
        help_text="By the active plan. If that is a sample, all from which it was drawn."
    )
    judged = serializers.IntegerField(help_text="All that the program has judged.")
    left = serializers.IntegerField(help_text="That it may still judge now.")
    quota_left = serializers.IntegerField(allow_null=True, help_text="null: no quota")


class RecordedSerializer(ProgramProgressSerializer):
    added = serializers.IntegerField()
    changed = serializers.IntegerField(help_text="With another grade before.")
    unchanged = serializers.IntegerField(help_text="With the same grade before.")


def _of_programs(view: View) -> View:
    """Only a program's own token opens the URL, and it counts its own requests."""
    view.cls.authentication_classes = [ProgramAuthentication]
    view.cls.permission_classes = [IsProgram]
    view.cls.throttle_classes = [ProgramThrottle]
    return view


@_of_programs
@extend_schema(
    summary="Read the next documents to judge",
    operation_id="judging_next",
    parameters=[
        OpenApiParameter(
            "limit", int, description=f"{DOCUMENTS} by default, {MOST_DOCUMENTS} at most."
        ),
        OpenApiParameter("topic", str, description="Only documents of this topic."),
    ],
    responses={200: DocumentsToJudgeSerializer} | ANSWERS,
)
@read_view
def judging_next(request: Request, slug: str) -> Response:
    """Documents that the plan has selected and the program has not judged. Each request returns
    them again until they are judged. For programs."""
    program = _program_or_404(request, slug)
    limit, topic = _limit(request), request.query_params.get("topic", "")
    if topic and not program.campaign.topics.filter(code=topic).exists():
        words = ErrorDetail(f"The campaign has no topic {topic}.", "unknown_topic")
        raise serializers.ValidationError({"topic": [words]})
    found = program_judgments.documents_to_judge(program, limit=limit, topic=topic)
    topics = {each.topic.position: each.topic for each in found}
    return Response(
        {
            "highest_grade": program.campaign.highest_grade,
            "topics": [
                {"code": each.code, "fields": each.fields} for _, each in sorted(topics.items())
            ],
            "documents": [_document(program, each) for each in found],
        }
    )


@_of_programs
@extend_schema(
    summary="Send grades",
    operation_id="judging_grades",
    request=GradesRequest,
    responses={200: RecordedSerializer} | ANSWERS | refusals(413, 415),
    examples=[
        OpenApiExample(
            "two grades",
            value={
                "judgments": [
                    {"topic": "301", "doc_id": "FBIS3-10082", "grade": 1},
                    {"topic": "301", "doc_id": "FBIS3-10169", "grade": 0},
                ]
            },
            request_only=True,
        )
    ],
)
@write_view(scope=None, largest_body=LIST_BODY)
def judging_grades(request: Request, slug: str) -> Response:
    """Stores all grades of the request or none, at most 1,000. The same grade sent again adds
    nothing, and another grade for a document replaces the program's earlier one. For programs."""
    program = _program_or_404(request, slug)
    rows = validated_data(GradesRequest, request)["judgments"]
    given = [GivenGrade(row["topic"], row["doc_id"], row["grade"]) for row in rows]
    recorded = program_judgments.record_grades(program=program, given=given)
    return Response(recorded._asdict() | _progress(program))


@_of_programs
@extend_schema(
    summary="Read the progress of a program",
    operation_id="judging_progress",
    responses={200: ProgramProgressSerializer} | ANSWERS,
)
@read_view
def judging_progress(request: Request, slug: str) -> Response:
    """For programs."""
    return Response(_progress(_program_or_404(request, slug)))


def _program_or_404(request: Request, slug: str) -> Program:
    """A token is valid in one campaign only."""
    program: Program = request.auth
    if program.campaign.slug != slug:
        raise Http404
    return program


def _limit(request: Request) -> int:
    """Raises `ValidationError`."""
    field = serializers.IntegerField(min_value=1, max_value=MOST_DOCUMENTS)
    if "limit" not in request.query_params:
        return DOCUMENTS
    try:
        limit: int = field.run_validation(request.query_params["limit"])
    except serializers.ValidationError as error:
        raise serializers.ValidationError({"limit": error.detail}) from error
    return limit


def _document(program: Program, found: DocumentToJudge) -> dict[str, Any]:
    return {
        "topic": found.topic.code,
        "doc_id": found.doc_id,
        "title": found.document.title if found.document else "",
        "text": found.document.text if found.document else "",
        "address": url_of(program.campaign, found.doc_id),
    }


def _progress(program: Program) -> dict[str, Any]:
    progress = program_judgments.progress_of(program)
    return {"program": program.name} | vars(progress)
