"""The production stack, started once for all tests that need it."""

import os
from collections.abc import Iterator

import pytest

from trackside.stack import Missing, Stack, running


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    try:
        with running(tmp_path_factory.mktemp("stack") / "site") as stack:
            yield stack
    except Missing as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))
