"""Further measures of the board: column headings, cells, and options."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from campaigns.models import Campaign
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Facts, Measure
from scoring.core.statistics.means import shown_digits
from scoring.evaluation.rules import rules_of
from scoring.leaderboard.rank_marks import RankMarks
from scoring.leaderboard.rows import BoardCell, BoardRow, Leaderboard, TiedScore
from scoring.leaderboard.tables import bounded
from scoring.output.measure_names import GRADED, has_graded_gains, measure_label
from scoring.output.numbers import score
from scoring.ranks.tables import share

register = template.Library()

SMALLEST = 0.0001  # difference that a score shows


class RankMark(NamedTuple):
    """Where a run lies among all ranks, in percent of the width of its mark, and in words."""

    start: str
    end: str
    has_range: bool
    set_start: str
    set_end: str
    has_set: bool
    possible_start: str
    possible_width: str
    has_possible: bool
    words: str


class ColumnFamily(NamedTuple):
    title: str
    facts: Facts
    measures: list[Measure]
    is_folded: bool
    nearest: Measure  # that differs from the chosen measure by its gains only, or the first


@register.filter
def breakable(name: str) -> SafeString:
    """A name that may break after _ . and /, as names.js lets it on pages with scripts."""
    *parts, last = re.split(r"(?<=[_./])(?=[^\s\d])", name)
    return format_html("{}{}", format_html_join("", "{}<wbr>", ((part,) for part in parts)), last)


@register.simple_tag
def measure_families(
    offered: Sequence[Measure], campaign: Campaign, chosen: Measure | None = None
) -> list[ColumnFamily]:
    """In the order of the first measure of each family. Measures with graded gains are families of
    their own, which are folded if no organiser asked for them, until one is chosen."""
    families: dict[str, list[Measure]] = {}
    for measure in offered:
        title = family_of(measure).facts.pretty_name
        title += GRADED if has_graded_gains(measure) else ""
        families.setdefault(title, []).append(measure)
    unrequested = rules_of(campaign).unrequested
    wanted = measure_label(chosen) + GRADED
    return [
        ColumnFamily(
            title=title,
            facts=family_of(measures[0]).facts,
            measures=measures,
            is_folded=unrequested.issuperset(measures) and chosen not in measures,
            nearest=next((m for m in measures if measure_label(m) == wanted), measures[0]),
        )
        for title, measures in families.items()
    ]


@register.filter
def column_cells(
    row: BoardRow, board: Leaderboard
) -> Iterator[tuple[Measure, BoardCell, int, bool]]:
    """Each cell with its measure, the digits to show, and whether the measure has a residual."""
    for measure, cell in zip(board.columns, row.columns, strict=True):
        yield measure, cell, shown_digits(cell.residual), bounded(measure)


@register.filter
def tied_range(tied: TiedScore) -> str:
    """The lowest and the highest score over all orders of ties. If both are equal after rounding,
    the size of their difference."""
    if tied.low is None or tied.high is None:
        return "–"
    if tied.low == tied.high:
        return "no change"
    low, high = score(tied.low), score(tied.high)
    return f"{low}–{high}" if low != high else f"range <{SMALLEST}"


@register.filter
def rank_mark(marks: RankMarks, run_id: str) -> RankMark | None:
    """None for a run that is not ranked."""
    interval = marks.intervals.get(run_id)
    if interval is None:
        return None
    # A rank is so wide: rank 1 begins at 0 and ends at one step.
    step = 100 / marks.runs
    # A rank that is not known is 0 here, and its flag below is false.
    best, worst = interval.rank_best or 0, interval.rank_worst or 0
    first, last = interval.possible_best or 0, interval.possible_worst or 0
    set_first, set_last = interval.rank_set_best or 0, interval.rank_set_worst or 0
    words = []
    if interval.ranks:
        words.append(f"ranks {interval.ranks} in 95 % of resampled topic sets")
        words.append(f"first in {share(interval.first_share)}")
    if interval.rank_set:
        words.append(f"rank set {interval.rank_set}")
    if interval.possible_ranks:
        words.append(f"possible ranks {interval.possible_ranks}")
    return RankMark(
        start=f"{(best - 1) * step:.2f}",
        end=f"{worst * step:.2f}",
        has_range=bool(interval.ranks),
        set_start=f"{(set_first - 1) * step:.2f}",
        set_end=f"{set_last * step:.2f}",
        has_set=bool(interval.rank_set),
        possible_start=f"{(first - 1) * step:.2f}",
        possible_width=f"{(last - first + 1) * step:.2f}",
        has_possible=bool(interval.possible_ranks),
        words=", ".join(words),
    )


@register.filter
def rank_change(ranks: int | None) -> str:
    """+3, −1 or =; a dash for a run that one of the boards does not rank."""
    if ranks is None:
        return "–"
    return "=" if ranks == 0 else f"{'+' if ranks > 0 else '−'}{abs(ranks)}"
