"""Tables of the agreement of measures, of two orderings, and of their swapped pairs."""

from collections.abc import Iterable

from scoring.agreement.options import PairChoice
from scoring.agreement.orderings import PairOfOrderings
from scoring.agreement.rows import AgreementMap, AgreementMapRow, TableRow
from scoring.output.latex import Marked, number
from scoring.output.table import Column, Table, printed, same

STATISTIC_COLUMNS = (
    Column("measure_a", kind=str, help_text="the reference of tau_ap"),
    Column("measure_b", kind=str),
    *(Column(name, kind=float) for name in ("tau", "tau_b", "tau_ap", "rbo")),
)


def statistics_table(rows: Iterable[TableRow]) -> Table:
    """All statistics of each pair of measures, as `trackside agreement` has them."""
    return Table(STATISTIC_COLUMNS, rows)


def references_table(agreement_map: AgreementMap) -> Table:
    """Each measure and the references, as Table III of the RBP paper; the best is bold."""

    def reference_column(at: int) -> Column:
        def cell(row: AgreementMapRow) -> Marked:
            each = row.cells[at]
            is_best = each.value is not None and each.value == row.best
            return Marked(each.text, is_bold=is_best and not each.is_itself)

        return printed(str(agreement_map.choice.references[at]), cell)

    columns = (
        printed("measure", "measure", align="l"),
        *map(reference_column, range(len(agreement_map.choice.references))),
    )
    caption = (
        f"{agreement_map.choice.statistic_name} of the orders of {agreement_map.runs} runs by each "
        "measure and by the reference at the head of the column."
    )
    return Table(columns, agreement_map.references, caption)


def orderings_table(pair: PairOfOrderings) -> Table:
    """The rank of each run in both orderings."""
    a, b = pair.choice.names
    caption = f"the runs by {a} and by {b}; τ {pair.tau}."
    return Table(ordering_columns(pair.choice), pair.rows, caption)


def ordering_columns(choice: PairChoice | None = None) -> tuple[Column, ...]:
    a, b = choice.names if choice else ("", "")
    return (
        Column("run_id", "run.run_id", kind=str),
        Column("run", "run.name", "run", align="l", kind=str),
        Column("team", "run.team", "team", align="l", kind=str),
        printed(a, "score_a", number),
        printed(b, "score_b", number),
        same("ordering_a", a, str),
        same("ordering_b", b, str),
        Column("rank_a", heading="rank", kind=int),
        Column("rank_b", heading="rank", kind=int),
        Column("ranks_gained", "moved", kind=int, help_text="from a to b; lost if negative"),
        Column("score_a", kind=float),
        Column("score_b", kind=float),
    )


def swaps_table(pair: PairOfOrderings) -> Table:
    """Every pair of runs in opposite order."""
    a, b = pair.choice.names
    caption = f"pairs of runs in opposite order by {a} and by {b}, those nearest the top first."
    return Table(swap_columns(pair.choice), pair.swaps(), caption)


def swap_columns(choice: PairChoice | None = None) -> tuple[Column, ...]:
    a, b = choice.names if choice else ("", "")
    depth = "the least n for which one of the orderings has both runs among its first n"
    return (
        Column("depth", heading="depth", kind=int, help_text=depth),
        same("ordering_a", a, str),
        same("ordering_b", b, str),
        Column("first_by_a", "first.run.name", f"better by {a}", align="l", kind=str),
        Column("team_of_first_by_a", "first.run.team", kind=str),
        Column("rank_a_of_first_by_a", "first.rank_a", "rank", kind=int),
        Column("rank_b_of_first_by_a", "first.rank_b", "rank", kind=int),
        Column("first_by_b", "second.run.name", f"better by {b}", align="l", kind=str),
        Column("team_of_first_by_b", "second.run.team", kind=str),
        Column("rank_a_of_first_by_b", "second.rank_a", "rank", kind=int),
        Column("rank_b_of_first_by_b", "second.rank_b", "rank", kind=int),
    )
