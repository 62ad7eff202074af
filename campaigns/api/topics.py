"""Topics for scripts: read, loaded, and taken out."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes, permission_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, assignments
from campaigns.api.answers import (
    FAULTY,
    FaultyFileSerializer,
    ProblemSerializer,
    RefusalSerializer,
    as_dicts,
    faulty_file,
    faulty_form,
    refused,
)
from campaigns.api.throttles import throttled
from campaigns.lifecycle import CannotStep
from campaigns.models import Topic
from campaigns.trec.problems import FormatError, Problem
from campaigns.trec.topics import read_topics


class TopicSerializer(serializers.Serializer):
    """A topic's code is text, also where it looks like a number."""

    code = serializers.CharField()
    fields = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Pairs of a name and a text, in the order of the topics file.",
    )


class TopicsFileSerializer(serializers.Serializer):
    file = serializers.FileField(
        allow_empty_file=True, help_text="TREC topics, XML, TSV or JSON lines; or gzipped."
    )


class TopicsAddedSerializer(serializers.Serializer):
    added = serializers.IntegerField()
    updated = serializers.IntegerField(help_text="Topics that were there, with the new text now.")
    warnings = ProblemSerializer(many=True)


@extend_schema(
    summary="The topics", operation_id="topics_list", responses=TopicSerializer(many=True)
)
@api_view(["GET"])
def topic_list(request: Request, slug: str) -> Response:
    """In the order of the topics file; not found before they are released."""
    viewer = _topics_viewer_or_404(request, slug)
    return Response([_topic(topic) for topic in viewer.campaign.topics.order_by("position")])


@extend_schema(
    summary="Load topics",
    operation_id="topics_add",
    request={"multipart/form-data": TopicsFileSerializer},
    responses={200: TopicsAddedSerializer, 400: FaultyFileSerializer, 409: RefusalSerializer},
    examples=[FAULTY],
)
@throttled("organise")
@api_view(["POST"])
@permission_classes([IsAuthenticated])
@parser_classes([MultiPartParser])
def topics_add(request: Request, slug: str) -> Response:
    """Topics the campaign does not have are added at the end; of the others the text is brought up
    to date. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    upload = TopicsFileSerializer(data=request.data)
    if not upload.is_valid():
        return faulty_form(upload.errors)
    warnings: list[Problem] = []
    try:
        topics = read_topics(upload.validated_data["file"], on_warning=warnings.append)
        added = assignments.add_topics(campaign=viewer.campaign, topics=topics, actor=request.user)
    except FormatError as error:
        return faulty_file(error)
    except CannotStep as error:
        return refused("cannot_add", error)
    updated = len(topics) - added
    return Response({"added": added, "updated": updated, "warnings": as_dicts(warnings)})


@extend_schema(summary="One topic", operation_id="topics_read", responses=TopicSerializer)
@api_view(["GET"])
def topic_detail(request: Request, slug: str, code: str) -> Response:
    viewer = _topics_viewer_or_404(request, slug)
    return Response(_topic(get_object_or_404(viewer.campaign.topics, code=code)))


@extend_schema(
    summary="Take a topic out",
    operation_id="topics_remove",
    responses={204: OpenApiResponse(description="It is gone."), 409: RefusalSerializer},
)
@throttled("organise")
@api_view(["DELETE"])
@permission_classes([IsAuthenticated])
def topic_remove(request: Request, slug: str, code: str) -> Response:
    """Only while there are neither runs nor judgments. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    topic = get_object_or_404(viewer.campaign.topics, code=code)
    try:
        assignments.remove_topics(campaign=viewer.campaign, codes=[topic.code], actor=request.user)
    except CannotStep as error:
        return refused("cannot_remove", error)
    return Response(status=204)


def _topics_viewer_or_404(request: Request, slug: str) -> access.Viewer:
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.can_see_topics:
        raise Http404
    return viewer


def _topic(topic: Topic) -> dict[str, Any]:
    return {"code": topic.code, "fields": topic.fields}
