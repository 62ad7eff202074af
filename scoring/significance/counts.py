"""Significant pairs by measure: rows for page and CSV."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from scoring.core.measures.measure import Measure
from scoring.significance import counts_analysis
from scoring.significance.analysis import TESTS
from scoring.significance.counts_analysis import SignificantPairs
from scoring.significance.options import CORRECTIONS


@dataclass(frozen=True)
class CountCell:
    test: str
    correction: str  # as in the URL
    level: float
    significant: int


@dataclass(frozen=True)
class CountRow:
    """One measure: its number of significant pairs by test, correction and level."""

    measure: Measure
    pairs: int
    cells: tuple[CountCell, ...]

    def by(self, correction: str) -> list[CountCell]:
        """The cells of a correction, by test, then by level."""
        return [cell for cell in self.cells if cell.correction == correction]


def count_rows(measures: Sequence[Measure], result: SignificantPairs) -> list[CountRow]:
    names = {core: name for name, core in CORRECTIONS.items()}
    axes = (TESTS, counts_analysis.CORRECTIONS, counts_analysis.LEVELS)
    return [
        CountRow(
            measure=measure,
            pairs=int(pairs),
            cells=tuple(
                CountCell(test, names[correction], level, int(count))
                for (test, correction, level), count in zip(
                    product(*axes), significant.ravel(), strict=True
                )
            ),
        )
        for measure, pairs, significant in zip(
            measures, result.pairs, result.separated, strict=True
        )
    ]
