"""Expected answers: guides. URL name: (method, what each role gets at each stage)."""

from tests.access.matrix.measures import everybody
from tests.access.roles import Expected

MATRIX: dict[str, tuple[str, Expected]] = {
    "guides:contents": ("get", everybody),
    "guides:guide": ("get", everybody),
    "guides:file": ("get", everybody),
}
