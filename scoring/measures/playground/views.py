"""The playground: the scores of a typed ranking by every measure."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.options import takes
from scoring.measures.playground.choices import (
    DEEPEST,
    PlaygroundChoices,
    PlaygroundQuery,
    read_choices,
)
from scoring.measures.playground.conclusions import exchanges
from scoring.measures.playground.families import measures_at
from scoring.measures.playground.rows import Rank, rank_rows, rows_of
from scoring.measures.playground.tables import scores_table
from scoring.measures.playground.typed import GRADES, HIGHEST, MAX_DOCUMENTS, Typed, written
from scoring.output.responses import TableResponse, table_response

FALLBACK = (0.8, 10, 2.0)  # p, k and b in the names of measures while a field is invalid


@takes("first", "second", "top", "ranking", "measure", "p", "b", "k")
@require_safe
def playground(request: HttpRequest) -> HttpResponse:
    """The page; the script takes its live part from the same response."""
    query = read_choices(request.GET)
    context = {
        "fields": query.fields,
        "faults": query.faults,
        "choices": query.choices,
        "scales": range(1, HIGHEST + 1),
        "max_documents": MAX_DOCUMENTS,
        "deepest": DEEPEST,
        "measures": query.choices.measures if query.choices else measures_at(*FALLBACK),
    }
    if query.choices:
        context |= _results(query, query.choices)
    return render(request, "scoring/measures/playground/playground.html", context)


@require_safe
def playground_table(request: HttpRequest, suffix: str) -> TableResponse:
    query = read_choices(request.GET)
    if query.choices is None:
        lines = [f"{name}: {fault}" for name, faults in query.faults.items() for fault in faults]
        return HttpResponse("\n".join(lines) + "\n", status=400, content_type="text/plain")
    table = scores_table(rows_of(query.choices), query.choices)
    return table_response(request, table, "playground", suffix, title="Trackside")


def _results(query: PlaygroundQuery, choices: PlaygroundChoices) -> dict[str, object]:
    rows = rows_of(choices)
    ranks = rank_rows(choices)
    tallest = max((rank.alone or 0.0 for rank in ranks), default=0.0)
    return {
        "rows": rows,
        "chosen": next(row for row in rows if row.measure == choices.measure),
        "boxes": [(rank, _next_grade(query, choices, rank)) for rank in ranks],
        "tallest": tallest,
        "unjudged": sum(grade < 0 for grade in choices.typed.grades),
        "exchanges": exchanges(choices),
    }


def _next_grade(query: PlaygroundQuery, choices: PlaygroundChoices, rank: Rank) -> str:
    """The URL with the next grade at this rank."""
    grades = sorted({g for g in GRADES.values() if g <= choices.top}, reverse=True)
    next_grade = grades[(grades.index(rank.grade) + 1) % len(grades)]
    typed: Typed = choices.typed.with_grade(rank.rank, next_grade)
    fields = {name: text for name, text in query.fields.items() if text}
    return "?" + urlencode(fields | {"ranking": written(typed), "top": choices.top})
