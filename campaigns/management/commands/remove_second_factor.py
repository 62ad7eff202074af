"""Removes the second factor of a person who has lost their phone and their recovery codes. Make
sure first that the person is who they say. The person receives an email."""

from argparse import ArgumentParser
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from campaigns.models import User


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the address of the account")

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].strip()
        person = User.objects.filter(email__iexact=email).first()
        with transaction.atomic():
            if not Authenticator.objects.filter(user=person).delete()[0]:
                raise CommandError(f"Nobody with the address {email} has a second factor.")
            # allauth sends its notifications only in a request.
            to = EmailAddress.objects.get_primary_email(person)
            facts = {"timestamp": timezone.now()}
            get_adapter().render_mail("mfa/email/totp_deactivated", to, facts).send()
        self.stdout.write(f"{email} has no second factor any more.")
