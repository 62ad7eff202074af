import os
from pathlib import Path

import pytest

from tests.scoring.cli.command import Command


@pytest.fixture
def trackside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(tmp_path, capsys)


@pytest.fixture
def data() -> Path:
    folder = os.environ.get("TRACKSIDE_DATA")
    if not folder:
        pytest.skip("TRACKSIDE_DATA does not name the folder of real runs")
    return Path(folder)
