"""Expected answers: assignments. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import Expected, organisers_get, public


def organisers_only(role: str, stage: str) -> int:
    """As the preset keeps qrels shut, and the page asks nobody to log in."""
    return 200 if role == "organiser" else 404


MATRIX: dict[str, tuple[str, Expected]] = {
    "campaigns:topics-file": ("get", public),
    "campaigns:topics-add": ("post", organisers_get(400)),
    "campaigns:topics-remove": ("post", organisers_get(302)),
    "campaigns:qrels-add": ("post", organisers_get(400)),
    "campaigns:qrels-activate": ("post", organisers_get(302)),
    "campaigns:qrels-freeze": ("post", organisers_get(302)),
    "campaigns:upload": ("get", organisers_get(200)),
    "campaigns:upload-confirm": ("post", organisers_get(302)),
    "campaigns:upload-discard": ("post", organisers_get(302)),
    "campaigns:qrels-file": ("get", organisers_only),
    "scoring:qrels-diff": ("get", organisers_only),
    "scoring:qrels-diff-csv": ("get", organisers_only),
    "scoring:qrels-diff-latex": ("get", organisers_only),
    "scoring:rescoring": ("get", organisers_get(200)),
    "scoring:queue": ("get", organisers_get(200)),
    "scoring:queue-retry": ("post", organisers_get(302)),
    "scoring:job-retry": ("post", organisers_get(302)),
}
