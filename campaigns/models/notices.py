"""Announcements, notices and other emails."""

from datetime import datetime

from django.db import models
from django.db.models.functions import Now

from campaigns.models.campaign import Campaign
from campaigns.models.people import User


class Announcement(models.Model):
    """A message from the organisers to all teams. `by` and `edited_at` are of the current text."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="announcements")
    subject = models.CharField(max_length=150)
    body = models.TextField(max_length=10_000)  # Markdown
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return self.subject

    @property
    def published_at(self) -> datetime:
        """When its current text was published."""
        return self.edited_at or self.at


class AnnouncementVersion(models.Model):
    """An earlier text of an announcement, which an edit replaced."""

    announcement = models.ForeignKey(
        Announcement, on_delete=models.CASCADE, related_name="versions"
    )
    subject = models.CharField(max_length=150)
    body = models.TextField(max_length=10_000)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()  # when this text was published

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return self.subject


class Notice(models.Model):
    """One email to one person. `key` names the event, so that nobody gets an email twice."""

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
    """An email that belongs to no campaign, such as a password reset. A request stores it, and a
    worker sends and deletes it."""

    recipient = models.EmailField(max_length=320, db_index=True)
    sender = models.CharField(max_length=320)
    reply_to = models.CharField(max_length=320, blank=True, default="", db_default="")
    subject = models.CharField(max_length=998)  # the longest line of an email (RFC 5322)
    body = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.subject
