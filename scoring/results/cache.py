"""A cache of boards. The key depends on all rows that a board shows, so it changes with them.

Computing the key is faster than computing the board. It reads no scores, because the scores of an
evaluation are replaced together with its `scored_at`.

On PostgreSQL the key contains the versions of the rows, not their content. An update gives a row a
new position, `ctid`, or a new transaction, `xmin`. The key has the number of rows and the sum of
the hashes of their versions. SQLite has no versions of rows, so the key contains the rows.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeVar

from django.db import connection
from django.db.models import BigIntegerField, Func, TextField
from django.http import QueryDict

from campaigns.access import Viewer
from campaigns.models import Campaign
from scoring.evaluation.lru import LRUCache
from scoring.models import Evaluation

Cached = TypeVar("Cached")

RUN_FIELDS: Final = (
    "pk", "public_id", "digest", "name", "tag", "run_type", "is_pooled", "is_baseline", "state",
    "is_late", "withdrawn_at", "replaced_at", "disqualified_at", "disqualified_reason", "team",
    "team__public_id", "team__name", "team__is_anonymous", "team__shares_files",
    "team__disqualified_at", "team__disqualified_reason",
)  # fmt: skip
EVALUATION_FIELDS: Final = ("pk", "run", "qrels", "definitions", "tie_rule", "state", "scored_at")
QRELS_FIELDS: Final = (
    "pk", "version", "digest", "judgment_count", "pool_depth", "published_at", "sources",
    "statement",
)  # fmt: skip
FIELDS: Final = {
    "run": RUN_FIELDS,
    "evaluation": EVALUATION_FIELDS,
    "qrels": QRELS_FIELDS,
    "significance": ("pk", "digest", "state"),
    "topics": ("position", "code", "fields"),
    "snapshots": ("pk", "title", "doi"),
}
SHOWN_ANALYSES: Final = ("significance", "baseline", "rank_intervals")
ANY: Final = -1  # placeholder for the primary key of a campaign


def cached_board(
    cache: LRUCache[Cached],
    viewer: Viewer,
    params: QueryDict,
    compute: Callable[[], tuple[Cached, int]],
    *,
    shows_topics: bool = False,
    besides: tuple[str, ...] = (),
) -> Cached:
    """The cached value for this audience and these parameters if nothing has changed, else the
    result of `compute`, which is a value and its weight. The caller checks permissions. `besides`
    is what the value depends on in addition."""
    if params.get("p") or params.get("ties"):  # the key does not cover these
        return compute()[0]
    key = board_key(viewer, params, shows_topics, besides)
    value = cache.get(key)
    if value is not None:
        return value
    with cache.alone(key):
        value = cache.get(key)  # another thread may have computed it in the meantime
        if value is None:
            value, weight = compute()
            is_current = board_key(viewer, params, shows_topics, besides) == key
            if is_current:  # nothing has changed during the computation
                cache.keep(key, value, weight)
        return value


def board_key(
    viewer: Viewer,
    params: QueryDict,
    shows_topics: bool = False,
    besides: tuple[str, ...] = (),
) -> str:
    """The key for this viewer and these parameters. It changes when anything on the board changes,
    and is different for every audience. One query.

    It does not cover ties, or another p. It covers topics if the board shows them.
    """
    # All members of a team see the same board, and so do all organisers. The time matters only for
    # whether names are revealed, and topics are released: before that, no two runs can be compared.
    team = viewer.team.pk if viewer.team else None
    by_time = viewer.knows_all_names, viewer.can_see_topics
    audience = sorted(viewer.roles), team, viewer.audience, *by_time, viewer.preview
    # All columns, because a preview changes the switches of the viewer's campaign.
    fields = viewer.campaign._meta.concrete_fields
    columns = tuple(getattr(viewer.campaign, field.attname) for field in fields)
    facts: tuple[Any, ...] = (
        *(audience, params.urlencode(), columns),
        viewer.moment.date(),  # a page may state the day
        *besides,
    )
    statement, arguments = _statement(shows_topics)
    with connection.cursor() as cursor:
        cursor.execute(statement, [viewer.campaign.pk if a == ANY else a for a in arguments])
        rows = cursor.fetchone()
    return hashlib.sha256(repr((facts, rows)).encode()).hexdigest()


@cache
def _statement(shows_topics: bool) -> tuple[str, tuple[Any, ...]]:
    """One query for all models. Compiling it takes longer than running, so it is compiled once."""
    campaign = Campaign(pk=ANY)
    shown = {
        "run": campaign.runs.all(),
        "evaluation": Evaluation.objects.filter(run__campaign=campaign),
        "qrels": campaign.qrels.all(),
        "significance": campaign.analyses.filter(kind__in=SHOWN_ANALYSES),
        "snapshots": campaign.snapshots.order_by(),
    }
    if shows_topics:
        shown |= {"topics": campaign.topics.all()}
    if connection.vendor == "postgresql":
        shown |= {"team": campaign.teams.all()}
        parts = [
            rows.order_by().annotate(row_version=_Version("pk")).values_list("row_version")
            for rows in shown.values()
        ]
        aggregate = "COUNT(*), SUM(row_version)"
    else:
        parts = []
        for name, rows in shown.items():
            row_version = Func(*FIELDS[name], function="JSON_ARRAY", output_field=TextField())
            versions = rows.order_by().annotate(row_version=row_version)
            parts.append(versions.values_list("row_version"))
        # In any order: another order only means that the board is rendered once more.
        aggregate = "GROUP_CONCAT(row_version)"
    statement, arguments = parts[0].union(*parts[1:], all=True).query.sql_with_params()
    return f"SELECT {aggregate} FROM ({statement}) AS every", tuple(arguments)  # noqa: S608 - our own


class _Version(Func):
    """A number for the version of the row that a column belongs to."""

    output_field = BigIntegerField()

    def as_sql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        key, arguments = compiler.compile(self.get_source_expressions()[0])
        table = key.rpartition(".")[0]
        version = f"{table}.xmin::text || {table}.ctid::text"
        return f"hashtextextended({version}, {key})", arguments
