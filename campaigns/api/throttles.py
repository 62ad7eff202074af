"""The throttles of the API. Limits by the minute are counted by each process for itself, because
every request checks them and a query for each check would be slow. They protect against runaway
scripts, not against guessing. Limits by the hour, of changes and uploads, are counted in the
database for all processes together."""

from django.core.cache import cache, caches
from django.utils.connection import ConnectionProxy
from rest_framework import throttling
from rest_framework.request import Request

from campaigns.client_address import client_network

COUNTS = ConnectionProxy(caches, "throttles")


class NetworkThrottle(throttling.SimpleRateThrottle):
    """Counts requests without a token by network, as everywhere on the site."""

    cache = COUNTS

    def get_ident(self, request: Request) -> str:
        return client_network(request)


class AnonThrottle(NetworkThrottle, throttling.AnonRateThrottle):
    pass


class UserThrottle(NetworkThrottle, throttling.UserRateThrottle):
    pass


class ScopedThrottle(NetworkThrottle, throttling.ScopedRateThrottle):
    cache = cache
