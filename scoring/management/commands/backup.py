"""manage.py backup FILE, manage.py backup FOLDER --keep N"""

import argparse
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from scoring.backups.archive import CannotBackUp, back_up, delete_older


class Command(BaseCommand):
    help = "Writes the database and all files of the site to one file, while the site is in use."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="or a folder: the file is named by the time")
        parser.add_argument(
            "--keep",
            type=int,
            metavar="N",
            help="delete all but the latest N backups of the folder, if no file was missing or "
            "damaged",
        )

    def handle(self, *, file: Path, keep: int | None, **options: object) -> None:
        file = file.resolve()
        if keep is not None and (keep < 1 or not file.is_dir()):
            raise CommandError("--keep needs a number from 1 on, and a folder instead of a file.")
        try:
            backup = back_up(file)
        except CannotBackUp as error:
            raise CommandError(f"No backup was made. {error}") from None
        except OSError as error:
            raise CommandError(f"No backup was made. {error}") from error
        for key in backup.deleted:
            self.stdout.write(f"{key} was deleted during the backup.")
        for fault in backup.faults:
            self.stderr.write(fault)
        self.stdout.write(f"{backup.path}: the database and {backup.files} files.")
        if backup.faults:
            raise CommandError(
                f"The backup is written, but files are missing or damaged: {len(backup.faults)}. "
                "Run the command `verify --repair` to recreate those that can be recreated."
            )
        if keep is not None:
            for name in delete_older(file, keep):
                self.stdout.write(f"{name} is older and was deleted.")
