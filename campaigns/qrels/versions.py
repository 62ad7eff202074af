"""Versions of the qrels: uploaded or frozen from judgments, put in force, and taken back to."""

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from campaigns import scoring_hooks
from campaigns.access import Viewer
from campaigns.errors import CannotActivateQrels, NothingJudged
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Qrels, User
from campaigns.models.identity import new_public_id
from campaigns.qrels.files import Content, uploaded_content
from campaigns.qrels.freezing import frozen_content
from campaigns.trec.problems import FormatError, Problem
from campaigns.trec.qrels import ParsedQrels


def add_qrels(
    *,
    campaign: Campaign,
    data: bytes,
    note: str,
    actor: User | None,
    is_activated: bool = True,
    is_confirmed: bool = False,
) -> tuple[Qrels, ParsedQrels]:
    """A new immutable version of this file, put in force unless told otherwise.

    Raises `FormatError` where the file is not qrels of this campaign, and `NeedsConfirmation`
    where an organiser should look first. A version of the same content is given back.
    """
    content = uploaded_content(campaign, data, is_confirmed=is_confirmed)
    return _kept(campaign, content, note, actor, is_activated=is_activated), content.parsed


def freeze_judgments(
    *, campaign: Campaign, note: str, actor: User | None, is_activated: bool = True
) -> Qrels:
    """A new version of all judgments made so far. Raises `NothingJudged`."""
    content = frozen_content(campaign)
    if content is None:
        raise NothingJudged("Nothing has been judged yet.")
    return _kept(campaign, content, note, actor, is_activated=is_activated)


@transaction.atomic
def activate_qrels(*, campaign: Campaign, qrels: Qrels, actor: User | None) -> None:
    """Puts a version in force, a new one or one from before; every run is scored under it, and
    older scores stay. Raises `CannotActivateQrels`."""
    held = Campaign.objects.select_for_update().get(pk=campaign.pk)
    campaign.active_qrels = qrels
    if held.active_qrels_id == qrels.pk:
        return
    refuse_archived(held)
    if qrels.highest_grade > held.highest_grade:
        raise CannotActivateQrels(
            f"{qrels} has grade {qrels.highest_grade}, and the campaign's highest is "
            f"{held.highest_grade} by now."
        )
    Campaign.objects.filter(pk=held.pk).update(active_qrels=qrels)
    if held.stage == Campaign.Stage.PUBLISHED:
        Qrels.objects.filter(pk=qrels.pk, published_at=None).update(published_at=timezone.now())
    record(held, actor, "activated qrels", qrels.version)
    scoring_hooks.enqueue_evaluations(held)


def versions_visible_to(viewer: Viewer) -> QuerySet[Qrels]:
    """An organiser sees every version; others, where qrels are shown, the one in force and those
    that stood on a published board."""
    versions = viewer.campaign.qrels.order_by("version")
    if viewer.is_organiser:
        return versions
    if not viewer.can_see_qrels:
        return versions.none()
    return versions.filter(Q(pk=viewer.campaign.active_qrels_id) | Q(published_at__isnull=False))


def version_or_404(viewer: Viewer, version: int) -> Qrels:
    return get_object_or_404(versions_visible_to(viewer), version=version)


def _kept(
    campaign: Campaign, content: Content, note: str, actor: User | None, *, is_activated: bool
) -> Qrels:
    """The version of this content, made unless there is one. Its file is stored before the
    transaction: what a crash leaves behind is swept up."""
    refuse_archived(campaign)
    key = "" if campaign.qrels.filter(digest=content.digest).exists() else _stored(content.data)
    with transaction.atomic():
        held = Campaign.objects.select_for_update().get(pk=campaign.pk)
        qrels = held.qrels.filter(digest=content.digest).first()
        if qrels is None:
            qrels = _made(held, content, key, note, actor)
        if is_activated:
            activate_qrels(campaign=campaign, qrels=qrels, actor=actor)
    return qrels


def _stored(data: bytes) -> str:
    identity = new_public_id()
    return default_storage.save(f"qrels/{identity[:2]}/{identity}", ContentFile(data))


def _made(held: Campaign, content: Content, key: str, note: str, actor: User | None) -> Qrels:
    parsed = content.parsed
    if not set(parsed.topics) <= set(held.topics.values_list("code", flat=True)):
        problem = Problem("UNKNOWN_TOPIC", None, "a topic of the file was removed meanwhile")
        raise FormatError((problem,))
    newest = held.qrels.aggregate(newest=Max("version"))["newest"] or 0
    qrels = Qrels.objects.create(
        campaign=held,
        version=newest + 1,
        note=note,
        digest=content.digest,
        storage_key=key,
        highest_grade=int(parsed.grades.max(initial=0)),
        judgment_count=int((parsed.grades >= 0).sum()),
        warnings=[warning.as_dict() for warning in parsed.warnings],
        provenance=content.provenance,
        created_by=actor,
    )
    record(
        held,
        actor,
        "added qrels",
        qrels.version,
        sha256=qrels.digest,
        judgments=qrels.judgment_count,
    )
    return qrels
