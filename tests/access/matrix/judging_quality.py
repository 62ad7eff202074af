"""Expected answers: who judges what, agreement, decisions, documents judged elsewhere. URL name:
(method, what each role gets at each stage)."""

from tests.access.roles import Expected, organisers_get

MATRIX: dict[str, tuple[str, Expected]] = {
    "campaigns:judging-assessors": ("get", organisers_get(200)),
    "campaigns:judging-assessors POST": ("post", organisers_get(302)),  # no assessor is named
    "campaigns:judging-assessors-spread": ("post", organisers_get(302)),
    "campaigns:judging-claims-free": ("post", organisers_get(302)),
    "campaigns:judging-disagreements": ("get", organisers_get(200)),
    "scoring:judging-disagreements-csv": ("get", organisers_get(200)),
    "scoring:judging-disagreements-latex": ("get", organisers_get(200)),
    "campaigns:judging-decide": ("post", organisers_get(302)),
    "campaigns:judging-decision-withdraw": ("post", organisers_get(302)),
    "campaigns:judging-gold": ("get", organisers_get(200)),
    "campaigns:judging-gold POST": ("post", organisers_get(400)),  # no document is named
    "campaigns:judging-gold-unmark": ("post", organisers_get(404)),  # no document is gold
    "campaigns:judging-programs": ("get", organisers_get(200)),
    "campaigns:judging-programs POST": ("post", organisers_get(400)),  # nothing is filled in
    "campaigns:judging-run-families": ("get", organisers_get(200)),
    "campaigns:judging-run-families POST": ("post", organisers_get(302)),
    "scoring:program-page": ("get", organisers_get(404)),  # there is no program
    **{
        f"scoring:program-{table}-{suffix}": ("get", organisers_get(404))
        for table in ("judgments", "agreement", "boards", "pairs")
        for suffix in ("csv", "latex")
    },
    "campaigns:judging-program": ("get", organisers_get(404)),  # there is no program
    "campaigns:judging-program POST": ("post", organisers_get(404)),
    "campaigns:judging-program-token": ("post", organisers_get(404)),
    "campaigns:judging-program-token-revoke": ("post", organisers_get(404)),
    "campaigns:judging-program-retire": ("post", organisers_get(404)),
    "campaigns:judging-program-import": ("post", organisers_get(404)),
    "campaigns:judging-pool": ("get", organisers_get(200)),
    "campaigns:judging-import": ("post", organisers_get(400)),  # a file is missing
    "campaigns:judging-import-old": ("post", organisers_get(400)),
    "scoring:judging-pool-csv": ("get", organisers_get(200)),
    "scoring:judging-pool-prels": ("get", organisers_get(200)),
    "scoring:judging-agreement": ("get", organisers_get(200)),
    "scoring:judging-agreement-csv": ("get", organisers_get(200)),
    "scoring:judging-agreement-latex": ("get", organisers_get(200)),
    "scoring:judging-boards-csv": ("get", organisers_get(202)),  # no worker has computed it
    "scoring:judging-boards-latex": ("get", organisers_get(202)),
}
