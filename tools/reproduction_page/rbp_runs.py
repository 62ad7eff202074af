"""Table III, Table IV and Figures 2, 4, 5 and 6 of the RBP paper, with the runs of other years.

The paper has the runs of TREC-5, which are not available. Its statements are tested here on those
of TREC-8 and of TREC-COVID.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.statistics.agreement import kendall_tau
from scoring.core.statistics.pairs import all_pairs, compare
from scoring.core.statistics.projection import upper_bounds
from scoring.core.statistics.signed_ranks import wilcoxon
from scoring.core.statistics.significance import paired_t
from tools.reproduction_page.campaigns import Campaign
from tools.reproduction_page.rows import CLAIMED, Exhibit, Row, Table
from tools.reproduction_page.trec5 import counts

RBP: Final = ("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
REFERENCES: Final = ("RR", "P@10", "Rprec", "AP")
MEASURES: Final = (*REFERENCES, *RBP, "nDCG")
SHALLOW: Final = 10
TABLE_3: Final = (  # measure, whether all judgments are used, printed for TREC-5
    ("RR", False, (0.997, 0.841, 0.749, 0.733)),
    ("P@10", False, (0.839, 1.000, 0.861, 0.846)),
    ("Rprec", True, (0.748, 0.861, 1.000, 0.905)),
    ("RBP(p=0.5)", False, (0.925, 0.858, 0.768, 0.758)),
    ("RBP(p=0.8)", False, (0.887, 0.930, 0.822, 0.812)),
    ("RBP(p=0.95)", False, (0.778, 0.880, 0.874, 0.897)),
    ("RBP(p=0.95)", True, (0.791, 0.913, 0.896, 0.863)),
    ("nDCG", True, (0.763, 0.831, 0.878, 0.916)),
)
DEPTHS: Final = (1, 2, 3, 5, 10, 20, 50, 100)
SPREAD: Final = tuple(round(0.05 * step, 2) for step in range(1, 20))  # p of Figure 6


class Pools:
    """A campaign scored with all judgments, and with those of a pool of depth 10."""

    def __init__(self, name: str, campaign: Campaign, pooled: NDArray[np.bool_]) -> None:
        self.name, self.campaign, self.pooled = name, campaign, pooled
        self.shallow = campaign.pooled_to(SHALLOW, pooled)

    @cached_property
    def full_scores(self) -> dict[str, Scores]:
        return self.campaign.scores(MEASURES, self.campaign.everything)

    @cached_property
    def shallow_scores(self) -> dict[str, Scores]:
        return self.campaign.scores(MEASURES, self.shallow)

    def means(self, measure: str, *, full: bool) -> NDArray[np.float64]:
        """float64[runs]"""
        scores = self.full_scores if full else self.shallow_scores
        means: NDArray[np.float64] = scores[measure].base.mean(axis=1)
        return means

    def tau(self, measure: str, *, full: bool, reference: str) -> float:
        """Between a measure, and a reference with all judgments."""
        both = np.array([self.means(measure, full=full), self.means(reference, full=True)])
        return float(kendall_tau(both)[0, 1])


def exhibits(trec8: Pools, covid: Pools) -> tuple[Exhibit, ...]:
    both = (trec8, covid)
    return (
        _figure_2(both),
        _figure_4(both),
        _figure_5(both),
        _figure_6(both),
        Exhibit(
            "Table III: Kendall's τ on other collections",
            tuple(_statements(both)),
            text="The paper reports similar results on TREC-8. Its statements say which measure a "
            "row is most like. The columns of the second table are RR, P@10, R-precision and AP "
            "with all judgments.",
            heading=CLAIMED,
            tables=(_table_3(both),),
        ),
        Exhibit(
            "Table IV: share of pairs that differ significantly, on other collections",
            text="Percent of all pairs of runs. The printed counts of TREC-5 are of 1,830 pairs.",
            tables=(_table_4(both),),
        ),
    )


def _statements(both: Sequence[Pools]) -> Iterator[Row]:
    closest = (("RR", "P@10"), ("P@10", "Rprec"), ("Rprec", "AP"), ("RBP(p=0.5)", "RR"))
    for name, most in (*closest, ("RBP(p=0.8)", "P@10")):
        full = name == "Rprec"
        for pools in both:
            found = {
                reference: pools.tau(name, full=full, reference=reference)
                for reference in REFERENCES
                if reference != name
            }
            best = max(found, key=lambda reference: found[reference])
            near = sorted(found.items(), key=lambda item: -item[1])[:2]
            why = "" if best == most else _other_year(pools.name, near)
            yield Row(f"{name} is most like, {pools.name}", most, [best], why)


def _other_year(name: str, near: Sequence[tuple[str, float]]) -> str:
    values = ", ".join(f"{reference} {tau:.3f}" for reference, tau in near)
    return f"The paper's runs are those of TREC-5. On {name} the two closest are {values}."


def _table_3(both: Sequence[Pools]) -> Table:
    rows: list[list[str | float]] = []
    for name, full, printed in TABLE_3:
        rows.append([name, "all" if full else "depth 10", "TREC-5, printed", *printed])
        for pools in both:
            found = [pools.tau(name, full=full, reference=each) for each in REFERENCES]
            rows.append([name, "all" if full else "depth 10", pools.name, *found])
    return Table(("measure", "judgments", "runs", "RR", "P@10", "Rprec", "AP"), rows)


def _table_4(both: Sequence[Pools]) -> Table:
    printed: dict[str, tuple[int, int, int, int]] = {
        "RR": (1020, 759, 1000, 752),
        "P@10": (1141, 897, 1150, 915),
        "Rprec": (1209, 989, 1142, 931),
        "AP": (1259, 1077, 1164, 969),
        "RBP(p=0.5)": (1067, 834, 1050, 810),
        "RBP(p=0.8)": (1164, 919, 1166, 917),
        "RBP(p=0.95)": (1231, 1006, 1209, 987),
        "nDCG": (1291, 1092, 1269, 1101),
    }
    rows: list[list[str | float]] = []
    for name in MEASURES:
        pairs = len(all_pairs(61))
        rows.append([name, "TREC-5, printed", *(100 * count / pairs for count in printed[name])])
        for pools in both:
            scores = pools.full_scores[name].base
            pairs = len(all_pairs(len(scores)))
            found = [
                count
                for test in (wilcoxon, paired_t)
                for count in counts(compare(test, all_pairs(len(scores)), scores).p_values)
            ]
            rows.append([name, pools.name, *(100 * count / pairs for count in found)])
    columns = ("Wilcoxon, 95 %", "Wilcoxon, 99 %", "t, 95 %", "t, 99 %")
    return Table(("measure", "runs", *columns), rows, digits=1)


def _figure_2(both: Sequence[Pools]) -> Exhibit:
    rows: list[list[str | float]] = []
    for pools in both:
        shallow, full = (pools.means("AP", full=full) for full in (False, True))
        higher = int((shallow > full).sum())
        means = float(shallow.mean()), float(full.mean())
        rows.append([pools.name, len(full), higher, *means, _tau(pools, "AP")])
    columns = ("runs of", "number", "higher at depth 10", "mean, depth 10", "mean, all", "τ")
    return Exhibit(
        "Figure 2: mean AP at two pool depths",
        text="For TREC-5 the paper prints τ = .898, and says that AP is almost always higher at "
        "pool depth 10. The pool of depth 10 has the judgments of the first 10 documents of the "
        "runs that were pooled.",
        tables=(Table(columns, rows),),
        charts=("figure-2",),
    )


def _tau(pools: Pools, name: str) -> float:
    return pools.tau(name, full=False, reference=name)


def _figure_4(both: Sequence[Pools]) -> Exhibit:
    rows: list[Row] = []
    values: list[list[str | float]] = []
    for name, printed in zip(RBP, (1.0, 0.986, 0.891), strict=True):
        values.append([name, "TREC-5, printed", "–", "–", printed])
        for pools in both:
            shallow, full = (pools.means(name, full=full) for full in (False, True))
            falls = int((full < shallow - 1e-12).sum())
            rows.append(Row(f"{name}, {pools.name}: runs with a lower score", "0", [falls]))
            depths = float(shallow.mean()), float(full.mean())
            values.append([name, pools.name, *depths, _tau(pools, name)])
    return Exhibit(
        "Figure 4: mean RBP at two pool depths",
        rows,
        text="More judgments never lower RBP.",
        heading=CLAIMED,
        tables=(Table(("measure", "runs", "mean, depth 10", "mean, all", "τ"), values),),
        charts=("figure-4",),
    )


def chosen_runs(pools: Pools) -> list[int]:
    """The run with the highest mean AP and the median one, of those that were pooled."""
    means = np.where(pools.pooled, pools.means("AP", full=True), -1.0)
    order = np.argsort(-means, kind="stable")
    return [int(order[0]), int(order[int(pools.pooled.sum()) // 2])]


def bounds_by_depth(pools: Pools, run: int, *, full: bool) -> dict[str, list[tuple[float, float]]]:
    """Lower and upper bound of the first 1, 2, ... documents of a run, by measure."""
    kept = pools.campaign.everything if full else pools.shallow
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in RBP}
    for depth in DEPTHS:
        scores = pools.campaign.scores(RBP, kept, depth, runs=[run])
        for name, each in scores.items():
            found[name].append(_mean_bounds(each))
    return found


def bounds_by_persistence(pools: Pools, run: int, *, full: bool) -> list[tuple[float, float]]:
    kept = pools.campaign.everything if full else pools.shallow
    names = [f"RBP(p={p:g})" for p in SPREAD]
    scores = pools.campaign.scores(names, kept, runs=[run])
    return [_mean_bounds(scores[name]) for name in names]


def _mean_bounds(scores: Scores) -> tuple[float, float]:
    upper = upper_bounds(scores)
    assert upper is not None  # RBP has a residual
    return float(scores.base.mean()), float(upper.mean())


def _figure_5(both: Sequence[Pools]) -> Exhibit:
    rows: list[list[str | float]] = []
    for pools in both:
        run = chosen_runs(pools)[0]
        for full in (False, True):
            found = bounds_by_depth(pools, run, full=full)
            for name in RBP:
                cells = [_interval(*pair) for pair in found[name]]
                judgments = "all" if full else "depth 10"
                rows.append([pools.campaign.names[run], name, judgments, *cells])
    columns = ("run", "measure", "judgments", *(f"d = {d}" for d in DEPTHS))
    return Exhibit(
        "Figure 5: bounds of one run by the depth of the evaluation",
        text="The paper draws a run of TREC-5. These are the pooled runs with the highest mean AP: "
        f"{' and '.join(map(_first_run, both))}. Each cell shows the lower and the upper bound of "
        "RBP, as means over the topics. With all judgments the bounds of TREC-COVID stay wider, "
        "because its pools were shallower.",
        tables=(Table(columns, rows),),
        charts=("figure-5",),
    )


def _first_run(pools: Pools) -> str:
    run = chosen_runs(pools)[0]
    depth = int(pools.campaign.complete[run])
    return f"{pools.campaign.names[run]} of {pools.name} (judged to depth {depth})"


def _figure_6(both: Sequence[Pools]) -> Exhibit:
    rows: list[list[str | float]] = []
    for pools in both:
        for run in chosen_runs(pools):
            shallow = bounds_by_persistence(pools, run, full=False)
            full = bounds_by_persistence(pools, run, full=True)
            for p, low, high in zip(SPREAD, shallow, full, strict=True):
                if round(100 * p) in (10, 30, 50, 70, 80, 90, 95):
                    name = pools.campaign.names[run]
                    rows.append([pools.name, name, f"{p:g}", _interval(*low), _interval(*high)])
    columns = ("runs of", "run", "p", "judgments to depth 10", "all judgments")
    return Exhibit(
        "Figure 6: bounds of two runs as a function of p",
        text="The runs of Figure 5, and the median ones by AP of those that were pooled.",
        tables=(Table(columns, rows),),
        charts=("figure-6",),
    )


def _interval(low: float, high: float) -> str:
    return f"{low:.3f}–{high:.3f}".replace("0.", ".")
