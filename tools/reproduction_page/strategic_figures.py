"""Figures 1 to 3 of the paper on strategic judgments: what RBP can be after this many judgments."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.judging.selection import RunBounds
from scoring.core.measures.arrays import Scores
from scoring.core.statistics.projection import projections
from tools.reproduction_page.rows import Exhibit, Row, Table
from tools.reproduction_page.strategic_runs import METHODS, Judgings, P, by_map

THIRDS: Final = ("first", "middle", "last")


@dataclass(frozen=True, eq=False)
class Panel:
    """Ranges of all runs, highest MAP first."""

    title: str
    low: NDArray[np.float64]  # float64[runs]
    high: NDArray[np.float64]  # float64[runs]

    @property
    def middles(self) -> NDArray[np.float64]:
        return (self.low + self.high) / 2


def panels(judgings: Judgings) -> dict[str, Panel]:
    """By number and letter: 1a to 1d, 2a and 2b, 3a and 3b."""
    order = by_map(judgings.campaign)
    found = {}
    for letter, method in zip("abcd", METHODS, strict=True):
        title = f"{'' if method == 'pooling' else 'Method '}{method}, 5,000 judgments, p = .8"
        bounds = judgings.judged(method).after(5_000).bounds(P)
        found[f"1{letter}"] = _range(title[:1].upper() + title[1:], bounds, order)
    deeper = judgings.judged("C").after(10_000).bounds(P)
    found["2a"] = _range("Method C, 10,000 judgments, p = .8: base + residual", deeper, order)
    found["2b"] = _projected("Method C, 10,000 judgments, p = .8: projection", deeper, order)
    patient = judgings.judged("C", 0.95).after(10_000).bounds(0.95)
    found["3a"] = _projected("Method C, 10,000 judgments, p = .95: projection", patient, order)
    patient = judgings.everything.bounds(0.95)
    found["3b"] = _projected("All 86,830 judgments, p = .95: projection", patient, order)
    return found


def _range(title: str, bounds: RunBounds, order: NDArray[np.intp]) -> Panel:
    low = bounds.base.mean(axis=1)
    return Panel(title, low[order], (low + bounds.residual.mean(axis=1))[order])


def _projected(title: str, bounds: RunBounds, order: NDArray[np.intp]) -> Panel:
    shape = bounds.base.shape
    known = projections(Scores(bounds.base.ravel(), bounds.residual.ravel()))
    assert known is not None  # there is a residual
    high = known.reshape(shape).mean(axis=1)
    return Panel(title, bounds.base.mean(axis=1)[order], high[order])


def exhibits(judgings: Judgings, drawn: dict[str, Panel]) -> tuple[Exhibit, ...]:
    final = judgings.everything.bounds(P).base.mean(axis=1)[by_map(judgings.campaign)]
    names = [judgings.campaign.names[run] for run in by_map(judgings.campaign)]
    return (
        Exhibit(
            "Figure 1: ranges of RBP after 5,000 judgments",
            _statements_1(drawn),
            text="Each bar is a run, from the highest MAP to the lowest. It reaches from the base "
            "to the base + residual. The table has means over thirds of the runs.",
            tables=(_by_third([drawn[f"1{letter}"] for letter in "abcd"]), _first(drawn, names)),
            charts=("strategic-figure-1",),
        ),
        Exhibit(
            "Figure 2: base + residual, and projection",
            _statements_2(drawn, final),
            tables=(_by_third([drawn["2a"], drawn["2b"]]),),
            charts=("strategic-figure-2",),
        ),
        Exhibit(
            "Figure 3: a more patient user",
            _statements_3(drawn),
            text="Runs whose range stays wide with all judgments contributed no documents to the "
            "pool, or returned few.",
            tables=(_by_third([drawn["3a"], drawn["3b"]]), _widest(drawn["3b"], names)),
            charts=("strategic-figure-3",),
        ),
    )


def _statements_1(drawn: dict[str, Panel]) -> tuple[Row, ...]:
    pooling, by_b, by_c = drawn["1a"], drawn["1c"], drawn["1d"]
    rivals = int((pooling.high[1:] > pooling.low[0]).sum())
    best = sorted(int(place) + 1 for place in np.argsort(-by_c.middles)[:2])
    extremes = [float(by_b.middles.max()), float(by_b.middles.min())]
    lower = int((by_b.middles < 0.4).sum())
    why = (
        f"The text says “about”. The midpoints of {lower} of the {len(by_b.middles)} runs are "
        "below .4, most of them at the end of the order."
    )
    row = Row("1c: highest and lowest midpoint by method B", "0.8 0.4", extremes)
    return (
        Row("1a: runs whose upper bound exceeds the base of run 1", ">12", [rivals]),
        row if all(row.same) else Row(row.what, row.printed, row.ours, why),
        Row("1d: the two runs with the highest midpoints", "1 4", best),
    )


def _statements_2(drawn: dict[str, Panel], final: NDArray[np.float64]) -> tuple[Row, ...]:
    below = int((drawn["2b"].high < final).sum())
    return (Row("runs whose projection is below their final base", "0", [below]),)


def _statements_3(drawn: dict[str, Panel]) -> tuple[Row, ...]:
    best = slice(0, len(drawn["3b"].low) // 3)
    wide = int((drawn["3b"].high[best] - drawn["3b"].low[best] > 0.05).sum())
    return (Row("3b: runs of the first third with a range wider than .05", "2", [wide]),)


def _by_third(shown: Sequence[Panel]) -> Table:
    rows: list[list[str | float]] = []
    for panel in shown:
        parts = np.array_split(np.arange(len(panel.low)), 3)
        cells = [f"{_dot(panel.low[part])}–{_dot(panel.high[part])}" for part in parts]
        rows.append([panel.title, *cells])
    return Table(("", *(f"{third} third" for third in THIRDS)), rows)


def _first(drawn: dict[str, Panel], names: Sequence[str]) -> Table:
    rows: list[list[str | float]] = []
    for place in range(10):
        found = [drawn[f"1{letter}"] for letter in "abcd"]
        cells = [f"{_dot(each.low[place])}–{_dot(each.high[place])}" for each in found]
        rows.append([str(place + 1), names[place], *cells])
    return Table(("", "run", "1a pooling", "1b A", "1c B", "1d C"), rows)


def _widest(panel: Panel, names: Sequence[str]) -> Table:
    width = panel.high - panel.low
    rows: list[list[str | float]] = [
        [str(int(place) + 1), names[place], float(panel.low[place]), float(panel.high[place])]
        for place in np.argsort(-width, kind="stable")[:6]
    ]
    return Table(("place by MAP", "run", "base", "projection"), rows)


def _dot(values: NDArray[np.float64] | np.float64) -> str:
    return f"{float(np.mean(values)):.3f}".replace("0.", ".")
