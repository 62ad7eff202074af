"""The throttles of the API, counted by each process for itself: every request asks them, and a
query for each would be dear. They are against scripts that run away, not against guessing."""

from django.core.cache import caches
from django.utils.connection import ConnectionProxy
from rest_framework import throttling
from rest_framework.request import Request

from campaigns.client_address import client_network

COUNTS = ConnectionProxy(caches, "throttles")


class NetworkThrottle(throttling.SimpleRateThrottle):
    """Strangers are counted as everywhere on the site."""

    cache = COUNTS

    def get_ident(self, request: Request) -> str:
        return client_network(request)


class AnonThrottle(NetworkThrottle, throttling.AnonRateThrottle):
    pass


class UserThrottle(NetworkThrottle, throttling.UserRateThrottle):
    pass


class ScopedThrottle(NetworkThrottle, throttling.ScopedRateThrottle):
    pass
