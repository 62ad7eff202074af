"""The programs of this machine that build and run containers."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.patience import PATIENCE

PACKAGES = {
    "buildah": "buildah",
    "envsubst": "gettext-base",
    "ip": "iproute2",
    "mmdebstrap": "mmdebstrap",
    "nginx": "nginx-light",
    "redis-server": "redis-server",
    "runc": "runc",
    "setpriv": "util-linux",
    "tini-static": "tini",
}
PATH = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])


class Failed(Exception):
    """A program ended with another status than 0; the message ends with what it printed."""


def obstacles() -> list[str]:
    """Why containers cannot be tested here; empty where they can."""
    missing = {package for name, package in PACKAGES.items() if not shutil.which(name, path=PATH)}
    found = [f"on Debian, apt install {' '.join(sorted(missing))}"] if missing else []
    if os.getuid() != 0:
        found.append("network namespaces and mounts need root")
    return found


def run(
    *command: str | Path,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout: float = 15 * PATIENCE,
) -> str:
    """Runs to the end; what it printed on standard output. Raises `Failed`."""
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=with_path(environment or os.environ),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    if done.returncode:
        words = " ".join(map(str, command))
        printed = f"{done.stdout}{done.stderr}"[-4000:]
        raise Failed(f"{words}: exit status {done.returncode}\n{printed}")
    return done.stdout


def with_path(environment: Mapping[str, str]) -> dict[str, str]:
    return {**environment, "PATH": PATH}
