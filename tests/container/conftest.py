"""The image, built once, and what building and running it took."""

import os

import pytest

from tests.container import base_image, database_image, image, storage
from tests.container.programs import obstacles
from tests.container.steps import STEPS, note, step


@pytest.fixture(scope="session")
def built() -> image.Image:
    if found := obstacles():
        reason = f"Containers cannot be tested: {'; '.join(found)}."
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    kept = storage.kept()
    with step("the base image"):
        note(base_image.provide(kept, image.ROOT / "Dockerfile"))
    with step("the image of the database server"):
        note(database_image.provide(kept, image.ROOT))
    with step("buildah build"):
        return image.build(kept)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if STEPS:
        terminalreporter.section("containers")
        for line in STEPS:
            terminalreporter.write_line(line)
