"""What is in the image, and what is not."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.container import compose
from tests.container.image import LITTER, ROOT, Image, megabytes
from tests.container.programs import run
from tests.container.site import ENVIRONMENT
from tests.container.steps import note

pytestmark = pytest.mark.container
OURS = ("app", "opt/trackside")


@pytest.fixture(scope="module")
def files(built: Image) -> Iterator[Path]:
    with built.files() as files:
        yield files


def test_its_account_is_the_one_that_the_compose_file_names(built: Image, files: Path) -> None:
    services = compose.services(ROOT / "docker-compose.yml", ENVIRONMENT)
    assert built.configuration["User"] == services["web"]["user"] == "10001:10001"
    (account,) = [
        line.split(":")
        for line in (files / "etc/passwd").read_text().splitlines()
        if line.startswith("trackside:")
    ]
    assert account[2:4] == ["10001", "10001"]
    store = (files / "var/lib/trackside").stat()
    assert (store.st_uid, store.st_gid, stat.S_IMODE(store.st_mode)) == (10001, 10001, 0o750)


def test_every_account_can_read_it_although_the_checkout_is_its_owners(files: Path) -> None:
    closed = []
    for folder, _, names in os.walk(files / "app"):
        for path in (Path(folder), *(Path(folder) / name for name in names)):
            needed = 0o005 if path.is_dir() else 0o004
            if path.stat().st_mode & needed != needed:
                closed.append(path)
    assert closed == []


def test_it_holds_what_runs_and_nothing_else(files: Path) -> None:
    assert sorted(path.name for path in (files / "app").iterdir()) == [
        "LICENSE", "campaigns", "collected", "constraints.txt", "docs", "manage.py",
        "pyproject.toml", "scoring", "setup.py", "static", "templates", "trackside",
    ]  # fmt: skip
    assert [name for name in LITTER if (files / "app" / name).exists()] == []
    (packages,) = (files / "opt/trackside/lib").glob("python*/site-packages")
    assert list(packages.glob("*editable*")) == []
    assert not (packages / "pip").exists()
    for compiler in ("gcc", "cc", "g++", "make"):
        assert not (files / "usr/bin" / compiler).exists()
    assert not (files / "root/.cache").exists()


def test_its_readers_are_compiled(files: Path) -> None:
    python = ("env", "PYTHONPATH=/app", "/opt/trackside/bin/python")
    shown = run("chroot", files, *python, "-m", "scoring", "--version")
    assert "runs: compiled reader" in shown
    assert "gzip: isal" in shown


def test_static_files_are_there_once_where_they_are_collected(files: Path) -> None:
    assert (files / "app/collected/staticfiles.json").exists()
    assert list((files / "app/static").iterdir()) == []
    (packages,) = (files / "opt/trackside/lib").glob("python*/site-packages")
    sources = [*packages.rglob("static/**/*"), packages / "plotly/package_data/plotly.min.js"]
    assert [path for path in sources if path.is_file() and path.suffix in {".js", ".css"}] == []
    assert not (files / "opt/trackside/share/trackside").exists()
    assert not (files / "opt/npm").exists()


def test_no_package_setting_of_this_machine_is_left_in_it(files: Path) -> None:
    for name in ("etc/pip.conf", "etc/apt/apt.conf.d/99mmdebstrap"):
        path = files / name
        assert not path.exists() or path.read_bytes() == b""
    sources = [files / "etc/apt/sources.list", *(files / "etc/apt/sources.list.d").iterdir()]
    for source in sources:
        if source.exists():
            assert "deb.debian.org" in source.read_text()


def test_what_it_weighs_is_printed(files: Path) -> None:
    whole, packages, code = (megabytes(files / name) for name in ("", "opt/trackside", "app"))
    note(f"the image: {whole} MB; of it packages {packages} MB, the site {code} MB")
    assert code < packages < whole
