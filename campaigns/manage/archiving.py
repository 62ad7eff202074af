"""Copying, archiving, unarchiving and deleting a campaign."""

import logging

from django.db import transaction
from django.utils import timezone

from campaigns import scoring_hooks
from campaigns.errors import CannotChangeStage, CannotDelete
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import (
    Announcement,
    Campaign,
    Claim,
    Document,
    GoldDocument,
    Invitation,
    Judgment,
    LogEntry,
    Membership,
    Notice,
    Plan,
    Program,
    ProgramJudgment,
    Qrels,
    Run,
    Sample,
    SampledDocument,
    Task,
    Team,
    Topic,
    TopicAssessor,
    User,
)

log = logging.getLogger(__name__)

# Columns that a copy has too: texts, rules and visibility. Every other column belongs to one year:
# dates, people, topics, qrels and notices.
COPIED = (
    "series", "guidelines", "contact", "reply_to", "time_zone", "is_private", "joining", "terms",
    "allows_anonymous_teams", "grace_minutes", "run_quota", "quota_days", "attempt_quota",
    "asks_acceptance", "run_types", "asks_priority", "run_fields", "preset", "stage_switches",
    "feedback", "feedback_measure", "feedback_step", "feedback_runs", "feedback_days",
    "highest_grade", "rel", "gain_map", "measures", "leading_measure", "persistences",
    "run_depth", "no_relevant", "unknown_topics", "document_address", "embedding_origins",
    "licence", "authors",
)  # fmt: skip
NOT_COPIED = (
    "id", "slug", "name", "stage", "created_at", "published_at", "archived_at", "copied_from",
    "reveals_teams_at", "topics_released_at", "is_accepting", "opens_at", "closes_at",
    "opening_told_at", "closing_told_at", "feedback_topics", "runs_audience", "shows_own_scores",
    "board_audience", "per_topic_audience", "qrels_audience", "run_files_audience",
    "shows_own_topics", "shows_own_documents", "active_qrels",
)  # fmt: skip


@transaction.atomic
def copy_campaign(*, campaign: Campaign, slug: str, name: str, actor: User) -> Campaign:
    """Creates a draft with the same settings, texts, visibility and organisers, but without dates,
    topics, qrels, teams and runs. Raises `ValidationError` for an invalid or existing slug."""
    facts = {field: getattr(campaign, field) for field in COPIED}
    copy = Campaign(slug=slug, name=name, copied_from=campaign, **facts)
    copy.full_clean()
    copy.save()
    organisers = campaign.memberships.filter(role=Membership.Role.ORGANISER)
    people = {*organisers.values_list("person", flat=True), actor.pk}
    Membership.objects.bulk_create(
        Membership(campaign=copy, person_id=person, role=Membership.Role.ORGANISER)
        for person in sorted(people)
    )
    record(copy, actor, "copied from", campaign.slug)
    return copy


@transaction.atomic
def archive(*, campaign: Campaign, actor: User | None) -> None:
    """Prevents all changes. Visibility stays as it is."""
    refuse_archived(campaign)
    # In one statement with the change, because somebody may open submissions at the same time.
    archived = Campaign.objects.filter(pk=campaign.pk, archived_at=None).exclude(
        stage=Campaign.Stage.OPEN
    )
    if not archived.update(archived_at=timezone.now(), is_accepting=False):
        raise CannotChangeStage("Submissions are open. Close them first.")
    record(campaign, actor, "archived")
    campaign.refresh_from_db()


@transaction.atomic
def unarchive(*, campaign: Campaign, actor: User | None) -> None:
    if Campaign.objects.filter(pk=campaign.pk).exclude(archived_at=None).update(archived_at=None):
        record(campaign, actor, "unarchived")
    campaign.refresh_from_db()


@transaction.atomic
def delete_campaign(*, campaign: Campaign, actor: User, typed_slug: str) -> None:
    """Deletes a draft or an archived campaign with all its rows. Foreign keys are protected, so the
    order matters. Housekeeping deletes the files."""
    row = Campaign.objects.select_for_update().filter(pk=campaign.pk).first()
    if row is None:
        return  # already deleted by the first of two clicks
    if row.stage != Campaign.Stage.DRAFT and row.archived_at is None:
        raise CannotDelete("People can see this campaign. Archive it before you delete it.")
    if typed_slug != row.slug:
        raise CannotDelete(f"To delete the campaign, type its URL name, {row.slug}.")
    scoring_hooks.erase_scores(row)
    # Runs refer to each other, and so do the campaign and its qrels: no order would do.
    Run.objects.filter(campaign=row).update(replaces=None)
    Campaign.objects.filter(pk=row.pk).update(active_qrels=None)
    Judgment.objects.filter(campaign=row).delete()
    ProgramJudgment.objects.filter(program__campaign=row).delete()
    Program.objects.filter(campaign=row).delete()
    Claim.objects.filter(task__plan__campaign=row).delete()
    SampledDocument.objects.filter(task__plan__campaign=row).delete()
    Sample.objects.filter(plan__campaign=row).delete()
    Task.objects.filter(plan__campaign=row).delete()
    Plan.objects.filter(campaign=row).delete()
    TopicAssessor.objects.filter(topic__campaign=row).delete()
    GoldDocument.objects.filter(topic__campaign=row).delete()
    for model in (
        Notice, Announcement, Document, Run, Invitation, Membership, Team, Topic, Qrels
    ):  # fmt: skip
        model.objects.filter(campaign=row).delete()
    LogEntry.erasable.filter(campaign=row).delete()
    row.active_qrels = None
    row.delete()
    log.warning("Campaign %s was deleted by person %s.", row.slug, actor.pk)
