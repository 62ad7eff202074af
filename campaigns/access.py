"""Who may see what: the one place that decides it, for pages, API, CSV and charts alike.

Every look-up starts from a person. What one may not know of is not found, never forbidden.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from campaigns.models import Audience, Campaign, Membership, Run, Team, User
from campaigns.models.runs import RANKED

Person: TypeAlias = User | AnonymousUser


@dataclass(frozen=True)
class Viewer:
    """One person (or nobody in particular) before one campaign."""

    campaign: Campaign
    person: Person | None
    roles: frozenset[str]
    team: Team | None

    @property
    def is_organiser(self) -> bool:
        return Membership.Role.ORGANISER in self.roles

    @property
    def audience(self) -> Audience:
        """The narrowest audience this viewer belongs to."""
        if self.is_organiser:
            return Audience.ORGANISERS
        if self.team is not None:
            return Audience.PARTICIPANTS
        return Audience.EVERYONE

    @cached_property
    def can_see_board(self) -> bool:
        return self.audience <= self.campaign.board_audience

    def owns(self, run: Run) -> bool:
        return self.team is not None and run.team_id == self.team.pk

    def can_follow(self, run: Run) -> bool:
        """May see what became of its file: the team that handed it in, and the organisers."""
        return self.is_organiser or self.owns(run)

    def can_see_scores_of(self, run: Run) -> bool:
        return self.can_see_board or (self.owns(run) and self.campaign.shows_own_scores)


def campaigns_visible_to(person: Person) -> QuerySet[Campaign]:
    """A draft is its organisers' secret, a private campaign its members'."""
    listed = Q(is_private=False) & ~Q(stage=Campaign.Stage.DRAFT)
    if not person.is_authenticated:
        return Campaign.objects.filter(listed)
    mine = Membership.objects.filter(campaign=OuterRef("pk"), person=person, is_approved=True)
    organised = mine.filter(role=Membership.Role.ORGANISER)
    return Campaign.objects.filter(
        listed | Exists(organised) | (~Q(stage=Campaign.Stage.DRAFT) & Exists(mine))
    )


def viewer_or_404(person: Person, slug: str) -> Viewer:
    """This person before this campaign, if they may know of it. Two queries."""
    campaign = get_object_or_404(
        campaigns_visible_to(person).select_related("series", "active_qrels"), slug=slug
    )
    return _viewer(person, campaign)


def organiser_or_404(person: Person, slug: str) -> Viewer:
    viewer = viewer_or_404(person, slug)
    if not viewer.is_organiser:
        raise Http404
    return viewer


def board_or_404(person: Person, slug: str) -> Viewer:
    """Like `viewer_or_404`, where the board is shown to this person."""
    viewer = viewer_or_404(person, slug)
    if not viewer.can_see_board:
        raise Http404
    return viewer


def runs_visible_to(viewer: Viewer) -> QuerySet[Run]:
    """An organiser sees every run, a team its own; where the board is shown, all that stand on it
    are seen."""
    runs = viewer.campaign.runs.select_related("team")
    if viewer.is_organiser:
        return runs
    visible = RANKED if viewer.can_see_board else Q(pk__in=[])
    if viewer.team is not None:
        visible |= Q(team=viewer.team)
    return runs.filter(visible)


def run_or_404(viewer: Viewer, public_id: str) -> Run:
    return get_object_or_404(runs_visible_to(viewer), public_id=public_id)


def _viewer(person: Person, campaign: Campaign) -> Viewer:
    memberships = (
        list(
            Membership.objects.filter(
                campaign=campaign, person=person, is_approved=True
            ).select_related("team")
        )
        if person.is_authenticated
        else []
    )
    return Viewer(
        campaign=campaign,
        person=person,
        roles=frozenset(m.role for m in memberships),
        team=next((m.team for m in memberships if m.team is not None), None),
    )
