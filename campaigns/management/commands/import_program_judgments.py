"""Imports a file of judgments under the name of a program, as the page of the program does."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.errors import Refusal
from campaigns.judging.program_judgments import import_grades
from campaigns.models import Program
from campaigns.trec.problems import FormatError


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the slug of the campaign")
        parser.add_argument("program", help="the name of the program")
        parser.add_argument("file", type=Path, help="qrels, or an exported pool with grades")

    def handle(self, *args: Any, **options: Any) -> None:
        slug, name, path = options["campaign"], options["program"], options["file"]
        program = Program.objects.filter(campaign__slug=slug, name=name).first()
        if program is None:
            raise CommandError(f"The campaign {slug} has no program named {name}.")
        try:
            recorded = import_grades(program=program, data=path.read_bytes(), actor=None)
        except FormatError as error:
            lines = "\n".join(str(problem) for problem in error.problems)
            raise CommandError(f"{path} was refused. Nothing was stored.\n{lines}") from error
        except (Refusal, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{name}: {recorded.in_words}")
