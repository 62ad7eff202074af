"""All scores by topic as one tidy table, with a row for each run, topic and measure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, Final, NamedTuple

from django.http import Http404

from campaigns.access import Viewer, run_or_404
from campaigns.models import Qrels
from scoring.core.measures.measure import Measure
from scoring.evaluation.rules import rules_of
from scoring.evaluation.storage import values_by_topic
from scoring.models import Score
from scoring.output.sources import JUDGED_BY, with_sources
from scoring.output.table import Column, Table, json_blocks
from scoring.results.options import chosen_measure, chosen_version
from scoring.results.runs import board_run_fields, board_scores

DIGEST = "evaluation__run__digest"
VALUES_AT_A_TIME: Final = 1 << 19  # of whole runs; eight bytes each


class TidyRow(NamedTuple):
    """`value` is None if the topic does not count, or the measure is not defined on it. The digest
    of an anonymous team's file is empty, because it could identify the team."""

    run: str
    team: str
    topic: str
    measure: str
    value: float | None
    residual: float | None
    qrels: int
    definitions: str
    run_sha256: str


@dataclass(frozen=True)
class TidyRows:
    """Rows that are read while they are iterated, once; there are at most `count`."""

    count: int
    rows: Iterator[TidyRow]

    def __iter__(self) -> Iterator[TidyRow]:
        return self.rows


NO_ROWS: Final = TidyRows(0, iter(()))
COLUMNS: Final = tuple(map(Column, TidyRow._fields))


def has_tidy_rows(viewer: Viewer) -> bool:
    """Whether this viewer may see scores by topic of any run. They name the topics, which may not
    be released."""
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
) -> TidyRows:
    """By run, measure in the campaign's order, and topic in the order of the topics file. Two
    queries at once, then one for each block of runs, so that memory does not grow with the runs. A
    run that is withdrawn in the meantime is left out. Empty if the viewer may not see scores by
    topic. `run_id` selects one run."""
    if not has_tidy_rows(viewer):
        return NO_ROWS
    rules = rules_of(viewer.campaign)
    selected = tuple(rules.measures if measures is None else measures)
    topics = list(viewer.campaign.topics.order_by("position").values_list("code", flat=True))
    order = {str(measure): at for at, measure in enumerate(selected)}
    scores = sorted(
        (
            score
            for score in board_scores(viewer, rules, qrels, selected, "evaluation", DIGEST)
            if run_id in (None, score["run_id"])
        ),
        key=lambda s: (s["shown_name"].lower(), s["run_id"], order[s["measure"]]),
    )

    def rows() -> Iterator[TidyRow]:
        for score, bases, residuals in _with_vectors(scores, len(topics) * len(selected)):
            run = board_run_fields(viewer, score)
            is_masked = score["is_anonymous"] and not run["is_own"] and not viewer.knows_all_names
            names = (run["name"], run["team"])
            origin = (qrels.version, rules.digest, "" if is_masked else score[DIGEST])
            values = zip(
                topics,
                values_by_topic(bases, len(topics)),
                values_by_topic(residuals, len(topics)),
                strict=True,
            )
            for topic, base, residual in values:
                yield TidyRow(*names, topic, score["measure"], base, residual, *origin)

    return TidyRows(len(scores) * len(topics), rows())


def _with_vectors(
    scores: Sequence[dict[str, Any]], values: int
) -> Iterator[tuple[dict[str, Any], bytes, bytes | None]]:
    """Each of the `scores`, which are grouped by run, with its bases and residuals. A run has
    `values` values."""
    runs = groupby(scores, key=lambda score: score["evaluation"])
    left = ((evaluation, list(of_run)) for evaluation, of_run in runs)
    # Runs of a block; a run with more values is a block of its own.
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
                vector = vectors.get((score["evaluation"], score["measure"], score["definition"]))
                # Its scores may have been deleted since the means were read.
                if vector is not None:
                    yield score, *vector


def requested_rows(viewer: Viewer, params: Mapping[str, str]) -> TidyRows:
    """The rows for the parameters `measure`, `qrels` and `run` (an id), for page and API. Raises
    Http404 for a value that is not offered, and if the viewer may not see scores by topic."""
    if not has_tidy_rows(viewer):
        raise Http404
    qrels = requested_qrels(viewer, params)
    measures = [chosen_measure(viewer, params["measure"])] if params.get("measure") else None
    run_id = run_or_404(viewer, params["run"]).public_id if params.get("run") else None
    return tidy_rows(viewer, qrels, measures, run_id=run_id) if qrels else NO_ROWS


def requested_qrels(viewer: Viewer, params: Mapping[str, str]) -> Qrels | None:
    """The version of the parameter `qrels`, or the active one."""
    return chosen_version(viewer, params.get("qrels")) or viewer.campaign.active_qrels


def tidy_json(rows: Iterable[TidyRow], qrels: Qrels | None = None) -> Iterator[bytes]:
    """A list of objects, in blocks of text; null where there is no value. With the sources if a
    program judged."""
    sources = {JUDGED_BY: qrels.counts_by_source} if qrels and qrels.has_program else {}
    return json_blocks(row._asdict() | sources for row in rows)


def tidy_table(rows: TidyRows, qrels: Qrels | None) -> Table:
    """With a column of the sources if a program judged."""
    return with_sources(Table(COLUMNS, rows, row_count=rows.count), [qrels])
