"""The accounts of the demo: what each can see first, and how a page logs in as one of them.

Without the setting DEMO_LOGINS, nothing here is offered or works. `trackside/settings.py` accepts
that setting only on an embedded site, which other machines cannot reach.
"""

from dataclasses import dataclass
from typing import Final

from django.conf import settings

from campaigns.models import User

REPORTS: Final = "demo-rail-reports"
TRAINS: Final = "demo-night-trains"
MOUNTAINS: Final = "demo-mountain-railways"


@dataclass(frozen=True)
class DemoAccount:
    """An account that `load_demo` creates, and the page that it opens after the login."""

    key: str  # in URLs
    role: str
    email: str
    name: str
    advice: str
    page: str  # name of the URL
    slug: str  # of the campaign


ORGANISER: Final = DemoAccount(
    key="organiser",
    role="Organiser",
    email="organiser@trackside.example",
    name="Demo organiser",
    advice="Follow the judging of Mountain railways: bounds of each run, agreement of assessors.",
    page="scoring:judging",
    slug=MOUNTAINS,
)
PARTICIPANT: Final = DemoAccount(
    key="participant",
    role="Participant",
    email="participant@trackside.example",
    name="Demo participant",
    advice="Submit a run to Night trains, which is open. The terminal names a file to submit.",
    page="campaigns:run-create",
    slug=TRAINS,
)
FIRST_ASSESSOR: Final = DemoAccount(
    key="assessor",
    role="Assessor",
    email="assessor@trackside.example",
    name="Demo assessor",
    advice="Read documents about Mountain railways and grade each with a single key.",
    page="campaigns:assess",
    slug=MOUNTAINS,
)
SECOND_ASSESSOR: Final = DemoAccount(
    key="second-assessor",
    role="Second assessor",
    email="second-assessor@trackside.example",
    name="Second demo assessor",
    advice="Grade documents that the first assessor judges too, without seeing those grades.",
    page="campaigns:assess",
    slug=MOUNTAINS,
)
READER: Final = DemoAccount(
    key="reader",
    role="Reader",
    email="reader@trackside.example",
    name="Demo reader",
    advice="Find out on the leaderboard of Rail reports which scores depend on unjudged documents.",
    page="scoring:leaderboard",
    slug=REPORTS,
)
ACCOUNTS: Final = (ORGANISER, PARTICIPANT, FIRST_ASSESSOR, SECOND_ASSESSOR, READER)
ASSESSORS: Final = (FIRST_ASSESSOR, SECOND_ASSESSOR)


def offered_accounts() -> list[DemoAccount]:
    """The accounts that exist, if this is the demo. One query there, none elsewhere."""
    if not settings.DEMO_LOGINS:
        return []
    emails = [account.email for account in ACCOUNTS]
    found = User.objects.filter(email__in=emails, is_active=True, is_staff=False)
    existing = set(found.values_list("email", flat=True))
    return [account for account in ACCOUNTS if account.email in existing]


def person_of(key: str) -> tuple[DemoAccount, User] | None:
    """The account of this key and its person; None if it is not offered."""
    account = next((each for each in offered_accounts() if each.key == key), None)
    return account and (account, User.objects.get(email=account.email))
