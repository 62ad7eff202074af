"""What a site answers instead of a result."""

from collections.abc import Mapping, Sequence
from typing import Any


class SiteError(Exception):
    """A site refused a request, or did not respond. `code` is for programs, as in the API;
    `problems` are those of a file, with their lines."""

    def __init__(
        self, message: str, *, code: str = "", status: int = 0, problems: Sequence[str] = ()
    ) -> None:
        self.code, self.status, self.problems = code, status, tuple(problems)
        super().__init__("\n".join([message, *self.problems]))


def refusal(body: Mapping[str, Any], status: int) -> SiteError:
    """The error that the JSON of a refusal describes."""
    message = str(body.get("message") or "The site refused the request.")
    code = str(body.get("code") or "")
    if code == "not_authenticated":
        message += (
            " Create a token on your account page, and pass it as `token` or set TRACKSIDE_TOKEN."
        )
    return SiteError(message, code=code, status=status, problems=problems_in_words(body))


def problems_in_words(record: Mapping[str, Any]) -> list[str]:
    """The problems of a file, one line each."""
    return [_in_words(problem) for problem in record.get("problems") or []]


def _in_words(problem: Mapping[str, Any]) -> str:
    place = "" if problem.get("line") is None else f"line {problem['line']}: "
    value = f" ('{problem['value']}')" if problem.get("value") else ""
    return f"{place}{problem['message']}{value}"
