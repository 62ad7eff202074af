"""Expected answers: lifecycle. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import LOGIN, Expected, organisers_get, public

MATRIX: dict[str, tuple[str, Expected]] = {
    "campaigns:campaign-list": ("get", lambda role, stage: 200),
    "campaigns:campaign-create": (
        "get",
        lambda role, stage: LOGIN if role == "nobody" else 302,  # to the request to organise
    ),
    "campaigns:campaign-detail": ("get", public),
    "campaigns:campaign-dates": ("get", public),
    "campaigns:campaign-manage": ("get", organisers_get(200)),
    "campaigns:campaign-edit": ("get", organisers_get(200)),
    "campaigns:campaign-step": ("post", organisers_get(302)),
    "campaigns:visibility": ("get", organisers_get(200)),
    "campaigns:baselines": ("get", organisers_get(200)),
    "campaigns:pooled-runs": ("get", organisers_get(200)),
    "campaigns:campaign-copy": ("get", organisers_get(200)),
    "campaigns:campaign-archive": ("post", organisers_get(302)),
    "campaigns:campaign-delete": ("get", organisers_get(200)),
    "campaigns:log": ("get", organisers_get(200)),
    "campaigns:log-csv": ("get", organisers_get(200)),
}
