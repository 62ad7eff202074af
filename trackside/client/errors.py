"""What a site answers instead of a result."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from trackside.api_version import API_VERSION, OTHER_VERSION

UNEXPECTED: Final = "unexpected_response"  # the code of a response that is not one of the API

_PASSING: Final = frozenset({429, 500, 502, 503, 504})  # a later request may not have them
_SHOWN: Final = 60  # characters of a response
_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>", re.I | re.S)


class SiteError(Exception):
    """A site refused a request, did not respond, or is no Trackside site of this version. `code` is
    for programs, as in the API; `problems` are those of a file, with their lines; `url` is the
    URL that responded, if the message is not the site's own."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        status: int = 0,
        problems: Sequence[str] = (),
        url: str = "",
    ) -> None:
        self.code, self.status, self.problems, self.url = code, status, tuple(problems), url
        super().__init__("\n".join([message, *self.problems]))


def refusal(body: Mapping[str, Any], status: int) -> SiteError:
    """The error that the JSON of a refusal describes."""
    message, code = str(body["message"]), str(body["code"])
    if code == "not_authenticated":
        message += (
            " Create a token on your account page, and pass it as `token` or set TRACKSIDE_TOKEN."
        )
    if code == "authentication_failed":
        message += (
            " The token may be revoked or expired, or belong to another site. Create a new one on "
            "your account page."
        )
    return SiteError(
        message, code=code, status=status, problems=problems_in_words(body.get("problems") or [])
    )


def other_version(url: str, status: int, stated: str) -> SiteError:
    """The error of a site that states another version of the API."""
    message = (
        f"{url} has version {stated} of the API, and this client, {_client()}, has version "
        f"{API_VERSION}. Install the release of trackside that the site has."
    )
    return SiteError(message, code=OTHER_VERSION, status=status, url=url)


def unexpected(url: str, status: int, stated: str, came: str) -> SiteError:
    """The error of a response that is not one of the API, such as the login page of a proxy."""
    if status in _PASSING:
        advice = "The site or its proxy is temporarily unavailable. Try again later."
    elif stated:
        advice = f"The site states version {stated} of the API, as this client, {_client()}, has."
    else:
        advice = (
            "This is not a Trackside site, or a proxy or a site of another version responds. Check "
            f"the URL. This client is {_client()}, with version {API_VERSION} of the API."
        )
    message = f"{url} answered with status {status} and {came}. {advice}"
    return SiteError(message, code=UNEXPECTED, status=status, url=url)


def content_in_words(kind: str, content: bytes) -> str:
    """What a response contains: the title of a page, or the first characters."""
    text = content[:20_000].decode("utf-8", "replace")
    if title := _TITLE.search(text):
        return f"the HTML page {_shortened(unescape(title[1]))}"
    if not text.strip():
        return "no content"
    return f"content of type {kind or 'unknown'}, {_shortened(text)}"


def value_in_words(value: object) -> str:
    """What is in JSON in the place of something else."""
    return f"{_KINDS[type(value)]}, {_shortened(repr(value))}"


def problems_in_words(problems: Iterable[Mapping[str, Any]]) -> list[str]:
    """The problems of a file, one line each."""
    return [_in_words(problem) for problem in problems]


_KINDS: Final[Mapping[type, str]] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def _shortened(text: str) -> str:
    """On one line, without what a terminal would obey."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return f"“{words[:_SHOWN]}{'…' if len(words) > _SHOWN else ''}”"


def _client() -> str:
    try:
        return f"trackside {version('trackside')}"
    except PackageNotFoundError:
        return "trackside from its source"


def _in_words(problem: Mapping[str, Any]) -> str:
    place = "" if problem.get("line") is None else f"line {problem['line']}: "
    value = f" ('{problem['value']}')" if problem.get("value") else ""
    return f"{place}{problem['message']}{value}"
