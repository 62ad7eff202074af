"""The only module through which `campaigns` calls `scoring`, to enqueue work on submitted runs and
to read results that a page shows.

Calls that enqueue jobs write rows inside the transaction of the caller and wake a worker on commit.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from campaigns.access import Viewer
from campaigns.models import Campaign, Mail, Notice, PendingUpload, Plan, Run
from scoring.core.measures.catalogue import is_of_quality, meaning_of
from scoring.core.measures.names import parse_measure
from scoring.evaluation import measure_choices, requests, rescoring
from scoring.evaluation.rescoring import Rescoring
from scoring.evaluation.rules import rules_of
from scoring.jobs.queue import enqueue, enqueue_all
from scoring.judging import candidates, progress, samples, task_batches
from scoring.leaderboard.query import BoardExcerpt, board_excerpt
from scoring.models import Job
from scoring.output.measure_names import measure_label


def enqueue_checks(runs: Sequence[Run], *, is_import: bool = False) -> None:
    """Runs of a campaign wait for their files to be checked. Those of an import come after
    uploads."""
    if runs:
        enqueue_all(
            Job.Kind.CHECK,
            {run.pk: run.team_id for run in runs},
            campaign_id=runs[0].campaign_id,
            priority=Job.Priority.NORMAL if is_import else Job.Priority.UPLOAD,
        )


def enqueue_evaluations(campaign: Campaign) -> None:
    """Call this when qrels or rules change. Every accepted run is then scored again."""
    requests.request_evaluations(campaign)


def enqueue_evaluation(run: Run) -> None:
    """Call this when a run begins to count."""
    requests.request_evaluation(run)


def enqueue_notice(notice: Notice) -> None:
    """Call this when a notice was created."""
    enqueue(Job.Kind.NOTIFY, subject=notice.pk, campaign_id=notice.campaign_id)


def enqueue_mail(mail: Mail) -> None:
    """Call this when an email that belongs to no campaign was created."""
    enqueue(Job.Kind.MAIL, subject=mail.pk, campaign_id=None)


def enqueue_reading(upload: PendingUpload) -> None:
    """Call this when a worker should read an uploaded file."""
    enqueue(Job.Kind.READ, subject=upload.pk, campaign_id=upload.campaign_id, is_long=True)


def enqueue_next_documents(plan: Plan) -> None:
    """Call this when a plan can select more documents."""
    enqueue(Job.Kind.LAY_OUT, subject=plan.pk, campaign_id=plan.campaign_id)


def enqueue_next_documents_if_due(plan: Plan) -> None:
    """Call this when assessors have no task left, or have judged all tasks. The plan then selects
    more documents, unless it has none, or nothing was judged since its last selection."""
    if task_batches.is_due(plan):
        enqueue_next_documents(plan)


def erase_scores(campaign: Campaign) -> None:
    """Deletes everything that `scoring` stores about a campaign."""
    requests.erase_scores(campaign)


def offered_measures() -> dict[str, tuple[str, ...]]:
    """The common measures that a form offers, in groups."""
    return measure_choices.OFFERED


def measures_of(campaign: Campaign) -> list[str]:
    """The canonical names of the measures of the leaderboard, the leading measure first."""
    return [str(measure) for measure in rules_of(campaign).measures]


def canonical_measure(campaign: Campaign, name: str) -> str:
    """The canonical name of the measure of the campaign that `name` means; `name` if none is."""
    rules = rules_of(campaign)
    return measure_choices.canonical_name(name, rules.measures, rel=rules.rel)


def measures_named(names: Sequence[str], *, rel: int) -> list[str]:
    """The canonical names of these measures. Raises `ValidationError`."""
    return measure_choices.measures_named(names, rel=rel)


def can_lead(name: str) -> bool:
    """Whether the leaderboard may open with this measure: not with a count, such as NumRet, or the
    share of judged documents."""
    return is_of_quality(parse_measure(name))


def labelled_measures(names: Iterable[str]) -> list[tuple[str, str]]:
    """The options of a form: each measure with its name on pages."""
    return [(name, measure_label(name)) for name in names]


class ExplainedMeasure(NamedTuple):
    """A measure with its name on pages and its explanation."""

    name: str
    label: str
    meaning: str


def explained_measures(names: Iterable[str]) -> list[ExplainedMeasure]:
    """These measures, each with one or two sentences about its family."""
    return [ExplainedMeasure(name, measure_label(name), meaning_of(name)) for name in names]


def rescoring_of(campaign: Campaign) -> Rescoring | None:
    """The progress of scoring; None without active qrels."""
    return rescoring.rescoring(campaign)


def mean_residual_of(plan: Plan | None) -> float | None:
    """The mean residual of all ranked runs, if the plan shows it to assessors. Every judgment
    decreases it, whatever the grade, so it does not bias assessors."""
    if plan is None or not plan.shows_residual:
        return None
    return progress.mean_residual(plan)


def first_rows_of_board(viewer: Viewer, count: int) -> BoardExcerpt | None:
    """The first rows of the leaderboard; None if the viewer may not see it, or no run is ranked."""
    excerpt = board_excerpt(viewer, count) if viewer.can_see_board else None
    return excerpt if excerpt and excerpt.rows else None


def documents_of_runs(campaign: Campaign) -> set[tuple[str, str]]:
    """Topic and document of all that a ranked run ranks high enough to be judged."""
    return candidates.documents_of_runs(campaign)


def documents_of_sample(plan: Plan) -> Mapping[tuple[str, str], None]:
    """Topic and document of all from which a plan's sample was drawn, in the order of the topics'
    codes. Empty before it is drawn, and after the topics have changed."""
    return samples.drawn_from(plan)
