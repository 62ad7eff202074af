"""Expected answers: ranks. URL name: (method, what each role gets at each stage)."""

from tests.access.matrix.pools import computed
from tests.access.roles import Expected, board, public

PAGES = (
    "ranks",
    "stability",
    "needed-topics",
    "estimates",
)  # they say themselves when they are hidden
MATRIX: dict[str, tuple[str, Expected]] = {
    **{f"scoring:{name}": ("get", public) for name in PAGES},
    "scoring:ranks-csv": ("get", computed),
    "scoring:ranks-latex": ("get", computed),
    "scoring:stability-csv": ("get", board),  # of one run: nothing to compute
    "scoring:stability-latex": ("get", board),
    "scoring:swaps-csv": ("get", board),
    "scoring:swaps-latex": ("get", board),
    "scoring:estimates-csv": ("get", board),  # without a sample: nothing to compute
    "scoring:estimates-latex": ("get", board),
    "scoring:needed-topics-csv": ("get", board),
    "scoring:needed-topics-latex": ("get", board),
}
