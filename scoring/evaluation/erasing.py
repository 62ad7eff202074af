"""Deletes a campaign's scores from the database, so that the campaign can be deleted."""

from campaigns.models import Campaign
from scoring.models import Evaluation, FeedbackRelease, Snapshot, StoredGrades, StoredRanking


def erase_scores(campaign: Campaign) -> None:
    """Deletes scores, rankings, snapshots and jobs; housekeeping deletes their files. Call it
    inside the transaction that deletes the campaign."""
    campaign.jobs.all().delete()
    Snapshot.objects.filter(campaign=campaign).delete()
    FeedbackRelease.objects.filter(run__campaign=campaign).delete()
    Evaluation.objects.filter(run__campaign=campaign).delete()
    StoredGrades.objects.filter(run__campaign=campaign).delete()
    StoredRanking.objects.filter(run__campaign=campaign).delete()
