"""Expected answers: boards. Address name: (method, what each role gets at each stage)."""

from tests.access.roles import Expected, board, public, published_only, run_page

MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:leaderboard": ("get", public),  # the page says itself when it is hidden
    "scoring:leaderboard-csv": ("get", board),
    "scoring:leaderboard-latex": ("get", board),
    "scoring:badge": ("get", published_only),
    "scoring:run-detail": ("get", run_page),
    "scoring:run-status": ("get", run_page),
    "scoring:run-csv": ("get", run_page),
    "scoring:run-latex": ("get", run_page),
    "scoring:topic-list": ("get", public),  # without scores where these are not shown
    "scoring:topics-csv": ("get", public),
    "scoring:topics-latex": ("get", public),
    "scoring:topic-latex": ("get", public),
    "scoring:topic-detail": ("get", public),
    "scoring:topic-csv": ("get", public),
}
