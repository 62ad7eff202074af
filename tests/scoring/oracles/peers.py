"""The tools that we are compared with; all of them are among the packages of developers."""

import os
from importlib import import_module
from typing import Any

import pytest


def peer(module: str) -> Any:
    """The module of another tool. Where it is missing tests skip; where nothing may be missing
    (REQUIRE_SERVICES=1) they fail."""
    try:
        return import_module(module)
    except ImportError as error:
        reason = f"{module} cannot be compared with: {error}"
    if os.environ.get("REQUIRE_SERVICES") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
