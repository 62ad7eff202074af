"""Plain functions that make rows for tests; each makes what it needs and is not given."""

import itertools
from typing import Any

from django.utils import timezone

from campaigns.models import Campaign, Membership, Run, Team, Topic, User

_numbers = itertools.count(1)


def make_user(email: str | None = None, **facts: Any) -> User:
    return User.objects.create_user(
        email or f"person{next(_numbers)}@example.org", "a long password", **facts
    )


def make_campaign(*, topics: tuple[str, ...] = ("1", "2"), **facts: Any) -> Campaign:
    number = next(_numbers)
    defaults: dict[str, Any] = {
        "slug": f"campaign-{number}",
        "name": f"Campaign {number}",
        "stage": Campaign.Stage.OPEN,
        "is_accepting": True,
    }
    campaign = Campaign.objects.create(**defaults | facts)
    Topic.objects.bulk_create(
        Topic(campaign=campaign, code=code, position=position, fields=[["title", f"topic {code}"]])
        for position, code in enumerate(topics)
    )
    return campaign


def make_organiser(campaign: Campaign, person: User | None = None) -> User:
    person = person or make_user()
    Membership.objects.create(campaign=campaign, person=person, role=Membership.Role.ORGANISER)
    return person


def make_team(campaign: Campaign, *people: User, name: str | None = None) -> Team:
    team = Team.objects.create(campaign=campaign, name=name or f"Team {next(_numbers)}")
    for person in people:
        Membership.objects.create(
            campaign=campaign, person=person, role=Membership.Role.PARTICIPANT, team=team
        )
    return team


def make_run(campaign: Campaign | None = None, team: Team | None = None, **facts: Any) -> Run:
    """A run's row without a file; its tag and state as given."""
    campaign = campaign or (team.campaign if team else make_campaign())
    now = timezone.now()
    defaults: dict[str, Any] = {
        "tag": f"run{next(_numbers)}",
        "size": 100,
        "digest": "0" * 64,
        "submitted_at": now,
        "state_changed_at": now,
        "state": Run.State.ACCEPTED,
    }
    return Run.objects.create(
        campaign=campaign, team=team or make_team(campaign), **defaults | facts
    )
