"""Writes the deposit of a campaign, one zip for an archive such as Zenodo: runs, qrels, topics,
scores, licence and citation. Organisers choose licence and authors on the page Deposit."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from django.utils import timezone

from campaigns.errors import CannotChangeStage
from campaigns.models import Campaign
from campaigns.stored_files import FileLost
from scoring.downloads.deposit import write_deposit


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        slug, path = options["slug"], options["file"]
        try:
            campaign = Campaign.objects.select_related("active_qrels").get(slug=slug)
        except Campaign.DoesNotExist as error:
            raise CommandError(f"There is no campaign {slug}.") from error
        page = reverse("scoring:leaderboard", args=[slug])
        url = f"{settings.SITE_URL}{page}" if settings.SITE_URL else ""
        partial = path.with_name(f"{path.name}.partial")
        try:
            out = partial.open("wb")
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror or error}.") from error
        try:
            with out:
                write_deposit(campaign, out, made_at=timezone.now(), url=url)
            partial.replace(path)
        except (CannotChangeStage, FileLost, OSError) as error:
            raise CommandError(str(error)) from error
        finally:
            partial.unlink(missing_ok=True)
        self.stdout.write(f"{path} written, {path.stat().st_size:,} bytes.")
