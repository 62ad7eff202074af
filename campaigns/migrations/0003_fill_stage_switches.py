"""What campaigns show now becomes the row of their present stage."""

from django.db import migrations
from django.utils import timezone

SWITCHES = ("shows_own_scores", "board_audience", "per_topic_audience", "qrels_audience", "run_files_audience")


def fill(apps, schema_editor):
    Campaign = apps.get_model("campaigns", "Campaign")
    for campaign in Campaign.objects.all():
        row = {name: getattr(campaign, name) for name in SWITCHES}
        # Whoever saw the board saw the runs on it.
        campaign.runs_audience = row["runs_audience"] = campaign.board_audience
        means = max(row["board_audience"], 1 if row["shows_own_scores"] else 0)
        row["per_topic_audience"] = min(row["per_topic_audience"], means)
        if campaign.stage != "draft":
            campaign.stage_switches[campaign.stage] = row
            # Nobody is told by mail of what happened before there were mails.
            told = "opening_told_at" if campaign.is_accepting else "closing_told_at"
            setattr(campaign, told, timezone.now())
        campaign.save(
            update_fields=["runs_audience", "stage_switches", "opening_told_at", "closing_told_at"]
        )


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0002_lifecycle")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
