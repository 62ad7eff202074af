"""Expected answers: the health of the site, which no campaign is part of."""

from tests.access.roles import GONE, Expected

MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:healthz": ("get", lambda role, stage: 200),
    "robots": ("get", lambda role, stage: 200),
    "scoring:metrics": ("get", lambda role, stage: GONE),  # for who holds the site's token
}
