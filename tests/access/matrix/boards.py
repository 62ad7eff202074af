"""Expected answers: boards. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import (
    GONE,
    Expected,
    board,
    organiser_only,
    public,
    published_only,
    run_page,
)


def being_computed(role: str, stage: str) -> int:
    return 202 if role == "organiser" else GONE


MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:leaderboard": ("get", public),  # the page says itself when it is hidden
    "scoring:leaderboard-csv": ("get", board),
    "scoring:leaderboard-latex": ("get", board),
    "scoring:badge": ("get", published_only),
    "scoring:run-badge": ("get", published_only),
    "scoring:embedded-leaderboard": ("get", lambda role, stage: GONE),  # no site may embed it
    "scoring:run-detail": ("get", run_page),
    "scoring:run-status": ("get", run_page),
    "scoring:run-csv": ("get", run_page),
    "scoring:run-curves": ("get", board),  # finer than a team's own means
    "scoring:run-depth-csv": ("get", board),
    "scoring:run-p-csv": ("get", board),
    "scoring:run-recall-csv": ("get", board),
    "scoring:run-precision-csv": ("get", board),
    "scoring:run-depth-latex": ("get", board),
    "scoring:run-p-latex": ("get", board),
    "scoring:run-recall-latex": ("get", board),
    "scoring:run-precision-latex": ("get", board),
    # Documents with their grades are the qrels' and the run file's, which stay the organisers'.
    "scoring:run-documents": ("get", organiser_only),
    "scoring:run-documents-csv": ("get", organiser_only),
    "scoring:run-unjudged": ("get", organiser_only),
    "scoring:run-unjudged-csv": ("get", organiser_only),
    "scoring:run-unique": ("get", organiser_only),
    "scoring:run-unique-csv": ("get", being_computed),
    "scoring:run-unique-runs-csv": ("get", being_computed),
    "scoring:run-documents-latex": ("get", organiser_only),
    "scoring:run-unjudged-latex": ("get", organiser_only),
    "scoring:run-unique-latex": ("get", being_computed),
    "scoring:run-unique-runs-latex": ("get", being_computed),
    "scoring:run-latex": ("get", run_page),
    "scoring:topic-list": ("get", public),  # without scores where these are not shown
    "scoring:topics-csv": ("get", public),
    "scoring:topics-latex": ("get", public),
    "scoring:topic-latex": ("get", public),
    "scoring:topic-detail": ("get", public),
    "scoring:topic-csv": ("get", public),
}
