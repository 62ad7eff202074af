"""How many new analyses one client may ask for: an account, or an address of somebody without one.
An analysis that is computed already, or that somebody else has asked for, costs nothing; nor does
what the board asks by itself, nor a question asked again because documents were judged since."""

from contextvars import ContextVar

from allauth.core.internal.ratelimit import cache_lock
from django.http import HttpRequest
from rest_framework.exceptions import Throttled
from rest_framework.throttling import SimpleRateThrottle

from campaigns.client_address import client_network

# Set while a request is answered; commands and workers have no budget.
request_being_answered: ContextVar[HttpRequest | None] = ContextVar("request", default=None)


class TooManyAnalyses(Throttled):
    """`wait` says how many seconds until the client may ask for another one."""

    default_code = "too_many_analyses"
    default_detail = "You have asked for many new analyses, and each takes a worker's time."


class NewAnalyses(SimpleRateThrottle):
    """Counted in the database, by all web processes together."""

    scope = "analyses"

    def get_cache_key(self, request: HttpRequest, view: object) -> str:
        person = getattr(request, "user", None)
        is_known = person is not None and person.is_authenticated
        ident = f"account-{person.pk}" if is_known else client_network(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


def spend() -> None:
    """Counts one new analysis. Raises `TooManyAnalyses` where the client has none left. One request
    of a client after the other reads the count and writes it: parallel ones would overwrite each
    other's."""
    request = request_being_answered.get()
    if request is None:
        return
    throttle = NewAnalyses()
    with cache_lock(throttle.get_cache_key(request, None)) as is_held:
        if not is_held:
            raise TooManyAnalyses(1)
        if not throttle.allow_request(request, None):
            raise TooManyAnalyses(throttle.wait())
