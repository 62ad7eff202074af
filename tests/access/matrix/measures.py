"""Expected answers: measures. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import Expected


def everybody(role: str, stage: str) -> int:
    """They belong to no campaign."""
    return 200


MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:measure-list": ("get", everybody),
    "scoring:measures-csv": ("get", everybody),
    "scoring:measures-latex": ("get", everybody),
    "scoring:properties-csv": ("get", everybody),
    "scoring:properties-latex": ("get", everybody),
    "scoring:measure-detail": ("get", everybody),
    "scoring:playground": ("get", everybody),
    "scoring:topics-calculator": ("get", everybody),
    "scoring:playground-csv": ("get", everybody),
    "scoring:playground-latex": ("get", everybody),
}
