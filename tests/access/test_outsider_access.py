"""Four more columns of the matrix: who was inside, or comes too late, gets what a stranger gets.

They are asked where they could differ: of a campaign that shows participants, and nobody else, all
that it has. What holds of the published stage holds of the ones before it, for the switches are the
same; of a draft only an organiser can know, so only the removed one is asked of it.
"""

import pytest
from django.urls import reverse

from campaigns.models import Audience, Campaign, Membership, User
from campaigns.models.showing import CLOSED
from campaigns.people import membership as people
from campaigns.people import teams
from tests.access.matrix import MATRIX
from tests.access.test_access_matrix import (
    World,
    bring_to,
    clients_of,
    name_of,
    parts_of,
    status_of,
    url_of,
    world,
)
from tests.making import make_user

pytestmark = pytest.mark.django_db
__all__ = ["world"]

OUTSIDERS = ("removed organiser", "removed member", "used link", "late team", "no team")
# What a participant sees there and a stranger does not: without these the columns could not fail.
FOR_PARTICIPANTS = {
    "scoring:leaderboard-csv", "scoring:agreement-csv", "scoring:run-detail",
    "api:leaderboard", "api:scores", "campaigns:qrels-file", "api:qrels-file",
}  # fmt: skip
# A team that an organiser created after the close has its own pages, and is refused its runs.
OF_LATE_TEAM = {
    "campaigns:run-create": 200,
    "campaigns:run-list": 200,
    "scoring:runs-csv": 200,
    "scoring:runs-latex": 200,
    "campaigns:team-edit": 400,
    "campaigns:team-invite": 200,
    "campaigns:team-leave": 302,
    "campaigns:terms-accept": 400,
    "api:run-create": 409,
    "api:run-create GET": 200,
}


def removed(world: World, token: str) -> User:
    """A person who followed this link, and whom the organiser has removed since."""
    person, found = make_user(), people.find_invitation(token)
    membership = people.accept_invitation(invitation=found, person=person)
    people.remove_role(membership=membership, actor=world.people["organiser"])
    return person


def cast(world: World) -> tuple[dict[str, User | None], dict[str, str]]:
    """The five, a stranger and a participant to compare with, and the link that each holds."""
    campaign, organiser = world.campaign, world.people["organiser"]
    links = {
        role: people.invite(campaign=campaign, by=organiser, role=kind, team=team, max_uses=uses)[1]
        for role, kind, team, uses in (
            ("removed organiser", Membership.Role.ORGANISER, None, 9),
            ("removed member", Membership.Role.PARTICIPANT, world.team, 9),
            ("used link", Membership.Role.ORGANISER, None, 1),
        )
    }
    others: dict[str, User | None] = {
        "removed organiser": removed(world, links["removed organiser"]),
        "removed member": removed(world, links["removed member"]),
        "used link": make_user(),
        "late team": make_user(),
    }
    used = people.find_invitation(links["used link"])
    people.accept_invitation(invitation=used, person=make_user())
    late = teams.create_team(campaign=campaign, name="Late", actor=organiser)
    into, _ = people.invite(campaign=campaign, by=organiser, role="participant", team=late)
    people.accept_invitation(invitation=into, person=others["late team"])
    others["no team"] = make_user()
    in_campaign, _ = people.invite(campaign=campaign, by=organiser, role="participant")
    people.accept_invitation(invitation=in_campaign, person=others["no team"])
    return others | {role: world.people[role] for role in ("stranger", "participant")}, links


def show_participants_all(campaign: Campaign) -> None:
    shown = {key: int(Audience.PARTICIPANTS) for key in CLOSED if key.endswith("audience")}
    Campaign.objects.filter(pk=campaign.pk).update(**shown)
    campaign.refresh_from_db()


@pytest.mark.parametrize("stage", [pytest.param("draft", marks=pytest.mark.long), "published"])
def test_each_outsider_gets_what_a_stranger_gets(stage: str, world: World) -> None:
    people_of_it, links = cast(world)
    bring_to(stage, world.campaign)
    if stage == "published":
        show_participants_all(world.campaign)
        world.numbers["version"] = 2  # the published one
    clients = clients_of(people_of_it)
    wrong, seen_inside = {}, set()
    for entry, (method, _) in MATRIX.items():
        if "slug" not in parts_of(entry):
            continue
        url = url_of(name_of(entry), world)
        due = status_of(clients["stranger"], method, url)
        if entry in FOR_PARTICIPANTS and status_of(clients["participant"], method, url) == 200:
            seen_inside.add((entry, due))
        for role in OUTSIDERS if stage == "published" else OUTSIDERS[:1]:
            got = status_of(clients[role], method, url)
            own = OF_LATE_TEAM if role == "late team" else {}
            if got != own.get(entry, due):
                wrong[entry, role] = f"{method} gave {got} instead of {own.get(entry, due)}"
    assert wrong == {}
    inside = {(entry, 404) for entry in FOR_PARTICIPANTS} if stage == "published" else set()
    assert seen_inside == inside
    for role, token in links.items():
        url = reverse("campaigns:invitation", args=[token])
        assert [status_of(clients[role], how, url) for how in ("get", "post")] == [404, 404]
