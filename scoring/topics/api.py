"""Scores by topic over all runs, for scripts."""

from django.http import Http404, HttpRequest, HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import read_view
from scoring.output.api import (
    FORMAT,
    MEASURE,
    example,
    requested_format,
    row_serializer,
    table_responses,
)
from scoring.output.public import public_table
from scoring.results.options import chosen_measure, shown_qrels
from scoring.topics.rows import topic_rows
from scoring.topics.tables import topic_columns, topics_table

TOPIC_MEANS = row_serializer(
    "TopicMeans",
    "Scores of the ranked runs on one topic; null if not visible, or if no run has a score.",
    topic_columns(),
)


def _viewer(request: HttpRequest, slug: str) -> access.Viewer:
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.can_see_topics:
        raise Http404
    return viewer


@extend_schema(
    summary="Topic difficulty",
    operation_id="topic_means",
    tags=["analyses"],
    parameters=[MEASURE, FORMAT],
    responses=table_responses(TOPIC_MEANS),
    examples=[
        example(
            "a topic", topic="308", title="implant dentistry", measure="AP", runs=129, mean=0.21,
            lowest=0.0, lower_quartile=0.08, upper_quartile=0.31, highest=0.77, relevant=4,
            judged=1528, qrels=2,
        ),
    ],
)  # fmt: skip
@read_view
@public_table(_viewer)
def topic_means(request: Request, viewer: access.Viewer) -> Response | HttpResponse:
    """One row for each topic, after the release of topics; scores and counts where visible."""
    respond = requested_format(request)
    measure = chosen_measure(viewer, request.query_params.get("measure"))
    table = topics_table(viewer, topic_rows(viewer, measure), measure)
    return respond(table, qrels=[shown_qrels(viewer)])
