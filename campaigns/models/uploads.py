"""Uploaded files that are too large to be read in a request: a worker reads them."""

from django.db import models
from django.db.models import Q

from campaigns.models.campaign import Campaign
from campaigns.models.identity import new_public_id
from campaigns.models.people import User


class PendingUpload(models.Model):
    """A file that waits to be read, or the outcome of reading it. Housekeeping deletes the row a
    day after its last change."""

    class Kind(models.TextChoices):
        DOCUMENTS = "documents"
        QRELS = "qrels"

    class State(models.TextChoices):
        WAITING = "waiting"
        READING = "reading"
        UNCONFIRMED = "unconfirmed"  # an organiser has to confirm it
        STORED = "stored"
        REFUSED = "refused"
        FAILED = "failed"  # by a fault of the site

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="pending_uploads")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    kind = models.CharField(max_length=9, choices=Kind.choices)
    state = models.CharField(max_length=11, choices=State.choices, default=State.WAITING)
    state_changed_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    # Who uploaded it, or confirmed it: this person must still be an organiser when it is stored.
    actor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    original_name = models.CharField(max_length=200, blank=True)
    storage_key = models.CharField(max_length=100, blank=True)  # empty: the file was deleted
    digest = models.CharField(max_length=64)  # sha256
    size = models.PositiveBigIntegerField()
    bytes_read = models.PositiveBigIntegerField(default=0, db_default=0)
    options = models.JSONField(default=dict, db_default={}, blank=True)  # what the form said
    # The sentences and problems that the page shows: see `campaigns.uploads.Outcome`.
    outcome = models.JSONField(default=dict, db_default={}, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["storage_key"],
                condition=~Q(storage_key=""),
                name="one_pending_upload_per_file",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} file {self.original_name}"

    @property
    def is_live(self) -> bool:
        """Whether a worker has yet to read it, or is reading it."""
        return self.state in {self.State.WAITING, self.State.READING}

    @property
    def is_open(self) -> bool:
        """Whether its file is still to be stored."""
        return self.is_live or self.state == self.State.UNCONFIRMED
