"""manage.py restore FILE"""

import argparse
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from scoring.backups.archive import CannotRestore, restore


class Command(BaseCommand):
    help = "Restores a backup into an empty database and the site's storage."
    requires_system_checks: list[str] = []  # the database has no tables yet

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: object) -> None:
        try:
            files = restore(file.resolve())
        except CannotRestore as error:
            raise CommandError(str(error)) from error
        except OSError as error:  # of the storage, before the database is changed
            raise CommandError(f"The files cannot be restored: {error}") from error
        self.stdout.write(
            f"Restored the database and {files} files. Start the web server and the workers now."
        )
