"""Tables as downloads, and the pages of long tables."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from django.core.paginator import EmptyPage, Page, PageNotAnInteger, Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import URLPattern, path

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.options import UnknownChoice
from scoring.analyses.responses import POLL_SECONDS, AnalysisQuery
from scoring.models import Analysis
from scoring.output.long_downloads import first_items, refuse_too_long
from scoring.output.sources import with_sources
from scoring.output.table import ROWS_AT_A_TIME, Table

TableResponse: TypeAlias = HttpResponse | StreamingHttpResponse

CSV = "text/csv; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
LATEX = "application/x-tex; charset=utf-8"
BEING_COMPUTED = "The table is being computed. Try again in a few seconds."


def page_or_404(request: HttpRequest, pages: Paginator) -> Page:
    try:
        return pages.page(request.GET.get("page") or 1)
    except (EmptyPage, PageNotAnInteger) as error:
        raise UnknownChoice("page", request.GET["page"]) from error


def table_paths(route: str, view: Callable[..., TableResponse], name: str) -> list[URLPattern]:
    """The URLs of a table as CSV and as LaTeX; the view gets the format as `suffix`."""
    return [
        path(f"{route}.csv", view, {"suffix": "csv"}, name=f"{name}-csv"),
        path(f"{route}.tex", view, {"suffix": "tex"}, name=f"{name}-latex"),
    ]


def table_response(
    request: HttpRequest,
    table: Table,
    name: str,
    suffix: str = "csv",
    *,
    title: str = "",
    source: str = "",
    awaits: Analysis | None = None,
    qrels: Sequence[Qrels | None] = (),
) -> TableResponse:
    """The table as a file in the format of its URL. Until a worker has computed the analysis
    that it awaits, the response says when to try again. LaTeX has the campaign's name in `title`
    and the table's URL in `source`, by default that of the request. `qrels` are the versions
    behind the table, which then states their sources if a program judged."""
    if awaits is not None and awaits.state != Analysis.State.DONE:
        return _not_computed_yet(awaits)
    table = with_sources(table, qrels)
    if suffix == "tex":
        text = table.as_latex(title=title, source=source or request.build_absolute_uri())
        response: TableResponse = HttpResponse(text, content_type=LATEX)
    else:
        response = csv_response(table)
    response["Content-Disposition"] = f'attachment; filename="{name}.{suffix}"'
    return response


def analysed_table(
    request: HttpRequest,
    viewer: Viewer,
    query: AnalysisQuery,
    table: Table,
    name: str,
    suffix: str = "csv",
) -> TableResponse:
    """The table of an analysis; `name` is what follows the campaign's in that of the file."""
    return table_response(
        request,
        table,
        f"{viewer.campaign.slug}-{name}",
        suffix,
        title=viewer.campaign.name,
        awaits=query.analysis,
        qrels=[query.qrels],
    )


def file_response(text: str, name: str, content_type: str) -> HttpResponse:
    """A text as a file."""
    response = HttpResponse(text, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def csv_response(table: Table) -> TableResponse:
    """A long table is streamed."""
    refuse_too_long(table.row_count)
    first, blocks = first_items(table.csv_blocks(), ROWS_AT_A_TIME)
    if len(first) == 1 and blocks is None:
        return HttpResponse(first[0], content_type=CSV)
    return StreamingHttpResponse(blocks or first, content_type=CSV)


def _not_computed_yet(analysis: Analysis) -> HttpResponse:
    """The response until a worker has computed the table."""
    if analysis.state == Analysis.State.FAILED:
        text = f"Computing the table failed. {analysis.failure}".strip()
        return HttpResponse(f"{text}\n", status=404, content_type="text/plain")
    response = HttpResponse(f"{BEING_COMPUTED}\n", status=202, content_type="text/plain")
    response["Retry-After"] = str(POLL_SECONDS)
    return response
