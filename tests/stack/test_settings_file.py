"""The file with which a shell reaches a stack."""

import subprocess
from pathlib import Path

from trackside.stack import write_settings


def test_a_shell_that_reads_it_has_the_settings_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    settings = {"SECRET_KEY": "it's $HOME `and` more", "S3_BUCKET": "", "PATH": "/nowhere"}
    path = write_settings(tmp_path, settings)
    assert path.stat().st_mode & 0o777 == 0o600
    shown = subprocess.run(
        ["sh", "-c", f'. {path} && printf "%s|%s|%s" "$SECRET_KEY" "$S3_BUCKET" "$PATH"'],
        env={"PATH": "/usr/bin"}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert shown == "it's $HOME `and` more||/usr/bin"
