"""The throttles of the API, counted by each process for itself: every request asks them, and a
query for each would be dear. They are against scripts that run away, not against guessing."""

from django.core.cache import caches
from django.utils.connection import ConnectionProxy
from rest_framework import throttling

COUNTS = ConnectionProxy(caches, "throttles")


class Anon(throttling.AnonRateThrottle):
    cache = COUNTS


class User(throttling.UserRateThrottle):
    cache = COUNTS


class Scoped(throttling.ScopedRateThrottle):
    cache = COUNTS
