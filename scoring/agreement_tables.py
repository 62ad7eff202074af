"""The CSV beside each table of agreement: the same rows, at full precision."""

from collections.abc import Iterable, Sequence

from scoring.agreement_pairs import PairOfOrderings, Placed
from scoring.agreement_rows import TableRow
from scoring.tables import Table

RUN_COLUMNS = (
    "run_id", "run", "team", "ordering_a", "ordering_b", "rank_a", "rank_b", "places_gained",
    "score_a", "score_b",
)  # fmt: skip
SWAP_COLUMNS = (
    "depth", "ordering_a", "ordering_b", "first_by_a", "team_of_first_by_a", "rank_a_of_first_by_a",
    "rank_b_of_first_by_a", "first_by_b", "team_of_first_by_b", "rank_a_of_first_by_b",
    "rank_b_of_first_by_b",
)  # fmt: skip


def agreement_csv(rows: Iterable[TableRow]) -> str:
    """As `trackside agreement` has it; empty where a statistic is not defined."""
    return statistics_table(rows).as_csv()


def statistics_table(rows: Iterable[TableRow]) -> Table:
    """All statistics of each pair of measures."""
    return Table(TableRow._fields, list(rows))


def runs_csv(pair: PairOfOrderings) -> str:
    """Where each run stands in both orderings."""
    return _csv(
        RUN_COLUMNS,
        (
            (
                row.run.run_id, row.run.tag, row.run.team, *pair.choice.names, row.rank_a,
                row.rank_b, row.moved, row.score_a, row.score_b,
            )
            for row in pair.rows
        ),
    )  # fmt: skip


def swaps_csv(pair: PairOfOrderings) -> str:
    """Every pair of runs that the two put in opposite order."""
    return _csv(
        SWAP_COLUMNS,
        (
            (swap.depth, *pair.choice.names, *_facts(swap.first), *_facts(swap.second))
            for swap in pair.swaps
        ),
    )


def _facts(row: Placed) -> tuple[object, ...]:
    return row.run.tag, row.run.team, row.rank_a, row.rank_b


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return Table(columns, rows).as_csv()
