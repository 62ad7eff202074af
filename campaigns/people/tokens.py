"""Tokens for a person's scripts: how many, and for how long. REST_KNOX holds both limits; a new
password revokes all (`User.save`)."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from knox.models import AuthToken
from knox.settings import knox_settings

from campaigns.errors import TooManyTokens
from campaigns.models import User


def tokens_of(person: User) -> QuerySet[AuthToken]:
    """Those that work, the newest first."""
    return AuthToken.objects.filter(user=person, expiry__gt=timezone.now()).order_by("-created")


@transaction.atomic
def make_token(person: User) -> str:
    """A new token; only its digest is stored. Raises `TooManyTokens`."""
    User.objects.select_for_update().get(pk=person.pk)  # two requests at once count one another
    AuthToken.objects.filter(user=person, expiry__lte=timezone.now()).delete()
    limit = knox_settings.TOKEN_LIMIT_PER_USER
    if tokens_of(person).count() >= limit:
        raise TooManyTokens(f"You have {limit} tokens, which is the limit. Revoke one first.")
    _, token = AuthToken.objects.create(user=person)
    return str(token)
