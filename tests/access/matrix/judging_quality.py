"""Expected answers: who judges what, agreement, decisions, documents judged elsewhere. Address
name: (method, what each role gets at each stage)."""

from tests.access.roles import Expected, organisers_get

MATRIX: dict[str, tuple[str, Expected]] = {
    "campaigns:judging-assessors": ("get", organisers_get(200)),
    "campaigns:judging-assessors POST": ("post", organisers_get(302)),  # no assessor is named
    "campaigns:judging-assessors-spread": ("post", organisers_get(302)),
    "campaigns:judging-claims-free": ("post", organisers_get(302)),
    "campaigns:judging-disagreements": ("get", organisers_get(200)),
    "campaigns:judging-disagreements-csv": ("get", organisers_get(200)),
    "campaigns:judging-decide": ("post", organisers_get(302)),
    "campaigns:judging-decision-take-back": ("post", organisers_get(302)),
    "campaigns:judging-pool": ("get", organisers_get(200)),
    "campaigns:judging-import": ("post", organisers_get(400)),  # a file is missing
    "campaigns:judging-import-old": ("post", organisers_get(400)),
    "scoring:judging-pool-csv": ("get", organisers_get(200)),
    "scoring:judging-pool-prels": ("get", organisers_get(200)),
    "scoring:judging-agreement": ("get", organisers_get(200)),
    "scoring:judging-agreement-csv": ("get", organisers_get(200)),
    "scoring:judging-boards-csv": ("get", organisers_get(202)),  # no worker has computed it
}
