"""`docs/other-tools.md` says what the comparison found."""

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.scoring.oracles.other_tools_page import page, write_cells
from tests.scoring.oracles.peers import peer
from tests.scoring.oracles.round_one import WITH_DATA

pytestmark = [pytest.mark.long, *WITH_DATA, pytest.mark.xdist_group("pytrec_eval")]

PAGE = Path(__file__).resolve().parents[3] / "docs" / "other-tools.md"
OWN_RUNS = ("BERT", "BRPHJ_NLP1", "PL2c1.0_Bo1", "tm_lda400")
COMMAND = "python -m tests.scoring.oracles.other_tools_page > docs/other-tools.md"


@pytest.fixture(scope="module", autouse=True)
def _all_tools():
    for module in ("pytrec_eval", "cwl", "pyNTCIREVAL"):
        peer(module)


def test_the_page_is_not_stale(cells):
    assert PAGE.read_text() == page(cells, peer("pytrec_eval")), f"outdated, run {COMMAND}"


def test_the_scores_that_it_shows_are_one_number_in_single_precision(cells):
    examples = PAGE.read_text().partition("at rank |\n")[2].split("\n\n")[0].splitlines()[1:]
    assert {row.split(" | ")[0] for row in examples} == {f"| {run}" for run in OWN_RUNS}
    for row in examples:
        first, second = map(float, row.split(" | ")[5].split(", "))
        assert first > second
        assert np.float32(first) == np.float32(second)


def test_the_complete_list_has_every_cell(cells, capsys):
    write_cells(cells)
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert len(rows) == len(cells.its_own()) > 0
    for row in rows:
        assert abs(float(row["our_order"]) - float(row["its_order"])) > 1e-12
        assert int(row["first_rank_moved"]) > 0
