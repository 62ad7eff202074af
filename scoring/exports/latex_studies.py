"""Statistics over the runs of a board as LaTeX: agreement, separated pairs, pools, the report."""

from collections.abc import Sequence

from scoring.agreement_pairs import PairOfOrderings
from scoring.agreement_rows import Agreement
from scoring.agreement_rows import Row as AgreementRow
from scoring.exports.latex import (
    STARS_SAID,
    Cell,
    Marked,
    interval,
    number,
    signed,
    stars,
    table,
)
from scoring.pool_rows import LeftOut, PoolStudy
from scoring.pool_summaries import Summary
from scoring.report_rows import Report
from scoring.separated_rows import CountRow
from scoring.significance_rows import Separation

LEVELS = ("5 %", "1 %")


def agreement_latex(found: Agreement, *, title: str, source: str) -> str:
    """Each measure beside the references, as Table III of the RBP paper; the best is bold."""
    references = [str(each) for each in found.choice.references]
    return table(
        "l" + "r" * len(references),
        ("measure", *references),
        ((str(row.measure), *_beside(row)) for row in found.references),
        caption=(
            f"{title}: {found.choice.statistic_name} of the orders of {found.runs} runs by each "
            "measure and by the one at the head of the column."
        ),
        source=source,
    )


def orderings_latex(found: PairOfOrderings, *, title: str, source: str) -> str:
    a, b = found.choice.names
    return table(
        "llrrrr",
        ("run", "team", a, b, "rank", "rank"),
        (
            (
                row.run.tag,
                row.run.team,
                number(row.score_a),
                number(row.score_b),
                str(row.rank_a),
                str(row.rank_b),
            )
            for row in found.rows
        ),
        caption=f"{title}: the runs by {a} and by {b}; τ {found.tau}.",
        source=source,
    )


def counts_latex(
    rows: Sequence[CountRow], correction: str, tail: str, *, title: str, source: str
) -> str:
    """Pairs that each measure tells apart, as Table IV of the RBP paper."""
    tests = ("t", "Wilcoxon", "randomisation")
    return table(
        "l" + "r" * 7,
        ("measure", *(f"{test}, {level}" for test in tests for level in LEVELS), "pairs"),
        (
            (str(row.measure), *(str(cell.separated) for cell in row.by(correction)),
             str(row.pairs))
            for row in rows
        ),
        caption=(
            f"{title}: pairs of runs told apart by each measure, test and level; {tail}-tailed, "
            f"correction: {correction}."
        ),
        source=source,
    )  # fmt: skip


def separation_latex(found: Separation | None, *, title: str, source: str) -> str:
    """Each run and the next on the board."""
    choices = found.choices if found else None
    rows = found.neighbours if found else []
    said = (
        f" by {choices.measure} ({choices.words('test')}, {choices.words('tail')}, "
        f"{choices.words('against')}, correction: {choices.words('correction')})"
        if choices
        else ""
    )
    return table(
        "rllrrr",
        ("", "run", "next run", "difference", "effect", "p"),
        (
            (
                str(row.a_rank),
                row.a.tag,
                row.b.tag,
                Marked(signed(row.difference), stars(row.p_corrected)),
                number(row.effect, 2),
                number(row.p_corrected),
            )
            for row in rows
        ),
        caption=f"{title}: each run and the next on the board{said}. {STARS_SAID}.",
        source=source,
    )


def pool_latex(found: PoolStudy | LeftOut | None, other: str, *, title: str, source: str) -> str:
    """Each run under all judgments and under the others."""
    rows = found.rows if found else ()
    measure = f"mean {found.choice.measure}, " if found else ""
    return table(
        "rllrlrrl",
        ("", "run", "team", "all", "interval", "", "other", "interval"),
        (
            (
                _rank(row.rank),
                row.run.tag,
                row.run.team,
                number(row.base),
                _upper(row.base, row.residual),
                _rank(row.other_rank),
                number(row.other_base),
                _upper(row.other_base, row.other_residual),
            )
            for row in rows
        ),
        caption=f"{title}: {measure}all judgments and {other}, with their ranks.",
        source=source,
    )


def summaries_latex(rows: Sequence[Summary], pool_words: str, *, title: str, source: str) -> str:
    """Every measure under one pool."""
    return table(
        "lrlrrrr",
        ("measure", "mean", "interval", "change", "higher", "lower", "τ"),
        (
            (
                str(row.measure),
                number(row.mean_base),
                _upper(row.mean_base, row.mean_residual),
                signed(row.change, 4),
                str(row.higher),
                str(row.lower),
                number(row.tau),
            )
            for row in rows
        ),
        caption=f"{title}: every measure under a pool {pool_words}, beside all judgments.",
        source=source,
    )


def report_agreement_latex(found: Report, *, title: str, source: str) -> str:
    references = [str(each) for each in found.references]
    return table(
        "lr" + "r" * len(references),
        ("measure", "pool", *references),
        (
            (
                str(row.measure),
                row.depth,
                *(
                    Marked(cell.text, is_bold=not cell.is_itself and cell.value == row.best)
                    for cell in row.cells
                ),
            )
            for row in found.agreement
        ),
        caption=(
            f"{title}: Kendall’s τ of the orders of the runs by each measure and pool depth and by "
            "the measure at the head of the column, all judgments."
        ),
        source=source,
    )


def _beside(row: AgreementRow) -> list[Cell]:
    return [
        Marked(
            cell.text,
            is_bold=not cell.is_itself and cell.value is not None and cell.value == row.best,
        )
        for cell in row.cells
    ]


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


def _upper(base: float | None, residual: float | None) -> str:
    return interval(base, None if base is None or residual is None else base + residual)
