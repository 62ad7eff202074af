"""Expected answers: report. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import Expected, board, public

MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:report": ("get", public),  # the page says itself when it is hidden
    "scoring:report-agreement-csv": ("get", board),
    "scoring:report-agreement-latex": ("get", board),
    "scoring:report-bounds-csv": ("get", board),
    "scoring:report-bounds-latex": ("get", board),
}
