"""The scores of one run, for its page and the API."""

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.access import Viewer
from campaigns.models import Run
from scoring.core.measures.measure import Measure
from scoring.core.statistics.means import Interval
from scoring.evaluation.rules import rules_of, version_of
from scoring.evaluation.storage import values_by_topic
from scoring.models import Score, TieRule


@dataclass(frozen=True)
class RunScore(Interval):
    measure: str
    topic_count: int
    people: float | None = None  # the part of the base that people judged; None: all of it


@dataclass(frozen=True)
class TopicScore(Interval):
    """`base` is None if the topic does not count, or the measure is not defined on it."""

    code: str
    title: str
    people: float | None


def run_scores(
    viewer: Viewer, run: Run, stored: Sequence[Score] | None = None
) -> tuple[RunScore, ...]:
    """Its scores under the active qrels and current rules, in the order of measures. Empty if the
    viewer may not see them, or before they are computed. One query; none with `stored`."""
    if stored is None:
        measures = rules_of(viewer.campaign).measures
        stored = active_scores(viewer, run, measures, has_vectors=False)
    return tuple(
        RunScore(
            score.mean_base,
            score.mean_residual,
            score.measure,
            score.topic_count,
            score.mean_people,
        )
        for score in stored
    )


def run_topic_scores(
    viewer: Viewer,
    run: Run,
    measures: Sequence[Measure],
    stored: Sequence[Score] | None = None,
) -> dict[str, tuple[TopicScore, ...]]:
    """By name of the measure, its score on each topic in the order of the topics file; empty if the
    viewer may not see scores by topic, or before they are computed. Two queries; one with `stored`,
    which must have vectors."""
    if not sees_topics_of(viewer, run):
        return {}
    topics = list(viewer.campaign.topics.order_by("position"))
    names = {str(measure) for measure in measures}
    return {
        score.measure: tuple(
            TopicScore(base, residual, topic.code, topic.title, people)
            for topic, base, residual, people in zip(
                topics,
                values_by_topic(score.bases, len(topics)),
                values_by_topic(score.residuals, len(topics)),
                values_by_topic(score.people, len(topics)),
                strict=True,
            )
        )
        for score in (active_scores(viewer, run, measures) if stored is None else stored)
        if score.measure in names
    }


def sees_topics_of(viewer: Viewer, run: Run) -> bool:
    """Scores by topic name the topics, which may not be released."""
    return viewer.can_see_topic_scores_of(run) and viewer.can_see_topics


def active_scores(
    viewer: Viewer, run: Run, measures: Sequence[Measure], *, has_vectors: bool = True
) -> list[Score]:
    """Its stored scores that the viewer may see, in the order of the measures. One query."""
    if viewer.campaign.active_qrels_id is None or not viewer.can_see_scores_of(run):
        return []
    keys = [(str(measure), version_of(measure)) for measure in measures]
    scores = Score.objects.filter(
        evaluation__run=run,
        evaluation__qrels=viewer.campaign.active_qrels_id,
        evaluation__definitions=rules_of(viewer.campaign).digest,
        evaluation__tie_rule=TieRule.DOCNO,
        measure__in=[name for name, _ in keys],
    )
    by_key = {
        (score.measure, score.definition): score
        # Where only means are shown, the vectors, which are long, stay in the database.
        for score in (scores if has_vectors else scores.defer("bases", "residuals", "people"))
    }
    return [by_key[key] for key in keys if key in by_key]
