"""The pages of the guides. They are the same for everyone."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import mark_safe  # noqa: TID251 - our own files
from django.views.decorators.http import require_safe

from campaigns.options import takes
from trackside.guides import pages
from trackside.guides.search import search


@takes("q")
@require_safe
def contents(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").strip()
    found = search(pages.guides().values(), query)
    context = {"chapters": pages.chapters(), "query": query, "found": found}
    return render(request, "guides/guide_list.html", context)


@require_safe
def guide(request: HttpRequest, guide: str) -> HttpResponse:
    page = pages.guides().get(guide)
    if page is None:
        raise Http404
    html = mark_safe(page.html)  # noqa: S308 - rendered from a file of the program
    context = {"guide": page, "chapters": pages.chapters(), "html": html}
    return render(request, "guides/guide_detail.html", context)


@require_safe
def file(request: HttpRequest, file: str) -> FileResponse:
    path = pages.files().get(file)
    if path is None:
        raise Http404
    kind = "image/svg+xml" if path.suffix == ".svg" else "text/plain"
    return FileResponse(path.open("rb"), as_attachment=True, filename=path.name, content_type=kind)
