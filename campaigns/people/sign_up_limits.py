"""How many may sign up by an invitation link."""

from typing import Final

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from campaigns.models import Invitation

ATTEMPTS_FOR_A_USE: Final = 3  # of a link, in a day: a mistyped form counts too
DAY: Final = 24 * 3600  # seconds


@transaction.atomic
def take_attempt(link: Invitation) -> bool:
    """Counts an attempt to sign up by the link today. False if it exceeds the limit."""
    # Locked, because a cache in the database cannot increment a number atomically.
    list(Invitation.objects.select_for_update(no_key=True).filter(pk=link.pk))
    key = f"sign-ups/{link.pk}/{timezone.now():%Y-%m-%d}"
    attempts = cache.get(key, 0)
    if attempts >= ATTEMPTS_FOR_A_USE * link.max_uses:
        return False
    cache.set(key, attempts + 1, timeout=DAY)
    return True
