"""Expected answers: pools. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import GONE, Expected, board, public


def computed(role: str, stage: str) -> int:
    """What no worker has computed yet is being computed, for those who may have it."""
    return 202 if board(role, stage) == 200 else GONE


MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:pools": ("get", public),  # the pages say themselves when they are hidden
    "scoring:pools-csv": ("get", computed),
    "scoring:pools-latex": ("get", computed),
    "scoring:pools-measures-latex": ("get", computed),
    "scoring:pools-teams-latex": ("get", computed),
    "scoring:pools-depths-csv": ("get", computed),
    "scoring:pools-depths-latex": ("get", computed),
    "scoring:pools-teams": ("get", public),
    "scoring:pools-teams-csv": ("get", computed),
    "scoring:topic-matrix-csv": ("get", board),
    "scoring:topic-matrix-latex": ("get", board),
}
