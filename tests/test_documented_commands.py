"""Every command in a block of `sh` in README, CONTRIBUTING and docs/ is run, or is listed here with
the reason why not."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.scoring.cli.test_documented_lines import LINE

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"^ *```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
HERE_DOCUMENT = re.compile(r"<<END\n.*?^END$", re.MULTILINE | re.DOTALL)

# On one site, in this order, as they stand on the pages.
ON_A_SITE = (
    "trackside migrate",
    "DJANGO_SUPERUSER_PASSWORD=... trackside createuser --noinput --email you@example.org",
    "trackside manage approve",
    "trackside manage approve somebody@example.org",
    "trackside import FOLDER --slug my-track --runs-table FOLDER/runs.csv "
    "--organiser you@example.org",
    "trackside export my-track EXPORTED",
    "trackside backup before.tar",
    "trackside verify",
    "TRACKSIDE_HOME=restored trackside restore before.tar",
    "export HTTPS=true SITE_URL=https://evaluation.example.org "
    "ALLOWED_HOSTS=evaluation.example.org NUM_PROXIES=1",
    "trackside check --deploy",
)
# Why others are not run, by what they begin with.
NOT_RUN = {
    r"docker |umask 077|cat >+\.env": "needs Docker: tests/container run the same services",
    r"(apt|certbot|nginx|ln|sed) |systemctl reload": "changes the machine: test_tls_examples.py",
    r"useradd |/opt/trackside/|site\b|systemctl enable": "changes the machine: "
    "test_systemd_units.py",
    r"make ": "runs in the gate, before a release, or until it is stopped",
    r"trackside (demo|serve|worker|createuser)$": "runs until it is stopped, or asks: see "
    "test_make_demo.py, test_building.py, test_site_commands.py",
    r"python3 -m venv|\. trackside-env|pip install|PATH=": "installs packages: test_building.py",
    r"git (tag|archive)": "publishes",
    r"TRACKSIDE_DATA=|git diff": "needs real runs: test_reproduction_page.py, test_rank_sets.py",
    r"curl ": "needs a site under a name: tests/campaigns/api submit the same request",
}


class Command(NamedTuple):
    page: str
    text: str


def commands() -> list[Command]:
    found = []
    for page in PAGES:
        for block in BLOCK.findall(page.read_text()):
            text = HERE_DOCUMENT.sub("", re.sub(r"\\\n *", "", block))
            lines = (re.sub(r"(^| +)#.*", "", line).strip() for line in text.splitlines())
            found += [Command(page.name, line) for line in lines if line]
    return found


def kind_of(command: str) -> str:
    if LINE.match(command):
        return "in a folder of runs"
    if command in ON_A_SITE:
        return "on a site"
    return next((why for start, why in NOT_RUN.items() if re.match(start, command)), "")


def test_every_command_is_run_or_says_why_not() -> None:
    """test_documented_lines.py runs those in a folder of runs."""
    assert [each for each in commands() if not kind_of(each.text)] == []
    counts = Counter(kind_of(each.text) for each in commands())
    assert counts["in a folder of runs"] > 20
    assert set(ON_A_SITE) <= {each.text for each in commands()}
    assert set(NOT_RUN.values()) <= set(counts)


SETUP = """
from campaigns.models import OrganiserRequest
from tests.making import make_user
OrganiserRequest.objects.create(person=make_user("somebody@example.org"), purpose="A class.")
"""


@pytest.mark.long
def test_the_commands_of_a_site_work_as_documented(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    shim = programs / "trackside"
    shim.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m trackside "$@"\n')
    shim.chmod(0o755)
    write_campaign(tmp_path / "FOLDER")
    settings = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "TRACKSIDE_HOME": str(tmp_path / "home"),
        "SECRET_KEY": "k" * 50,
    }
    replaced = {  # what the reader puts in its place, and what happens between two commands
        "PASSWORD=...": "PASSWORD='correct horse battery'",
        "approve somebody": f"shell -c '{SETUP}'\ntrackside manage approve somebody",
    }
    script = "\n".join(["set -e", *ON_A_SITE])
    for documented, put in replaced.items():
        script = script.replace(documented, put)
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=settings, capture_output=True, text=True
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert "somebody@example.org" in done.stdout
    assert "All files are intact." in done.stdout
    assert (tmp_path / "EXPORTED" / "runs").is_dir()
    assert (tmp_path / "before.tar").stat().st_size > 1000


def write_campaign(folder: Path) -> None:
    """As docs/first-site.md describes a folder in TREC's format."""
    examples = ROOT / "docs" / "examples"
    (folder / "runs").mkdir(parents=True)
    for name in ("topics.xml", "qrels.txt", "runs.csv"):
        (folder / name).write_bytes((examples / name).read_bytes())
    (folder / "runs" / "run.txt").write_bytes((examples / "run.txt").read_bytes())
