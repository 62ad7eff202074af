"""Gives a person the permission to create campaigns, or revokes it, on sites with
WHO_MAY_CREATE_CAMPAIGNS=approved. A request of the person is decided, and the person is emailed.
Without an address, lists the requests that await a decision."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.models import User
from campaigns.people import organiser_requests


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", nargs="?", help="the address of the account")
        refuses = parser.add_mutually_exclusive_group()
        refuses.add_argument("--revoke", action="store_true", help="revoke the permission")
        refuses.add_argument("--decline", action="store_true", help="decline the person's request")
        parser.add_argument("--answer", default="", help="a sentence for the email to the person")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["email"]:
            return self._list_requests()
        email = options["email"].strip()
        person = User.objects.filter(email__iexact=email, is_active=True).first()
        if person is None:
            raise CommandError(f"Nobody has an account with the address {email}.")
        request = organiser_requests.open_requests().filter(person=person).first()
        if options["decline"] and request is None:
            raise CommandError(f"{email} has no request that awaits a decision.")
        if request is not None and not options["revoke"]:
            organiser_requests.decide(
                request, approve=not options["decline"], answer=options["answer"]
            )
        if options["decline"]:
            return self.stdout.write(f"The request of {email} is declined.")
        person.is_approved = not options["revoke"]
        person.save(update_fields=["is_approved"])
        may = "can create campaigns" if person.is_approved else "can no longer create campaigns"
        self.stdout.write(f"{email} {may}.")

    def _list_requests(self) -> None:
        requests = list(organiser_requests.open_requests())
        for each in requests:
            self.stdout.write(
                f"{each.created_at:%Y-%m-%d} {each.person.email} ({each.person}): {each.purpose}"
            )
        if not requests:
            self.stdout.write("No request awaits a decision.")
