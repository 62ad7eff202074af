"""The examples of the documentation, run against a demo: the notebook, and the lines of R."""

import ast
import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import trackside as ts
from tests.patience import PATIENCE, wait_for
from trackside.processes import free_port

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
R_LINES = re.compile(r"^```r\n(.*?)^```", re.M | re.S)
URL, CAMPAIGN = "http://127.0.0.1:8000", "demo-rail-reports"

pytestmark = pytest.mark.xdist_group("demo")


def cells() -> list[str]:
    """The code of the notebook."""
    found = json.loads(NOTEBOOK.read_text())["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


def test_the_notebook_needs_ten_lines_and_keeps_no_output() -> None:
    assert len(cells()[0].splitlines()) <= 10
    assert "significance" in cells()[0]
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        assert not cell.get("outputs")
        assert not cell.get("execution_count")


def test_the_lines_of_r_are_twelve() -> None:
    assert len(r_lines().splitlines()) == 12


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a demo."""
    folder = tmp_path_factory.mktemp("demo")
    port = str(free_port())
    ours = {"DEMO_DIR": str(folder), "DEMO_SIZE": "small", "PORT": port}
    log = folder / "said"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "trackside.demo"],
            cwd=ROOT,
            env={**os.environ, **ours},
            stdout=output,
            stderr=output,
        )
    is_over = lambda: "Ctrl-C stops" in log.read_text() or process.poll() is not None  # noqa: E731
    wait_for("the demo", is_over, explain=log.read_text, patience=2 * PATIENCE)
    assert process.poll() is None, log.read_text()
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(PATIENCE)


@pytest.mark.long
def test_the_notebook_runs_and_shows_tables(demo: str) -> None:
    names: dict[str, Any] = {}
    shown = [run_cell(source.replace(URL, demo), names) for source in cells()]
    assert all("<table" in each._repr_html_() for each in shown)
    assert len(shown[0]) == 10
    # What the site computes is what the library computes from the site's scores.
    of_site = {frozenset((row.a, row.b)): row for row in names["of_site"]}
    assert len(of_site) == len(names["pairs"]) == 153
    for row in names["pairs"]:
        theirs = of_site[frozenset((row.a, row.b))]
        assert math.isclose(row.p, theirs.p, abs_tol=1e-12)
        assert math.isclose(row.p_corrected, theirs.p_corrected, abs_tol=1e-12)


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("Rscript"), reason="R is not installed")
def test_the_lines_of_r_compute_what_the_site_computes(demo: str, tmp_path: Path) -> None:
    lines = r_lines().replace(
        "https://site.example/campaigns/my-track", f"{demo}/campaigns/{CAMPAIGN}"
    )
    lines += 'write.csv(as.data.frame(as.table(pairs$p.value)), "pairs.csv", quote = FALSE)\n'
    (tmp_path / "lines.R").write_text(lines)
    done = subprocess.run(["Rscript", "lines.R"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    site = ts.Site(demo)
    corrected = {
        frozenset((row.a, row.b)): row.p_corrected
        for row in site.significance(CAMPAIGN, "AP", test="t", correction="holm")
    }
    rows = [row.split(",") for row in (tmp_path / "pairs.csv").read_text().splitlines()[1:]]
    found = {frozenset((a, b)): float(p) for _, a, b, p in rows if p != "NA"}
    assert found.keys() == corrected.keys()
    assert all(math.isclose(found[pair], corrected[pair], abs_tol=1e-9) for pair in found)


def r_lines() -> str:
    matched = R_LINES.search((ROOT / "docs" / "researcher.md").read_text())
    assert matched is not None
    return matched[1]


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Runs a cell as a notebook does, and returns what it displays."""
    tree = ast.parse(source)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
