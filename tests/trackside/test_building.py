"""The distributions that people install: what is in them, and that they work without a checkout."""

import os
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, expect

from tests.patience import PATIENCE, wait_for
from trackside.processes import HOST, free_port

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("building")]
ROOT = Path(__file__).resolve().parents[2]
EXTENSIONS = {"campaigns/trec/_scan.abi3.so", "scoring/core/data/_align.abi3.so"}
FILES = "trackside/files/"
VERSIONS = ("3.11", "3.12", "3.13")
NOT_IN_WHEELS = ("docs/decisions/", "docs/screenshots/")


def known_to_git() -> list[str]:
    """Without extensions that were compiled before."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
    return [name for name in names.decode().split("\0") if name and (ROOT / name).is_file()]


def copied(folder: Path) -> Path:
    for name in known_to_git():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


def wheel_of(sources: Path, folder: Path) -> Path:
    built = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder]
    subprocess.run([*built, sources], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def names_in(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


def environment_with(folder: Path, *requirements: str, python: str = sys.executable) -> Path:
    """An empty environment with these packages; the folder of its programs."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--quiet", "--no-compile"]
    constraints = ["--constraint", ROOT / "constraints.txt"]
    subprocess.run([*pip, *constraints, *requirements], check=True)
    return folder / "bin"


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("building")


@pytest.fixture(scope="module")
def wheel(scratch: Path) -> Path:
    return wheel_of(copied(scratch / "sources"), scratch / "wheel")


@pytest.mark.parametrize(("compiler", "expected"), [("cc", EXTENSIONS), ("false", set())])
def test_building_needs_no_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str, expected: set[str]
) -> None:
    monkeypatch.setenv("CC", compiler)
    wheel = wheel_of(copied(tmp_path / "sources"), tmp_path)
    assert {name for name in names_in(wheel) if name.endswith(".so")} == expected
    if expected:
        assert "-cp311-abi3-" in wheel.name


def test_a_pure_wheel_is_for_every_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PURE", "1")
    wheel = wheel_of(copied(tmp_path / "sources"), tmp_path)
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not [name for name in names_in(wheel) if name.endswith(".so")]


def test_the_wheel_contains_every_file_of_the_program(wheel: Path) -> None:
    code = ("campaigns/", "scoring/", "trackside/")
    files = ("templates/", "static/", "docs/")
    expected = {name for name in known_to_git() if name.startswith(code) and name[-2:] != ".c"} | {
        FILES + name
        for name in known_to_git()
        if name.startswith(files) and not name.startswith(NOT_IN_WHEELS)
    }
    metadata = {name for name in names_in(wheel) if ".dist-info/" in name}
    assert names_in(wheel) - metadata == expected | EXTENSIONS


