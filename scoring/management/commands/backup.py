"""manage.py backup FILE"""

import argparse
from pathlib import Path

from django.core.management.base import BaseCommand

from scoring.backups import back_up


class Command(BaseCommand):
    help = "Writes the whole site, database and files, to one file; people may go on working."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: object) -> None:
        made = back_up(file.resolve())
        for key in made.missing:
            self.stderr.write(f"Not in the storage: {key}")
        self.stdout.write(f"{file}: the database and {made.files} files.")
