"""Tables of one run: its scores, curves and documents, at full precision."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from campaigns.access import Viewer
from campaigns.models import Qrels, Run, Topic
from scoring.baselines.rows import Difference
from scoring.baselines.tables import difference_caption, difference_columns
from scoring.core.measures.measure import Measure
from scoring.output.latex import added, interval, number
from scoring.output.table import Column, Table, printed, same
from scoring.results.options import shown_qrels
from scoring.runs.baselines import RunBaselines
from scoring.runs.curves import RunCurves
from scoring.runs.documents import RankedDocument, UnjudgedList
from scoring.runs.scores import RunScore, TopicScore, run_scores
from scoring.runs.topics import run_topics
from scoring.runs.unique import UniqueFinds

MEAN = "all"  # in the column of topics, as in trec_eval


def run_columns(run: Run, qrels: Qrels | None) -> tuple[Column, ...]:
    """The first columns of every table of a run."""
    return (
        same("run_id", run.public_id),
        same("run", run.shown_name),
        same("team", run.shown_team),
        same("qrels", qrels and qrels.version),
    )


# --- scores ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Scored:
    """A mean, with its difference from the chosen baseline, or a score on one topic, with `median`
    and `best` of all ranked runs on it."""

    measure: str
    score: RunScore | TopicScore
    topic: str = MEAN
    topics: int | None = None
    median: float | None = None
    best: float | None = None
    difference: Difference | None = None


def run_table(
    viewer: Viewer, run: Run, measures: Sequence[Measure], order: str, baselines: RunBaselines
) -> Table:
    """For each measure the mean and, if visible, the scores by topic."""
    columns = (
        same("run_id", run.public_id),
        same("run", run.shown_name),
        same("team", run.shown_team),
        Column("topic"),
        Column("measure"),
        Column("base", "score.base"),
        Column("residual", "score.residual"),
        Column("topics"),
        same("qrels", shown_version(viewer)),
        Column("median"),
        Column("best"),
        *_of_people(viewer),
        *_differences(baselines),
    )
    return Table(columns, _scores(viewer, run, measures, order, baselines))


def _of_people(viewer: Viewer) -> tuple[Column, ...]:
    """The base under the judgments of people alone, if a program judged."""
    qrels = shown_qrels(viewer)
    return (Column("base_of_people", "score.people"),) if qrels and qrels.has_program else ()


def _differences(baselines: RunBaselines) -> tuple[Column, ...]:
    if baselines.chosen is None:
        return ()
    return difference_columns(baselines.chosen, baselines.correction, "difference")


def _scores(
    viewer: Viewer, run: Run, measures: Sequence[Measure], order: str, baselines: RunBaselines
) -> Iterator[_Scored]:
    means = {score.measure: score for score in run_scores(viewer, run)}
    by_topic = run_topics(viewer, run, measures, order)
    for measure in (m for m in measures if str(m) in means):
        mean = means[str(measure)]
        difference = baselines.difference(mean.measure)
        yield _Scored(mean.measure, mean, topics=mean.topic_count, difference=difference)
        for topic in by_topic[measure].rows if measure in by_topic else ():
            code, median, best = topic.code, topic.median, topic.best
            yield _Scored(mean.measure, topic, code, median=median, best=best)


def means_table(viewer: Viewer, run: Run, baselines: RunBaselines) -> Table:
    """The means of a run by every measure."""
    columns = (
        Column("measure", heading="measure", align="l"),
        Column("base", "score.base", heading="base", text=number),
        Column("residual", "score.residual", heading="residual", text=added),
        printed("interval", lambda row: interval(row.score.base, row.score.upper), align="l"),
        Column("topics", heading="topics"),
        *_differences(baselines),
    )
    caption = f"scores of {run.shown_name}."
    if baselines.chosen:
        caption += f" {difference_caption(baselines.correction)}"
    means = (
        _Scored(
            mean.measure,
            mean,
            topics=mean.topic_count,
            difference=baselines.difference(mean.measure),
        )
        for mean in run_scores(viewer, run)
    )
    return Table(columns, means, caption)


def shown_version(viewer: Viewer) -> int | None:
    """The version of the qrels behind the scores, if the viewer sees any."""
    qrels = shown_qrels(viewer)
    return qrels.version if qrels else None


# --- curves ------------------------------------------------------------------------------------


def depth_table(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> Table:
    """One row for each p and depth: means over the topics that the board counts."""
    columns = (
        *run_columns(run, qrels),
        same("gain", curves and curves.choice.gain),
        Column("p", "persistence"),
        *map(Column, ("depth", "base", "residual", "upper")),
    )
    return Table(columns, curves.by_depth if curves else ())


def persistence_table(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> Table:
    columns = (
        *run_columns(run, qrels),
        same("gain", curves and curves.choice.gain),
        Column("p", "persistence"),
        *map(Column, ("base", "residual", "upper")),
    )
    return Table(columns, curves.by_persistence if curves else ())


def recall_table(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> Table:
    """Eleven rows: the mean, and the chosen topic."""
    columns = (
        *run_columns(run, qrels),
        Column("recall", "level"),
        Column("mean"),
        same("topic", _code(curves)),
        Column("topic_precision", "topic"),
    )
    return Table(columns, curves.levels if curves else ())


def precision_table(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> Table:
    """One row for each rank of the chosen topic."""
    columns = (
        *run_columns(run, qrels),
        same("topic", _code(curves)),
        Column("rank"),
        Column("relevant", "is_relevant"),
        *map(Column, ("recall", "precision", "interpolated")),
    )
    return Table(columns, curves.ranks if curves else ())


def _code(curves: RunCurves | None) -> str:
    return curves.choice.topic.code if curves and curves.choice.topic else ""


# --- documents ---------------------------------------------------------------------------------


def ranking_table(
    run: Run, qrels: Qrels | None, topic: Topic | None, rows: Iterable[RankedDocument]
) -> Table:
    """An empty grade: nobody judged it."""
    columns = (
        *run_columns(run, qrels),
        same("topic", topic and topic.code),
        *map(Column, ("rank", "doc_id", "grade")),
        Column("relevant", "is_relevant"),
        Column("tied", "is_tied"),
    )
    return Table(columns, rows)


def unjudged_table(run: Run, qrels: Qrels | None, unjudged: UnjudgedList | None) -> Table:
    columns = (
        *run_columns(run, qrels),
        same("p", unjudged and unjudged.persistence),
        Column("topic", "topic.code"),
        *map(Column, ("rank", "doc_id", "adds", "together")),
    )
    count = len(unjudged) if unjudged else 0
    return Table(columns, unjudged.rows(range(count)) if unjudged else (), row_count=count)


def unique_table(run: Run, qrels: Qrels | None, unique: UniqueFinds | None) -> Table:
    """Unique relevant documents of one run."""
    columns = (
        *run_columns(run, qrels),
        same("depth", unique and unique.depth),
        *map(Column, ("topic", "rank", "doc_id", "grade")),
        Column("only_run", "is_by_run"),
    )
    return Table(columns, unique.documents if unique else ())


def unique_runs_table(qrels: Qrels | None, unique: UniqueFinds | None) -> Table:
    """Numbers of unique relevant documents of every ranked run."""
    columns = (
        Column("run_id", "run.run_id"),
        Column("run", "run.name"),
        Column("team", "run.team"),
        same("qrels", qrels and qrels.version),
        same("depth", unique and unique.depth),
        Column("relevant_found", "relevant"),
        Column("only_run", "by_run"),
        Column("only_team", "by_team"),
    )
    return Table(columns, unique.runs if unique else ())
