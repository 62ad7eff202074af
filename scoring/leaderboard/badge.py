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
    """SVG without scripts, external styles or links; labels are text."""
    if not board.ranked or board.ranked[0].base is None:
        text, mark = "no runs ranked yet", ""
    else:
        first = board.ranked[0]
        score = _score(first, max(board.digits, 2))
        text = f"{_cut(first.tag, 24)}: {board.measure} {score}"
        mark = _mark(first.base, first.residual or 0.0) if 0 <= first.base <= 1 else ""
    label = escape(f"{_cut(title, MAX_LINE)}. {text}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><title>{label}</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="4" fill="#fbfaf7" stroke="#e5e1d8"/>'
        '<g font-family="system-ui, DejaVu Sans, sans-serif" font-size="13" fill="#1c1f26">'
        f'<text x="{LEFT}" y="19" font-weight="600">{escape(_cut(title, MAX_LINE))}</text>'
        f'<text x="{LEFT}" y="37">{escape(text)}</text></g>{mark}</svg>\n'
    )


def _score(first: BoardRow, digits: int) -> str:
    """Base and upper bound with enough decimals to differ, so that no badge shows ".75 to .75"; one
    number without a residual."""
    base, upper = first.base or 0.0, first.upper
    if upper is None:
        return decimal_text(base, digits)
    for places in range(digits, MAX_DIGITS + 1):
        low, high = decimal_text(base, places), decimal_text(upper, places)
        if low != high:
            return f"{low} to {high}"
    return decimal_text(base, digits)


def badge_snippet(*, title: str, board: str, picture: str) -> str:
    """HTML that shows the badge on another page; `board` and `picture` are absolute URLs."""
    return (
        f'<a href="{html.escape(board)}"><img src="{html.escape(picture)}" '
        f'alt="Leaderboard of {html.escape(title)}" width="{WIDTH}" height="{HEIGHT}"></a>'
    )


def _mark(base: float, residual: float) -> str:
    at, width = LEFT + SCALE * base, SCALE * min(residual, 1 - base)
    return (
        f'<line x1="{LEFT}" x2="{LEFT + SCALE}" y1="52" y2="52" stroke="#e5e1d8"/>'
        f'<rect x="{at:.1f}" y="48" width="{width:.1f}" height="8" fill="#9cc3da"/>'
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="45" y2="59" stroke="#17577e" stroke-width="2.5"/>'
    )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
