"""The image that the Dockerfile starts from: pulled, or made of Debian packages."""

import hashlib
import re
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.container.package_settings import apt_options, debian_mirror
from tests.container.programs import Failed, run
from tests.container.storage import Storage
from tests.patience import PATIENCE

SUITE = "trixie"  # its Python is the one that the Dockerfile names, 3.13
PACKAGES = "ca-certificates,libpython3-dev,python3-pip,python3-venv"
# As in Docker's image of Python; and nothing stays of how this machine reaches the archive.
HOOKS = (
    'ln -s ../../bin/python3 "$1/usr/local/bin/python"',
    'ln -s ../../bin/pip3 "$1/usr/local/bin/pip"',
    'rm -f "$1/etc/apt/apt.conf.d/99mmdebstrap" "$1/etc/resolv.conf" "$1/etc/hostname"',
    f'echo "deb http://deb.debian.org/debian {SUITE} main" >"$1/etc/apt/sources.list"',
)
LEFT_OUT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*")


def provide(storage: Storage, dockerfile: Path) -> str:
    """Puts the base under the name that the Dockerfile gives it; says where it comes from."""
    (name,) = set(re.findall(r"^FROM ([^\s:]+:\S+)", dockerfile.read_text(), re.M))
    name = f"docker.io/library/{name}"
    kept = f"localhost/base:{_key(name)}"
    if storage.has(kept):
        source = "kept from an earlier run"
    else:
        try:
            storage.buildah("pull", "--quiet", name, timeout=2 * PATIENCE)
            source = "pulled"
        except Failed:
            _make(storage, name)
            source = f"made of Debian {SUITE}, as it cannot be pulled here"
        storage.buildah("tag", name, kept)
    storage.buildah("tag", kept, name)
    return f"{name}: {source}"


def _make(storage: Storage, name: str) -> None:
    with TemporaryDirectory() as folder:
        files = Path(folder) / "files.tar"
        run(
            "mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}",
            *(f"--dpkgopt=path-exclude={path}" for path in LEFT_OUT),
            *(f"--customize-hook={hook}" for hook in HOOKS),
            *apt_options(Path(folder)), SUITE, files, debian_mirror(),
        )  # fmt: skip
        storage.import_files(files, name)


def _key(name: str) -> str:
    """Another recipe or another month is another base."""
    recipe = repr((name, SUITE, PACKAGES, HOOKS, LEFT_OUT, time.strftime("%Y-%m")))
    return hashlib.sha256(recipe.encode()).hexdigest()[:16]
