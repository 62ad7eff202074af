"""Every cache of a process is emptied before each test, or keeps nothing of a database."""

import importlib
import pkgutil
from collections import OrderedDict
from collections.abc import Iterator

import campaigns
import scoring
import trackside
from scoring.evaluation.lru import LRUCache
from tests.caches import COLLECTIONS, FUNCTIONS

# Of programs, files and numbers: the same whatever stands in a database.
OF_NO_ROWS = (
    "campaigns.access._campaign_by_slug",
    "campaigns.templatetags.prose.render",
    "campaigns.text.zones.",
    "campaigns.trec.",
    "scoring.analyses.studies.import_studies",
    "scoring.cli.",
    "scoring.core.",
    "scoring.estimates.query._suited",
    "scoring.evaluation.rules._rules_of",
    "scoring.measures.",
    "scoring.ranks.topics.needed",
    "scoring.results.cache._statement",
    "trackside.guides.pages.",
)
# Programs of their own, which run when they are imported or need what is not installed here.
PROGRAMS = ("__main__", "trackside.web_worker", "trackside.wsgi")


def caches_of_the_site() -> Iterator[tuple[str, object]]:
    """Each with its full name."""
    for package in (campaigns, scoring, trackside):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if found.name.endswith(PROGRAMS) or ".migrations" in found.name:
                continue
            for name, value in vars(importlib.import_module(found.name)).items():
                is_function = hasattr(value, "cache_clear")
                if is_function and value.__module__ != found.name:
                    continue  # it stands where it is made
                if is_function or isinstance(value, (LRUCache, OrderedDict)):
                    yield f"{found.name}.{name}", value


def test_every_cache_is_emptied_before_each_test_or_keeps_no_rows() -> None:
    emptied = [*COLLECTIONS, *FUNCTIONS]
    left = [
        name
        for name, cache in caches_of_the_site()
        if not name.startswith(OF_NO_ROWS) and not any(cache is each for each in emptied)
    ]
    assert left == []
