"""Runs the gate on a clean clone of HEAD: what is not committed is not tried.

    python -m tools.gate [STEP ...]

`.ci/run` of the clone installs everything, runs its steps, or only the named ones, and prints a
table of them. Its output is also in var/gate.log. After a whole green run, and only then, the full
commit id is written to var/gate. The clone of a red run is kept.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
# What make and git tell the programs that they start: it is not about the clone.
OF_CALLERS = ("GIT_", "MAKE", "MFLAGS", "STEPS", "TESTS", "ARGS", "VIRTUAL_ENV", "PYTHONPATH")


def main(steps: Sequence[str], checkout: Path = CHECKOUT) -> int:
    """Returns the exit status of `.ci/run`."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(OF_CALLERS)}

    def git(*arguments: object) -> str:
        command = ["git", *map(str, arguments)]
        return subprocess.run(  # noqa: S603 - git only
            command, cwd=checkout, env=environment, check=True, text=True, stdout=subprocess.PIPE
        ).stdout.strip()

    commit = git("rev-parse", "HEAD")
    print(f"The gate of {commit}, {git('log', '-1', '--format=%s')}")
    if changed := git("status", "--porcelain").splitlines():
        print(f"NOT TRIED: {len(changed)} files with changes that are not committed")
    data = Path(environment.get("TRACKSIDE_DATA") or checkout.parent / "shared" / "data")
    if data.is_dir():
        environment["TRACKSIDE_DATA"] = str(data.resolve())
    else:
        print(f"SKIPPED: all tests of real runs; TRACKSIDE_DATA is no folder: {data}")
    var = checkout / "var"
    var.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="trackside-gate-"))
    folder.chmod(0o755)  # servers under test read files as other users
    clone = folder / "trackside"
    git("clone", "--quiet", "--no-checkout", checkout, clone)
    git("-C", clone, "checkout", "--quiet", "--detach", commit)
    status = _run([".ci/run", *steps], clone, environment, var / "gate.log")
    if status:
        print(f"The clone is kept: {clone}")
        return status
    shutil.rmtree(folder, ignore_errors=True)
    if not steps:
        (var / "gate").write_text(f"{commit}\n")
        print(f"Green: {commit} is noted in var/gate.")
    return 0


def _run(command: Sequence[str], folder: Path, environment: dict[str, str], log: Path) -> int:
    """Prints what the command prints, and copies it to the log."""
    with (
        log.open("w") as copy,
        subprocess.Popen(  # noqa: S603 - .ci/run only
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        ) as process,
    ):  # fmt: skip
        assert process.stdout is not None
        try:
            for line in process.stdout:
                print(line, end="", flush=True)
                copy.write(line)
        except KeyboardInterrupt:  # the command got it too, and stops what it has started
            copy.write(process.stdout.read())
            raise
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
