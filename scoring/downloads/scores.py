"""Every score by topic as one tidy table: a row for each run, topic and measure."""

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from defusedcsv import csv
from django.http import Http404

from campaigns.access import Viewer, run_or_404
from campaigns.models import Qrels
from scoring.board_choices import chosen_measure, chosen_version
from scoring.core.measures.measure import Measure
from scoring.definitions import rules_of
from scoring.live_scores import facts_of_run, live_scores
from scoring.loading import values_by_topic

FLUSHED_ROWS = 1000
DIGEST = "evaluation__run__digest"


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
    """By run, measure in the campaign's order, topic in the order of the topics file; two queries,
    made at once. Nothing where the viewer may not see scores by topic. One run only if `run_id`
    names it."""
    if not has_tidy_rows(viewer):
        return iter(())
    rules = rules_of(viewer.campaign)
    wanted = tuple(rules.measures if measures is None else measures)
    topics = list(viewer.campaign.topics.order_by("position").values_list("code", flat=True))
    places = {str(measure): place for place, measure in enumerate(wanted)}
    scores = sorted(
        (
            score
            for score in live_scores(viewer, rules, qrels, wanted, "bases", "residuals", DIGEST)
            if run_id in (None, score["run_id"])
        ),
        key=lambda s: (s["shown_tag"].lower(), s["run_id"], places[s["measure"]]),
    )

    def rows() -> Iterator[TidyRow]:
        for score in scores:
            run = facts_of_run(viewer, score)
            is_masked = score["is_anonymous"] and not run["is_own"] and not viewer.knows_all_names
            names = (run["tag"], run["team"])
            origin = (qrels.version, rules.digest, "" if is_masked else score[DIGEST])
            values = zip(
                topics,
                values_by_topic(score["bases"], len(topics)),
                values_by_topic(score["residuals"], len(topics)),
                strict=True,
            )
            for topic, base, residual in values:
                yield TidyRow(*names, topic, score["measure"], base, residual, *origin)

    return rows()


def tidy_asked(viewer: Viewer, asked: Mapping[str, str]) -> Iterator[TidyRow]:
    """The rows that a query asks for, for page and API alike: `measure`, `qrels`, and `run` by its
    id. Raises Http404 for a value that is not offered, and where no scores by topic are shown."""
    if not has_tidy_rows(viewer):
        raise Http404
    qrels = chosen_version(viewer, asked.get("qrels")) or viewer.campaign.active_qrels
    measures = [chosen_measure(viewer, asked["measure"])] if asked.get("measure") else None
    run_id = run_or_404(viewer, asked["run"]).public_id if asked.get("run") else None
    return tidy_rows(viewer, qrels, measures, run_id=run_id) if qrels else iter(())


def tidy_csv(rows: Iterable[TidyRow]) -> Iterator[str]:
    """The table in blocks of text: full precision, empty where there is no value, text cells made
    safe for spreadsheets."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(TidyRow._fields)
    for number, row in enumerate(rows, start=1):
        writer.writerow(row)
        if number % FLUSHED_ROWS == 0:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()
