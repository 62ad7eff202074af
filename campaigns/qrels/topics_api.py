"""API of the topics: list, add and remove."""

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import FILES, read_view, write_view
from campaigns.api.requests import RequestSerializer, validated_data
from campaigns.api.responses import FAULTY, READS, WRITES, ProblemSerializer, as_dicts, refusals
from campaigns.qrels.topics import add_topics, read_topics_file, remove_topics


class TopicSerializer(serializers.Serializer):
    """A topic's code is a string, even if it looks like a number."""

    code = serializers.CharField()
    fields = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Pairs of a name and a text, in the order of the topics file.",
    )


class TopicsFileRequest(RequestSerializer):
    file = serializers.FileField(
        allow_empty_file=True,
        help_text="TREC topics, XML, TSV, CSV or JSON. Plain or gzipped.",
    )


class TopicsAddedSerializer(serializers.Serializer):
    added = serializers.IntegerField()
    updated = serializers.IntegerField(help_text="Number of existing topics with a new text.")
    warnings = ProblemSerializer(many=True)


@extend_schema(
    summary="List topics",
    operation_id="topics_list",
    responses={200: TopicSerializer(many=True)} | READS,
)
@read_view
def topic_list(request: Request, slug: str) -> Response:
    """In the order of the topics file. Not found before the topics are released."""
    viewer = _topics_viewer_or_404(request, slug)
    topics = viewer.campaign.topics.order_by("position")
    return Response(TopicSerializer(topics, many=True).data)


@extend_schema(
    summary="Add topics",
    operation_id="topics_add",
    request={"multipart/form-data": TopicsFileRequest},
    responses={200: TopicsAddedSerializer} | WRITES,
    examples=[FAULTY],
)
@write_view(takes=FILES)
def topics_add(request: Request, slug: str) -> Response:
    """Appends new topics and updates the text of existing ones. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    file = validated_data(TopicsFileRequest, request)["file"]
    topics, warnings = read_topics_file(file)
    added = add_topics(campaign=viewer.campaign, topics=topics, actor=request.user)
    updated = len(topics) - added
    return Response({"added": added, "updated": updated, "warnings": as_dicts(warnings)})


@extend_schema(
    summary="Read a topic",
    operation_id="topics_read",
    responses={200: TopicSerializer} | READS,
)
@read_view
def topic_detail(request: Request, slug: str, code: str) -> Response:
    viewer = _topics_viewer_or_404(request, slug)
    topic = get_object_or_404(viewer.campaign.topics, code=code)
    return Response(TopicSerializer(topic).data)


@extend_schema(
    summary="Remove a topic",
    operation_id="topics_remove",
    responses={204: OpenApiResponse(description="Removed.")} | refusals(400, 401, 404, 409),
)
@write_view("DELETE")
def topic_remove(request: Request, slug: str, code: str) -> Response:
    """Possible only while there are no runs, judgments or qrels. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    topic = get_object_or_404(viewer.campaign.topics, code=code)
    remove_topics(campaign=viewer.campaign, codes=[topic.code], actor=request.user)
    return Response(status=204)


def _topics_viewer_or_404(request: Request, slug: str) -> access.Viewer:
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.can_see_topics:
        raise Http404
    return viewer
