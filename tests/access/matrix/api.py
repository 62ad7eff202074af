"""Expected answers: api. URL name: (method, what each role gets at each stage).

Reads answer whoever has no token as they answer strangers; writes ask for one.
"""

from collections.abc import Callable

from tests.access.matrix.boards import being_computed
from tests.access.matrix.judging_plans import TABLES
from tests.access.matrix.pools import computed
from tests.access.roles import (
    GONE,
    Expected,
    api_upload,
    board,
    is_shown,
    organiser_only,
    public,
    run_page,
)

TEAMS = ("participant", "rival")


def everyone(role: str, stage: str) -> int:
    return 200


def organisers(answer: int | Callable[[str], int]) -> Expected:
    """A write of organisers: no token, no answer; and for others it is not there."""

    def expected(role: str, stage: str) -> int:
        if role == "nobody":
            return 401
        if role != "organiser":
            return GONE
        return answer if isinstance(answer, int) else answer(stage)

    return expected


def programs_only(role: str, stage: str) -> int:
    return 401


def read_by_organisers(role: str, stage: str) -> int:
    return 200 if role == "organiser" else GONE


def computed_for_organisers(role: str, stage: str) -> int:
    return 202 if role == "organiser" else GONE


def run_list(role: str, stage: str) -> int:
    if role in (*TEAMS, "organiser"):
        return public(role, stage)
    return 200 if stage == "published" else GONE


def run_trial(role: str, stage: str) -> int:
    """Everybody with a token who sees the campaign: the file that is sent has no problem."""
    if role == "nobody":
        return 401
    return 200 if is_shown(role, stage) else GONE


def own_file(role: str, stage: str) -> int:
    is_own = role in ("participant", "organiser")
    return 200 if is_own and is_shown(role, stage) else GONE


def own_run(by_team: Callable[[str], int], by_organiser: int = 200) -> Expected:
    """For the team that handed it in, as `by_team` says; an organiser may at any time."""

    def expected(role: str, stage: str) -> int:
        if role == "nobody":
            return 401
        if role == "organiser":
            return by_organiser
        return by_team(stage) if role == "participant" and stage != "draft" else GONE

    return expected


