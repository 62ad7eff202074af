"""Expected answers: downloads. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import Expected, board, organisers_get, public

MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:downloads": ("get", public),  # the page lists what one may take
    "scoring:scores-csv": ("get", board),
    "scoring:run-trec-eval": ("get", board),  # scores by topic: not even a team's own before that
    "scoring:embedding-edit": ("post", organisers_get(302)),
    "scoring:deposit": ("get", organisers_get(200)),
    "scoring:deposit-file": ("get", organisers_get(302)),  # no licence is chosen
    "scoring:package": ("get", board),
    "scoring:snapshot-create": ("post", organisers_get(302)),
    "scoring:snapshot-detail": ("get", board),
    "scoring:snapshot-doi": ("post", organisers_get(302)),
    "scoring:snapshot-file": ("get", board),
}
