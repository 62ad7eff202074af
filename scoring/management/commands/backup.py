"""manage.py backup FILE"""

import argparse
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from scoring.backups import back_up


class Command(BaseCommand):
    help = "Writes the database and all files of the site to one file, while the site is in use."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: object) -> None:
        backup = back_up(file.resolve())
        for key in backup.deleted:
            self.stdout.write(f"{key} was deleted during the backup.")
        for fault in backup.faults:
            self.stderr.write(fault)
        self.stdout.write(f"{file}: the database and {backup.files} files.")
        if backup.faults:
            raise CommandError(
                f"The backup is written, but files are missing or damaged: {len(backup.faults)}. "
                "Run the command `verify --repair` to recreate those that can be recreated."
            )
