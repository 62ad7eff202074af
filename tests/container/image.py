"""The image of the site, built from a copy of this checkout."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.container.base_image import SUITE
from tests.container.package_settings import apt_mounts, pip_mounts
from tests.container.programs import run
from tests.container.storage import Storage

ROOT = Path(__file__).resolve().parents[2]
NAME = "localhost/trackside"
DATABASE = "localhost/trackside-database"
# What lies about in a checkout and must not reach the image.
LITTER = (".env", ".venv/bin/python", "var/trackside.sqlite3", "tests/test_one.py", "notes.txt",
          "trackside/__pycache__/settings.pyc", "site-backup.tar")  # fmt: skip


@dataclass(frozen=True)
class Image:
    storage: Storage
    name: str
    configuration: dict[str, Any]

    def beside(self, name: str) -> "Image":
        """Another image of the same storage."""
        return Image(self.storage, name, self.storage.configuration(name))

    @contextmanager
    def files(self) -> Iterator[Path]:
        """A root file system of its own for one container."""
        container = self.storage.buildah("from", "--pull-never", self.name)
        try:
            yield Path(self.storage.buildah("mount", container))
        finally:
            self.storage.buildah("rm", container)


def build(storage: Storage, project: Path = ROOT) -> Image:
    """Runs the unchanged Dockerfile; its network is this machine's."""
    with TemporaryDirectory() as folder:
        context = Path(folder) / "checkout"
        copy_checkout(project, context)
        settings = Path(folder) / "settings"
        settings.mkdir()
        mounts = [*pip_mounts(settings), *apt_mounts(settings, SUITE)]
        storage.buildah(
            "build", "--isolation", "chroot", "--pull-never", "--layers", "--tag", NAME,
            *(f"--volume={mount}" for mount in mounts), context,
        )  # fmt: skip
    return Image(storage, NAME, storage.configuration(NAME))


def copy_checkout(project: Path, copy: Path) -> None:
    """What git knows of, as somebody has it whose umask is 077; and litter beside it."""
    names = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=project)
    for name in filter(None, names.split("\0")):
        source, target = project / name, copy / name
        if source.is_file():
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            target.chmod(0o600)
    for name in LITTER:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text("litter")
    run("find", copy, "-type", "d", "-exec", "chmod", "700", "{}", "+")


def megabytes(folder: Path) -> int:
    return round(int(run("du", "-sb", folder).split()[0]) / 1e6)
