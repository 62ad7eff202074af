"""Asks for everything that a person can ask for, and notes every answer, word for word."""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import parse_qs, urljoin, urlsplit

from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.views.generic import RedirectView

from campaigns.models import User

# What differs between two looks at one page, whatever is behind it.
PASSING = re.compile(
    rb'name="csrfmiddlewaretoken" value="[^"]*"|name="(?:idempotency_)?key" value="[^"]*"'
    rb'|csrf[-\w]*"?\]?(?::| =)? ?"[^"]*"',
    re.IGNORECASE,
)
# The measures are asked for by name: following their links tells nothing of a campaign.
OF_ALLAUTH = ("account_", "mfa_", "socialaccount_", "orcid_", "openid_connect_")
OF_NO_CAMPAIGN = ("/static/", "/accounts/", "/measures/")
SELF_SENT = re.compile(r'<form([^>]* method="get"[^>]*)>(.*?)</form>', re.DOTALL)
LINK = re.compile(r'\b(?:href|hx-get|src|action)="([^"#]+)')
SECRET_GIVING = {"campaigns:token-create", "campaigns:team-invite"}  # a new one every time
QUERIES = (
    "measure=AP&sort=judged&ordering=base",
    "qrels=1&format=csv&at=published",
    "qrels=2&as=public&at=published",
    "type=manual&state=scored&search=canary",
)


@dataclass
class Crawl:
    """What each request was answered: by verb and URL."""

    answers: dict[str, bytes] = field(default_factory=dict)

    def differences(self, other: "Crawl") -> list[str]:
        asked = self.answers.keys() | other.answers.keys()
        return sorted(a for a in asked if self.answers.get(a) != other.answers.get(a))

    def holding(self, text: bytes) -> list[str]:
        return [asked for asked, answer in self.answers.items() if text in answer]


def urls() -> Iterator[tuple[str, URLPattern]]:
    """Every URL of the site by its full name, allauth's own pages apart."""
    return (each for each in every_url() if not each[0].startswith(OF_ALLAUTH))


def every_url() -> Iterator[tuple[str, URLPattern]]:
    """Every URL of the site by its full name."""
    return _urls(get_resolver().url_patterns, "")


def _urls(
    patterns: Iterable[URLPattern | URLResolver], space: str
) -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from _urls(pattern.url_patterns, space + inner)
        elif not _is_old(pattern):
            yield space + (pattern.name or str(pattern.pattern)), pattern


def _is_old(pattern: URLPattern) -> bool:
    """Whether it redirects permanently: the URL that it redirects to decides on access."""
    is_redirect = getattr(pattern.callback, "view_class", None) is RedirectView
    return is_redirect and bool(pattern.callback.view_initkwargs["permanent"])


def seeds(values: dict[str, list[object]]) -> Iterator[tuple[str, str]]:
    """Every URL of the URL configuration with its name, with every one of these values in
    each place."""
    for name, pattern in urls():
        parts = list(pattern.pattern.converters)
        for chosen in itertools.product(*(values[part] for part in parts)):
            yield name, reverse(name, kwargs=dict(zip(parts, chosen, strict=True)))


def crawl(
    person: User | None,
    values: dict[str, list[object]],
    *,
    is_following: bool = True,
    is_thorough: bool = False,
) -> Crawl:
    """Looks at every seed and at what its pages link to. A thorough crawl asks for all of it by
    query, HEAD, OPTIONS and conditionally as well, and then tries to change it."""
    client = Client(raise_request_exception=False)
    if person is not None:
        client.force_login(person)
    found, waiting = Crawl(), list(seeds(values))
    seen, changing = set[str](), set[str]()
    while waiting:
        name, path = waiting.pop(0)
        is_costly = path.startswith(("/api/schema/", "/api/docs/"))
        if path in seen or name in changing or (is_costly and not is_thorough):
            continue
        seen.add(path)
        response = client.get(path)
        found.answers[f"GET {path}"] = noted(response)
        if response.status_code == 405:  # and so are all of its name
            changing.add(name)
        if response.status_code == 200 and is_following:
            waiting += [("", link) for link in _links(response, path)]
        if response.status_code == 200 and is_thorough:
            _ask_in_other_ways(client, path, found)
    if is_thorough:
        _try_to_change(client, values, found)
    return found


def _ask_in_other_ways(client: Client, path: str, found: Crawl) -> None:
    for query in QUERIES:
        asked = f"{path}{'&' if '?' in path else '?'}{query}"
        found.answers[f"GET {asked}"] = noted(client.get(asked))
    found.answers[f"HEAD {path}"] = noted(client.head(path))
    found.answers[f"OPTIONS {path}"] = noted(client.options(path))
    conditions = {"If-None-Match": "*", "If-Modified-Since": "Tue, 02 Jun 2026 00:00:00 GMT"}
    found.answers[f"GET if {path}"] = noted(client.get(path, headers=conditions))


def _try_to_change(client: Client, values: dict[str, list[object]], found: Crawl) -> None:
    """Posts nothing at all to each, and reads what the site says of it on the page after."""
    for name, path in seeds(values):
        if name in SECRET_GIVING:
            continue
        with transaction.atomic():
            found.answers[f"POST {path}"] = noted(client.post(path, follow=True))
            transaction.set_rollback(True)


def noted(response: HttpResponse) -> bytes:
    """The answer without what differs between any two looks."""
    body = b"".join(response) if response.streaming else response.content
    headers = sorted(item for item in response.headers.items() if item[0] != "X-Request-ID")
    chain = getattr(response, "redirect_chain", "")
    head = f"{response.status_code} {chain} {headers} {sorted(response.cookies)}\n"
    return head.encode() + PASSING.sub(b"", body)


def _links(response: HttpResponse, path: str) -> list[str]:
    if "html" not in response.headers.get("Content-Type", ""):
        return []
    found = []
    for link in LINK.findall(response.content.decode()):
        target = urlsplit(urljoin(path, unescape(link)))
        is_ours = not target.netloc and not target.path.startswith(OF_NO_CAMPAIGN)
        if is_ours:
            found.append(target.path + (f"?{target.query}" if target.query else ""))
    return found


def asked_of_pages(response: HttpResponse, path: str) -> Iterator[tuple[str, str]]:
    """The pages of this site that the links and the forms of a page ask for, each with the name of
    a parameter that they send."""
    text = response.content.decode()
    for link in LINK.findall(text):
        target = urlsplit(urljoin(path, unescape(link)))
        if not target.netloc and target.path.endswith("/"):
            yield from ((target.path, name) for name in parse_qs(target.query, True))
    for head, body in SELF_SENT.findall(text):
        action = re.search(r'action="([^"#]+)', head)
        target_path = urlsplit(urljoin(path, action[1])).path if action else path
        if target_path.endswith("/"):
            yield from ((target_path, name) for name in re.findall(r'\bname="([^"]+)"', body))
