"""Volumes and other mounts of a service, as Docker makes them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.container.programs import run

TMPFS = ("nosuid", "nodev", "noexec")


@dataclass(frozen=True)
class Volumes:
    """Named volumes outlive their containers; one without a name is its container's own."""

    folder: Path
    project: Path  # where the compose file is: paths are relative to it

    def mounts(
        self, service: dict[str, Any], container: str, rootfs: Path
    ) -> Iterator[dict[str, Any]]:
        for volume in service.get("volumes", []):
            source, target, *mode = volume.split(":") if ":" in volume else ("", volume)
            if source.startswith("."):
                place = self.project / source
            else:
                place = self.folder / (source or f"{container}{target.replace('/', '-')}")
                fill(place, rootfs / target.lstrip("/"))
            yield _mount(target, "bind", str(place), "rbind", *(mode or ["rw"]))
        for tmpfs in service.get("tmpfs", []):
            target, _, options = tmpfs.partition(":")
            given = options.split(",") if options else []
            yield _mount(target, "tmpfs", "tmpfs", *TMPFS, "mode=1777", *given)


def fill(volume: Path, folder: Path) -> None:
    """A new volume gets what the image has at its place, with its owner; else it is root's."""
    if volume.exists():
        return
    volume.mkdir(parents=True)
    if folder.is_dir():
        run("cp", "--archive", f"{folder}/.", volume)
        run("chown", f"--reference={folder}", volume)
        run("chmod", f"--reference={folder}", volume)


def _mount(target: str, kind: str, source: str, *options: str) -> dict[str, Any]:
    return {"destination": target, "type": kind, "source": source, "options": list(options)}
