"""Expected answers: two runs side by side."""

from tests.access.roles import Expected, board, organiser_only, public

MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:compare": ("get", public),  # the page says itself when it is hidden
    "scoring:compare-csv": ("get", board),
    "scoring:compare-bands-csv": ("get", board),
    # What the runs retrieved is the qrels' and the run files', which stay the organisers'.
    "scoring:compare-topic": ("get", organiser_only),
    "scoring:compare-topic-csv": ("get", organiser_only),
    "scoring:compare-topic-latex": ("get", organiser_only),
    "scoring:compare-latex": ("get", board),
    "scoring:compare-bands-latex": ("get", board),
}
