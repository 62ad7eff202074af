"""The units of systemd in the documentation are valid."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNIT = re.compile(r"`/etc/systemd/system/([^`]+)`[^\n]*:\n\n```ini\n(.*?)```", re.DOTALL)


def units() -> dict[str, str]:
    pages = (ROOT / "docs" / name for name in ("first-site.md", "operations.md"))
    return dict(UNIT.findall("".join(page.read_text() for page in pages)))


def test_systemd_accepts_every_unit(tmp_path: Path) -> None:
    if not (program := shutil.which("systemd-analyze")):
        pytest.skip("systemd-analyze is not installed")
    found = units()
    assert {*found} == {
        "trackside@.service", "trackside-backup.service", "trackside-backup.timer",
    }  # fmt: skip
    for name, text in found.items():  # the programs of the units are not on this machine
        (tmp_path / name).write_text(re.sub(r"^(ExecStart=)\S+", r"\1/bin/true", text, flags=re.M))
    names = [name.replace("@", "@serve") for name in found]
    done = subprocess.run(
        [program, "verify", "--man=no", *(str(tmp_path / name) for name in names)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
