"""Each person and each team of a campaign is in one row of the organisers' page."""

import pytest

from campaigns.models import Membership
from campaigns.people.rows import people_rows
from tests.making import make_campaign, make_user

pytestmark = pytest.mark.django_db


def test_each_role_and_each_team_is_in_one_table() -> None:
    campaign = make_campaign()
    approved = campaign.teams.create(name="Delta")
    same_name = campaign.teams.create(name="DELTA", approved_at=None)
    waiting = campaign.teams.create(name="Epsilon", approved_at=None)

    def add(name: str, role: str, **facts: object) -> Membership:
        return campaign.memberships.create(person=make_user(name=name), role=role, **facts)

    member = add("Ada", Membership.Role.PARTICIPANT, team=approved)
    alone = add("Bob", Membership.Role.PARTICIPANT)
    reader = add("Cleo", Membership.Role.READER)
    both = campaign.memberships.create(person=member.person, role=Membership.Role.READER)
    rows = people_rows(campaign)
    assert rows.approved == [(approved, [member], False)]
    assert rows.waiting == [(same_name, [], True), (waiting, [], False)]
    assert rows.without_team == [alone]
    assert rows.others == [(reader, ""), (both, "in the team Delta")]
    assert rows.invited == []


def test_approved_teams_with_one_name_come_first() -> None:
    campaign = make_campaign()
    alone, upper, lower = (campaign.teams.create(name=name) for name in ("Alone", "Two", "two"))
    rows = people_rows(campaign).approved
    assert rows == [(upper, [], True), (lower, [], True), (alone, [], False)]
