"""Invalid values of parameters in addresses, and the messages about them.

`UnknownChoice` is handled in one place each: pages list the valid values (`trackside.errors`), and
the API responds with 400 (`campaigns.api.refusals`). The message and the valid values must contain
only what the viewer may see.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from django.http import Http404

Offered: TypeAlias = Mapping[str, str] | Iterable[str]  # value in the address: its label


LONGEST = 60  # characters of the invalid value that the message repeats


class UnknownChoice(Http404):
    """`name` is the parameter in the address, `called` its name in sentences."""

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
