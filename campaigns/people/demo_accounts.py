"""The accounts of the demo, and what each can see first."""

from dataclasses import dataclass
from typing import Final

REPORTS: Final = "demo-rail-reports"
TRAINS: Final = "demo-night-trains"
MOUNTAINS: Final = "demo-mountain-railways"


@dataclass(frozen=True)
class DemoAccount:
    """An account that `load_demo` creates, and the page that it opens after the login."""

    key: str  # in addresses
    role: str
    email: str
    name: str
    advice: str
    page: str  # name of the address
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
