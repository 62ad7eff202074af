"""The finding of the report, and the rows of the tables below its charts."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from django import template
from numpy.typing import NDArray

from scoring.agreement.rows import shown
from scoring.core.measures.measure import format_value
from scoring.models import Analysis
from scoring.pools.rows import PoolStudy
from scoring.report.analysis import PERSISTENCES
from scoring.report.rows import Report
from scoring.templatetags.significance import count_finding

register = template.Library()

SHOWN_RANKS: Final = (1, 5, 10, 20, 50, 100)
SHOWN_P: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


class BoundRow(NamedTuple):
    p: str
    ranks: int | None
    bounds: list[tuple[float, float]]


@register.filter
def tau(value: float | None) -> str:
    return shown(value)


@register.filter
def failed_count(report: Report) -> int:
    return sum(each.state == Analysis.State.FAILED for each in report.analyses)


@register.filter
def most_changed(report: Report) -> PoolStudy | None:
    """The measure whose order of the runs the pool changes most."""
    return min(_defined(report), key=_tau, default=None)


@register.filter
def keeps_the_order(study: PoolStudy) -> bool:
    # A rounding error is no change of the order.
    return _tau(study) > 1 - 1e-12


@register.filter
def least_changed(report: Report) -> PoolStudy | None:
    return max(_defined(report), key=_tau, default=None)


@register.filter
def significant_pairs(report: Report) -> dict[str, Any] | None:
    return count_finding([(row, row.by("none")) for row in report.counts])


@register.filter
def rank_rows(report: Report) -> Iterator[BoundRow]:
    """The bounds of the first run with the pool and with all judgments."""
    values = report.bounds[0].by_rank
    for at, p in enumerate(report.persistences):
        for ranks in SHOWN_RANKS:
            yield BoundRow(format_value(p), ranks, _bounds(values[:, :, at, ranks - 1]))


@register.filter
def p_rows(report: Report) -> Iterator[BoundRow]:
    """The bounds of each run with the pool and with all judgments."""
    for p in SHOWN_P:
        # Equal to the bit, because both are the nearest numbers to the same hundredth.
        at = PERSISTENCES.index(p)
        cells = [pair for each in report.bounds for pair in _bounds(each.by_p[:, :, at])]
        yield BoundRow(format_value(p), None, cells)


def _bounds(values: NDArray[np.float64]) -> list[tuple[float, float]]:
    """Lower and upper bounds from float64[base and residual, pools]."""
    return [(base, base + residual) for base, residual in values.T.tolist()]


def _defined(report: Report) -> list[PoolStudy]:
    return [study for study in report.pools if study.chosen.tau is not None]


def _tau(study: PoolStudy) -> float:
    return study.chosen.tau or 0.0
