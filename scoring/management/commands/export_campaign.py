"""Exports a campaign to a folder in TREC's layout: topics, qrels, runs and the table of runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.folders import FolderError, export_campaign
from campaigns.models import Campaign
from campaigns.stored_files import FileLost


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            campaign = Campaign.objects.select_related("active_qrels").get(slug=options["slug"])
            count = export_campaign(campaign, options["folder"])
        except Campaign.DoesNotExist as error:
            raise CommandError(f"There is no campaign {options['slug']}.") from error
        except (FolderError, FileLost, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{count} runs written to {options['folder']}.")
