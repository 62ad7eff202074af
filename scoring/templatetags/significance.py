"""Results of significance tests, in words and cells."""

from typing import Any, NamedTuple

import numpy as np
from django import template
from django.contrib.humanize.templatetags.humanize import intcomma

from scoring.core.statistics.pairs import NORMAL
from scoring.leaderboard.significance_bars import SignificanceBars
from scoring.significance.analysis import SAMPLES
from scoring.significance.counts import CountCell, CountRow
from scoring.significance.options import TestChoices
from scoring.significance.rows import Significance

FEW_TOPICS = 6  # with fewer, no p-value of a two-tailed test by signs is below .05

register = template.Library()


class MatrixCell(NamedTuple):
    """A run against another: `kind` is "better" or "worse" if the difference is significant."""

    is_tested: bool
    p: float
    kind: str
    is_approximate: bool


class NamedGroup(NamedTuple):
    """Neighbours without a significant difference: positions on the board, and the runs there."""

    first: int
    last: int
    size: int
    best: str
    worst: str


@register.filter
def label(choices: TestChoices, name: str) -> str:
    """The label of an option."""
    return choices.label(name)


@register.filter
def is_approximate(result: Significance) -> bool:
    """Whether some of the p-values are approximate."""
    return bool((result.methods == NORMAL).any())


@register.filter
def matrix_cells(result: Significance) -> list[tuple[Any, list[MatrixCell]]]:
    """Each run of the board with its cells, one for each run of the board."""
    p_values = result.matrix(result.corrected)
    # A directed test has no value in one of the two cells of a pair.
    is_tested = ~np.isnan(result.antisymmetric(np.ones(len(result.pairs))))
    signs = np.where(result.is_significant, np.sign(result.differences), 0.0)
    kinds = result.antisymmetric(-signs if result.ranked.is_lower_better else signs)
    methods = result.matrix(result.methods.astype(np.float64))
    return [
        (
            run,
            [
                MatrixCell(
                    bool(tested),
                    float(p),
                    # NaN, of a cell without a test, is neither.
                    {1.0: "better", -1.0: "worse"}.get(kind, ""),
                    m == NORMAL,
                )
                for tested, p, kind, m in zip(
                    is_tested[at], p_values[at], kinds[at], methods[at], strict=True
                )
            ],
        )
        for at, run in enumerate(result.ranked.runs)
    ]


@register.filter
def named_groups(result: Significance) -> list[NamedGroup]:
    runs = result.ranked.runs
    return [
        NamedGroup(first + 1, last + 1, last - first + 1, runs[first].name, runs[last].name)
        for first, last in result.groups
    ]


@register.filter
def cautions_of(result: Significance) -> list[str]:
    """Warnings about the limits of this test."""
    choices, pairs = result.choices, len(result.pairs)
    cautions = []
    if choices.correction == "none" and pairs > 1:
        chance = round(choices.alpha * pairs)
        cautions.append(
            f"no correction for the number of tests: about {intcomma(chance)} of"
            f" {intcomma(pairs)} pairs would be significant by chance if all runs were equally good"
        )
    # A least p of 0 means that the test has no limit.
    if result.least_p and (result.topic_count < FEW_TOPICS or result.is_too_coarse):
        cautions.append(_limit_of(result))
    return cautions


def _limit_of(result: Significance) -> str:
    """The lowest p-value that is possible, and what follows from it."""
    choices, pairs = result.choices, len(result.pairs)
    is_sampled = choices.test == "randomisation" and 2**result.topic_count > SAMPLES
    limit = f"{result.topic_count} topic{'' if result.topic_count == 1 else 's'}"
    if is_sampled:
        limit = f"{intcomma(SAMPLES)} random permutations"
    said = f"{limit} give no p below {result.least_p:.4f}"
    if choices.correction == "holm" and pairs > 1:
        said += f", and Holm multiplies the smallest by {intcomma(pairs)}"
    if result.is_too_coarse:
        said += ", so that no pair can be significant"
        if is_sampled:
            said += "; choose Tukey’s correction or another test"
    return said


@register.filter
def count_finding(rows: list[tuple[CountRow, list[CountCell]]]) -> dict[str, Any] | None:
    """The measures with the most and the fewest significant pairs by the first test and level, and
    how many other measures have the same number."""
    counted = [(row, cells[0].significant) for row, cells in rows if row.pairs]
    if not counted:
        return None
    most, fewest = max(counted, key=lambda c: c[1]), min(counted, key=lambda c: c[1])
    counts = [significant for _, significant in counted]
    return {
        name: {
            "measure": row.measure,
            "significant": significant,
            "pairs": row.pairs,
            "others": counts.count(significant) - 1,
        }
        for name, (row, significant) in (("most", most), ("fewest", fewest))
    }


@register.filter
def bar_columns(bars: SignificanceBars, run_id: str) -> tuple[str, ...]:
    """The classes of a row's columns, from left to right; "" where there is no bar."""
    return bars.columns.get(run_id, ("",) * bars.width)


@register.filter
def tied_ranks(bars: SignificanceBars, run_id: str) -> str:
    """The ranks of the runs without a significant difference from a run; "" if there are none."""
    first, last = bars.reach.get(run_id, (0, 0))
    return f"{first}–{last}" if first else ""
