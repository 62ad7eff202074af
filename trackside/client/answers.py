"""Responses of a site, and whether they have the shape that the client reads."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, TypeGuard, TypeVar
from urllib.parse import urlsplit

from scoring.library.bad_input import BadInput
from trackside.api_version import API_VERSION, HEADER
from trackside.client.errors import (
    SiteError,
    content_in_words,
    other_version,
    refusal,
    unexpected,
    value_in_words,
)

Read = TypeVar("Read")
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """A response. Its methods raise SiteError if it is not what the API responds."""

    url: str
    status: int
    headers: Message
    content: bytes

    @property
    def pause(self) -> float | None:
        """The seconds of `Retry-After`, also where it is a date."""
        value = self.headers.get("Retry-After", "")
        if value.isascii() and value.isdigit():
            return float(value)
        try:
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
        except (TypeError, ValueError):
            return None

    @property
    def is_cut_off(self) -> bool:
        """Whether JSON ended before its end, without a length that says so."""
        if self._kind != "application/json":
            return False
        try:
            self._parsed  # noqa: B018
        except (ValueError, RecursionError):
            return True
        return False

    def accepted(self) -> "Answer":
        """This, unless it is a refusal, or that of another version."""
        if self._stated and self._stated != API_VERSION:
            raise other_version(self._url, self.status, self._stated)
        if self.status < 400:
            return self
        body = self._json()
        if not (
            isinstance(body, dict)
            and isinstance(body.get("message"), str)
            and isinstance(body.get("code"), str)
            and _are_problems(body.get("problems"))
        ):
            raise self._unexpected(f"JSON that is not a refusal of the API: {value_in_words(body)}")
        raise refusal(body, self.status)

    def record(self, *needed: str) -> dict[str, Any]:
        """A JSON object with these fields."""
        body = self._json()
        if not isinstance(body, dict):
            raise self._unexpected(f"JSON that is not an object: {value_in_words(body)}")
        if missing := [name for name in needed if name not in body]:
            raise self._unexpected(f"JSON without the field {missing[0]}: {value_in_words(body)}")
        return body

    def records(self, *needed: str) -> list[Record]:
        """A JSON list of objects with these fields."""
        return self.checked(self._json(), *needed)

    def checked(self, value: object, *needed: str) -> list[Record]:
        """The same for a list that is a value in this response."""
        if not _are_records(value):
            raise self._unexpected(f"JSON that is not a list of objects: {value_in_words(value)}")
        for row in value:
            if missing := [name for name in needed if name not in row]:
                words = f"JSON without the field {missing[0]}: {value_in_words(row)}"
                raise self._unexpected(words)
        return value

    def pairs(self, value: object) -> Record:
        """A list of names with values that is a value in this response."""
        if not isinstance(value, list) or not all(map(_is_pair, value)):
            raise self._unexpected(f"JSON that is not a list of pairs: {value_in_words(value)}")
        return dict(value)

    def file(self, read: Callable[[bytes], Read]) -> Read:
        """The response as read from a file."""
        try:
            return read(self.content)
        except BadInput as error:
            what = content_in_words(self._kind, self.content)
            raise self._unexpected(f"{what}, which is not the file: {error.messages[0]}") from error

    @property
    def _kind(self) -> str:
        return self.headers.get_content_type() if "Content-Type" in self.headers else ""

    @property
    def _stated(self) -> str:
        return self.headers.get(HEADER, "")[:20]

    @property
    def _url(self) -> str:
        """Without the query, in which a login page may have secrets."""
        return urlsplit(self.url)._replace(query="", fragment="").geturl()

    @cached_property
    def _parsed(self) -> Any:
        return json.loads(self.content)

    def _json(self) -> Any:
        try:
            return self._parsed
        except (ValueError, RecursionError):
            what = content_in_words(self._kind, self.content)
            raise self._unexpected(f"{what}, instead of JSON") from None

    def _unexpected(self, came: str) -> SiteError:
        return unexpected(self._url, self.status, self._stated, came)


def _are_records(value: object) -> TypeGuard[list[Record]]:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


def _are_problems(value: object) -> bool:
    return value is None or (
        _are_records(value) and all(isinstance(each.get("message"), str) for each in value)
    )
