"""A small image for other web pages: the leading run with its score and bounds."""

import html
from xml.sax.saxutils import escape

from scoring.core.statistics.rounding import decimal_text
from scoring.leaderboard.rows import BoardRow, Leaderboard

WIDTH, HEIGHT = 420, 64
LEFT, SCALE = 12, 396  # x of score 0, and the width of 0 to 1
MAX_DIGITS = 6
MAX_LINE = 44  # characters


def board_badge(board: Leaderboard, *, title: str) -> str:
    """The leading run, or the number of those that share rank 1, with the highest of their upper
    bounds."""
    if not board.ranked or board.ranked[0].base is None:
        return _badge(title, "no runs ranked yet", "")
    leading = [row for row in board.ranked if row.rank == 1]
    first = max(leading, key=lambda row: row.upper or 0.0)
    if len(leading) > 1:
        text = f"{len(leading)} runs share rank 1: {_measured(board, first)}"
        return _badge(title, text, _mark(first))
    return _badge(title, f"{_cut(first.name, 24)}: {_measured(board, first)}", _mark(first))


def run_badge_of(board: Leaderboard, row: BoardRow, *, title: str) -> str:
    """One run and its rank."""
    if row.base is None:
        return _badge(title, f"{_cut(row.name, 24)}: no score yet", "")
    place = row.status if row.rank is None else f"rank {row.rank} of {len(board.ranked)}"
    return _badge(title, f"{_cut(row.name, 16)}: {place}, {_measured(board, row)}", _mark(row))


def _measured(board: Leaderboard, row: BoardRow) -> str:
    by_program = " (judged by program)" if board.has_program else ""
    base, upper, digits = row.base or 0.0, row.upper, max(row.digits, 2)
    text = decimal_text(base, digits)
    # Decimals enough to differ, so that no badge shows ".75 to .75".
    for places in range(digits, MAX_DIGITS + 1):
        if upper is not None and decimal_text(base, places) != decimal_text(upper, places):
            text = f"{decimal_text(base, places)} to {decimal_text(upper, places)}"
            break
    return f"{board.measure} {text}{by_program}"


def _badge(title: str, text: str, mark: str) -> str:
    """SVG without scripts, external styles or links; labels are text."""
    label = escape(f"{_cut(title, MAX_LINE)}. {text}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><title>{label}</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="4" fill="#fbfaf7" stroke="#e5e1d8"/>'
        '<g font-family="system-ui, DejaVu Sans, sans-serif" font-size="13" fill="#1c1f26">'
        f'<text x="{LEFT}" y="19" font-weight="600">{escape(_cut(title, MAX_LINE))}</text>'
        f'<text x="{LEFT}" y="37">{escape(text)}</text></g>{mark}</svg>\n'
    )


def badge_snippet(*, label: str, page: str, picture: str) -> str:
    """HTML that shows the badge on another site; `page` and `picture` are absolute URLs."""
    return (
        f'<a href="{html.escape(page)}"><img src="{html.escape(picture)}" '
        f'alt="{html.escape(label)}" width="{WIDTH}" height="{HEIGHT}"></a>'
    )


def _mark(row: BoardRow) -> str:
    """Empty for measures that are not between 0 and 1."""
    base, residual = row.base or 0.0, row.residual or 0.0
    if not 0 <= base <= 1:
        return ""
    at, width = LEFT + SCALE * base, SCALE * min(residual, 1 - base)
    by_program = ""
    if row.people is not None:
        # What the program judged is the part of the base above that of people alone.
        start, share = LEFT + SCALE * row.people, SCALE * (base - row.people)
        by_program = f'<rect x="{start:.1f}" y="48" width="{share:.1f}" height="8" fill="#b0752a"/>'
    return (
        f'<line x1="{LEFT}" x2="{LEFT + SCALE}" y1="52" y2="52" stroke="#e5e1d8"/>'
        f'<rect x="{at:.1f}" y="48" width="{width:.1f}" height="8" fill="#9cc3da"/>{by_program}'
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="45" y2="59" stroke="#17577e" stroke-width="2.5"/>'
    )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
