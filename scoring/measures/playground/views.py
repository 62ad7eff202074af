"""The playground: a ranking is typed, and every measure says what it makes of it."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

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
from scoring.measures.playground.typed import GRADES, HIGHEST, MOST, Typed, written
from scoring.output.responses import TableResponse, table_response

FALLBACK = (0.8, 10, 2.0)  # the numbers by which measures are named while something is wrong


@require_safe
def playground(request: HttpRequest) -> HttpResponse:
    """The page; the script takes its live part out of the same answer."""
    asked = read_choices(request.GET)
    context = {
        "fields": asked.fields,
        "faults": asked.faults,
        "choices": asked.choices,
        "scales": range(1, HIGHEST + 1),
        "most": MOST,
        "deepest": DEEPEST,
        "measures": asked.choices.measures if asked.choices else measures_at(*FALLBACK),
    }
    if asked.choices:
        context |= _found(asked, asked.choices)
    return render(request, "scoring/measures/playground/playground.html", context)


@require_safe
def playground_csv(request: HttpRequest) -> TableResponse:
    asked = read_choices(request.GET)
    if asked.choices is None:
        lines = [f"{name}: {said}" for name, faults in asked.faults.items() for said in faults]
        return HttpResponse("\n".join(lines) + "\n", status=400, content_type="text/plain")
    return table_response(request, scores_table(rows_of(asked.choices)), "playground")


def _found(asked: PlaygroundQuery, choices: PlaygroundChoices) -> dict[str, object]:
    rows = rows_of(choices)
    ranks = rank_rows(choices)
    tallest = max((rank.alone or 0.0 for rank in ranks), default=0.0)
    return {
        "rows": rows,
        "chosen": next(row for row in rows if row.measure == choices.measure),
        "boxes": [(rank, _turned(asked, choices, rank)) for rank in ranks],
        "tallest": tallest,
        "unjudged": sum(grade < 0 for grade in choices.typed.grades),
        "exchanges": exchanges(choices),
    }


def _turned(asked: PlaygroundQuery, choices: PlaygroundChoices, rank: Rank) -> str:
    """The address with the next grade at this rank: relevant, not, unjudged, or up the scale."""
    grades = sorted({g for g in GRADES.values() if g <= choices.top}, reverse=True)
    following = grades[(grades.index(rank.grade) + 1) % len(grades)]
    typed: Typed = choices.typed.with_grade(rank.rank, following)
    fields = {name: text for name, text in asked.fields.items() if text}
    return "?" + urlencode(fields | {"ranking": written(typed), "top": choices.top})
