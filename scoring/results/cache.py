"""Whether a board is still the one that was made before: told by all that it shows, read anew.

Cheaper than the board itself. No score is read: those of an evaluation are only ever replaced as a
whole, and its `scored_at` with them.

PostgreSQL is asked which versions of the rows there are, and not what stands in them. A row that is
written is another version: it has another place, `ctid`, or another transaction wrote it, `xmin`.
All of them together are told by their number and the sum of what they hash to. On SQLite, which
knows no versions, all rows are one text.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, TypeVar

from django.db import connection
from django.db.models import BigIntegerField, Func, Model, QuerySet, TextField
from django.http import QueryDict

from campaigns.access import Viewer
from campaigns.models import Campaign
from scoring.evaluation.lru import LRUCache
from scoring.models import Evaluation

Made = TypeVar("Made")

OF_RUN: Final = (
    "pk", "public_id", "digest", "tag", "run_type", "is_pooled", "state", "is_late", "withdrawn_at",
    "replaced_at", "disqualified_at", "disqualified_reason", "team", "team__public_id",
    "team__name", "team__is_anonymous", "team__shares_files", "team__disqualified_at",
    "team__disqualified_reason",
)  # fmt: skip
OF_EVALUATION: Final = ("pk", "run", "qrels", "definitions", "tie_rule", "state", "scored_at")
OF_QRELS: Final = ("pk", "version", "digest", "judgment_count", "published_at")
SHOWN_OF: Final = {
    "run": OF_RUN,
    "evaluation": OF_EVALUATION,
    "qrels": OF_QRELS,
    "strokes": ("pk", "digest", "state"),
    "topics": ("position", "code", "fields"),
}
ANY: Final = -1  # stands for a campaign's key


def cached_board(
    kept: LRUCache[Made],
    viewer: Viewer,
    asked: QueryDict,
    make: Callable[[], tuple[Made, int]],
    *,
    shows_topics: bool = False,
) -> Made:
    """What was made for this audience and address, while nothing has changed since; else what
    `make` makes now, with its weight. Whether the viewer may see it was decided before."""
    if asked.get("p") or asked.get("ties"):  # made of more than the key tells of
        return make()[0]
    key = board_key(viewer, asked, shows_topics)
    found = kept.get(key)
    if found is not None:
        return found
    with kept.alone(key):
        found = kept.get(key)  # somebody else may have made it meanwhile
        if found is None:
            found, weight = make()
            if (
                board_key(viewer, asked, shows_topics) == key
            ):  # nothing has changed while it was made
                kept.keep(key, found, weight)
        return found


def board_key(viewer: Viewer, asked: QueryDict, shows_topics: bool = False) -> str:
    """Names what this viewer gets who asks this now: another name as soon as anything on the board
    has changed, and for every audience. One query.

    What ties decide is not in it, nor what only another p would show. Topics are in it where they
    are shown, and whether the viewer may open them.
    """
    facts: tuple[Any, ...] = (_audience(viewer), asked.urlencode(), _columns(viewer.campaign))
    if shows_topics:
        facts += (viewer.can_see_topics,)
    statement, arguments = _statement(shows_topics)
    with connection.cursor() as cursor:
        cursor.execute(statement, [viewer.campaign.pk if a == ANY else a for a in arguments])
        rows = cursor.fetchone()
    return hashlib.sha256(repr((facts, rows)).encode()).hexdigest()


def _audience(viewer: Viewer) -> tuple[Any, ...]:
    """All of a viewer that a board hangs on: of one team, or one of the organisers, every person
    gets the same. The moment stands in it as far as it counts, by whether names are revealed."""
    team = viewer.team.pk if viewer.team else None
    return sorted(viewer.roles), team, viewer.audience, viewer.knows_all_names, viewer.preview


def _columns(row: Model) -> tuple[Any, ...]:
    """All of them. A campaign as the viewer has it: a preview has changed its switches."""
    return tuple(getattr(row, field.attname) for field in row._meta.concrete_fields)


@cache
def _statement(shows_topics: bool) -> tuple[str, tuple[Any, ...]]:
    """One query whatever the rows are of. To put it together takes longer than to run it: that is
    done once."""
    campaign = Campaign(pk=ANY)
    shown = {
        "run": campaign.runs.all(),
        "evaluation": Evaluation.objects.filter(run__campaign=campaign),
        "qrels": campaign.qrels.all(),
        "strokes": campaign.analyses.filter(kind="significance"),
    }
    if shows_topics:
        shown |= {"topics": campaign.topics.all()}
    if connection.vendor == "postgresql":
        shown |= {"team": campaign.teams.all()}
        told = [_versions(rows) for rows in shown.values()]
        put = "COUNT(*), SUM(told)"
    else:
        told = [_texts(rows, SHOWN_OF[name]) for name, rows in shown.items()]
        # In whatever order they come: in another one the board would be drawn once more, no worse.
        put = "GROUP_CONCAT(told)"
    statement, arguments = told[0].union(*told[1:], all=True).query.sql_with_params()
    return f"SELECT {put} FROM ({statement}) AS every", tuple(arguments)  # noqa: S608 - our own


def _versions(rows: QuerySet[Any]) -> QuerySet[Any, tuple[int]]:
    return rows.order_by().annotate(told=_Version("pk")).values_list("told")


def _texts(rows: QuerySet[Any], fields: Sequence[str]) -> QuerySet[Any, tuple[str]]:
    told = Func(*fields, function="JSON_ARRAY", output_field=TextField())
    return rows.order_by().annotate(told=told).values_list("told")


class _Version(Func):
    """A number for the version of the row that a column belongs to."""

    output_field = BigIntegerField()

    def as_sql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        key, arguments = compiler.compile(self.get_source_expressions()[0])
        table = key.rpartition(".")[0]
        version = f"{table}.xmin::text || {table}.ctid::text"
        return f"hashtextextended({version}, {key})", arguments
