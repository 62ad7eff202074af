"""manage.py verify [--repair]"""

import argparse

from django.core.management.base import BaseCommand, CommandError

from scoring.verifying import verify


class Command(BaseCommand):
    help = (
        "Reads every stored file and names those that are missing, damaged or owned by no row. "
        "Exit status 1 where any is left."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--repair",
            action="store_true",
            help="make rankings and grades again, and delete files that no row owns",
        )

    def handle(self, *, repair: bool, **options: object) -> None:
        left = 0
        for finding in verify(repair=repair):
            mended = ", mended" if finding.is_mended else ""
            self.stdout.write(f"{finding.key}: {finding.fault}{mended} ({finding.owner})")
            left += not finding.is_mended
        if left:
            raise CommandError(f"Files that are not as they should be: {left}.")
        self.stdout.write("Every file is as it was stored.")
