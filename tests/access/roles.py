"""Who may see a URL, in few words: what each role gets at each stage.

The campaign is in TREC style: nothing is shown until it is published.
"""

from collections.abc import Callable

Expected = Callable[[str, str], int]  # (role, stage) -> status

ROLES = (
    "nobody",
    "stranger",
    "participant",
    "rival",  # a participant of another team
    "assessor",
    "organiser",
    "organiser of another",
)
STAGES = ("draft", "open", "closed", "judging", "published")

LOGIN = 302
GONE = 404


def is_shown(role: str, stage: str) -> bool:
    """Whether this role may know of the campaign."""
    return stage != "draft" or role == "organiser"


def members_only(role: str, stage: str, allowed: tuple[str, ...], answer: int) -> int:
    if role == "nobody":
        return LOGIN
    return answer if role in allowed and is_shown(role, stage) else GONE


def public(role: str, stage: str) -> int:
    return 200 if is_shown(role, stage) else GONE


def board(role: str, stage: str) -> int:
    return 200 if role == "organiser" or stage == "published" else GONE


def published_only(role: str, stage: str) -> int:
    """What is the same for everybody."""
    return 200 if stage == "published" else GONE


def organiser_only(role: str, stage: str) -> int:
    """Nobody is asked to log in: it is not there."""
    return 200 if role == "organiser" else GONE


def run_page(role: str, stage: str) -> int:
    return 200 if role == "participant" and stage != "draft" else board(role, stage)


def organisers_get(answer: int) -> Expected:
    return lambda role, stage: members_only(role, stage, ("organiser",), answer)


def login_then_public(role: str, stage: str) -> int:
    return LOGIN if role == "nobody" else public(role, stage)


def upload(role: str, stage: str) -> int:
    """The upload form: people without a team are sent to found one."""
    if role == "nobody":
        return LOGIN
    if not is_shown(role, stage):
        return GONE
    return 200 if role in ("participant", "rival") else 302


def api_upload(role: str, stage: str) -> int:
    if role == "nobody":
        return 401
    if not is_shown(role, stage):
        return GONE
    return 202 if role in ("participant", "rival") and stage == "open" else 409
