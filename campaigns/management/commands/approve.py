"""Gives a person the permission to create campaigns, or revokes it, on sites with
WHO_MAY_CREATE_CAMPAIGNS=approved."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.models import User


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the address of the account")
        parser.add_argument("--revoke", action="store_true", help="revoke the permission")

    def handle(self, *args: Any, **options: Any) -> None:
        email, is_approved = options["email"].strip(), not options["revoke"]
        people = User.objects.filter(email__iexact=email, is_active=True)
        if not people.update(is_approved=is_approved):
            raise CommandError(f"Nobody has an account with the address {email}.")
        may = "can create campaigns" if is_approved else "can no longer create campaigns"
        self.stdout.write(f"{email} {may}.")
