"""The CSV beside each table of scores: the same rows, at full precision.

Cells are empty where a value is not defined or not shown; text cells are made safe for
spreadsheets.
"""

from collections.abc import Iterable, Iterator, Sequence

from campaigns.access import Viewer
from campaigns.models import Run
from scoring.core.measures.measure import Measure
from scoring.run_scores import run_scores
from scoring.run_topics import run_topics
from scoring.tables import Table
from scoring.topic_rows import TopicRow, TopicRun

RUN_COLUMNS = (
    "run_id", "run", "team", "topic", "measure", "base", "residual", "topics", "qrels", "median",
    "best",
)  # fmt: skip
TOPICS_COLUMNS = (
    "topic", "title", "measure", "runs", "mean", "lowest", "lower_quartile", "upper_quartile",
    "highest", "relevant", "judged", "qrels",
)  # fmt: skip
TOPIC_COLUMNS = (
    "rank", "run_id", "run", "team", "run_type", "standing", "reason", "topic", "measure", "base",
    "residual", "qrels",
)  # fmt: skip
MEAN = "all"  # in the column of topics, as trec_eval has it


def run_table(viewer: Viewer, run: Run, measures: Sequence[Measure], order: str) -> Table:
    """For each measure the mean and, where they may be seen, the scores by topic; `median` and
    `best` are those of all ranked runs on a topic."""
    names = (run.public_id, run.shown_tag, run.shown_team)
    version = _version(viewer)
    means = {score.measure: score for score in run_scores(viewer, run)}
    by_topic = run_topics(viewer, run, measures, order)

    def rows() -> Iterator[Sequence[object]]:
        for measure in (m for m in measures if str(m) in means):
            mean = means[str(measure)]
            facts = (mean.measure, mean.base, mean.residual, mean.topic_count, version)
            yield (*names, MEAN, *facts, None, None)
            for topic in by_topic[measure].rows if measure in by_topic else ():
                facts = (mean.measure, topic.base, topic.residual, None, version)
                yield (*names, topic.code, *facts, topic.median, topic.best)

    return Table(RUN_COLUMNS, rows())


def topics_table(viewer: Viewer, rows: Iterable[TopicRow], measure: Measure) -> Table:
    """One row for each topic: how the ranked runs do on it."""
    version = _version(viewer)
    return Table(
        TOPICS_COLUMNS,
        (
            (
                row.code, row.title, measure, row.runs, row.mean, row.lowest, row.lower_quartile,
                row.upper_quartile, row.highest, row.relevant, row.judged, version,
            )
            for row in rows
        ),
    )  # fmt: skip


def topic_csv(viewer: Viewer, code: str, rows: Iterable[TopicRun], measure: Measure) -> str:
    version = _version(viewer)
    return _csv(
        TOPIC_COLUMNS,
        (
            (
                row.rank, row.run_id, row.tag, row.team, row.run_type, row.standing, row.reason,
                code, measure, row.base, row.residual, version,
            )
            for row in rows
        ),
    )  # fmt: skip


def _version(viewer: Viewer) -> int | None:
    """Which qrels the scores are of; nothing to those who see none: that there are some, and how
    many there were, is not theirs to know."""
    campaign = viewer.campaign
    sees_some = viewer.can_see_board or (viewer.team is not None and campaign.shows_own_scores)
    return campaign.active_qrels.version if campaign.active_qrels and sees_some else None


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return Table(columns, rows).as_csv()
