"""Whether a board is still the one that was made before: told by all that it shows, read anew.

Cheaper than the board itself. No score is read: those of an evaluation are only ever replaced as a
whole, and its `scored_at` with them.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from django.db import connection
from django.db.models import Func, Model, QuerySet, TextField
from django.http import QueryDict

from campaigns.access import Viewer
from campaigns.models import Campaign
from scoring.models import Evaluation

OF_RUN: Final = (
    "pk", "public_id", "digest", "tag", "run_type", "is_pooled", "state", "is_late", "withdrawn_at",
    "replaced_at", "disqualified_at", "disqualified_reason", "team", "team__public_id",
    "team__name", "team__is_anonymous", "team__disqualified_at", "team__disqualified_reason",
)  # fmt: skip
OF_EVALUATION: Final = ("pk", "run", "qrels", "definitions", "tie_rule", "state", "scored_at")
ANY: Final = -1  # stands for a campaign's key
OF_QRELS: Final = ("pk", "version", "digest", "judgment_count", "published_at")


def board_key(viewer: Viewer, asked: QueryDict) -> str:
    """Names what this viewer gets who asks this now: another name as soon as anything on the board
    has changed, and for every audience. One query.

    What ties decide is not in it, nor what only another p would show.
    """
    facts = (_audience(viewer), asked.urlencode(), _columns(viewer.campaign))
    statement, arguments = _statement()
    with connection.cursor() as cursor:
        cursor.execute(statement, [viewer.campaign.pk if a == ANY else a for a in arguments])
        rows = cursor.fetchone()
    return hashlib.sha256(repr((facts, rows)).encode()).hexdigest()


def _audience(viewer: Viewer) -> tuple[Any, ...]:
    """All of a viewer that a board hangs on: of one team, or one of the organisers, every person
    gets the same. The moment stands in it as far as it counts, by whether names are revealed."""
    team = viewer.team.pk if viewer.team else None
    return sorted(viewer.roles), team, viewer.knows_all_names, viewer.preview


def _columns(row: Model) -> tuple[Any, ...]:
    """All of them. A campaign as the viewer has it: a preview has changed its switches."""
    return tuple(getattr(row, field.attname) for field in row._meta.concrete_fields)


@cache
def _statement() -> tuple[str, tuple[Any, ...]]:
    """All rows as one text, so that one query reads them whatever they are of. To put it together
    takes longer than to run it: that is done once."""
    campaign = Campaign(pk=ANY)
    evaluations = Evaluation.objects.filter(run__campaign=campaign)
    strokes = campaign.analyses.filter(kind="significance")
    rows = _told(campaign.runs.all(), OF_RUN).union(
        _told(evaluations, OF_EVALUATION),
        _told(campaign.qrels.all(), OF_QRELS),
        _told(strokes, ("pk", "digest", "state")),
        all=True,
    )
    statement, arguments = rows.query.sql_with_params()
    # In whatever order they come: in another one the board would be drawn once more, no worse.
    put = "STRING_AGG(told, '')" if connection.vendor == "postgresql" else "GROUP_CONCAT(told)"
    return f"SELECT {put} FROM ({statement}) AS every", tuple(arguments)  # noqa: S608 - our own


def _told(rows: QuerySet[Any], fields: Sequence[str]) -> QuerySet[Any, tuple[str]]:
    return rows.order_by().annotate(told=_RowText(*fields)).values_list("told")


class _RowText(Func):
    """The values of a row as one text. PostgreSQL writes a row faster than it makes JSON of it."""

    function = "JSON_ARRAY"
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="ROW(%(expressions)s)::text", **context)
