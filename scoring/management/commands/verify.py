"""manage.py verify [--repair]"""

import argparse

from django.core.management.base import BaseCommand, CommandError

from scoring.verifying import verify


class Command(BaseCommand):
    help = (
        "Reads every stored file and lists those that are missing, damaged or unused. "
        "The exit status is 1 if any remains."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--repair",
            action="store_true",
            help="recreate rankings and grades, and delete unused files",
        )

    def handle(self, *, repair: bool, **options: object) -> None:
        left = 0
        for finding in verify(repair=repair):
            repaired = ", repaired" if finding.is_repaired else ""
            self.stdout.write(f"{finding.key}: {finding.fault}{repaired} ({finding.owner})")
            left += not finding.is_repaired
        if left:
            raise CommandError(f"Files missing, damaged or unused: {left}.")
        self.stdout.write("All files are intact.")
