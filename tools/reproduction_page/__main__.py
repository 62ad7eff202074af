"""`docs/reproduction.md`: the numbers of five texts, computed again, and why some differ.

`TRACKSIDE_DATA=... python -m tools.reproduction_page FOLDER`, where FOLDER is `docs`, writes the
page and the charts in `reproduction/`. It stops with an error if a number differs and no reason is
given, or if a reason is given and nothing differs. A test fails if the page is outdated.
"""

import csv
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tools.reproduction_page import (
    lecture,
    rbp_runs,
    rbp_worked,
    seven_properties,
    strategic_figures,
    strategic_runs,
    strategic_worked,
    tied_scores,
    trec5,
)
from tools.reproduction_page.campaigns import Campaign, read_campaign
from tools.reproduction_page.charts import charts
from tools.reproduction_page.page import RECOMPUTE, page
from tools.reproduction_page.rows import Paper

POOL_DEPTH = 100  # of TREC-8


def main(data: Path, docs: Path) -> None:
    began = time.monotonic()
    trec8, covid = read_pools_of_trec8(data), read_pools_of_covid(data)
    scores = strategic_runs.Judgings(trec8.campaign, "score")
    panels = strategic_figures.panels(scores)
    papers = [
        rank_biased_precision(data, trec8, covid),
        strategic_judgments(scores, strategic_runs.Judgings(trec8.campaign, "line"), panels),
        *without_data(),
    ]
    text = page(papers) + RECOMPUTE
    folder = docs / "reproduction"
    folder.mkdir(exist_ok=True)
    for name, chart in charts(trec8, covid, panels).items():
        (folder / f"{name}.svg").write_text(chart)
    (docs / "reproduction.md").write_text(text)
    seconds = time.monotonic() - began
    sys.stderr.write(f"{docs / 'reproduction.md'}: computed in {seconds:.0f} s\n")


def without_data() -> Sequence[Paper]:
    """The texts whose numbers need no runs."""
    return (seven_properties.paper(), tied_scores.paper(), lecture.paper())


def read_pools_of_trec8(data: Path) -> rbp_runs.Pools:
    """The runs that are judged to the depth of the pool count as pooled."""
    campaign: Campaign = read_campaign(data / "trec8-adhoc")
    return rbp_runs.Pools("TREC-8", campaign, campaign.complete >= POOL_DEPTH)


def read_pools_of_covid(data: Path) -> rbp_runs.Pools:
    """The table of NIST says which runs were pooled."""
    folder = data / "trec-covid-round1"
    campaign: Campaign = read_campaign(folder)
    with open(folder / "leaderboard.csv", newline="") as file:
        pooled = {row["run"]: row["contributed judgments"] == "yes" for row in csv.DictReader(file)}
    return rbp_runs.Pools("TREC-COVID", campaign, np.array([pooled[run] for run in campaign.names]))


def rank_biased_precision(data: Path, trec8: rbp_runs.Pools, covid: rbp_runs.Pools) -> Paper:
    return Paper(
        "A. Moffat and J. Zobel. Rank-biased precision for measurement of retrieval effectiveness. "
        "ACM TOIS 27(1), 2008",
        (
            *rbp_worked.exhibits(),
            *trec5.exhibits(trec5.read_matrices(data / "trec5-scores")),
            *rbp_runs.exhibits(trec8, covid),
        ),
        (
            ("Figures 1 and 3", "they explain sets of documents and a state machine"),
            (
                "Table III, the other rows, and Table IV, rows P@R, RBP and NDCG",
                "they need the runs of TREC-5. The tables above show TREC-8 and TREC-COVID instead",
            ),
            (
                "Figures 2, 4, 5 and 6, as printed, with their values of τ",
                "they need the runs of TREC-5. The plots have no printed values",
            ),
            (
                "the numbers of relevant documents of two topics of TREC-5",
                "they need the qrels of TREC-5",
            ),
        ),
    )


def strategic_judgments(
    scores: strategic_runs.Judgings,
    lines: strategic_runs.Judgings,
    panels: dict[str, strategic_figures.Panel],
) -> Paper:
    return Paper(
        "A. Moffat, W. Webber and J. Zobel. Strategic system comparisons via targeted relevance "
        "judgments. SIGIR 2007",
        (
            *strategic_worked.exhibits(scores.campaign),
            *strategic_runs.exhibits(scores, lines),
            *strategic_figures.exhibits(scores, panels),
        ),
        (
            (
                "the bodies of Tables 2 and 3, and the weights of Table 1",
                "the copy from which we work lacks them, so only our values are shown",
            ),
            ("experiments on TREC-5", "they need its runs, and the paper does not print them"),
        ),
    )


if __name__ == "__main__":
    main(Path(os.environ["TRACKSIDE_DATA"]), Path(sys.argv[1]))
