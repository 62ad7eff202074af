"""The scores of one run, as its page and the API show them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from campaigns.access import Viewer
from campaigns.models import Run
from scoring.core.means import shown_digits
from scoring.core.measures.measure import Measure
from scoring.definitions import rules_of, version_of
from scoring.loading import values_by_topic
from scoring.models import Score, TieRule


@dataclass(frozen=True)
class _Interval:
    """A score, unjudged documents counted as worthless, and what they could add."""

    base: float | None
    residual: float | None

    @property
    def upper(self) -> float | None:
        if self.base is None or self.residual is None:
            return None
        return self.base + self.residual

    @property
    def digits(self) -> int:
        return shown_digits(self.residual)


@dataclass(frozen=True)
class RunScore(_Interval):
    measure: str
    topic_count: int


@dataclass(frozen=True)
class TopicScore(_Interval):
    """None as `base` where the topic is not counted, or the measure not defined on it."""

    code: str
    title: str


def run_scores(viewer: Viewer, run: Run) -> tuple[RunScore, ...]:
    """Its scores under what is in force, in the campaign's order of measures; none where the
    viewer may not see them or they are not there yet."""
    measures = rules_of(viewer.campaign).measures
    return tuple(
        RunScore(s.mean_base, s.mean_residual, s.measure, s.topic_count)
        for s in _scores_in_force(viewer, run, measures, has_vectors=False)
    )


def run_topic_scores(viewer: Viewer, run: Run, measure: Measure) -> tuple[TopicScore, ...]:
    """Its score on each topic, in the order of the topics file; none where the viewer may not see
    scores by topic, or they are not there yet."""
    if not sees_topics_of(viewer, run):
        return ()
    topics = list(viewer.campaign.topics.order_by("position"))
    for score in _scores_in_force(viewer, run, (measure,), has_vectors=True):
        bases = values_by_topic(score.bases, len(topics))
        residuals = values_by_topic(score.residuals, len(topics))
        return tuple(
            TopicScore(base, residual, topic.code, topic.title)
            for topic, base, residual in zip(topics, bases, residuals, strict=True)
        )
    return ()


def sees_topics_of(viewer: Viewer, run: Run) -> bool:
    """Scores by topic name the topics, which may not be released."""
    return viewer.can_see_topic_scores_of(run) and viewer.can_see_topics


def _scores_in_force(
    viewer: Viewer, run: Run, measures: Sequence[Measure], *, has_vectors: bool
) -> Iterator[Score]:
    if viewer.campaign.active_qrels_id is None or not viewer.can_see_scores_of(run):
        return
    wanted = [(str(measure), version_of(measure)) for measure in measures]
    scores = Score.objects.filter(
        evaluation__run=run,
        evaluation__qrels=viewer.campaign.active_qrels_id,
        evaluation__definitions=rules_of(viewer.campaign).digest,
        evaluation__tie_rule=TieRule.DOCNO,
        measure__in=[name for name, _ in wanted],
    )
    found = {
        (score.measure, score.definition): score
        for score in (scores if has_vectors else scores.defer("bases", "residuals"))
    }
    yield from (found[key] for key in wanted if key in found)
