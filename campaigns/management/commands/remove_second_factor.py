"""Removes the second factor of a person who has lost their phone and their recovery codes. Make
sure first that the person is who they say."""

from argparse import ArgumentParser
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the address of the account")

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].strip()
        if not Authenticator.objects.filter(user__email__iexact=email).delete()[0]:
            raise CommandError(f"Nobody with the address {email} has a second factor.")
        self.stdout.write(f"{email} has no second factor any more.")
