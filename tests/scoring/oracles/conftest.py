"""What several tests compare is computed once."""

import pytest

from tests.scoring.oracles.cells import Cells, compare_cells
from tests.scoring.oracles.peers import peer


@pytest.fixture(scope="session")
def cells() -> Cells:
    """All runs in both orders: about ten seconds."""
    return compare_cells(peer("pytrec_eval"))
