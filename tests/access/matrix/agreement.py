"""Expected answers: agreement. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import Expected, board, public

MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:agreement": ("get", public),  # the page says itself when it is hidden
    "scoring:agreement-csv": ("get", board),
    "scoring:agreement-runs-csv": ("get", board),
    "scoring:agreement-latex": ("get", board),
    "scoring:agreement-runs-latex": ("get", board),
    "scoring:agreement-swaps-csv": ("get", board),
    "scoring:agreement-swaps-latex": ("get", board),
}
