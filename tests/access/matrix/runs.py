"""Expected answers: runs. URL name: (method, what each role gets at each stage)."""

from tests.access.roles import GONE, LOGIN, Expected, is_shown, members_only, organisers_get


def run_list(role: str, stage: str) -> int:
    """Teams and organisers at any time; everybody where runs are shown."""
    if stage == "published":
        return 200
    return members_only(role, stage, ("participant", "rival", "organiser"), 200)


def run_create(role: str, stage: str) -> int:
    """The upload form: people without a team are sent to found one; an organiser chooses one."""
    if role == "nobody":
        return LOGIN
    if not is_shown(role, stage):
        return GONE
    return 200 if role in ("participant", "rival", "organiser") else 302


def run_trial(role: str, stage: str) -> int:
    """Everybody with an account who sees the campaign, with a team or without."""
    if role == "nobody":
        return LOGIN
    return 200 if is_shown(role, stage) else GONE


def own_run(answer: int) -> Expected:
    """For the team that handed it in and the organisers: not even for those who see the board."""
    return lambda role, stage: members_only(role, stage, ("participant", "organiser"), answer)


MATRIX: dict[str, tuple[str, Expected]] = {
    "campaigns:run-create": ("get", run_create),
    "scoring:run-trial": ("get", run_trial),
    "campaigns:run-list": ("get", run_list),
    "scoring:runs-csv": ("get", run_list),
    "scoring:runs-latex": ("get", run_list),
    "campaigns:run-accept": ("post", own_run(302)),
    "campaigns:run-rename": ("post", own_run(302)),
    "campaigns:run-withdraw": ("post", own_run(302)),
    "campaigns:run-disqualify": ("post", organisers_get(302)),
    "campaigns:run-file": ("get", own_run(200)),
    "campaigns:run-form": ("get", organisers_get(200)),
}
