"""What people are told: announcements on the page, notices and other mails."""

from django.db import models
from django.db.models.functions import Now

from campaigns.models.campaign import Campaign
from campaigns.models.people import User


class Announcement(models.Model):
    """From the organisers to all teams; it stays as it was sent."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="announcements")
    subject = models.CharField(max_length=150)
    body = models.TextField(max_length=10_000)  # Markdown
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return self.subject


class Notice(models.Model):
    """One mail to one person; `key` says what of, so that nobody is told the same thing twice."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="notices")
    recipient = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=60)  # "refused/<run>", "published/<moment>", ...
    subject = models.CharField(max_length=200)
    body = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["recipient", "campaign", "key"], name="told_once"),
        ]

    def __str__(self) -> str:
        return self.subject


class Mail(models.Model):
    """A mail that belongs to no campaign, such as a link that resets a password. It is stored by
    the request that asks for it, and deleted once a worker has sent it."""

    recipient = models.EmailField(max_length=320, db_index=True)
    sender = models.CharField(max_length=320)
    subject = models.CharField(max_length=998)  # the longest line of a mail (RFC 5322)
    body = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.subject
