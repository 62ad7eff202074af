"""Tables as LaTeX with booktabs, ready for a paper."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from scoring.core.statistics.rounding import addition_text, decimal_text, difference_text

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
        "α": r"\ensuremath{\alpha}",
        "κ": r"\ensuremath{\kappa}",
        "τ": r"\ensuremath{\tau}",
        "≤": r"\ensuremath{\leq}",
        "−": r"\ensuremath{-}",
        "∞": r"\ensuremath{\infty}",
        "\n": " ",
        "\r": " ",
    }
)
LEAST_DIGITS = 3
# Significance levels, their marks, and the note that explains them.
STARS: Final = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
STARS_NOTE: Final = "* p ≤ .05, ** p ≤ .01, *** p ≤ .001"


@dataclass(frozen=True)
class Marked:
    """A cell whose text is raised by a mark, or printed bold, or followed by the space of some
    digits, which aligns numbers of different lengths at the point."""

    text: str
    mark: str = ""
    is_bold: bool = False
    missing_digits: int = 0


Cell: TypeAlias = str | Marked


def plain(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    return text.translate(ESCAPES)


def table(
    columns: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    caption: str,
    source: str,
) -> str:
    """A table that needs only booktabs; all texts are escaped here."""
    lines = [
        # A line break would end the comment.
        f"% {' '.join(source.split())}",
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
    """A dash where there is none; an effect without any deviation is infinite."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return decimal_text(value, digits)


def signed(value: float | None, digits: int = LEAST_DIGITS) -> str:
    """A difference."""
    return "–" if value is None or math.isnan(value) else difference_text(value, digits)


def added(value: float | None, digits: int = LEAST_DIGITS) -> str:
    """A residual, which could be added to a score."""
    return "–" if value is None or math.isnan(value) else addition_text(value, digits)


def interval(low: float | None, high: float | None, digits: int = LEAST_DIGITS) -> str:
    """[.41, .46]; a dash if an end is not defined."""
    if low is None or high is None:
        return "–"
    return f"[{number(low, digits)}, {number(high, digits)}]"


def stars(p: float) -> str:
    """The marks of a p-value; none if it is not defined."""
    return next((mark for level, mark in STARS if p <= level), "")


def _line(cells: Iterable[Cell]) -> str:
    line = " & ".join(map(_printed, cells)) + r" \\"
    # LaTeX reads a bracket or an asterisk after the end of a line as an option of it.
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def _printed(cell: Cell) -> str:
    if isinstance(cell, str):
        return plain(cell)
    text = rf"\textbf{{{plain(cell.text)}}}" if cell.is_bold else plain(cell.text)
    if cell.missing_digits:
        text += rf"\phantom{{{'0' * cell.missing_digits}}}"
    return rf"{text}\textsuperscript{{{plain(cell.mark)}}}" if cell.mark else text
