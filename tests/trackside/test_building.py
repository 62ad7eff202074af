"""The wheel, with a C compiler and without one."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
ROOT = Path(__file__).resolve().parents[2]
EXTENSIONS = {"campaigns/trec/_scan.abi3.so", "scoring/core/data/_align.abi3.so"}


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """What git knows of: without extensions that were compiled before."""
    copy = tmp_path / "sources"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, names.decode().split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    return copy


@pytest.mark.parametrize(("compiler", "expected"), [("cc", EXTENSIONS), ("false", set())])
def test_building_needs_no_compiler(
    sources: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compiler: str,
    expected: set[str],
) -> None:
    monkeypatch.setenv("CC", compiler)
    built = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path]
    subprocess.run([*built, sources], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name for name in names if name.endswith(".so")} == expected
    if expected:
        assert "-cp311-abi3-" in wheel.name
