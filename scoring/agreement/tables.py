"""Tables of the agreement of measures, of two orderings, and of their swapped pairs."""

from collections.abc import Iterable

from scoring.agreement.orderings import PairOfOrderings
from scoring.agreement.rows import AgreementMap, AgreementMapRow, TableRow
from scoring.output.latex import Marked, number
from scoring.output.table import Column, Table, printed, same

STATISTICS = tuple(map(Column, TableRow._fields))


def statistics_table(rows: Iterable[TableRow]) -> Table:
    """All statistics of each pair of measures, as `trackside agreement` has them."""
    return Table(STATISTICS, rows)


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
    columns = (
        Column("run_id", "run.run_id"),
        Column("run", "run.name", "run", align="l"),
        Column("team", "run.team", "team", align="l"),
        printed(a, "score_a", number),
        printed(b, "score_b", number),
        same("ordering_a", a),
        same("ordering_b", b),
        Column("rank_a", heading="rank"),
        Column("rank_b", heading="rank"),
        Column("ranks_gained", "moved"),
        Column("score_a"),
        Column("score_b"),
    )
    return Table(columns, pair.rows, f"the runs by {a} and by {b}; τ {pair.tau}.")


def swaps_table(pair: PairOfOrderings) -> Table:
    """Every pair of runs in opposite order."""
    a, b = pair.choice.names
    columns = (
        Column("depth"),
        same("ordering_a", a),
        same("ordering_b", b),
        Column("first_by_a", "first.run.name"),
        Column("team_of_first_by_a", "first.run.team"),
        Column("rank_a_of_first_by_a", "first.rank_a"),
        Column("rank_b_of_first_by_a", "first.rank_b"),
        Column("first_by_b", "second.run.name"),
        Column("team_of_first_by_b", "second.run.team"),
        Column("rank_a_of_first_by_b", "second.rank_a"),
        Column("rank_b_of_first_by_b", "second.rank_b"),
    )
    return Table(columns, pair.swaps())
