"""What holds for all tests."""

import os
import signal
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any
from unittest import mock

import pytest
from django.core.management.commands import createcachetable
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import Redirect, StaticFile

from scoring.jobs import health, health_probes, probes
from tests import patience
from tests.caches import empty_caches
from tests.chromium import chromium
from tests.compiled import either_way
from tests.flow_world import clock, files_of_its_own, wake_ups, world
from tests.own_connections import live_server, own_connections
from trackside.processes import Supervisor
from trackside.stack_chunk import in_one_stack_chunk

__all__ = [
    "chromium",
    "clock",
    "either_way",
    "files_of_its_own",
    "live_server",
    "own_connections",
    "wake_ups",
    "world",
]

# A shell ignores SIGINT in what it starts in the background, such as a gate, and so does all that
# this starts. Tests that interrupt programs would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How many examples are drawn: in the tiers, by `make test-exhaustive`, and by `make search`.
# None has a deadline: on a busy machine it would only measure others. All but the search draw the
# same examples each time, so that a red test is the fault of the change it tests.
settings.register_profile("fast", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("exhaustive", max_examples=200, deadline=None, derandomize=True)
settings.register_profile("search", max_examples=2_000, deadline=None)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "fast")
settings.load_profile(PROFILE)
if PROFILE != "search":
    # Hypothesis also draws the constants of all modules that are imported at this moment. They
    # depend on the tests that the same process has run before. No setting turns that off.
    providers._get_local_constants = Constants


@in_one_stack_chunk
def _with_room(function: Callable[[], None]) -> None:
    function()


class ReadByTheTest(probes.Probe[health.Work]):
    """Another thread would not see what the transaction of the test has not committed."""

    def begin(self) -> None:
        self._began_at = time.monotonic()
        self._run()


def pytest_configure(config: pytest.Config) -> None:
    """Time limits grow as the patience does. The limits of the product that a busy machine would
    reach are as long, but in the tests of them."""
    if config.option.timeout is None:
        limit = os.environ.get("PYTEST_TIMEOUT") or config.getini("timeout")
        config.option.timeout = float(limit) * patience.FACTOR
    Supervisor.ready_seconds = patience.PATIENCE
    health_probes.TIMEOUT = patience.PATIENCE
    health_probes.PROBES = health_probes.make_probes()
    health.WORK = ReadByTheTest("job queue", health.read_work)
    probes.ASKED_SECONDS = 0  # no check goes on after its test


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    patience.begin_test(item.config.option.timeout)
    return (yield)


def pytest_itemcollected(item: pytest.Item) -> None:
    if "own_connections" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.xdist_group("crowd"))  # many connections: one test at a time
    setup, runtest = item.setup, item.runtest
    item.setup = lambda: _with_room(setup)
    item.runtest = lambda: _with_room(runtest)


_add_files_from_finders = WhiteNoiseMiddleware.add_files_from_finders
_static_files: dict[str, Redirect | StaticFile] = {}


def _add_files_found_before(middleware: WhiteNoiseMiddleware) -> None:
    """Each `Client` builds the middleware anew; the static files are looked for once."""
    if not _static_files:
        _add_files_from_finders(middleware)
        _static_files.update(middleware.files)
    middleware.files.update(_static_files)


WhiteNoiseMiddleware.add_files_from_finders = _add_files_found_before


@pytest.fixture(autouse=True)
def nothing_cached() -> None:
    empty_caches()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,
) -> Iterator[None]:
    """Django makes the cache's table once more after the migration that made it, and would tell
    so among the tests' own words."""
    loud = createcachetable.Command.handle

    def silent(command: createcachetable.Command, *tables: str, **options: Any) -> None:
        loud(command, *tables, **options | {"verbosity": 0})

    with mock.patch.object(createcachetable.Command, "handle", silent):
        yield
