"""Which responses may be compressed.

The compressed length of a body reveals a secret in it to an attacker who chooses another part of
the body (BREACH). Only responses to requests without a login are therefore compressed, and only
those that are the same for everyone: their bodies contain no CSRF token and nothing about a person
(docs/decisions/compressed-public-responses.md).
"""

import re
from typing import Final

from django.contrib.messages import get_messages
from django.http import HttpRequest

GZIP: Final = re.compile(r"(?:^|,)\s*gzip\s*(?:$|,|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))", re.IGNORECASE)


def takes_gzip(request: HttpRequest) -> bool:
    return bool(GZIP.search(request.headers.get("Accept-Encoding", "")))


def is_same_for_everyone(request: HttpRequest) -> bool:
    """Whether nobody is logged in, and no message waits for this browser."""
    return not request.user.is_authenticated and not get_messages(request)
