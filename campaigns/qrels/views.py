"""Downloads of topics and qrels."""

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.qrels.files import text_of
from campaigns.qrels.topics import topics_xml
from campaigns.qrels.versions import version_or_404


@require_safe
def topics_file(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    if not viewer.can_see_topics:
        raise Http404
    content = topics_xml(viewer.campaign)
    response = HttpResponse(content, content_type="application/xml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-topics.xml"'
    return response


@require_safe
def qrels_file(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    qrels = version_or_404(viewer, version)
    response = StreamingHttpResponse(text_of(qrels), content_type="text/plain; charset=utf-8")
    name = f"{slug}-qrels-v{qrels.version}.txt"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
