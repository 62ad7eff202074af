"""manage.py backup FILE"""

import argparse
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from scoring.backups import back_up


class Command(BaseCommand):
    help = "Writes the whole site, database and files, to one file; people may go on working."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: object) -> None:
        made = back_up(file.resolve())
        for key in made.deleted:
            self.stdout.write(f"{key} was deleted while the backup was made.")
        for fault in made.faults:
            self.stderr.write(fault)
        self.stdout.write(f"{file}: the database and {made.files} files.")
        if made.faults:
            raise CommandError(
                f"The backup is written, but files are missing or damaged: {len(made.faults)}. "
                "`manage.py verify --repair` makes again what can be made again."
            )
