"""Every score by topic as one tidy table: a row for each run, topic and measure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, Final, NamedTuple

from django.http import Http404
from rest_framework.renderers import JSONRenderer

from campaigns.access import Viewer, run_or_404
from campaigns.models import Qrels
from scoring.core.measures.measure import Measure
from scoring.evaluation.rules import rules_of
from scoring.evaluation.storage import values_by_topic
from scoring.models import Score
from scoring.output.table import Column, Table
from scoring.results.options import chosen_measure, chosen_version
from scoring.results.runs import board_run_fields, board_scores

FLUSHED_ROWS = 1000
DIGEST = "evaluation__run__digest"
VALUES_AT_A_TIME: Final = 1 << 19  # of whole runs; eight bytes each


class TidyRow(NamedTuple):
    """`value` is None where the topic is not counted or the measure not defined on it; the digest
    of a nameless team's file is empty, for it would tell whose it is."""

    run: str
    team: str
    topic: str
    measure: str
    value: float | None
    residual: float | None
    qrels: int
    definitions: str
    run_sha256: str


COLUMNS: Final = tuple(map(Column, TidyRow._fields))


def has_tidy_rows(viewer: Viewer) -> bool:
    """Whether this viewer may see scores by topic of any run at all. They name the topics, which
    may not be released."""
    campaign = viewer.campaign
    sees_some = viewer.can_see_board or (viewer.team is not None and campaign.shows_own_scores)
    sees_by_topic = viewer.audience <= campaign.per_topic_audience
    return sees_some and sees_by_topic and viewer.can_see_topics


def tidy_rows(
    viewer: Viewer,
    qrels: Qrels,
    measures: Iterable[Measure] | None = None,
    *,
    run_id: str | None = None,
) -> Iterator[TidyRow]:
    """By run, measure in the campaign's order, topic in the order of the topics file. Two queries,
    made at once; then one for some runs at a time, so that memory does not grow with the runs. A
    run that goes meanwhile is left out. Nothing where the viewer may not see scores by topic. One
    run only if `run_id` names it."""
    if not has_tidy_rows(viewer):
        return iter(())
    rules = rules_of(viewer.campaign)
    wanted = tuple(rules.measures if measures is None else measures)
    topics = list(viewer.campaign.topics.order_by("position").values_list("code", flat=True))
    places = {str(measure): place for place, measure in enumerate(wanted)}
    scores = sorted(
        (
            score
            for score in board_scores(viewer, rules, qrels, wanted, "evaluation", DIGEST)
            if run_id in (None, score["run_id"])
        ),
        key=lambda s: (s["shown_tag"].lower(), s["run_id"], places[s["measure"]]),
    )

    def rows() -> Iterator[TidyRow]:
        for score, bases, residuals in _with_vectors(scores, len(topics) * len(wanted)):
            run = board_run_fields(viewer, score)
            is_masked = score["is_anonymous"] and not run["is_own"] and not viewer.knows_all_names
            names = (run["tag"], run["team"])
            origin = (qrels.version, rules.digest, "" if is_masked else score[DIGEST])
            values = zip(
                topics,
                values_by_topic(bases, len(topics)),
                values_by_topic(residuals, len(topics)),
                strict=True,
            )
            for topic, base, residual in values:
                yield TidyRow(*names, topic, score["measure"], base, residual, *origin)

    return rows()


def _with_vectors(
    scores: Sequence[dict[str, Any]], values: int
) -> Iterator[tuple[dict[str, Any], bytes, bytes | None]]:
    """Each score, which are together by run, with its bases and residuals. A run has so many
    `values`."""
    runs = groupby(scores, key=lambda score: score["evaluation"])
    left = ((evaluation, list(of_run)) for evaluation, of_run in runs)
    step = max(1, VALUES_AT_A_TIME // max(values, 1))
    while block := list(islice(left, step)):
        stored = Score.objects.filter(
            evaluation__in=[evaluation for evaluation, _ in block],
            measure__in={score["measure"] for _, of_run in block for score in of_run},
        )
        columns = ("evaluation", "measure", "definition", "bases", "residuals")
        vectors = {row[:3]: row[3:] for row in stored.values_list(*columns)}
        for _, of_run in block:
            for score in of_run:
                found = vectors.get((score["evaluation"], score["measure"], score["definition"]))
                if found is not None:
                    yield score, *found


def requested_rows(viewer: Viewer, asked: Mapping[str, str]) -> Iterator[TidyRow]:
    """The rows that a query asks for, for page and API alike: `measure`, `qrels`, and `run` by its
    id. Raises Http404 for a value that is not offered, and where no scores by topic are shown."""
    if not has_tidy_rows(viewer):
        raise Http404
    qrels = chosen_version(viewer, asked.get("qrels")) or viewer.campaign.active_qrels
    measures = [chosen_measure(viewer, asked["measure"])] if asked.get("measure") else None
    run_id = run_or_404(viewer, asked["run"]).public_id if asked.get("run") else None
    return tidy_rows(viewer, qrels, measures, run_id=run_id) if qrels else iter(())


def tidy_json(rows: Iterable[TidyRow]) -> Iterator[bytes]:
    """A list of objects, in blocks of text; null where there is no value."""
    left, between = iter(rows), b"["
    while block := [row._asdict() for row in islice(left, FLUSHED_ROWS)]:
        yield between + JSONRenderer().render(block)[1:-1]
        between = b","
    yield b"[]" if between == b"[" else b"]"


def tidy_table(rows: Iterable[TidyRow]) -> Table:
    return Table(COLUMNS, rows)
