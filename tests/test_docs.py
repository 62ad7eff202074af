"""What the documentation names is there: pages, anchors, commands, targets, settings."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands

from scoring.cli.main import COMMANDS
from trackside.__main__ import OF_SITE

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
INDEXES = (ROOT / "README.md", DOCS / "README.md", DOCS / "decisions" / "README.md")

FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.M)
NAMED_ANCHOR = re.compile(r'<a id="([^"]+)">')
# A command is at the beginning of a line of an example, after && there, or of a quotation.
TARGET = re.compile(r"(?:^|`|&& )(?:[A-Z_]+=\S+ )?make ([a-z-]+)", re.M)
MANAGED = re.compile(r"manage\.py (\w+)")
TRACKSIDE = re.compile(r"(?:^|`)trackside ([a-z]+)", re.M)
MODULE = re.compile(r"python -m ((?:scoring|trackside|tests)[\w.]*)")
SETTING = re.compile(r"[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*")
OF_COMPOSE = {"POSTGRES_PASSWORD", "REDIS_PASSWORD", "LISTEN", "PUBLIC_SCHEME", "WEB_SERVERS"}
PATH = re.compile(
    r"`((?:campaigns|scoring|trackside|tests|templates|static|docs)/[\w./-]*(?:\.\w+|/))`"
)

DOCUMENT = re.compile(r"[\w./-]*\w\.md\b")
NUMBERED = re.compile(r"\.md,? (?:section )?[0-9]")  # pages of the docs have no numbered sections
CODE = sorted(
    path
    for folder in ("campaigns", "scoring", "trackside", "tests", "static", "templates")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".js", ".css", ".html", ".txt"}
)

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text())


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """File and anchor of each link that stays in the repository."""
    for target in LINK.findall(prose(page)):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings, and those that are named."""
    text = prose(page)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text))
    return {heading.replace(" ", "-") for heading in kept} | set(NAMED_ANCHOR.findall(text))


def test_code_names_no_document_that_a_reader_cannot_open() -> None:
    known = {name for page in PAGES for name in (page.name, str(page.relative_to(ROOT)))}
    lost = [
        (str(path.relative_to(ROOT)), line.strip())
        for path in CODE
        for line in path.read_text(errors="replace").splitlines()
        if NUMBERED.search(line) or not known.issuperset(DOCUMENT.findall(line))
    ]
    assert lost == []


@every_page
def test_every_link_leads_somewhere(page: Path) -> None:
    lost = [
        (str(path.relative_to(ROOT)), anchor)
        for path, anchor in links(page)
        if not path.exists() or (anchor and anchor not in anchors(path))
    ]
    assert lost == []


def test_every_page_is_found_from_an_index() -> None:
    linked = {path for index in INDEXES for path, _ in links(index)}
    assert [page for page in PAGES if page not in linked and page not in INDEXES] == []
    assert set(INDEXES[1:]) <= linked


def test_the_index_and_the_menu_list_each_page_once() -> None:
    menu = re.findall(r"- (?:\w+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    listed = re.findall(
        r"^- \[.*?\]\((\S+?)\)", (ROOT / "docs/README.md").read_text(), re.MULTILINE
    )
    for names in (menu, listed):
        assert len(names) > 20
        assert [name for name, count in Counter(names).items() if count > 1] == []


@every_page
def test_every_command_that_is_named_is_there(page: Path) -> None:
    text = page.read_text()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(TARGET.findall(text)) - targets == set()
    assert set(MANAGED.findall(text)) - set(get_commands()) == set()
    assert set(TRACKSIDE.findall(text)) - {*COMMANDS, *OF_SITE} == set()
    for module in MODULE.findall(text):
        assert find_spec(module), module


@every_page
def test_every_file_that_is_named_is_there(page: Path) -> None:
    named = PATH.findall(prose(page))
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", ["organiser.md", "participant.md"])
def test_pages_and_buttons_are_called_as_the_site_calls_them(page: str) -> None:
    said = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "campaigns").rglob("*.py")]
    site = re.sub(r"\s+", " ", " ".join(path.read_text() for path in said)).casefold()
    emphasised = re.findall(r"\*{1,2}([^*]+)\*{1,2}", " ".join(prose(DOCS / page).split()))
    names = [name.strip(". ") for each in emphasised for name in re.split(" → | … ", each)]
    assert len(names) > 15
    assert [name for name in names if name.casefold() not in site] == []


def test_every_name_in_the_glossary_is_in_the_code() -> None:
    files = (path for wing in ("campaigns", "scoring") for path in (ROOT / wing).rglob("*.py"))
    words = set(re.findall(r"\w+", " ".join(path.read_text() for path in files)))
    rows = re.findall(r"^\| <a .*\|([^|]*)\|$", (DOCS / "glossary.md").read_text(), re.M)
    names = [name for row in rows for name in re.findall(r"`(\w+(?:\.\w+)*)`", row)]
    assert len(names) > 40
    assert [name for name in names if not set(name.split(".")) <= words] == []


SETTINGS_MODULES = ("settings", "databases", "folders", "login_providers")


def test_every_documented_setting_is_read() -> None:
    page = (DOCS / "operations.md").read_text()
    rows = re.findall(r"^\| (`[A-Z][^|]*`) \|", page, re.M)
    told = {name for row in rows for name in SETTING.findall(row)}
    told |= set(re.findall(r"^([A-Z_]+)=", page, re.M)) - OF_COMPOSE
    code = "".join((ROOT / "trackside" / f"{name}.py").read_text() for name in SETTINGS_MODULES)
    read = set(re.findall(r'env(?:iron)?\.\w+\(\s*"([A-Z0-9_]+)"', code))
    assert len(told) > 20
    assert told - read == set()


def test_what_compose_reads_by_itself_is_in_its_file() -> None:
    compose = (ROOT / "docker-compose.yml").read_text()
    assert [name for name in sorted(OF_COMPOSE) if f"${{{name}:" not in compose] == []


def test_a_lost_anchor_or_command_would_be_noticed(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("# One, two\n\n[here](#one-two) [there](#three)\n\n    make cake\n`make tea`\n")
    assert [(path, anchor in anchors(path)) for path, anchor in links(page)] == [
        (page, True),
        (page, False),
    ]
    assert TARGET.findall(page.read_text()) == ["tea"]


def test_the_tests_that_run_on_both_databases_exist() -> None:
    """pytest stops at a file that is not there, and nobody runs this list but the CI."""
    listed = re.search(r"^on_both=\(.*?\)$", (ROOT / ".ci" / "run").read_text(), re.M | re.S)
    assert listed is not None
    script = f'{listed[0]}; printf "%s\\n" "${{on_both[@]}}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    files = done.stdout.split()
    assert len(files) > 40
    assert [name for name in files if not (ROOT / name).is_file()] == []
