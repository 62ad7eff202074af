"""Every table as LaTeX: balanced, escaped, as many cells in each row as there are columns, and the
numbers of its page."""

import math
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Audience, Campaign, User
from scoring.output.latex import Marked, interval, number, plain, stars, table
from scoring.worker import perform_waiting_jobs
from tests.making import give_file, make_organiser
from tests.patience import PATIENCE
from tests.scoring.significance.test_significance_page import RBP, TOPICS, make_board, noisy

pytestmark = pytest.mark.django_db
HOSTILE = r"50% of $x_1 & {\input{/etc/passwd}} #~^<>|" + '"'


def board() -> tuple[Campaign, User]:
    campaign = make_board(
        noisy(0.8, 1), noisy(0.5, 2), noisy(0.45, 3), name=HOSTILE,
        per_topic_audience=Audience.EVERYONE, measures=["AP", "RR"],
    )  # fmt: skip
    campaign.runs.filter(tag="r1").update(tag=HOSTILE)
    give_file(campaign.active_qrels)
    return campaign, make_organiser(campaign)


def latex(campaign: Campaign, name: str, person: User, *parts: str, **query: str) -> str:
    client = Client()
    client.force_login(person)
    path = reverse(f"scoring:{name}", args=[campaign.slug, *parts])
    response = client.get(path, query)
    if response.status_code == 202:
        perform_waiting_jobs(campaign)
        response = client.get(path, query)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/x-tex; charset=utf-8"
    assert response["Content-Disposition"].endswith('.tex"')
    return response.content.decode()


def rows_of(text: str) -> list[list[str]]:
    r"""The cells of each row, split at every & and \\ that is not escaped; checks the table."""
    begun, ended = re.findall(r"\\begin\{(\w+)\}", text), re.findall(r"\\end\{(\w+)\}", text)
    assert begun == ["table", "tabular"]
    assert ended == begun[::-1]
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    bare = re.sub(r"\\[{}%&#$_\\]", "", body)
    assert bare.count("{") == bare.count("}")
    assert "%" not in bare
    assert "$" not in bare
    assert "#" not in bare
    assert not set("ακτ≤−∞") & set(body)  # LaTeX has no letters for them
    columns = re.search(r"\\begin\{tabular\}\{([lrc]+)\}", text)
    assert columns
    inside = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
    lines = [line for line in inside.splitlines() if line.endswith(r" \\")]
    rows = [re.split(r" & ", line.removesuffix(r" \\")) for line in lines]
    assert {len(row) for row in rows} == {len(columns[1])}
    return rows


def test_every_table_parses_and_compiles(tmp_path: Path) -> None:
    campaign, organiser = board()
    run = campaign.runs.get(tag=HOSTILE).public_id
    asked: list[tuple[str, tuple[str, ...], dict[str, str]]] = [
        ("leaderboard-latex", (), {}),
        ("agreement-latex", (), {}),
        ("agreement-runs-latex", (), {"a": RBP, "b": "AP"}),
        ("agreement-swaps-latex", (), {"a": RBP, "b": "AP"}),
        ("significance-latex", (), {}),
        ("significance-counts-latex", (), {}),
        ("compare-latex", (), {}),
        ("topics-latex", (), {}),
        ("topic-latex", ("1",), {}),
        ("run-latex", (run,), {}),
        *((f"run-{curve}-latex", (run,), {}) for curve in ("depth", "p", "recall", "precision")),
        *((f"run-{name}-latex", (run,), {}) for name in ("documents", "unjudged")),
        ("compare-bands-latex", (), {}),
        ("topic-matrix-latex", (), {}),
    ]
    texts = [latex(campaign, name, organiser, *parts, **query) for name, parts, query in asked]
    without_rows = ("agreement", "/curves/", "/documents", "/by-p.tex")  # these runs have no file
    for text in texts:
        assert len(rows_of(text)) >= 2 or any(part in text for part in without_rows)
        assert HOSTILE not in text
        assert "http://testserver/campaigns/" in text.splitlines()[0]
    compiler = shutil.which("tectonic") or shutil.which("pdflatex")
    if compiler:
        body = "\n".join(texts)
        (tmp_path / "all.tex").write_text(
            "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{textcomp}"
            f"\\usepackage{{booktabs}}\\begin{{document}}{body}\\end{{document}}"
        )
        subprocess.run([compiler, "all.tex"], cwd=tmp_path, check=True, timeout=2 * PATIENCE)


def test_neighbours_carry_the_marks_of_their_p_values() -> None:
    campaign, organiser = board()
    rows = rows_of(latex(campaign, "significance-latex", organiser))
    assert rows[1][:2] == ["1", plain(HOSTILE)]
    assert rows[1][3] == r"+0.300\textsuperscript{***}"  # 0.8 and 0.5, noise of 0.05
    assert rows[2][0] == "2"
    assert rows[2][3].startswith("+0.050")


def test_compare_ends_with_the_mean_difference() -> None:
    campaign, organiser = board()
    runs = dict(campaign.runs.values_list("tag", "public_id"))
    query = {"a": runs[HOSTILE], "b": runs["r2"]}
    rows = rows_of(latex(campaign, "compare-latex", organiser, **query))
    first, second = noisy(0.8, 1), noisy(0.5, 2)
    by_hand = sorted((first - second).tolist(), reverse=True)
    assert [row[3] for row in rows[1:-1]] == [f"{difference:+.3f}" for difference in by_hand]
    assert len(rows) == len(TOPICS) + 2
    assert rows[-1][3] == rf"{float(np.mean(by_hand)):+.3f}\textsuperscript{{***}}"


def test_a_run_has_its_interval() -> None:
    campaign, organiser = board()
    run = campaign.runs.get(tag="r2").public_id
    rows = rows_of(latex(campaign, "run-latex", organiser, run))
    assert rows[1] == [RBP, "0.500", "+0.100", "[0.500, 0.600]", str(len(TOPICS))]


def test_the_best_agreement_of_a_row_is_bold() -> None:
    campaign, organiser = board()
    rows = rows_of(latex(campaign, "agreement-latex", organiser))
    assert rows[0][0] == "measure"


def test_cells_by_hand() -> None:
    assert [plain(number(end)) for end in (math.inf, -math.inf)] == [
        r"\ensuremath{\infty}",
        r"\ensuremath{-}\ensuremath{\infty}",
    ]
    assert number(None) == number(float("nan")) == "–"
    assert interval(0.25, 0.5, 2) == "[0.25, 0.50]"
    assert [stars(p) for p in (0.0005, 0.001, 0.005, 0.05, 0.051, float("nan"))] == [
        "***", "***", "**", "*", "", "",
    ]  # fmt: skip
    text = table(
        "lr", ("a", "b"), [("x_y", Marked("1%", "*", is_bold=True))], caption="c", source="s"
    )
    assert r"x\_y & \textbf{1\%}\textsuperscript{*} \\" in text
