"""Publishes, edits and deletes the announcements of organisers."""

from django.db import transaction
from django.utils import timezone

from campaigns.errors import CannotEditAnnouncement
from campaigns.lifecycle import lock_unarchived
from campaigns.log import record
from campaigns.mail import notices
from campaigns.models import Announcement, AnnouncementVersion, Campaign, User

EDITED = "Another organiser has edited this announcement since you opened the page. Open it again."


@transaction.atomic
def announce(*, campaign: Campaign, subject: str, body: str, by: User) -> Announcement:
    """Stores an announcement for the overview and emails it to the participants. The same
    text twice in a row is a double click and sent once."""
    campaign = lock_unarchived(campaign)
    latest = campaign.announcements.first()
    if latest is not None and (latest.subject, latest.body) == (subject, body):
        return latest
    announcement = Announcement.objects.create(campaign=campaign, subject=subject, body=body, by=by)
    record(campaign, by, "announced", subject)
    _email(announcement, "announcement", key=f"announcement/{announcement.pk}")
    return announcement


@transaction.atomic
def edit(
    *,
    announcement: Announcement,
    subject: str,
    body: str,
    by: User,
    sends_email: bool = False,
    seen: str = "",
) -> Announcement:
    """Replaces the text, and keeps the earlier one. Emails the new text if `sends_email`. `seen` is
    when the text that the organiser saw was published. Raises `CannotEditAnnouncement` if another
    one replaced or deleted it."""
    campaign = lock_unarchived(announcement.campaign)
    current = campaign.announcements.filter(pk=announcement.pk).first()
    if current is None:
        raise CannotEditAnnouncement("Another organiser has deleted this announcement.")
    announcement = current
    if (announcement.subject, announcement.body) == (subject, body):
        return announcement
    if seen not in ("", announcement.published_at.isoformat()):
        raise CannotEditAnnouncement(EDITED)
    AnnouncementVersion.objects.create(
        announcement=announcement,
        subject=announcement.subject,
        body=announcement.body,
        by=announcement.by,
        at=announcement.published_at,
    )
    announcement.subject, announcement.body, announcement.by = subject, body, by
    announcement.edited_at = timezone.now()
    announcement.save(update_fields=["subject", "body", "by", "edited_at"])
    record(campaign, by, "edited announcement", subject)
    if sends_email:
        edits = announcement.versions.count()
        _email(announcement, "announcement_edited", key=f"announcement/{announcement.pk}/{edits}")
    return announcement


@transaction.atomic
def delete(*, announcement: Announcement, by: User) -> None:
    """Deletes the announcement with its earlier texts. Emails cannot be recalled."""
    campaign = lock_unarchived(announcement.campaign)
    record(campaign, by, "deleted announcement", announcement.subject)
    announcement.delete()


def _email(announcement: Announcement, kind: str, *, key: str) -> None:
    notices.notify_participants(announcement.campaign, kind, key=key, announcement=announcement)
