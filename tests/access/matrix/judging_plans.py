"""Expected answers: judging plans. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import GONE, Expected, organisers_get

TABLES = ("runs", "curve", "topics", "overlap", "simulation", "residuals")

MATRIX: dict[str, tuple[str, Expected]] = {
    "scoring:judging": ("get", organisers_get(200)),
    "scoring:judging-csv": ("get", organisers_get(200)),
    "scoring:judging-latex": ("get", organisers_get(200)),
    "scoring:judging-topics-csv": ("get", organisers_get(200)),
    "scoring:judging-topics-latex": ("get", organisers_get(200)),
    "scoring:judging-plan": ("get", organisers_get(200)),
    "scoring:judging-plan making it": ("post", organisers_get(400)),  # nothing is chosen
    "scoring:judging-plan-act": ("post", organisers_get(GONE)),  # there is no such act
    **{
        f"scoring:judging-plan-{table}-{suffix}": ("get", organisers_get(202))
        for table in TABLES
        for suffix in ("csv", "latex")
    },
}
