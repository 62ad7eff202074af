"""Expected answers: significance. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import Expected, board, public

MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:significance": ("get", public),  # the page says itself when it is hidden
    "scoring:significance-csv": ("get", board),
    "scoring:significance-latex": ("get", board),
    "scoring:significance-counts-latex": ("get", board),
    "scoring:significance-counts": ("get", public),
    "scoring:significance-counts-csv": ("get", board),
}
