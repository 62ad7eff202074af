"""Tables of how certain ranks are, of split halves and of needed topics."""

from collections.abc import Iterable
from functools import partial

from scoring.core.statistics.rounding import decimal_text
from scoring.output import numbers
from scoring.output.latex import number
from scoring.output.measure_names import measure_label
from scoring.output.table import Column, PageColumn, Table, printed, same
from scoring.ranks.halves import Halves, SwapRow, UnknownSwaps
from scoring.ranks.options import CORRECTIONS
from scoring.ranks.rows import RankRow
from scoring.ranks.topics import NeededRow

RANKS = (
    Column("rank", heading="", kind=int),
    Column("run", "run.name", "run", align="l", kind=str),
    Column("team", "run.team", "team", align="l", kind=str),
    Column("base", heading="base", text=number, kind=float),
    Column("rank_best", "interval.rank_best", kind=int | None),
    Column("rank_worst", "interval.rank_worst", kind=int | None),
    printed("ranks, 95 %", lambda row: row.interval.ranks or "–"),
    Column("first_share", "interval.first_share", "first", partial(number, digits=3), kind=float),
    Column("rank_set_best", "interval.rank_set_best", kind=int | None),
    Column("rank_set_worst", "interval.rank_set_worst", kind=int | None),
    printed("rank set, 95 %", lambda row: row.interval.rank_set or "–"),
    Column("possible_best", "interval.possible_best", kind=int | None),
    Column("possible_worst", "interval.possible_worst", kind=int | None),
    printed("possible ranks", lambda row: row.interval.possible_ranks or "–"),
    Column("run_id", "run.run_id", kind=str),
    same("caution", "", str),
)
STABILITY = (
    Column("topics", heading="topics", kind=int),
    Column("tau", heading="mean τ", text=partial(number, digits=3), kind=float),
    Column("tau_lowest", heading="lowest", text=partial(number, digits=3), kind=float),
    Column("tau_highest", heading="highest", text=partial(number, digits=3), kind=float),
)
SWAPS = (
    Column("topics", heading="topics", kind=int),
    Column("difference_from", heading="from", text=partial(number, digits=2), kind=float),
    Column("difference_to", heading="below", text=partial(number, digits=2), kind=float),
    Column("swaps", heading="swaps", kind=int | None),
    Column("pairs", heading="pairs", kind=int | None),
    Column("swap_rate", heading="swap rate", text=partial(number, digits=3), kind=float),
)
NEEDED = (
    Column("measure", heading="measure", align="l", kind=str),
    Column("runs", kind=int, help_text="with the variance of scores"),
    Column("pairs", heading="pairs", kind=int, help_text="of runs, with that of differences"),
    Column("topics", heading="topics", kind=int, help_text="on which the variances are measured"),
    Column("compared", heading="compared", kind=int, help_text="the runs in the ANOVA"),
    Column("variance", heading="variance", text=number, kind=float),
    Column("variance_low", lambda row: row.variance_ends[0], kind=float),
    Column("variance_high", lambda row: row.variance_ends[1], kind=float),
    Column("variance_of_differences", heading="of differences", text=number, kind=float),
    Column("variance_of_differences_low", lambda row: row.ends_of_differences[0], kind=float),
    Column("variance_of_differences_high", lambda row: row.ends_of_differences[1], kind=float),
    Column("t_test", "needed.t_test", "t test", kind=int | None),
    Column("t_test_low", "needed.t_test_low", kind=int | None),
    Column("t_test_high", "needed.t_test_high", kind=int | None),
    printed("95 %", "needed.t_test_interval"),
    Column("anova", "needed.anova", "ANOVA", kind=int | None),
    Column("anova_low", "needed.anova_low", kind=int | None),
    Column("anova_high", "needed.anova_high", kind=int | None),
    printed("95 %", "needed.anova_interval"),
    Column("t_test_nagata", "needed.t_test_nagata", kind=int | None),
    Column("anova_nagata", "needed.anova_nagata", kind=int | None),
)


