"""Tables as LaTeX, with booktabs: what a paper takes over. Every table is written here."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from scoring.core.rounding import addition_text, decimal_text, difference_text
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
        '"': r"\char34{}",  # \textquotedbl is not in every encoding
        # of our own headings; plain LaTeX does not know them as letters
        "τ": r"\ensuremath{\tau}",
        "≤": r"\ensuremath{\leq}",
        "−": r"\ensuremath{-}",
        "\n": " ",
        "\r": " ",
    }
)
LEAST_DIGITS = 3
ALIGNED = "rllrrrr"
# Levels at which a difference gets its marks, and how they are explained.
STARS: Final = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
STARS_SAID: Final = "* p ≤ .05, ** p ≤ .01, *** p ≤ .001"
HEADINGS = ("", "run", "team", "base", "unknown", "interval", "judged@10")
TIED = ("tied: mean", "lowest", "highest")


@dataclass(frozen=True)
class Marked:
    """A cell whose text is raised by a mark, or printed bold."""

    text: str
    mark: str = ""
    is_bold: bool = False


Cell: TypeAlias = str | Marked


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
    rows: Iterable[Sequence[Cell]],
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


def number(value: float | None, digits: int = LEAST_DIGITS) -> str:
    """A dash where there is none."""
    return "–" if value is None or math.isnan(value) else decimal_text(value, digits)


def signed(value: float | None, digits: int = LEAST_DIGITS) -> str:
    """A difference."""
    return "–" if value is None or math.isnan(value) else difference_text(value, digits)


def added(value: float | None, digits: int = LEAST_DIGITS) -> str:
    """What could be added to a score."""
    return "–" if value is None or math.isnan(value) else addition_text(value, digits)


def interval(low: float | None, high: float | None, digits: int = LEAST_DIGITS) -> str:
    """[.41, .46]; a dash where an end is not known."""
    if low is None or high is None:
        return "–"
    return f"[{number(low, digits)}, {number(high, digits)}]"


def stars(p: float) -> str:
    """The marks of a p-value; none where it is not defined."""
    return next((mark for level, mark in STARS if p <= level), "")


def _cells(row: Row, digits: int) -> tuple[str, ...]:
    return (
        str(row.rank),
        row.tag,
        row.team,
        number(row.base, digits),
        added(row.residual, digits),
        interval(row.base, row.upper, digits),
        number(row.judged_at_10, 2),
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
        cells.append(number(cell.base, digits))
        cells += [added(cell.residual, digits)] if bounded(measure) else []
    cells += ["–" if row.moved is None else f"{row.moved:+d}"] if board.against else []
    if board.has_tied_scores:
        tied = row.tied[: len(TIED)] if row.tied else (None,) * len(TIED)
        cells += [number(value, digits) for value in tied]
    return tuple(cells)


def _line(cells: Iterable[Cell]) -> str:
    line = " & ".join(map(_printed, cells)) + r" \\"
    # After the end of a line, LaTeX takes a bracket or an asterisk for an option of that end.
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def _printed(cell: Cell) -> str:
    if isinstance(cell, str):
        return plain(cell)
    text = rf"\textbf{{{plain(cell.text)}}}" if cell.is_bold else plain(cell.text)
    return rf"{text}\textsuperscript{{{plain(cell.mark)}}}" if cell.mark else text


def _one_line(text: str) -> str:
    return " ".join(text.split())
