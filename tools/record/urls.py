"""Every URL of the site, from its URLconf."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.regex_helper import normalize

Values = Mapping[str, Sequence[object]]  # of each part of a URL, the usual one first
NOT_KNOWN = ("1",)  # the value of a part for which none is given; converters of all kinds take it


@dataclass(frozen=True)
class Route:
    """`template` has a %(part)s for each of the parts."""

    pattern: str
    template: str
    parts: tuple[str, ...]

    def paths(self, values: Values) -> Iterator[str]:
        """The URL with every combination of the values of its parts."""
        for chosen in itertools.product(*(values.get(part, NOT_KNOWN) for part in self.parts)):
            quoted = (quote(str(value)) for value in chosen)
            yield self.template % dict(zip(self.parts, quoted, strict=True))


def routes() -> list[Route]:
    """Old URLs, which redirect, are among them."""
    found = (_route(*each) for each in _patterns(get_resolver().url_patterns, "", ""))
    return list({route.pattern: route for route in found}.values())


def _patterns(
    below: Iterable[URLPattern | URLResolver], route: str, regex: str
) -> Iterator[tuple[str, str]]:
    """Each pattern as people write it, and as a regular expression."""
    for each in below:
        longer = route + str(each.pattern), regex + each.pattern.regex.pattern.removeprefix("^")
        if isinstance(each, URLResolver):
            yield from _patterns(each.url_patterns, *longer)
        else:
            yield longer


def _route(route: str, regex: str) -> Route:
    template, parts = normalize(regex)[0]
    return Route(route, f"/{template}", tuple(parts))
