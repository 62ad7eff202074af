"""Rate limits against guessing passwords.

Attempts are counted by the pair of account and client address, so nobody can lock another person
out. A higher limit by account works against guessing from many addresses. It does not apply to
addresses from which the account has logged in before with this email address. Email addresses
without an account are counted in the same way, so a limit reveals nothing about accounts. Only a
person's own email addresses count as theirs, because anybody can add the address of somebody else
to an account, where it stays unverified. ACCOUNT_RATE_LIMITS has the rates.
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
    for email in person.own_emails():
        forget_failures(request, email)
        remember_address(request, person, email)


def forget_failures(request: HttpRequest, email: str) -> None:
    """A person whose own email address it is has entered the password, or proved their identity."""
    ratelimit.clear(request, action=PAIR, key=_pair(request, email))


def remember_address(request: HttpRequest, person: User, email: str) -> None:
    """Records a login with this email address from this network address. Only a keyed digest of
    the two is stored."""
    if email not in person.own_emails():
        return
    now = timezone.now()
    person.login_addresses.update_or_create(
        digest=_digest(request, email), defaults={"last_used_at": now}
    )
    newest = person.login_addresses.order_by("-last_used_at").values("pk")[:REMEMBERED]
    person.login_addresses.exclude(pk__in=list(newest.values_list("pk", flat=True))).delete()
    person.login_addresses.filter(last_used_at__lt=now - LIFETIME).delete()


def _is_known(request: HttpRequest, email: str) -> bool:
    """Runs one query, whether or not there is such an account."""
    is_verified = Q(person__emailaddress__email=email, person__emailaddress__verified=True)
    since = timezone.now() - LIFETIME
    known = LoginAddress.objects.filter(
        Q(person__email=email) | is_verified, digest=_digest(request, email)
    )
    return known.filter(last_used_at__gte=since).exists()


def _pair(request: HttpRequest, email: str) -> str:
    return f"{client_network(request)} {email}"


def _digest(request: HttpRequest, email: str) -> str:
    hmac = salted_hmac("campaigns.login_limits", _pair(request, email), algorithm="sha256")
    return hmac.hexdigest()
