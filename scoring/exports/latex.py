"""Tables as LaTeX, with booktabs: what a paper takes over."""

from collections.abc import Iterable, Sequence

from scoring.exports.board import bounded
from scoring.leaderboard import Leaderboard, Row

# One pass over the text, so that nothing is escaped twice.
ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "\n": " ",
        "\r": " ",
    }
)
LEAST_DIGITS = 3
ALIGNED = "rllrrrr"
HEADINGS = ("", "run", "team", "base", "unknown", "interval", "judged@10")
TIED = ("tied: mean", "lowest", "highest")


def plain(text: str) -> str:
    """Text that LaTeX prints as it stands."""
    return text.translate(ESCAPES)


def board_latex(board: Leaderboard, *, title: str, source: str) -> str:
    """The ranked runs; `source` says where they stand, for whoever reads the paper.

    `unknown` is what unjudged documents could add, the interval reaches from the base to both
    together; a dash where a value is not defined or has no exact bound.
    """
    digits = max(board.digits, LEAST_DIGITS)
    version = f", qrels v{board.qrels.version}" if board.qrels else ""
    caption = f"{title}: mean {board.measure} over {board.topic_count} topics{version}."
    return table(
        ALIGNED + "r" * len(_chosen_headings(board)),
        (*HEADINGS, *_chosen_headings(board)),
        (_cells(row, digits) + _chosen_cells(board, row, digits) for row in board.ranked),
        caption=caption,
        source=source,
    )


def table(
    columns: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str,
    source: str,
) -> str:
    """A table that needs booktabs and nothing else; all texts are escaped here."""
    lines = [
        f"% {_one_line(source)}",
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{plain(caption)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _line(headings),
        r"\midrule",
        *map(_line, rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _cells(row: Row, digits: int) -> tuple[str, ...]:
    interval = (
        "–" if row.upper is None else f"[{_number(row.base, digits)}, {_number(row.upper, digits)}]"
    )
    return (
        str(row.rank),
        row.tag,
        row.team,
        _number(row.base, digits),
        _addition(row.residual, digits),
        interval,
        _number(row.judged_at_10, 2),
    )


def _chosen_headings(board: Leaderboard) -> tuple[str, ...]:
    """Of the columns that stand behind those of every board."""
    names: list[str] = []
    for measure in board.columns:
        names += [str(measure), "unknown"] if bounded(measure) else [str(measure)]
    names += ["places gained"] if board.against else []
    return (*names, *(TIED if board.has_tied_scores else ()))


def _chosen_cells(board: Leaderboard, row: Row, digits: int) -> tuple[str, ...]:
    cells: list[str] = []
    for measure, cell in zip(board.columns, row.columns, strict=True):
        cells.append(_number(cell.base, digits))
        cells += [_addition(cell.residual, digits)] if bounded(measure) else []
    cells += ["–" if row.moved is None else f"{row.moved:+d}"] if board.against else []
    if board.has_tied_scores:
        tied = row.tied[: len(TIED)] if row.tied else (None,) * len(TIED)
        cells += [_number(value, digits) for value in tied]
    return tuple(cells)


def _addition(value: float | None, digits: int) -> str:
    return "–" if value is None else f"+{_number(value, digits)}"


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _line(cells: Iterable[str]) -> str:
    return " & ".join(map(plain, cells)) + r" \\"


def _one_line(text: str) -> str:
    return " ".join(text.split())
