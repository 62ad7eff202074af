"""Expected answers: people. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import (
    GONE,
    LOGIN,
    Expected,
    login_then_public,
    members_only,
    organisers_get,
)


def teams_get(answer: int) -> Expected:
    return lambda role, stage: members_only(role, stage, ("participant", "rival"), answer)


def anyone_get(answer: int) -> Expected:
    """Whoever has an account, whatever the campaign."""
    return lambda role, stage: LOGIN if role == "nobody" else answer


MATRIX: dict[str, tuple[str, Expected]] = {
    "campaigns:team": ("get", login_then_public),
    "campaigns:team-invite": ("post", teams_get(200)),
    "campaigns:team-edit": ("post", teams_get(400)),  # a name is missing
    "campaigns:team-leave": ("post", teams_get(302)),
    "campaigns:terms-accept": ("post", teams_get(400)),  # the tick is missing
    "campaigns:people": ("get", organisers_get(200)),
    "campaigns:role-invite": ("post", organisers_get(200)),
    "campaigns:email-invite": ("post", organisers_get(400)),  # the addresses are missing
    "campaigns:invitation-link": ("get", organisers_get(GONE)),  # nobody was invited
    "campaigns:role-remove": ("post", organisers_get(302)),
    "campaigns:invitation-revoke": ("post", organisers_get(GONE)),  # nobody was invited
    "campaigns:team-assign": ("post", organisers_get(GONE)),  # no team is named
    "campaigns:team-create": ("post", organisers_get(400)),  # a name is missing
    "campaigns:team-link": ("post", organisers_get(200)),
    "campaigns:team-merge": ("get", organisers_get(200)),
    "campaigns:team-decide": ("post", organisers_get(302)),
    "campaigns:announce": ("get", organisers_get(200)),
    "campaigns:announcement-edit": ("get", organisers_get(GONE)),  # nothing was announced
    "campaigns:announcement-delete": ("post", organisers_get(GONE)),
    "campaigns:welcome": ("get", anyone_get(200)),
    "campaigns:organiser-request": ("get", anyone_get(200)),
    "campaigns:request-list": ("get", anyone_get(GONE)),  # nobody here is an operator
    "campaigns:request-decide": ("post", anyone_get(GONE)),
    "campaigns:account": ("get", anyone_get(200)),
    "campaigns:account-data": ("get", anyone_get(200)),
    "campaigns:account-close": ("get", anyone_get(200)),
    "campaigns:token-create": ("post", anyone_get(200)),
    "campaigns:token-revoke": ("post", anyone_get(GONE)),  # nobody has a token
    "campaigns:invitation": ("get", lambda role, stage: GONE),
    "campaigns:demo-login": ("post", lambda role, stage: GONE),  # this is not the demo
}
