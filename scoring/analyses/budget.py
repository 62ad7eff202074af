"""How many new analyses a client (an account, or a network address without an account) may request.
Free of charge are analyses that exist already, those that a page requests by itself, and repeated
requests because documents were judged in the meantime."""

from allauth.core.internal.ratelimit import cache_lock
from django.http import HttpRequest
from rest_framework.exceptions import Throttled
from rest_framework.throttling import SimpleRateThrottle

from campaigns.client_address import client_of, request_being_answered


class TooManyAnalyses(Throttled):
    """`wait`: seconds until the client may request another analysis."""

    default_code = "too_many_analyses"
    default_detail = "You have requested many new analyses, and each takes a worker's time."


class NewAnalyses(SimpleRateThrottle):
    """Counted in the database, for all web processes together."""

    scope = "analyses"

    def get_cache_key(self, request: HttpRequest, view: object) -> str:
        return self.cache_format % {"scope": self.scope, "ident": client_of(request)}


def spend() -> None:
    """Counts one new analysis. Raises `TooManyAnalyses` if the client has none left. Commands and
    workers have no budget. Requests of a client read and write the count one after the other, so
    that none overwrites another's."""
    request = request_being_answered.get()
    if request is None:
        return
    throttle = NewAnalyses()
    with cache_lock(throttle.get_cache_key(request, None)) as is_held:
        if not is_held:
            raise TooManyAnalyses(1)
        if not throttle.allow_request(request, None):
            raise TooManyAnalyses(throttle.wait())
