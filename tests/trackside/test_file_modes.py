"""Who can read what the site writes: uploads the site alone, static files every account.

An image is built by root and run by another account. What one writes there the other must read.
"""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from trackside.checks import check_deployment

ROOT = Path(__file__).resolve().parents[2]
PLAIN = "django.contrib.staticfiles.storage.StaticFilesStorage"
PRODUCTION = "whitenoise.storage.CompressedManifestStaticFilesStorage"


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("storage", [PLAIN, PRODUCTION])
def test_every_account_can_read_what_collectstatic_writes(storage: str, tmp_path: Path) -> None:
    collected = tmp_path / "collected"
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "SECRET_KEY": "only-for-this-step",
            "VAR_DIR": str(tmp_path),
            "STATIC_ROOT": str(collected),
            "STATICFILES_STORAGE": storage,
        },
        umask=0o022,
        check=True,
    )
    written = [collected, *collected.rglob("*")]
    assert len(written) > 100
    needed = {path: 0o005 if path.is_dir() else 0o004 for path in written}
    assert [path for path, bits in needed.items() if mode_of(path) & bits != bits] == []


def test_other_accounts_cannot_read_uploaded_files(settings: LazySettings, tmp_path: Path) -> None:
    ours = settings.STORAGES["default"]
    options = ours["OPTIONS"] | {"location": str(tmp_path)}
    settings.STORAGES = settings.STORAGES | {"default": ours | {"OPTIONS": options}}
    name = default_storage.save("runs/one", ContentFile(b"1 Q0 A 1 3.0 one\n"))
    assert mode_of(tmp_path / name) == 0o640


@pytest.mark.parametrize(
    ("storage", "mode", "reported"),
    [
        ("default", 0o644, "Every account of this machine can read uploaded files"),
        ("staticfiles", 0o640, "which the web server's account cannot read"),
    ],
)
def test_the_check_reports_wrong_modes(
    storage: str, mode: int, reported: str, settings: LazySettings
) -> None:
    def messages() -> str:
        return "\n".join(str(each.msg) for each in check_deployment())

    assert reported not in messages()
    ours = settings.STORAGES[storage]
    options = ours.get("OPTIONS", {}) | {"file_permissions_mode": mode}
    settings.STORAGES = settings.STORAGES | {storage: ours | {"OPTIONS": options}}
    assert reported in messages()