def ranks_page_columns(*, has_ranges: bool, has_sets: bool, has_possible: bool) -> list[PageColumn]:
    ranges = [
        PageColumn("ranks in 95 %", lambda row: row.interval.ranks),
        PageColumn("first", lambda row: share(row.interval.first_share)),
    ]
    sets = PageColumn("rank set", lambda row: row.interval.rank_set)
    possible = PageColumn("possible ranks", lambda row: row.interval.possible_ranks)
    return [
        PageColumn("run", lambda row: row.run.name, css=""),
        PageColumn("#", lambda row: str(row.rank), css="num muted"),
        PageColumn("base", lambda row: numbers.score(row.base)),
        *(ranges if has_ranges else []),
        *([sets] if has_sets else []),
        *([possible] if has_possible else []),
    ]


STABILITY_PAGE = [
    PageColumn("topics", lambda row: str(row.topics), css=""),
    PageColumn("mean τ", lambda row: numbers.score(row.tau, 2)),
    PageColumn("lowest", lambda row: numbers.score(row.tau_lowest, 2)),
    PageColumn("highest", lambda row: numbers.score(row.tau_highest, 2)),
]
SWAPS_PAGE = [
    PageColumn("difference", lambda row: difference_of(row), css=""),
    PageColumn("swaps", lambda row: f"{row.swaps:,}"),
    PageColumn("pairs", lambda row: f"{row.pairs:,}"),
    PageColumn("swap rate", lambda row: share(row.swap_rate)),
]
NEEDED_PAGE = [
    PageColumn("measure", lambda row: measure_label(row.measure), css=""),
    PageColumn("runs", lambda row: f"{row.runs:,}"),
    PageColumn("pairs", lambda row: f"{row.pairs:,}"),
    PageColumn("variance", lambda row: numbers.score(row.variance)),
    PageColumn("of differences", lambda row: numbers.score(row.variance_of_differences)),
    PageColumn("t test", lambda row: count(row.needed.t_test)),
    PageColumn("t test, 95 %", lambda row: row.needed.t_test_interval),
    PageColumn("ANOVA", lambda row: count(row.needed.anova)),
    PageColumn("ANOVA, 95 %", lambda row: row.needed.anova_interval),
    PageColumn("t test, Nagata", lambda row: count(row.needed.t_test_nagata)),
    PageColumn("ANOVA, Nagata", lambda row: count(row.needed.anova_nagata)),
]


def ranks_table(
    rows: Iterable[RankRow], measure: object, correction: str, caution: str = ""
) -> Table:
    caption = (
        f"ranges of ranks by {measure} in resampled topic sets, simultaneous rank sets by all"
        f" pairwise comparisons ({CORRECTIONS[correction]}), and possible ranks."
    )
    # The last column of RANKS is there for the schema of the API.
    columns = (*RANKS[:-1], same("caution", caution))
    return Table(columns, rows, f"{caption} {caution}".strip())


def stability_table(halves: Halves | None, measure: object) -> Table:
    caption = f"Kendall's τ-b of leaderboards of disjoint halves of the topics by {measure}."
    if halves is None:
        return Table(STABILITY, (), caption)
    return Table(STABILITY, halves.rows, f"{caption} {halves.unknown}".strip())


def swaps_table(halves: Halves | None, measure: object) -> Table:
    caption = f"swapped pairs of runs by the difference on the first half, by {measure}."
    if halves is None:
        return Table(SWAPS, (), caption)
    if halves.unknown:
        rows = [UnknownSwaps(row.topics) for row in halves.rows]
        return Table(SWAPS, rows, f"{caption} {halves.unknown}")
    return Table(SWAPS, halves.swaps, caption)


def needed_table(rows: Iterable[NeededRow]) -> Table:
    caption = (
        "topics that a test needs, by measure, and for the ends of the chi-square interval of the"
        " variance."
    )
    return Table(NEEDED, rows, caption)


def share(value: float | None) -> str:
    """In percent: 62 %, <1 %, 0."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    return "<1 %" if value < 0.01 else f"{decimal_text(100 * value, 0)} %"


def count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def difference_of(row: SwapRow) -> str:
    """0.02–0.03, and 0.2 or more."""
    if row.difference_to is None:
        return f"{row.difference_from:g} or more"
    return f"{row.difference_from:g}–{row.difference_to:g}"
