"""A choice in an address that is not offered, told in words.

`UnknownChoice` is answered in one place each: pages say what is offered (`trackside.errors`), the
API refuses with 400 (`campaigns.api.refusals`). Whoever raises it names only what the
viewer may see.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from django.http import Http404

Offered: TypeAlias = Mapping[str, str] | Iterable[str]  # value in the address: how it is called


LONGEST = 60  # characters of what was typed that are said again


class UnknownChoice(Http404):
    """`name` is the key in the address, `called` what people call the thing."""

    def __init__(
        self, name: str, value: str, offered: Offered = (), *, called: str = "", why: str = ""
    ) -> None:
        self.name, self.value = name, value
        value = shortened(value)
        self.offered = _named(offered)
        called = called or name
        self.message = why or (
            f"There is no {called} “{value}” here." if value else f"No {called} is named."
        )
        super().__init__(self.message)

    def first_labels(self, most: int) -> str:
        """What may be written in the address, as many as are worth reading."""
        more = len(self.offered) - most
        return ", ".join(list(self.offered)[:most]) + (f" and {more} more" if more > 0 else "")


def choice_or_404(
    name: str, value: str | None, offered: Offered, *, usual: str = "", called: str = ""
) -> str:
    """The value if it is offered, `usual` if there is none. Raises UnknownChoice."""
    if not value:
        return usual
    known = _named(offered)
    if value not in known:
        raise UnknownChoice(name, value, known, called=called)
    return value


def shortened(typed: str) -> str:
    """What somebody typed, as much of it as is worth reading again."""
    return typed if len(typed) <= LONGEST else typed[:LONGEST] + "…"


def _named(offered: Offered) -> dict[str, str]:
    return (
        dict(offered) if isinstance(offered, Mapping) else {value: value for value in list(offered)}
    )
