"""The command, and the worktree in which it records a commit. See the package for its use."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.record.compare import compare

ROOT = Path(__file__).resolve().parent.parent.parent
RECORDER = Path(__file__).resolve().parent
NO_LIMIT = "1000000/min"
# Nothing else of the environment reaches the site, apart from what Python needs.
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "trackside.settings",
    "SECRET_KEY": "of-a-recording",
    "SITE_URL": "http://localhost",
    "LOG_LEVEL": "CRITICAL",
    "WHITENOISE_USE_FINDERS": "false",
    # The order of sets and the sums of several threads must not vary.
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    **{
        f"THROTTLE_{kind}": NO_LIMIT
        for kind in ("ANON", "USER", "UPLOADS", "ANALYSES", "TRIALS", "ORGANISE", "PROGRAMS")
    },
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.record", description=__doc__)
    parser.add_argument("--compare", action="store_true", help="compare two recordings")
    parser.add_argument("first", metavar="COMMIT|FOLDER1")
    parser.add_argument("second", metavar="FOLDER|FOLDER2", type=Path)
    parser.add_argument("--only", default="", help="a regular expression for URL patterns")
    options = parser.parse_args()
    if options.compare:
        return compare(Path(options.first), options.second)
    return record(options.first, options.second.resolve(), options.only)


def record(commit: str, folder: Path, only: str = "") -> int:
    """Returns the exit status of the commit's process."""
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty.")
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with worktree(commit) as tree, tempfile.TemporaryDirectory() as data:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        environment = kept | SETTINGS | {"PYTHONPATH": str(tree), "VAR_DIR": data}
        status = subprocess.run(  # noqa: S603 - our own code
            [sys.executable, "-m", "tools.record.inside", str(folder), only],
            cwd=tree, env=environment, check=False,
        ).returncode  # fmt: skip
    print(f"{commit}: {time.monotonic() - began:.0f} s")
    return status


@contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """A temporary worktree of the commit, with its extensions compiled and with this recorder."""
    with tempfile.TemporaryDirectory(prefix="trackside-record-") as scratch:
        tree = Path(scratch) / "trackside"
        _git("worktree", "add", "--quiet", "--detach", str(tree), commit)
        try:
            _compile(tree)
            shutil.rmtree(tree / "tools" / "record", ignore_errors=True)
            shutil.copytree(RECORDER, tree / "tools" / "record")
            (tree / "tools" / "__init__.py").touch()
            yield tree
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _compile(tree: Path) -> None:
    """Copies the extensions that were compiled here from the same sources, or else compiles them.
    Without a compiler, Python does the same work."""
    sources = _git("-C", str(tree), "ls-files", "*.c").split()
    for source in sources:
        here, there = ROOT / source, tree / source
        compiled = here.with_suffix(".abi3.so")
        if not compiled.exists() or here.read_bytes() != there.read_bytes():
            build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
            subprocess.run(build, cwd=tree, check=True)  # noqa: S603 - our own code
            return
        shutil.copy(compiled, there.with_suffix(".abi3.so"))


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())
