"""Agreement of the measures of a campaign on the order of its runs: rows for map, table, CSV."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from scoring.agreement.options import STATISTICS, MapChoice
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.agreement import kendall_tau, rank_biased_overlap, tau_ap
from scoring.core.statistics.concordance import concordance
from scoring.core.statistics.ranks import DECIMALS
from scoring.core.statistics.rounding import rounded
from scoring.core.statistics.undefined import none_if_nan
from scoring.results.vectors import visible_means

Matrix = NDArray[np.float64]

DARKEST: Final = 9  # shade of the map; 0 is the least agreement
NOISE: Final = 1e-12


@dataclass(frozen=True)
class AgreementMapCell:
    """Agreement of two measures; the row's is the reference of statistics that have one."""

    row: Measure
    column: Measure
    value: float | None  # None: not defined
    runs: int  # that both have a score of
    swaps: int  # pairs of these in opposite order
    untied: int  # pairs that neither ties
    shade: int | None = None  # None: a measure with itself, or no value

    @property
    def text(self) -> str:
        return shown(self.value)

    @property
    def pairs(self) -> int:
        return math.comb(self.runs, 2)

    @property
    def is_itself(self) -> bool:
        return self.row == self.column


@dataclass(frozen=True)
class AgreementMapRow:
    measure: Measure
    cells: tuple[AgreementMapCell, ...]

    @property
    def best(self) -> float | None:
        """The greatest agreement with another measure."""
        # A measure agrees with itself in everything.
        others = (cell.value for cell in self.cells if not cell.is_itself)
        return max((value for value in others if value is not None), default=None)


class TableRow(NamedTuple):
    """As `trackside agreement` prints it; NaN if not defined."""

    measure_a: str
    measure_b: str
    tau: float
    tau_b: float
    tau_ap: float
    rbo: float


@dataclass(frozen=True)
class AgreementMap:
    """The map is the lower triangle, or the full matrix if the statistic is not symmetrical."""

    choice: MapChoice
    runs: int  # with a score by any measure
    rows: tuple[AgreementMapRow, ...]
    # Each measure and the references: Table III of the RBP paper.
    references: tuple[AgreementMapRow, ...]
    has_ties: bool  # some measure gives two runs the same score
    lowest: float  # the round numbers between which all values lie, for the shades
    highest: float

    @property
    def columns(self) -> tuple[Measure, ...]:
        measures = self.choice.measures
        return measures[:-1] if self.choice.is_symmetrical else measures

    @cached_property
    def least(self) -> AgreementMapCell | None:
        """The two measures that agree least, among those that do not tie all runs."""
        values = [
            (cell.value, cell)
            for cell in _cells(self.rows)
            if cell.value is not None and cell.untied and not cell.is_itself
        ]
        return min(values, key=lambda each: each[0], default=(None, None))[1]


def shown(value: float | None) -> str:
    """Three decimals without a leading zero: .846, −.120, and 1 only for the same order; a dash for
    no value."""
    if value is None:
        return "–"
    if abs(value) > 1 - NOISE:
        return "1" if value > 0 else "−1"
    digits = min(rounded(abs(value), 3), 0.999)
    return f"{'−' if value < 0 < digits else ''}{digits:.3f}".replace("0.", ".", 1)


def agreement(viewer: Viewer, choice: MapChoice) -> AgreementMap:
    """One query. The viewer must be one who may see the board."""
    # A reference may be one of the measures, and is computed once.
    measures = tuple(dict.fromkeys((*choice.measures, *choice.references)))
    scores = _scores(viewer, choice, measures)
    values = statistic_of(choice.statistic, scores, persistence=choice.persistence)
    cell = _Cells(measures, scores, values)
    rows = tuple(
        AgreementMapRow(
            row,
            tuple(
                cell(row, column)
                for column in (choice.measures[:at] if choice.is_symmetrical else choice.measures)
            ),
        )
        for at, row in enumerate(choice.measures)
    )
    # The first row of a triangle is empty.
    shown_rows = tuple(row for row in rows if row.cells)
    known = [row[~np.isnan(row)] for row in np.round(scores, DECIMALS)]
    lowest, highest = _round_bounds(_cells(shown_rows))
    return AgreementMap(
        choice=choice,
        runs=int((~np.isnan(scores)).any(axis=0).sum()),
        rows=tuple(
            AgreementMapRow(
                row.measure, tuple(_shaded(each, lowest, highest) for each in row.cells)
            )
            for row in shown_rows
        ),
        references=tuple(
            AgreementMapRow(row, tuple(cell(reference, row) for reference in choice.references))
            for row in choice.measures
        ),
        has_ties=any(len(np.unique(row)) < len(row) for row in known),
        lowest=lowest,
        highest=highest,
    )


