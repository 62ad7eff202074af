"""The commands of docs/operations.md that write `.env` make a file that Docker Compose reads."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.container import compose
from trackside import settings

ROOT = Path(settings.__file__).parents[1]
LINE = re.compile(r"([A-Z][A-Z0-9_]*)=([^\s$#'\"]*)")  # nothing that compose would interpolate


@pytest.fixture
def written(tmp_path: Path) -> dict[str, str]:
    text = (ROOT / "docs/operations.md").read_text()
    blocks = [each for each in re.findall(r"```sh\n(.*?)```", text, re.S) if ">.env" in each]
    assert len(blocks) == 2
    subprocess.run(["sh", "-e", "-c", "\n".join(blocks)], cwd=tmp_path, check=True)
    lines = (tmp_path / ".env").read_text().splitlines()
    found = [LINE.fullmatch(line) for line in lines]
    assert None not in found, lines
    assert (tmp_path / ".env").stat().st_mode & 0o077 == 0
    return {each[1]: each[2] for each in found if each}


def test_every_variable_that_the_compose_file_requires_is_there(written: dict[str, str]) -> None:
    services = compose.services(ROOT / "docker-compose.yml", written)  # raises KeyError
    web = services["web"]["environment"]
    assert web["S3_BUCKET"] == "trackside"
    assert web["DATABASE_URL"] == (
        f"postgres://trackside:{written['POSTGRES_PASSWORD']}@db:5432/trackside"
    )


def test_each_secret_is_long_and_another(written: dict[str, str]) -> None:
    secrets = {written[name] for name in ("POSTGRES_PASSWORD", "REDIS_PASSWORD", "SECRET_KEY")}
    assert len(secrets) == 3
    assert all(re.fullmatch(r"[0-9a-f]{48,}", each) for each in secrets)
    assert len(written["SECRET_KEY"]) >= 50
