"""Where this machine gets packages from, as pip and apt are set up on it.

The settings are mounted while the image is built. They are in no file of the repository and in no
layer of the image.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from tests.container.programs import Failed, run

CERTIFICATES = Path("/etc/ssl/certs")
OPTIONS_WITH_PATHS = ("cert", "constraint", "find-links", "index-url", "extra-index-url")
DEBIAN = "http://deb.debian.org/debian"


def pip_mounts(folder: Path) -> Iterator[str]:
    """Mounts for `buildah build --volume`: one pip.conf, and the folders that it names."""
    options = _pip_options()
    written = folder / "pip.conf"
    lines = [f"{name} = {' '.join(value.split())}" for name, value in options.items()]
    written.write_text("\n".join(["[global]", *lines, ""]))
    yield f"{written}:/etc/pip.conf:ro"
    named = " ".join(options.get(name, "") for name in OPTIONS_WITH_PATHS)
    paths = {Path(urlsplit(each).path) for each in named.split() if each.startswith(("/", "file:"))}
    folders = {_outermost(path) for path in paths if path.exists()}
    yield from (f"{path}:{path}:ro" for path in sorted(folders | {CERTIFICATES}))


def apt_mounts(folder: Path, suite: str) -> Iterator[str]:
    """Mounts for `buildah build --volume`: the archive that apt uses here, and the way to it."""
    sources, options = folder / "sources.list", folder / "apt.conf"
    sources.write_text(f"deb {debian_mirror()} {suite} main\n")
    options.write_text(_apt_settings())
    yield f"{sources}:/etc/apt/sources.list:ro"
    yield f"{options}:/etc/apt/apt.conf.d/99machine:ro"


def _pip_options() -> dict[str, str]:
    """Its files and PIP_ variables in one: what comes later wins, and lists are joined."""
    options: dict[str, str] = {}
    for line in run(sys.executable, "-m", "pip", "config", "list").splitlines():
        name, _, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if section in {"global", "install", ":env:"}:
            options[key] = str(ast.literal_eval(value))
    return options


def _outermost(path: Path) -> Path:
    """An index links to files beside it: /opt/index/simple needs /opt/index."""
    return path.parent if path.name == "simple" else path


def debian_mirror() -> str:
    """The archive that apt uses here, if this machine is a Debian; or Debian's own."""
    wanted = ("--format", "$(ORIGIN) $(LABEL) $(REPO_URI)", "Created-By: Packages")
    try:
        found = run("apt-get", "indextargets", *wanted)
    except (Failed, OSError):
        return DEBIAN
    archives = [
        line.split()[-1] for line in found.splitlines() if line.startswith("Debian Debian ")
    ]
    return archives[0].rstrip("/") if archives else DEBIAN


def apt_options(folder: Path) -> list[str]:
    """How apt reaches the archive from here, for mmdebstrap."""
    settings = _apt_settings()
    written = folder / "apt.conf"
    written.write_text(settings)
    return [f"--aptopt={written}"] if settings else []


def _apt_settings() -> str:
    """Proxies and certificates."""
    return subprocess.run(
        ["apt-config", "dump", "Acquire"], capture_output=True, text=True, check=False
    ).stdout
