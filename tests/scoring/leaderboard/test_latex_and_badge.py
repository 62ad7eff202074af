"""The board in papers and on other pages: LaTeX and badge."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from defusedxml import ElementTree
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Audience, Campaign, Qrels, Run
from scoring.output.latex import plain, table
from scoring.worker import perform_waiting_jobs
from tests.making import make_campaign, make_qrels, make_run, make_scores, make_team

pytestmark = pytest.mark.django_db
RBP = "RBP(p=0.5)"
HOSTILE = r'</text><script>alert(1)</script> \input{/etc/passwd} 50% & $x_1^2$ ~#"{}'


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(
        name=HOSTILE,
        stage=Campaign.Stage.PUBLISHED,
        board_audience=Audience.EVERYONE,
        runs_audience=Audience.EVERYONE,
    )
    make_qrels(campaign)
    team = make_team(campaign, name=HOSTILE)
    make_scores(make_run(campaign, team, tag="under_score"), {RBP: (0.5, 0.125)})
    make_scores(make_run(campaign, team, tag="second"), {RBP: (0.25, 0.0)})
    return campaign


def get(campaign: Campaign, name: str) -> str:
    response = Client().get(reverse(f"scoring:{name}", args=[campaign.slug]))
    assert response.status_code == 200
    return response.content.decode()


def cells(latex: str) -> list[list[str]]:
    """The rows of the table's body; raises if braces or columns do not come out even."""
    body = latex.split("\\midrule\n")[1].split("\\bottomrule")[0]
    rows = [line.removesuffix(r" \\").split(" & ") for line in body.splitlines()]
    assert {len(row) for row in rows} == {7}
    return rows


def test_rows_of_the_board_as_latex(campaign: Campaign) -> None:
    first, second = cells(get(campaign, "leaderboard-latex"))
    assert first[:2] == ["1", r"under\_score"]
    assert first[3:6] == [r"0.50\phantom{00}", r"+0.13\phantom{00}", "[0.50, 0.63]"]
    assert second[3:6] == ["0.2500", "+0.0000", "[0.2500, 0.2500]"]


def test_names_stay_text_in_latex(campaign: Campaign) -> None:
    latex = get(campaign, "leaderboard-latex")
    commands = set(re.findall(r"\\[a-z]+", latex)) - {r"\textbackslash", r"\textless"}
    assert commands == {
        r"\usepackage", r"\begin", r"\centering", r"\caption", r"\toprule", r"\midrule",
        r"\bottomrule", r"\end", r"\textgreater", r"\textasciicircum", r"\textasciitilde",
        r"\char", r"\phantom",
    }  # fmt: skip
    unescaped = re.sub(r"\\[{}]", "", latex)
    assert unescaped.count("{") == unescaped.count("}")
    assert not re.search(r"(?<!\\)[#$^~]", unescaped)


@pytest.mark.parametrize("name", ["leaderboard-latex", "significance-latex"])
def test_the_statement_of_sources_is_escaped_once(campaign: Campaign, name: str) -> None:
    campaign.qrels.update(sources=Qrels.Sources.PROGRAM, statement="Judged by gpt_4.")
    get(campaign, "significance")
    perform_waiting_jobs(campaign)
    assert r" Judged by gpt\_4.}" in get(campaign, name)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="there is no LaTeX here: parsed instead")
def test_latex_compiles(campaign: Campaign, tmp_path: Path) -> None:
    text = get(campaign, "leaderboard-latex")
    document = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}"
    (tmp_path / "t.tex").write_text(f"{document}\\begin{{document}}{text}\\end{{document}}")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout.decode()[-2000:]


def test_nothing_is_escaped_twice() -> None:
    assert plain(r"a\_b") == r"a\textbackslash{}\_b"
    assert table("l", ["x"], [["%"]], caption="c", source="a\nb").startswith("% a b\n")


def test_the_badge_says_who_leads_and_how_sure_that_is(campaign: Campaign) -> None:
    picture = ElementTree.fromstring(get(campaign, "badge"))
    assert picture.tag.endswith("svg")
    texts = [node.text for node in picture.iter() if node.tag.endswith("text")]
    assert texts[1] == "under_score: RBP(p=0.5) 0.50 to 0.63"
    assert not [node for node in picture.iter() if node.tag.endswith(("script", "a", "style"))]


def test_the_badge_counts_the_runs_that_share_rank_1(campaign: Campaign) -> None:
    make_scores(make_run(campaign, tag="equal"), {RBP: (0.5, 0.25)})
    picture = get(campaign, "badge")
    assert "2 runs share rank 1: RBP(p=0.5) 0.50 to 0.75<" in picture
    assert "under_score" not in picture


def test_the_badge_is_of_public_boards_only(campaign: Campaign) -> None:
    Campaign.objects.update(board_audience=Audience.PARTICIPANTS)
    path = reverse("scoring:badge", args=[campaign.slug])
    assert Client().get(path).status_code == 404


def test_a_board_without_runs_has_a_badge() -> None:
    campaign = make_campaign(stage=Campaign.Stage.PUBLISHED, board_audience=Audience.EVERYONE)
    assert "no runs ranked yet" in get(campaign, "badge")
    assert cells_of_nothing(get(campaign, "leaderboard-latex"))


def cells_of_nothing(latex: str) -> bool:
    return "\\midrule\n\\bottomrule" in latex


def test_the_badge_keeps_both_ends_apart(campaign: Campaign) -> None:
    """0.7504 to 0.7512 is not ".75 to .75", and one that knows all says one number."""
    make_scores(make_run(campaign, tag="close"), {"RBP(p=0.5)": (0.7504, 0.0008)})
    assert "close: RBP(p=0.5) 0.750 to 0.751" in get(campaign, "badge")
    make_scores(make_run(campaign, tag="closer"), {"RBP(p=0.5)": (0.75049, 0.0)})
    assert "closer: RBP(p=0.5) 0.7505<" in get(campaign, "badge")


def test_the_badge_of_a_run_has_its_rank(campaign: Campaign) -> None:
    second = campaign.runs.get(tag="second")
    path = reverse("scoring:run-badge", args=[campaign.slug, second.public_id])
    answer = Client().get(path)
    assert "second: rank 2 of 2, RBP(p=0.5) 0.25" in answer.content.decode()
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert path in Client().get(run_page(second)).content.decode()
    Run.objects.filter(pk=second.pk).update(is_late=True)
    assert "second: late, RBP(p=0.5)" in Client().get(path).content.decode()
    Run.objects.filter(pk=second.pk).update(withdrawn_at=timezone.now())
    assert Client().get(path).status_code == 404


def run_page(run: Run) -> str:
    return reverse("scoring:run-detail", args=[run.campaign.slug, run.public_id])
