"""A storage of its own for each test, and no word of the thousands of refusals."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def storage(settings: Any, tmp_path: Path) -> None:
    storages = settings.STORAGES["default"] | {"OPTIONS": {"location": str(tmp_path / "files")}}
    settings.STORAGES = settings.STORAGES | {"default": storages}


@pytest.fixture(autouse=True)
def quiet_requests() -> Iterator[None]:
    """Refused requests are what is asked for here; errors are still told."""
    logger = logging.getLogger("django.request")
    before = logger.level
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(before)