def test_the_source_distribution_is_the_repository_and_builds_the_same_wheel(
    scratch: Path, wheel: Path
) -> None:
    python = environment_with(scratch / "builder", "setuptools>=77") / "python"
    build = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    sources = copied(scratch / "for-sdist")
    subprocess.run(
        [python, "-c", build, scratch], cwd=sources, check=True, stdout=subprocess.DEVNULL
    )
    (archive,) = scratch.glob("trackside-*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(scratch / "unpacked", filter="data")
    (unpacked,) = (scratch / "unpacked").iterdir()
    assert [name for name in known_to_git() if not (unpacked / name).is_file()] == []
    assert names_in(wheel_of(unpacked, scratch / "again")) == names_in(wheel)


@pytest.fixture(
    scope="module",
    params=["this", *(pytest.param(each, marks=pytest.mark.exhaustive) for each in VERSIONS)],
)
def python(request: pytest.FixtureRequest) -> str:
    """The interpreter of the tests; before a release, of each supported version. PYTHONS names
    those that PATH does not, with colons between them."""
    if request.param == "this":
        return sys.executable
    is_it = (
        "import ensurepip, sys, venv; "
        f"sys.exit('%d.%d' % sys.version_info[:2] != '{request.param}')"
    )
    named = [shutil.which(f"python{request.param}"), *os.environ.get("PYTHONS", "").split(":")]
    for candidate in filter(None, named):
        if subprocess.run([candidate, "-c", is_it], capture_output=True).returncode == 0:
            return candidate
    return pytest.skip(f"there is no Python {request.param}: name it in PYTHONS")


@pytest.fixture(scope="module")
def base(wheel: Path, python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment_with(tmp_path_factory.mktemp("base"), str(wheel), python=python)


def test_the_base_install_reads_every_example_of_the_formats(base: Path) -> None:
    examples = ROOT / "docs" / "examples"
    for topics in sorted(examples.glob("topics.*")):
        check = [base / "trackside", "check", "run.txt", "--topics", topics.name]
        found = subprocess.run(check, cwd=examples, capture_output=True, text=True)
        assert (found.returncode, found.stderr) == (0, ""), topics.name


def test_the_base_install_scores_trec_8_as_the_repository_does(base: Path, tmp_path: Path) -> None:
    if not os.environ.get("TRACKSIDE_DATA"):
        pytest.skip("TRACKSIDE_DATA does not name the folder of real runs")
    data = Path(os.environ["TRACKSIDE_DATA"], "trec8-adhoc")
    run = sorted((data / "runs").iterdir())[0]
    measures = ["-m", "all_trec", "-m", "RBP(p=0.8)", "-q"]
    arguments = ["evaluate", data / "qrels.trec8.adhoc.txt.gz", run, *measures]
    installed = subprocess.run(
        [base / "trackside", *arguments], cwd=tmp_path, capture_output=True, check=True
    )
    ours = subprocess.run(
        [sys.executable, "-m", "scoring", *arguments], cwd=ROOT, capture_output=True, check=True
    )
    assert installed.stdout == ours.stdout
    assert not list((base.parent / "lib").glob("python*/site-packages/scipy"))
    assert installed.stdout.count(b"\n") > 4000
    needs_more = subprocess.run(
        [base / "trackside", "demo"], cwd=tmp_path, capture_output=True, text=True
    )
    assert needs_more.returncode == 2
    assert needs_more.stderr == "trackside demo needs more: pip install 'trackside[web]'\n"
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def web(wheel: Path, python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment_with(tmp_path_factory.mktemp("web"), f"{wheel}[web]", python=python)


@pytest.fixture
def demo(web: Path, tmp_path: Path) -> Iterator[str]:
    """The URL of a demo that was started in an empty folder."""
    port = free_port()
    command = [web / "trackside", "demo", "--size", "small", "--port", str(port)]
    elsewhere = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    with (tmp_path / "said").open("wb") as said:
        process = subprocess.Popen(
            command, cwd=tmp_path, env=elsewhere, stdout=said, stderr=said, start_new_session=True
        )
    try:
        is_open = lambda: "Ctrl-C" in (tmp_path / "said").read_text()  # noqa: E731
        wait_for("the demo", is_open, patience=2 * PATIENCE)
        yield f"http://{HOST}:{port}"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()


def test_the_installed_demo_shows_a_board_with_its_style_and_charts(
    demo: str, chromium: Browser, web: Path, tmp_path: Path
) -> None:
    """It takes most of a minute, nearly all of it to install the packages of the site."""
    page = chromium.new_page(base_url=demo)
    page.goto("/campaigns/demo-rail-reports/leaderboard/")
    expect(page.locator(".board tbody tr")).to_have_count(18)
    expect(page.locator("header.top > div")).to_have_css("display", "flex")
    page.goto("/campaigns/demo-rail-reports/topics/")
    expect(page.locator("[data-drawn]").first).to_be_visible()
    page.goto("/guides/formats/")
    expect(page.get_by_role("heading", name="File formats")).to_be_visible()
    assert urlopen(f"{demo}/guides/files/examples/run.txt").status == 200
    said = (tmp_path / "said").read_text()
    assert "trackside-data/demo/sample-run.txt.gz" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["said", "trackside-data"]
    (packages,) = (web.parent / "lib").glob("python*/site-packages")
    assert not list(packages.rglob("*.sqlite3"))
