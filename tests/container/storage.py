"""Where buildah keeps images between runs: apart from the images of this machine's user."""

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.container.programs import Failed, run
from tests.patience import PATIENCE


@dataclass(frozen=True)
class Storage:
    folder: Path

    @cached_property
    def _driver(self) -> str:
        """Overlay; or, where the file system under it cannot, whole copies."""
        try:
            self._run("overlay", "info")
        except Failed:
            return "vfs"
        return "overlay"

    def _run(self, driver: str, *words: str | Path, timeout: float = 15 * PATIENCE) -> str:
        places = ("--root", self.folder / "images", "--runroot", self.folder / "running")
        return run("buildah", *places, "--storage-driver", driver, *words, timeout=timeout)

    def buildah(self, *words: str | Path, timeout: float = 15 * PATIENCE) -> str:
        return self._run(self._driver, *words, timeout=timeout).strip()

    def has(self, name: str) -> bool:
        return bool(self.buildah("images", "--quiet", "--filter", f"reference={name}"))

    def import_files(self, archive: Path, name: str) -> None:
        container = self.buildah("from", "scratch")
        self.buildah("add", container, archive, "/")
        self.buildah("commit", "--quiet", "--rm", container, name)

    def configuration(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.buildah("inspect", "--type", "image", name))
        return dict(found["OCIv1"]["config"])


def kept() -> Storage:
    """In the user's cache folder. Nothing depends on what is there already."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(os.environ.get("CONTAINER_CACHE") or Path(cache) / "trackside-containers")
    folder.mkdir(parents=True, exist_ok=True)
    return Storage(folder)
