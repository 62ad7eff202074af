"""Runs tests twice: with the compiled extensions, and with the Python that does the same work."""

import os
from collections.abc import Iterator

import pytest

from campaigns.trec import compiled as reading
from scoring.core.data import compiled as aligning


@pytest.fixture(scope="module", params=["compiled", "python"])
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "compiled":
        if reading.scan is None or aligning.align is None:
            if os.environ.get("CI"):
                pytest.fail("the extensions were not compiled")
            pytest.skip("the extensions were not compiled")
        yield
        return
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reading, "scan", None)
        patched.setattr(aligning, "align", None)
        yield
