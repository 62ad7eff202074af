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
    "scoring:run-curves": ("get", board),  # finer than a team's own means
    "scoring:run-depth-csv": ("get", board),
    "scoring:run-p-csv": ("get", board),
    "scoring:run-recall-csv": ("get", board),
    "scoring:run-precision-csv": ("get", board),
    "scoring:topic-list": ("get", public),  # without scores where these are not shown
    "scoring:topics-csv": ("get", public),
    "scoring:topic-detail": ("get", public),
    "scoring:topic-csv": ("get", public),
}
