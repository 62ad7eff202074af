"""Taking a campaign's scores out of the database, so that the campaign itself can go."""

from campaigns.models import Campaign
from scoring.models import Evaluation, FeedbackRelease, Snapshot, StoredGrades, StoredRanking


def erase_scores(campaign: Campaign) -> None:
    """Deletes scores, rankings, snapshots and jobs; their files fall to housekeeping. Call it
    inside the transaction that deletes the campaign."""
    campaign.jobs.all().delete()
    Snapshot.objects.filter(campaign=campaign).delete()
    FeedbackRelease.objects.filter(run__campaign=campaign).delete()
    Evaluation.objects.filter(run__campaign=campaign).delete()
    StoredGrades.objects.filter(run__campaign=campaign).delete()
    StoredRanking.objects.filter(run__campaign=campaign).delete()
