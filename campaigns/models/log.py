"""The log of changes. Rows are only added."""

from typing import Any, NoReturn

from django.db import models

from campaigns.models.campaign import Campaign
from campaigns.models.people import User


class Appended(models.QuerySet["LogEntry"]):
    """Refuses changes of rows."""

    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("Log entries cannot be changed or deleted.")

    def delete(self) -> NoReturn:
        raise TypeError("Log entries cannot be changed or deleted.")


class LogEntry(models.Model):
    """One change: `verb` on `subject`, with further facts in `details`."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="log")
    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=40)
    subject = models.CharField(max_length=100, blank=True)
    details = models.JSONField(default=dict)

    objects = Appended.as_manager()
    # Only for the deletion of a campaign.
    erasable = models.Manager()  # noqa: DJ012 - it is no field

    class Meta:
        verbose_name_plural = "log entries"
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject}"
