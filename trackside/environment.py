"""Strict reading of the environment. A setting that cannot be read is refused by its name, with
what is accepted. Its value is never printed, because it can contain a password. An empty value
counts as none."""

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Final, TypeVar
from urllib.parse import SplitResult, urlsplit

import environ
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from scoring.cli.exit_status import BAD_INPUT

T = TypeVar("T")

_SWITCH: Final = {"on": True, "true": True, "yes": True, "1": True} | {
    "off": False, "false": False, "no": False, "0": False,
}  # fmt: skip
_QUOTING: Final = "characters such as @ or / of the password as %40 or %2F"


@dataclass(frozen=True)
class Environment:
    """Each method reads one setting, or raises `ImproperlyConfigured`."""

    values: Mapping[str, str]

    def read(self, name: str, parse: Callable[[str], T], accepted: str, *, default: T) -> T:
        """`parse` raises `ValueError` for what it does not accept."""
        if not (value := self.values.get(name)):
            return default
        try:
            return parse(value)
        except ValueError:
            why = f"The setting {name} cannot be read: write {accepted}."
            raise ImproperlyConfigured(why) from None  # the cause quotes the value

    def string(self, name: str, *, default: str = "") -> str:
        return self.values.get(name) or default

    def strings(self, name: str, *, default: list[str]) -> list[str]:
        """Divided by commas."""
        parts = map(str.strip, self.string(name).split(","))
        return list(filter(None, parts)) or default

    def choice(self, name: str, choices: list[str], *, default: str) -> str:
        accepted = f"{', '.join(choices[:-1])} or {choices[-1]}"
        # `index` raises ValueError for other values.
        return self.read(name, lambda value: choices[choices.index(value)], accepted,
                         default=default)  # fmt: skip

    def boolean(self, name: str, *, default: bool) -> bool:
        accepted = "on or off, true or false, yes or no, 1 or 0"
        return self.read(name, _boolean, accepted, default=default)

    def integer(self, name: str, *, default: int, least: int = 0) -> int:
        accepted = f"a whole number of {least} or more, in digits and without a unit"
        return self.read(name, lambda value: _within(int(value), least), accepted, default=default)

    def number(self, name: str, *, default: float, least: float = 0, most: float = inf) -> float:
        limits = f"from {least:g} to {most:g}" if most < inf else f"of {least:g} or more"
        accepted = f"a number {limits}, without a unit"
        return self.read(name, lambda value: _within(float(value), least, most), accepted,
                         default=default)  # fmt: skip

    def rate(self, name: str, *, default: str) -> str:
        """Of a throttle of REST framework."""
        return self.matching(name, r"\d+/[smhd][a-z]*", "a rate such as 60/hour, with second, "
                             "minute, hour or day", default=default)  # fmt: skip

    def matching(self, name: str, pattern: str, accepted: str, *, default: str = "") -> str:
        def parse(value: str) -> str:
            _require(re.fullmatch(pattern, value, re.ASCII))
            return value

        return self.read(name, parse, accepted, default=default)

    def http_url(self, name: str) -> str:
        return self.read(name, _http_url, "a URL such as https://host.example.org", default="")

    def site_url(self, name: str) -> str:
        accepted = "scheme and host, such as https://evaluation.example.org, and no path"
        return self.read(name, _site_url, accepted, default="")

    def sentry_dsn(self, name: str) -> str:
        accepted = "the DSN of a Sentry project, such as https://KEY@sentry.example.org/1"
        return self.read(name, _sentry_dsn, accepted, default="")

    def broker_url(self, name: str, *, default: str) -> str:
        accepted = f"redis://:PASSWORD@HOST:6379/0 or rediss://..., with {_QUOTING}"
        return self.read(name, _broker_url, accepted, default=default)

    def database_url(self, name: str, *, default: dict[str, Any]) -> dict[str, Any]:
        """The settings of a database of Django."""
        accepted = (
            "postgres://USER:PASSWORD@HOST:5432/NAME or sqlite:////FOLDER/FILE, with " + _QUOTING
        )
        return self.read(name, _database, accepted, default=default)

    def email_url(self, name: str, *, default: str) -> dict[str, Any]:
        """The settings of Django for email."""
        accepted = f"smtp+tls://USER:PASSWORD@HOST:587 or smtp://HOST:25, with {_QUOTING}"
        return self.read(name, _email, accepted, default=_email(default))


def exit_if_unreadable(status: int = BAD_INPUT) -> None:
    """Reads the settings. If one of them is refused, prints the sentence and ends the process."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trackside.settings")
    try:
        settings.INSTALLED_APPS  # noqa: B018 - the settings are read when the first is needed
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(status)


def _require(condition: object) -> None:
    if not condition:
        raise ValueError


def _boolean(value: str) -> bool:
    _require((word := value.strip().lower()) in _SWITCH)
    return _SWITCH[word]


N = TypeVar("N", int, float)


def _within(number: N, least: float, most: float = inf) -> N:
    _require(isfinite(number) and least <= number <= most)
    return number


def _parts(value: str) -> SplitResult:
    """Raises `ValueError` for a port that is no number, which an unquoted password can cause."""
    parts = urlsplit(value)
    _require(parts.port is None or parts.port)
    _require(not parts.fragment and "@" not in parts.path + parts.query)
    return parts


def _http_url(value: str) -> str:
    parts = _parts(value)
    _require(parts.scheme in {"http", "https"} and parts.hostname and not re.search(r"\s", value))
    return value


def _site_url(value: str) -> str:
    parts = _parts(_http_url(value.rstrip("/")))
    _require(parts.geturl() == f"{parts.scheme}://{parts.netloc}" and "@" not in parts.netloc)
    return value.rstrip("/")


def _sentry_dsn(value: str) -> str:
    parts = _parts(_http_url(value))
    _require(parts.username and parts.path.rpartition("/")[2].isdecimal())
    return value


def _broker_url(value: str) -> str:
    if not value.startswith("filesystem:"):
        parts = _parts(value)
        _require(parts.scheme in {"redis", "rediss"} and re.fullmatch(r"(/\d*)?", parts.path))
    return value


def _database(value: str) -> dict[str, Any]:
    scheme, separator, rest = value.partition("://")
    _require(separator and scheme in {"sqlite", *environ.Env.POSTGRES_FAMILY})
    # django-environ would ignore the host, which is mostly a slash that is missing.
    _require(scheme != "sqlite" or rest == ":memory:" or rest.startswith("/"))
    found: dict[str, Any] = environ.Env.db_url_config(value)
    if scheme != "sqlite":
        _require(found["NAME"] or "service" in found.get("OPTIONS", {}))
        _require(not re.search("[@/]", found["NAME"]))
    return found


def _email(value: str) -> dict[str, Any]:
    scheme = urlsplit(value).scheme
    _require(scheme in environ.Env.EMAIL_SCHEMES)
    if scheme.startswith("smtp"):
        parts = _parts(value)
        _require(parts.hostname and parts.path in {"", "/"})
    found: dict[str, Any] = environ.Env.email_url_config(value)
    _require(scheme != "filemail" or found["EMAIL_FILE_PATH"])
    return found
