"""What is told apart, in words and cells."""

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

register = template.Library()


class MatrixCell(NamedTuple):
    """A run against another: `kind` is "better" or "worse" where they can be told apart."""

    is_asked: bool
    p: float
    kind: str
    is_approximate: bool


class NamedGroup(NamedTuple):
    """Neighbours of whom no two can be told apart: places on the board, and who stands there."""

    first: int
    last: int
    size: int
    best: str
    worst: str


@register.filter
def words(choices: TestChoices, name: str) -> str:
    """A choice as the page calls it."""
    return choices.words(name)


@register.filter
def is_approximate(found: Significance) -> bool:
    """Whether some of the p-values are approximate, and marked so."""
    return bool((found.methods == NORMAL).any())


@register.filter
def matrix_cells(found: Significance) -> list[tuple[Any, list[MatrixCell]]]:
    """Of each run of the board its cells, one for each run of the board."""
    p_values = found.matrix(found.corrected)
    is_asked = ~np.isnan(found.antisymmetric(np.ones(len(found.pairs))))
    speaks = np.where(found.is_significant, np.sign(found.differences), 0.0)
    kinds = found.antisymmetric(-speaks if found.ranked.is_lower_better else speaks)
    methods = found.matrix(found.methods.astype(np.float64))
    return [
        (
            run,
            [
                MatrixCell(
                    bool(asked), float(p), {1.0: "better", -1.0: "worse"}.get(kind, ""), m == NORMAL
                )
                for asked, p, kind, m in zip(
                    is_asked[at], p_values[at], kinds[at], methods[at], strict=True
                )
            ],
        )
        for at, run in enumerate(found.ranked.runs)
    ]


@register.filter
def named_groups(found: Significance) -> list[NamedGroup]:
    runs = found.ranked.runs
    return [
        NamedGroup(first + 1, last + 1, last - first + 1, runs[first].tag, runs[last].tag)
        for first, last in found.groups
    ]


@register.filter
def is_too_coarse(found: Significance) -> bool:
    """Whether no difference, however large, could be told by so many random exchanges."""
    choices = found.choices
    is_corrected = choices.test == "randomisation" and choices.correction == "holm"
    return is_corrected and len(found.pairs) / (SAMPLES + 1) > choices.alpha


@register.filter
def caution_of(found: Significance) -> str:
    """What one should know of this test before believing its answer, if anything."""
    choices, pairs = found.choices, len(found.pairs)
    if choices.correction == "none" and pairs > 1:
        chance = round(choices.alpha * pairs)
        return (
            f"nothing allows for the number of tests: about {intcomma(chance)} of"
            f" {intcomma(pairs)} pairs would be told apart by chance if all runs were alike"
        )
    if is_too_coarse(found):
        return (
            f"{intcomma(SAMPLES)} random exchanges leave no p below {1 / SAMPLES:.4f}, and Holm"
            f" multiplies the smallest by {intcomma(pairs)}: no pair can be told apart like this;"
            " Tukey’s correction, or another test, can tell"
        )
    return ""


@register.filter
def count_finding(rows: list[tuple[CountRow, list[CountCell]]]) -> dict[str, Any] | None:
    """The measures that tell most and fewest pairs apart by the first test and level, and how many
    more tell just as many."""
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
def bar_columns(drawn: SignificanceBars, run_id: str) -> tuple[str, ...]:
    """The classes of a row's lanes, from left to right; "" where no stroke passes."""
    return drawn.columns.get(run_id, ("",) * drawn.width)


@register.filter
def tied_with(drawn: SignificanceBars, run_id: str) -> str:
    """The places among which a run cannot be told from any other, "" where it stands alone."""
    first, last = drawn.reach.get(run_id, (0, 0))
    return f"{first}–{last}" if first else ""
