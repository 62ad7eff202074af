"""Every URL of a LaTeX table, compiled with booktabs and nothing else, as its head promises.

Without pdflatex and tectonic this file is skipped and says so; `test_latex.py` parses what comes.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from django.test import Client

from campaigns.judging import plans
from campaigns.models import Campaign, Membership, Plan
from scoring.urls import urlpatterns
from scoring.worker import perform_waiting_jobs
from tests.campaigns.judging.programs import make_program
from tests.patience import PATIENCE
from tests.scoring.pools.test_pool_page import MEASURES, campaign

__all__ = ["campaign"]  # the fixture: six runs of three teams, four topics

COMPILER = shutil.which("tectonic") or shutil.which("pdflatex")
pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db,
    pytest.mark.skipif(not COMPILER, reason="neither tectonic nor pdflatex is here"),
]
# What LaTeX would take for an option of the line before, for markup, or for no letter of its own.
NAMES = ("[2cm] first", "* Müller", r"50% of $x_1 & {\input{/etc/passwd}} #~^<>|" + '"')
URLS = [each for each in urlpatterns if (each.name or "").endswith("-latex")]
QUERIES = {"agreement-runs-latex": {"a": MEASURES[0], "b": MEASURES[1]}}


def test_all_of_them_are_asked() -> None:
    assert len(URLS) >= 13
    assert set(QUERIES) < {each.name for each in URLS}


def test_each_compiles(campaign: Campaign, tmp_path: Path) -> None:
    for team, name in zip(campaign.teams.order_by("name"), NAMES, strict=True):
        campaign.teams.filter(pk=team.pk).update(name=name)
    for run, tag in zip(campaign.runs.order_by("tag"), NAMES + NAMES[::-1], strict=True):
        campaign.runs.filter(pk=run.pk).update(tag=f"{tag}{run.pk % 2}")
    plans.create_plan(plan=Plan(campaign=campaign, method="A", budget=30), actor=None)
    parts = {
        "<slug:slug>": campaign.slug,
        "<str:public_id>": campaign.runs.values_list("public_id", flat=True).first(),
        "<path:code>": "1",
        "<int:old>-<int:new>": "1-1",
        "<int:program>": str(make_program(campaign, name=NAMES[2]).pk),
    }
    found = {}
    for url in URLS:
        path = str(url.pattern)
        for part, value in parts.items():
            path = path.replace(part, value)
        text = table_at(campaign, f"/{path}", QUERIES.get(url.name, {}))
        found[url.name] = complaints_of(text, tmp_path / url.name)
    assert found == dict.fromkeys(found, "")


def complaints_of(text: str, folder: Path) -> str:
    """What the compiler said, if it made no page of the table."""
    folder.mkdir()
    (folder / "table.tex").write_text(
        rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{text}\end{{document}}"
    )
    halting = [] if "tectonic" in COMPILER else ["-halt-on-error", "-interaction=nonstopmode"]
    done = subprocess.run(
        [COMPILER, *halting, "table.tex"], cwd=folder, capture_output=True, timeout=2 * PATIENCE
    )
    is_made = done.returncode == 0 and (folder / "table.pdf").stat().st_size > 1000
    return "" if is_made else done.stdout.decode(errors="replace")[-800:]


def table_at(campaign: Campaign, path: str, query: dict[str, str]) -> str:
    client = Client()
    organisers = campaign.memberships.filter(role=Membership.Role.ORGANISER)
    client.force_login(organisers.first().person)
    response = client.get(path, query)
    if response.status_code == 202:
        perform_waiting_jobs(campaign)
        response = client.get(path, query)
    assert response.status_code == 200
    return response.content.decode()
