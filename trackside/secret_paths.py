"""Hides secrets of URLs from logs: invitation links, and the keys of emails that confirm an
address or reset a password. A person who reads a log could use them."""

import logging
import re
from typing import Any

SECRET = re.compile(
    r"((?:/|%2F)(?:invitations|confirm-email|reset(?:/|%2F)key)(?:/|%2F))"
    r"(?:[^/\s?&\"'%]|%(?!2F))+",
    re.IGNORECASE,
)


def hide_secrets(value: Any) -> Any:
    """The same text, or structure of texts, without the secrets."""
    if isinstance(value, str):
        return SECRET.sub(r"\1…", value)
    if isinstance(value, dict):
        return {key: hide_secrets(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(hide_secrets(each) for each in value)
    return value


class WithoutSecrets(logging.Filter):
    """Django logs the path of each refused request."""

    def filter(self, record: logging.LogRecord) -> bool:
        # The message contains its arguments now.
        record.msg, record.args = hide_secrets(record.getMessage()), None
        return True


def scrub_event(event: Any, hint: Any) -> Any:
    """For Sentry, which gets the URL of the request and the last log lines."""
    return {key: hide_secrets(each) if key != "exception" else each for key, each in event.items()}