MATRIX: dict[str, tuple[str, Expected]] = {
    "api:measures": ("get", everyone),
    "api:properties": ("get", everyone),
    "api:campaign-list": ("get", everyone),
    # Nobody here is approved.
    "api:campaign-list POST": ("post", lambda role, stage: 401 if role == "nobody" else 403),
    "api:campaign-detail": ("get", public),
    "api:campaign-detail PATCH": ("patch", organisers(200)),  # an empty one
    "api:campaign-detail DELETE": ("delete", organisers(400)),  # its slug is not typed
    "api:campaign-copy": ("post", organisers(403)),  # nobody here is approved
    "api:campaign-archive": ("post", organisers(lambda stage: 409 if stage == "open" else 200)),
    "api:campaign-unarchive": ("post", organisers(200)),
    "api:announcement-list": ("get", public),
    "api:announcement-list POST": ("post", organisers(415)),  # a form where JSON is asked
    "api:announcement-detail PUT": ("put", organisers(404)),  # nothing was announced
    "api:announcement-detail DELETE": ("delete", organisers(404)),
    "api:campaign-step": ("post", organisers(lambda stage: 200 if stage == "open" else 409)),
    "api:topic-list": ("get", public),
    "api:topic-list POST": ("post", organisers(400)),  # no file
    "api:topic-detail": ("get", public),
    "api:topic-detail DELETE": ("delete", organisers(409)),  # there are runs
    "api:qrels-list": ("get", read_by_organisers),  # the preset keeps qrels shut
    "api:qrels-list POST": ("post", organisers(400)),
    "api:qrels-freeze": ("post", organisers(415)),
    "api:qrels-file": ("get", read_by_organisers),
    "api:qrels-file POST": ("post", organisers(200)),
    "api:qrels-changes": ("get", read_by_organisers),
    "api:qrels-moves": ("get", read_by_organisers),
    "api:upload-detail": ("get", read_by_organisers),
    "api:upload-detail DELETE": ("delete", organisers(204)),
    "api:upload-confirm": ("post", organisers(202)),
    # Only programs have the token that these ask for, and no person does.
    "api:judging-next": ("get", programs_only),
    "api:judging-grades": ("post", programs_only),
    "api:judging-progress": ("get", programs_only),
    "api:program-agreement": ("get", lambda role, stage: GONE),  # there is no program
    "api:program-judgments": ("get", lambda role, stage: GONE),
    "api:program-leaderboards": ("get", lambda role, stage: GONE),
    "api:program-pairs": ("get", lambda role, stage: GONE),
    "api:judging-runs": ("get", organiser_only),
    "api:judging-topics": ("get", organiser_only),
    **{f"api:judging-plan-{table}": ("get", computed_for_organisers) for table in TABLES},
    "api:judging-agreement": ("get", organiser_only),
    "api:judging-leaderboards": ("get", computed_for_organisers),
    "api:judging-disagreements": ("get", organiser_only),
    "api:team-list": ("get", read_by_organisers),
    "api:team-list POST": ("post", organisers(415)),  # a form where JSON is asked
    "api:invitation-create": ("post", organisers(415)),
    "api:team-rename": ("post", organisers(415)),
    "api:team-invite": ("post", organisers(201)),
    "api:team-approve": ("post", organisers(409)),  # it is in
    "api:team-decline": ("post", organisers(409)),
    "api:team-admit": ("post", organisers(200)),
    "api:team-revoke-admission": ("post", organisers(409)),  # it is not admitted
    "api:team-merge": ("post", organisers(415)),
    "api:team-disqualify": ("post", organisers(415)),
    "api:team-reinstate": ("post", organisers(409)),  # it is not out
    "api:run-create": ("upload", api_upload),
    "api:run-create GET": ("get", run_list),
    "api:run-trial": ("upload", run_trial),
    "api:run-detail": ("get", run_page),
    "api:run-depth": ("get", board),
    "api:run-p": ("get", board),
    "api:run-recall": ("get", board),
    "api:run-precision": ("get", board),
    "api:run-documents": ("get", organiser_only),
    "api:run-unjudged": ("get", organiser_only),
    "api:run-unique": ("get", being_computed),
    "api:run-unique-runs": ("get", being_computed),
    "api:run-accept": ("post", own_run(lambda stage: 200)),  # it is accepted
    "api:run-rename": ("post", own_run(lambda stage: 415, by_organiser=415)),  # JSON is asked
    "api:run-withdraw": ("post", own_run(lambda stage: 200 if stage == "open" else 409)),
    "api:run-disqualify": ("post", organisers(415)),
    "api:run-baseline": ("post", organisers(200)),
    "api:run-baseline DELETE": ("delete", organisers(200)),
    "api:run-reinstate": ("post", organisers(200)),
    "api:run-file": ("get", own_file),
    "api:leaderboard": ("get", board),
    "api:scores": ("get", board),
    "api:topic-means": ("get", public),  # without scores where these are not shown
    "api:topic-runs": ("get", public),
    "api:topic-matrix": ("get", board),
    "api:agreement": ("get", board),
    "api:agreement-runs": ("get", board),
    "api:agreement-swaps": ("get", board),
    "api:significance": ("get", board),  # of one run: no pairs, so nothing to compute
    "api:significance-counts": ("get", board),
    "api:estimates": ("get", board),  # without a sample: nothing to compute
    "api:ranks": ("get", computed),
    "api:stability": ("get", board),  # of one run: nothing to compute
    "api:swaps": ("get", board),
    "api:needed-topics": ("get", board),
    "api:compare": ("get", board),
    "api:compare-by-p": ("get", board),
    "api:compare-topic": ("get", organiser_only),
    "api:pool": ("get", computed),
    "api:pool-depths": ("get", computed),
    "api:pool-teams": ("get", computed),
    "api:report-agreement": ("get", board),  # of one run: nothing to compute
    "api:report-bounds": ("get", board),
    "api:pool PATCH": ("patch", organisers(200)),  # an empty one
    "api:snapshot-list": ("get", board),
    "api:snapshot-list POST": ("post", organisers(415)),
    "api:schema": ("get", everyone),
    "api:docs": ("get", everyone),
    "api:nothing": ("get", lambda role, stage: GONE),
}
