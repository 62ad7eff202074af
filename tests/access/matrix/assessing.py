"""Expected answers: judging by assessors, and the texts they read."""

from tests.access.roles import Expected, members_only, organisers_get


def assessors_get(answer: int) -> Expected:
    """For those who judge this topic; not even for organisers."""
    return lambda role, stage: members_only(role, stage, ("assessor",), answer)


MATRIX: dict[str, tuple[str, Expected]] = {
    "campaigns:assess": ("get", assessors_get(200)),
    "campaigns:assess-topic": ("get", assessors_get(200)),
    "campaigns:assess-topic POST": ("post", assessors_get(302)),
    "campaigns:assessed": ("get", assessors_get(200)),
    "campaigns:documents": ("get", organisers_get(200)),
    "campaigns:documents POST": ("post", organisers_get(400)),  # a file is missing
    "campaigns:documents-address": ("post", organisers_get(302)),
    "campaigns:documents-remove": ("post", organisers_get(302)),
}
