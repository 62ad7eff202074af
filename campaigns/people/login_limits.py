"""Rate limits against guessing passwords.

Attempts are counted by the pair of account and client address, so nobody can lock another person
out. A higher limit by account works against guessing from many addresses. It does not apply to
addresses from which the account has logged in before. Email addresses without an account are
counted in the same way, so a limit reveals nothing about accounts. ACCOUNT_RATE_LIMITS has the
rates.
"""

from datetime import timedelta

from allauth.core import ratelimit
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from campaigns.client_address import client_network
from campaigns.models import LoginAddress, User

PAIR, ACCOUNT, ADDRESS = "login_failed", "login_failed_account", "login_failed_address"
REMEMBERED = 20  # addresses per person
LIFETIME = timedelta(days=180)


def take_attempt(request: HttpRequest, email: str) -> bool:
    """Counts an attempt to log in before the password is checked, so that parallel attempts count
    too. False if it exceeds a limit."""
    if not ratelimit.consume(request, action=ADDRESS, dry_run=True):
        return False
    if not ratelimit.consume(request, action=PAIR, key=_pair(request, email)):
        return False
    is_known = _is_known(request, email)
    is_within = ratelimit.consume(request, action=ACCOUNT, key=email, dry_run=is_known)
    return is_known or is_within


def count_failure(request: HttpRequest) -> None:
    """Against trying one password on many accounts. Successful logins do not count: a class may
    log in from one address."""
    ratelimit.consume(request, action=ADDRESS)


def trust_address(request: HttpRequest, person: User) -> None:
    """The person has proved their identity, so earlier failures from this address do not count."""
    emails = set(person.emailaddress_set.values_list("email", flat=True)) | {person.email}
    for email in emails:
        forget_failures(request, email)
    remember_address(request, person)


def forget_failures(request: HttpRequest, email: str) -> None:
    """A correct password resets the count for its account and address."""
    ratelimit.clear(request, action=PAIR, key=_pair(request, email))


def remember_address(request: HttpRequest, person: User) -> None:
    """Records a login from this address. Only a keyed digest of the address is stored."""
    now = timezone.now()
    person.login_addresses.update_or_create(digest=_digest(request), defaults={"last_used_at": now})
    newest = person.login_addresses.order_by("-last_used_at").values("pk")[:REMEMBERED]
    person.login_addresses.exclude(pk__in=list(newest.values_list("pk", flat=True))).delete()
    person.login_addresses.filter(last_used_at__lt=now - LIFETIME).delete()


def _is_known(request: HttpRequest, email: str) -> bool:
    """Runs one query, whether or not there is such an account."""
    of_account = Q(person__email=email) | Q(person__emailaddress__email=email)
    since = timezone.now() - LIFETIME
    known = LoginAddress.objects.filter(of_account, digest=_digest(request))
    return known.filter(last_used_at__gte=since).exists()


def _pair(request: HttpRequest, email: str) -> str:
    return f"{client_network(request)} {email}"


def _digest(request: HttpRequest) -> str:
    hmac = salted_hmac("campaigns.login_limits", client_network(request), algorithm="sha256")
    return hmac.hexdigest()
