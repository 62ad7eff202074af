"""Query parameters: those that a page has, invalid values, and the messages about them.

A page ignores a parameter that it does not have and says so; the API refuses it.

`UnknownChoice` is handled in one place each: pages list the valid values (`trackside.errors`), and
the API responds with 400 (`campaigns.api.refusals`). The message and the valid values must contain
only what the viewer may see.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from django.http import Http404, HttpRequest

Offered: TypeAlias = Mapping[str, str] | Iterable[str]  # value in the URL: its label
AnyView = TypeVar("AnyView", bound=Callable[..., Any])


LONGEST = 60  # characters of the invalid value that the message repeats


class UnknownChoice(Http404):
    """`name` is the parameter in the URL, `called` its name in sentences."""

    def __init__(
        self, name: str, value: str, offered: Offered = (), *, called: str = "", why: str = ""
    ) -> None:
        self.name, self.value = name, value
        value = shortened(value)
        self.offered = _named(offered)
        called = called or name
        self.message = why or (
            f"“{value}” is not a valid {called}." if value else f"The {called} is missing."
        )
        super().__init__(self.message)

    def first_labels(self, most: int) -> str:
        """The first valid values, for a message."""
        more = len(self.offered) - most
        return ", ".join(list(self.offered)[:most]) + (f" and {more} more" if more > 0 else "")


def choice_or_404(
    name: str, value: str | None, offered: Offered, *, usual: str = "", called: str = ""
) -> str:
    """The value if it is valid, or `usual` without one. Raises UnknownChoice."""
    if not value:
        return usual
    known = _named(offered)
    if value not in known:
        raise UnknownChoice(name, value, known, called=called)
    return value


def shortened(typed: str) -> str:
    """The start of a typed value, for a message."""
    return typed if len(typed) <= LONGEST else typed[:LONGEST] + "…"


def _named(offered: Offered) -> dict[str, str]:
    return (
        dict(offered) if isinstance(offered, Mapping) else {value: value for value in list(offered)}
    )


OF_PREVIEWS: Final = frozenset({"as", "at"})  # on every page of a campaign
TRACKING: Final = frozenset(  # added to shared links by other sites; pages need no note about them
    {"utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "fbclid", "gclid"}
)
WITH_NOTES: Final = ("campaigns", "guides", "scoring")  # namespaces of our own pages
MOST: Final = 5  # in one note


class IgnoredParameter(NamedTuple):
    name: str
    nearest: str  # that the page has; "" if none is similar


def takes(*names: str) -> Callable[[AnyView], AnyView]:
    """Declares the query parameters that the view of a page has. Without it, the page has none."""

    def mark(view: AnyView) -> AnyView:
        view.query_parameters = frozenset(names)  # type: ignore[attr-defined]
        return view

    return mark


def ignored_parameters(request: HttpRequest) -> list[IgnoredParameter]:
    """The first MOST of those that the request has and its page has not."""
    match = request.resolver_match
    if match is None or match.namespace not in WITH_NOTES or not request.GET:
        return []
    known = getattr(match.func, "query_parameters", frozenset())
    if "slug" in match.kwargs:
        known |= OF_PREVIEWS
    unknown = [name for name in request.GET if name not in known | TRACKING][:MOST]
    return [IgnoredParameter(shortened(name), nearest_parameter(name, known)) for name in unknown]


def nearest_parameter(name: str, known: Collection[str]) -> str:
    """The most similar of the known names, or "" if none is similar."""
    # Sorted, so that of equally similar names it is always the same one.
    return next(iter(get_close_matches(shortened(name), sorted(known), n=1)), "")
