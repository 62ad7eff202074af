"""The log of a campaign for organisers, as a page and as CSV."""

import io
import json
import re
from collections.abc import Mapping
from datetime import datetime

from defusedcsv import csv
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.log import log_rows
from campaigns.options import choice_or_404, takes

PAGE_SIZE = 100
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00")
COLUMNS = ("at", "actor", "action", "subject", "subject_id", "details")


@takes("page")
@login_required
@require_safe
def log_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    # A new qrels version scores every run. Only the CSV lists that, not to bury other actions.
    entries = viewer.campaign.log.exclude(verb="scored").select_related("actor")
    pages = Paginator(entries, PAGE_SIZE)
    numbers = [str(number) for number in pages.page_range]
    page = pages.page(int(choice_or_404("page", request.GET.get("page"), numbers, usual="1")))
    lines = [(row, detail_lines(row.details)) for row in log_rows(viewer.campaign, page)]
    return render(
        request,
        "campaigns/manage/log.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "page": page,
            "lines": lines,
            # The newest entry comes first.
            "first": entries.last(),
            "last": entries.first(),
        },
    )


@login_required
@require_safe
def log_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Every entry, newest first. Details are JSON, with names in place of ids."""
    viewer = access.organiser_or_404(request.user, slug)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in log_rows(viewer.campaign, viewer.campaign.log.select_related("actor")):
        details = json.dumps(row.details, ensure_ascii=False) if row.details else ""
        at, verb = row.entry.at.isoformat(), row.entry.verb
        writer.writerow([at, row.actor, verb, row.subject, row.subject_id, details])
    response = HttpResponse(out.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-log.csv"'
    return response


def detail_lines(details: object) -> list[tuple[str, str]]:
    """Details of an entry as pairs of name and text, with an arrow from old to new values."""
    if not isinstance(details, Mapping):
        return []
    lines = []
    for name, value in details.items():
        inner = value.items() if isinstance(value, Mapping) else [(name, value)]
        lines += [(str(key).replace("_", " "), _text(item)) for key, item in inner]
    return lines


def _text(value: object) -> str:
    # A change is recorded as the old value and the new one.
    if isinstance(value, list) and len(value) == 2:
        return f"{_value_text(value[0])} → {_value_text(value[1])}"
    return ", ".join(map(_value_text, value)) if isinstance(value, list) else _value_text(value)


def _value_text(value: object) -> str:
    if value is None or value == "":
        return "empty"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and MOMENT.fullmatch(value):
        return f"{datetime.fromisoformat(value):%-d %b %Y, %H:%M:%S} UTC"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
