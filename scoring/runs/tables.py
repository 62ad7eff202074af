"""Tables of one run: its scores, curves and documents, at full precision."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

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


def run_columns(run: Run | None, qrels: Qrels | None) -> tuple[Column, ...]:
    """The first columns of every table of a run."""
    return (
        same("run_id", run and run.public_id, str),
        same("run", run and run.shown_name, str),
        same("team", run and run.shown_team, str),
        same("qrels", qrels and qrels.version, int | None),
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
    qrels = shown_qrels(viewer)
    # The base under the judgments of people alone, if a program judged.
    by_people = (Column("base_of_people", "score.people"),) if qrels and qrels.has_program else ()
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
        *by_people,
        *_differences(baselines),
    )
    return Table(columns, _scores(viewer, run, measures, order, baselines))


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


# The columns of curves and documents, and their tables. Without a run they describe the table.


def depth_columns(
    run: Run | None = None, qrels: Qrels | None = None, curves: RunCurves | None = None
) -> tuple[Column, ...]:
    return (
        *run_columns(run, qrels),
        same("gain", curves and curves.choice.gain, str),
        Column("p", "persistence", "p", kind=float),
        Column("depth", heading="depth", kind=int),
        *_bounds(),
    )


def depth_table(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> Table:
    """One row for each p and depth: means over the topics that the board counts."""
    caption = f"bounds of RBP of {run.shown_name} by evaluation depth."
    return Table(depth_columns(run, qrels, curves), curves.by_depth if curves else (), caption)


def persistence_columns(
    run: Run | None = None, qrels: Qrels | None = None, curves: RunCurves | None = None
) -> tuple[Column, ...]:
    return (
        *run_columns(run, qrels),
        same("gain", curves and curves.choice.gain, str),
        Column("p", "persistence", "p", kind=float),
        *_bounds(),
    )


def persistence_table(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> Table:
    columns = persistence_columns(run, qrels, curves)
    caption = f"bounds of RBP of {run.shown_name} by p."
    return Table(columns, curves.by_persistence if curves else (), caption)


def _bounds() -> tuple[Column, ...]:
    return (
        Column("base", heading="base", text=number, kind=float),
        Column("residual", heading="residual", text=added, kind=float),
        Column("upper", heading="upper", text=number, kind=float),
    )


def recall_columns(
    run: Run | None = None, qrels: Qrels | None = None, curves: RunCurves | None = None
) -> tuple[Column, ...]:
    return (
        *run_columns(run, qrels),
        Column("recall", "level", "recall", partial(number, digits=1), kind=float),
        Column("mean", heading="mean", text=number, kind=float),
        same("topic", _code(curves), str),
        Column("topic_precision", "topic", "topic", number, kind=float),
    )


def recall_table(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> Table:
    """Eleven rows: the mean, and the chosen topic."""
    topic = f", and of topic {_code(curves)}" if _code(curves) else ""
    caption = f"interpolated precision of {run.shown_name} by recall: the mean{topic}."
    return Table(recall_columns(run, qrels, curves), curves.levels if curves else (), caption)


def precision_columns(
    run: Run | None = None, qrels: Qrels | None = None, curves: RunCurves | None = None
) -> tuple[Column, ...]:
    return (
        *run_columns(run, qrels),
        same("topic", _code(curves), str),
        Column("rank", heading="rank", kind=int),
        Column("relevant", "is_relevant", "relevant", kind=int, text=_yes),
        Column("recall", heading="recall", text=number, kind=float),
        Column("precision", heading="precision", text=number, kind=float),
        Column("interpolated", heading="interpolated", text=number, kind=float),
    )


def precision_table(run: Run, qrels: Qrels | None, curves: RunCurves | None) -> Table:
    """One row for each rank of the chosen topic."""
    caption = f"precision and recall of {run.shown_name} at each rank of topic {_code(curves)}."
    return Table(precision_columns(run, qrels, curves), curves.ranks if curves else (), caption)


def _code(curves: RunCurves | None) -> str:
    return curves.choice.topic.code if curves and curves.choice.topic else ""


def _yes(value: bool) -> str:
    return "yes" if value else ""


# --- documents ---------------------------------------------------------------------------------


def ranking_columns(
    run: Run | None = None, qrels: Qrels | None = None, topic: Topic | None = None
) -> tuple[Column, ...]:
    return (
        *run_columns(run, qrels),
        same("topic", topic and topic.code, str),
        Column("rank", heading="rank", kind=int),
        Column("doc_id", heading="document", align="l", kind=str),
        Column("grade", heading="grade", kind=int | None, help_text="null: nobody judged it"),
        Column("relevant", "is_relevant", "relevant", kind=int, text=_yes),
        Column("tied", "is_tied", "tied", kind=int, text=_yes),
    )


def ranking_table(
    run: Run, qrels: Qrels | None, topic: Topic | None, rows: Iterable[RankedDocument]
) -> Table:
    """An empty grade: nobody judged it."""
    caption = f"documents of {run.shown_name}{f' on topic {topic.code}' if topic else ''}."
    return Table(ranking_columns(run, qrels, topic), rows, caption)


def unjudged_columns(
    run: Run | None = None, qrels: Qrels | None = None, unjudged: UnjudgedList | None = None
) -> tuple[Column, ...]:
    return (
        *run_columns(run, qrels),
        same("p", unjudged and unjudged.persistence, float),
        Column("topic", "topic.code", "topic", align="l", kind=str),
        Column("rank", heading="rank", kind=int),
        Column("doc_id", heading="document", align="l", kind=str),
        Column("adds", heading="adds", text=partial(number, digits=4), kind=float),
        Column("together", heading="together", text=partial(number, digits=4), kind=float),
    )


def unjudged_table(run: Run, qrels: Qrels | None, unjudged: UnjudgedList | None) -> Table:
    count = len(unjudged) if unjudged else 0
    p = f" with p = {unjudged.persistence:g}" if unjudged else ""
    caption = f"unjudged documents of {run.shown_name}, by what each could add to RBP{p}."
    rows = unjudged.rows(range(count)) if unjudged else ()
    return Table(unjudged_columns(run, qrels, unjudged), rows, caption, row_count=count)


def unique_columns(
    run: Run | None = None, qrels: Qrels | None = None, unique: UniqueFinds | None = None
) -> tuple[Column, ...]:
    return (
        *run_columns(run, qrels),
        same("depth", unique and unique.depth, str),
        Column("topic", heading="topic", align="l", kind=str),
        Column("rank", heading="rank", kind=int),
        Column("doc_id", heading="document", align="l", kind=str),
        Column("grade", heading="grade", kind=int),
        Column("only_run", "is_by_run", "no other run", kind=int, text=_yes),
    )


def unique_table(run: Run, qrels: Qrels | None, unique: UniqueFinds | None) -> Table:
    """Unique relevant documents of one run."""
    caption = f"relevant documents that only {run.shown_name} or its team retrieved."
    return Table(unique_columns(run, qrels, unique), unique.documents if unique else (), caption)


def unique_run_columns(
    qrels: Qrels | None = None, unique: UniqueFinds | None = None
) -> tuple[Column, ...]:
    return (
        Column("run_id", "run.run_id", kind=str),
        Column("run", "run.name", "run", align="l", kind=str),
        Column("team", "run.team", "team", align="l", kind=str),
        same("qrels", qrels and qrels.version, int | None),
        same("depth", unique and unique.depth, str),
        Column("relevant_found", "relevant", "relevant", kind=int),
        Column("only_run", "by_run", "no other run", kind=int),
        Column("only_team", "by_team", "no other team", kind=int),
    )


def unique_runs_table(qrels: Qrels | None, unique: UniqueFinds | None) -> Table:
    """Numbers of unique relevant documents of every ranked run."""
    caption = "relevant documents that only one run, or only one team, retrieved."
    return Table(unique_run_columns(qrels, unique), unique.runs if unique else (), caption)
