"""Expected answers: two runs side by side."""

from tests.access.roles import Expected, board, public

MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:compare": ("get", public),  # the page says itself when it is hidden
    "scoring:compare-csv": ("get", board),
    "scoring:compare-latex": ("get", board),
}
