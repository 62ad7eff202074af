"""Campaigns, people, runs and judgments: rows and constraints. Other modules change them."""

from campaigns.models.campaign import Audience, Campaign, Series, Topic
from campaigns.models.judging import (
    Claim,
    Document,
    GoldDocument,
    Judgment,
    Plan,
    Sample,
    SampledDocument,
    Task,
    TopicAssessor,
)
from campaigns.models.log import LogEntry
from campaigns.models.notices import Announcement, AnnouncementVersion, Mail, Notice
from campaigns.models.people import (
    Invitation,
    LoginAddress,
    Membership,
    OrganiserRequest,
    Team,
    User,
)
from campaigns.models.programs import Program, ProgramJudgment
from campaigns.models.qrels import Qrels
from campaigns.models.runs import Run
from campaigns.models.showing import Preset
from campaigns.models.uploads import PendingUpload

__all__ = [
    "Announcement",
    "AnnouncementVersion",
    "Audience",
    "Campaign",
    "Claim",
    "Document",
    "GoldDocument",
    "Invitation",
    "Judgment",
    "LogEntry",
    "LoginAddress",
    "Mail",
    "Membership",
    "Notice",
    "OrganiserRequest",
    "PendingUpload",
    "Plan",
    "Preset",
    "Program",
    "ProgramJudgment",
    "Qrels",
    "Run",
    "Sample",
    "SampledDocument",
    "Series",
    "Task",
    "Team",
    "Topic",
    "TopicAssessor",
    "User",
]
