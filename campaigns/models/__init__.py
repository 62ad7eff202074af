"""What was asked, handed in and judged, and by whom. Facts and constraints; the acts are above."""

from campaigns.models.campaign import Audience, Campaign, Series, Topic
from campaigns.models.log import LogEntry
from campaigns.models.people import Invitation, Membership, Team, User
from campaigns.models.qrels import Qrels
from campaigns.models.runs import Run

__all__ = [
    "Audience",
    "Campaign",
    "Invitation",
    "LogEntry",
    "Membership",
    "Qrels",
    "Run",
    "Series",
    "Team",
    "Topic",
    "User",
]
