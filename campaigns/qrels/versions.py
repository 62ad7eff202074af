"""Qrels versions: adding, freezing and activating them, and who can see which."""

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from campaigns import scoring_hooks
from campaigns.access import Viewer
from campaigns.errors import CannotActivateQrels, CannotFreeze, NothingJudged
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Program, Qrels, User
from campaigns.models.identity import new_public_id
from campaigns.qrels.files import Content, uploaded_content
from campaigns.qrels.freezing import frozen_content
from campaigns.qrels.program_sources import content_with_program
from campaigns.qrels.stated_sources import StatedSources
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
    may_lack_relevant: bool = False,
    stated: StatedSources | None = None,
) -> tuple[Qrels, ParsedQrels]:
    """Adds an immutable version and, by default, activates it. `stated` are the sources of a file
    with judgments of a program, which the caller has compared with it.

    Returns the existing version if there is one with the same content. Raises `FormatError` for an
    invalid file, and `NeedsConfirmation` if an organiser should check it first.
    """
    content = uploaded_content(
        campaign, data, is_confirmed=is_confirmed, may_lack_relevant=may_lack_relevant
    )
    if stated is not None:
        content = content.with_program(stated.sources, stated.statement, stated.programs)
    qrels = add_content(
        campaign=campaign, content=content, note=note, actor=actor, is_activated=is_activated
    )
    return qrels, content.parsed


def add_content(
    *, campaign: Campaign, content: Content, note: str, actor: User | None, is_activated: bool
) -> Qrels:
    """The version with this content, created if there is none. Its file is stored before the
    transaction. After a crash, housekeeping deletes it."""
    refuse_archived(campaign)
    key = "" if _same(campaign, content) else _store(content.data)
    with transaction.atomic():
        current = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        # Again, under the lock: another request may have added it since.
        qrels = _same(current, content)
        if qrels is None:
            qrels = _create(current, content, key, note, actor)
        if is_activated:
            activate_qrels(campaign=campaign, qrels=qrels, actor=actor)
    return qrels


def added_in_words(campaign: Campaign, qrels: Qrels) -> str:
    """What the page says after a version was added or activated."""
    if campaign.active_qrels_id == qrels.pk:
        return f"{qrels} is active. Every run is being scored with it."
    return f"{qrels} has been added and is not active."


def freeze_judgments(
    *,
    campaign: Campaign,
    note: str,
    actor: User | None,
    is_activated: bool = True,
    without_gold: bool = False,
    sources: str = Qrels.Sources.PEOPLE,
    program: Program | None = None,
) -> Qrels:
    """Adds a version with all judgments so far from these sources. Raises `NothingJudged`, and
    `CannotFreeze` if the sources need a program and none is given."""
    if sources == Qrels.Sources.PEOPLE:
        content = frozen_content(campaign, without_gold=without_gold)
    elif program is None:
        raise CannotFreeze("Choose the program whose judgments the version contains.")
    else:
        content = content_with_program(
            campaign, program, Qrels.Sources(sources), without_gold=without_gold
        )
    if content is None:
        raise NothingJudged("There are no judgments to freeze yet.")
    return add_content(
        campaign=campaign, content=content, note=note, actor=actor, is_activated=is_activated
    )


@transaction.atomic
def activate_qrels(*, campaign: Campaign, qrels: Qrels, actor: User | None) -> None:
    """Activates a new or an old version. Every run is scored with it, and older scores are kept.
    Raises `CannotActivateQrels`."""
    current = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    # The caller goes on with its own object.
    campaign.active_qrels = qrels
    if current.active_qrels_id == qrels.pk:
        return
    refuse_archived(current)
    if qrels.has_program and not qrels.statement:
        raise CannotActivateQrels(
            f"{qrels} contains judgments of a program, and no statement says of which one. Freeze "
            "the judgments again."
        )
    if qrels.highest_grade > current.highest_grade:
        raise CannotActivateQrels(
            f"{qrels} contains grade {qrels.highest_grade}, but the campaign's highest grade is "
            f"{current.highest_grade}. Change the campaign's settings, or choose other qrels."
        )
    Campaign.objects.filter(pk=current.pk).update(active_qrels=qrels)
    if current.stage == Campaign.Stage.PUBLISHED:
        # Only the first time: a version that was published once stays so.
        Qrels.objects.filter(pk=qrels.pk, published_at=None).update(published_at=timezone.now())
    record(current, actor, "activated qrels", qrels.version)
    scoring_hooks.enqueue_evaluations(current)


def versions_visible_to(viewer: Viewer) -> QuerySet[Qrels]:
    """Organisers can see every version. Other people, if qrels are visible, can see the active
    version and those that were published."""
    versions = viewer.campaign.qrels.order_by("version")
    if viewer.is_organiser:
        return versions
    if not viewer.can_see_qrels:
        return versions.none()
    return versions.filter(Q(pk=viewer.campaign.active_qrels_id) | Q(published_at__isnull=False))


def version_or_404(viewer: Viewer, version: int) -> Qrels:
    return get_object_or_404(versions_visible_to(viewer), version=version)


def _same(campaign: Campaign, content: Content) -> Qrels | None:
    """The version with the same content. Two programs may have given the same grades, and are
    distinguished by the statement. A file that was downloaded here and is uploaded again has none:
    it is the version that it was, so that a program's judgments do not become those of people."""
    same = campaign.qrels.filter(digest=content.digest)
    return (same.filter(statement=content.statement) if content.statement else same).first()


def _store(data: bytes) -> str:
    identity = new_public_id()
    return default_storage.save(f"qrels/{identity[:2]}/{identity}", ContentFile(data))


def _create(campaign: Campaign, content: Content, key: str, note: str, actor: User | None) -> Qrels:
    parsed = content.parsed
    if not set(parsed.topics) <= set(campaign.topics.values_list("code", flat=True)):
        problem = Problem(
            "UNKNOWN_TOPIC", None, "a topic of the file has been removed in the meantime"
        )
        raise FormatError((problem,))
    newest = campaign.qrels.aggregate(newest=Max("version"))["newest"] or 0
    qrels = Qrels.objects.create(
        campaign=campaign,
        version=newest + 1,
        note=note,
        digest=content.digest,
        storage_key=key,
        highest_grade=int(parsed.grades.max(initial=0)),
        judgment_count=int((parsed.grades >= 0).sum()),
        warnings=[warning.as_dict() for warning in parsed.warnings],
        provenance=content.provenance,
        sources=content.sources,
        statement=content.statement,
        created_by=actor,
    )
    record(
        campaign,
        actor,
        "added qrels",
        qrels.version,
        sha256=qrels.digest,
        judgments=qrels.judgment_count,
        **({"sources": qrels.sources} if qrels.has_program else {}),
    )
    return qrels