def agreement_table(viewer: Viewer, choice: MapChoice) -> Iterator[TableRow]:
    """All statistics of each pair of the chosen measures. One query."""
    scores = _scores(viewer, choice, choice.measures)
    columns = [
        statistic_of(statistic, scores, persistence=choice.persistence) for statistic in STATISTICS
    ]
    for a, b in combinations(range(len(choice.measures)), 2):
        names = (str(choice.measures[a]), str(choice.measures[b]))
        yield TableRow(*names, *(float(column[a, b]) for column in columns))


def statistic_of(statistic: str, scores: Matrix, *, persistence: float) -> Matrix:
    """float64[orderings, orderings]; NaN if not defined."""
    match statistic:
        case "tau":
            return kendall_tau(scores, ties="none")
        case "tau_b":
            return kendall_tau(scores, ties="b")
        case "tau_ap":
            return tau_ap(scores)
        case "rbo":
            return rank_biased_overlap(scores, persistence=persistence)
    raise ValueError(f"there is no statistic {statistic!r}")


class _Cells:
    """Creates the cell of any two measures, from pairs that are counted once for all."""

    def __init__(self, measures: Sequence[Measure], scores: Matrix, values: Matrix) -> None:
        self.index = {measure: at for at, measure in enumerate(measures)}
        self.values = values
        known = ~np.isnan(scores)
        # A product of two bool arrays would be bool: whether there is a common run at all.
        self.runs = known @ known.T.astype(np.int64)
        self.pairs = concordance(scores)

    def __call__(self, row: Measure, column: Measure) -> AgreementMapCell:
        at = (self.index[row], self.index[column])
        return AgreementMapCell(
            row=row,
            column=column,
            value=none_if_nan(self.values[at]),
            runs=int(self.runs[at]),
            swaps=int(self.pairs.discordant[at]),
            untied=int(self.pairs.untied[at]),
        )


def _scores(viewer: Viewer, choice: MapChoice, measures: Sequence[Measure]) -> Matrix:
    """float64[measures, runs], higher is better; without qrels there are no runs."""
    if choice.qrels is None:
        return np.empty((len(measures), 0))
    _, means, _ = visible_means(viewer, choice.qrels, measures)
    signs = np.array([[sign_of(measure)] for measure in measures])
    better: Matrix = means * signs
    return better


def _cells(rows: Iterable[AgreementMapRow]) -> Iterator[AgreementMapCell]:
    return chain.from_iterable(row.cells for row in rows)


def _round_bounds(cells: Iterable[AgreementMapCell]) -> tuple[float, float]:
    """The tenths between which the values lie, with a difference of at least one tenth."""
    values = [cell.value for cell in cells if cell.value is not None and not cell.is_itself]
    # A tenth that comes out of the computation a little higher or lower is still this tenth.
    highest = math.ceil(max(values, default=1.0) * 10 - NOISE)
    lowest = min(math.floor(min(values, default=0.0) * 10 + NOISE), highest - 1)
    return lowest / 10, highest / 10


def _shaded(cell: AgreementMapCell, lowest: float, highest: float) -> AgreementMapCell:
    if cell.value is None or cell.is_itself:
        return cell
    share = (cell.value - lowest) / (highest - lowest)
    return replace(cell, shade=round(DARKEST * min(max(share, 0.0), 1.0)))
