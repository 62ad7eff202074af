"""Permissions: the only module that decides what a person may see, for pages, API, CSV and charts.

Every lookup starts from a person. What the person may not see is not found; the response is never
403, which would reveal that it exists.
"""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property
from typing import Final, TypeAlias
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, CharField, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Concat, Substr
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from campaigns.models import Audience, Campaign, Membership, Run, Series, Team, Topic, User
from campaigns.models.compiled_query import CompiledQuery
from campaigns.models.runs import LIVE, run_name
from campaigns.options import choice_or_404
from campaigns.participation import allows_new_teams, participating_teams

Person: TypeAlias = User | AnonymousUser
ANY_SLUG: Final = "?"  # placeholders of a compiled query
ANY_PERSON: Final = -1


@dataclass(frozen=True)
class Preview:
    """An organiser sees the campaign as the public or a team would, now or at another stage."""

    team: str  # a team's public id; "" for the public
    stage: str  # "" for the current one

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "Preview | None":
        """?as=public or ?as=<team>, and &at=<stage>."""
        team = params.get("as", "")
        return cls("" if team == "public" else team, params.get("at", "")) if team else None


@dataclass(frozen=True)
class Viewer:
    """A person, or an anonymous visitor, and a campaign: what this person may see and do in it."""

    campaign: Campaign
    person: Person | None
    roles: frozenset[str]
    team: Team | None
    pending_team: Team | None = None  # awaits approval by an organiser
    moment: datetime = field(default_factory=timezone.now)
    preview: Preview | None = None
    participates: bool | None = None  # None: `is_participant` queries it

    @property
    def is_organiser(self) -> bool:
        return Membership.Role.ORGANISER in self.roles

    @property
    def audience(self) -> Audience:
        """The narrowest audience this viewer belongs to."""
        if self.is_organiser:
            return Audience.ORGANISERS
        return Audience.PARTICIPANTS if self.is_participant else Audience.EVERYONE

    @cached_property
    def is_participant(self) -> bool:
        """Whether the viewer is a participant. Not every member of a team is one."""
        if self.team is None or self.participates is not None:
            return bool(self.participates)
        teams = participating_teams(self.campaign, self.moment)
        return teams.filter(pk=self.team.pk).exists()

    @property
    def can_be_in_team(self) -> bool:
        """Assessors and readers cannot be in a team of the same campaign."""
        return not self.roles & {Membership.Role.ASSESSOR, Membership.Role.READER}

    @property
    def can_create_team(self) -> bool:
        """Whether the person could create a team of their own, after logging in."""
        is_free = self.team is None and self.pending_team is None and self.can_be_in_team
        is_allowed = self.campaign.joining != Campaign.Joining.INVITED
        return is_free and is_allowed and allows_new_teams(self.campaign, self.moment)

    @property
    def can_see_topics(self) -> bool:
        released = self.campaign.topics_released_at
        is_insider = self.is_organiser or Membership.Role.ASSESSOR in self.roles
        return is_insider or released is None or released <= self.moment

    @property
    def can_see_runs(self) -> bool:
        """A viewer of the leaderboard can see the runs on it."""
        return self.can_see_board or self.audience <= self.campaign.runs_audience

    @cached_property
    def can_see_board(self) -> bool:
        return self.audience <= self.campaign.board_audience

    @property
    def can_see_baselines(self) -> bool:
        """Whether the viewer knows which runs are baselines. Before the leaderboard is visible,
        the organisers' choice would tell teams about the runs of others."""
        return self.can_see_board

    @property
    def can_see_qrels(self) -> bool:
        return self.audience <= self.campaign.qrels_audience

    @property
    def knows_all_names(self) -> bool:
        """Whether no team is anonymous to this viewer."""
        reveals = self.campaign.reveals_teams_at
        return self.is_organiser or (reveals is not None and reveals <= self.moment)

    def owns(self, run: Run) -> bool:
        return self.team is not None and run.team_id == self.team.pk

    def can_name(self, team: Team) -> bool:
        is_own = self.team is not None and self.team.pk == team.pk
        return is_own or not team.is_anonymous or self.knows_all_names

    def tag_of(self, run: Run) -> str:
        """The tag of a run with its `shown_name`, which replaces the tag of an anonymous team."""
        return run.tag if self.can_name(run.team) else run.shown_name

    def can_follow(self, run: Run) -> bool:
        """Whether the viewer can see the status and the problems of the file: its team and the
        organisers can."""
        return self.is_organiser or self.owns(run)

    def can_see_scores_of(self, run: Run) -> bool:
        return self.can_see_board or (self.owns(run) and self.campaign.shows_own_scores)

    def can_see_topic_scores_of(self, run: Run) -> bool:
        by_topic = self.audience <= self.campaign.per_topic_audience
        shows_own = self.owns(run) and self.campaign.shows_own_topics
        return self.can_see_scores_of(run) and (by_topic or shows_own)

    @property
    def can_see_own_topic_scores(self) -> bool:
        """Whether the viewer's team sees the scores by topic of its own runs."""
        campaign = self.campaign
        sees_means = self.can_see_board or campaign.shows_own_scores
        is_shown = self.team is not None and campaign.shows_own_topics
        return is_shown and sees_means and self.can_see_topics

    def can_see_curves_of(self, run: Run) -> bool:
        """Curves of scores by depth and p, and of precision by recall. They reveal more about the
        judgments than a team's own means, so they need the leaderboard, or the files from which
        the viewer could compute them."""
        return self.can_see_board or self.can_grade(run)

    def can_see_topic_curves_of(self, run: Run) -> bool:
        """They show which ranks of a topic are relevant, so a team's own scores by topic are not
        enough."""
        by_topic = self.can_see_board and self.audience <= self.campaign.per_topic_audience
        return self.can_see_topics and (by_topic or self.can_grade(run))

    def can_see_documents_of(self, run: Run) -> bool:
        """The ranking of a run with the judgment of each document."""
        shows_own = self.owns(run) and self.campaign.shows_own_documents
        return self.can_see_topics and (self.can_grade(run) or shows_own)

    def can_see_unique_documents_of(self, run: Run) -> bool:
        """Its unique relevant documents tell about the judgments and the runs of others too."""
        return self.can_see_board and self.can_see_topics and self.can_grade(run)

    def can_grade(self, run: Run) -> bool:
        """Whether the viewer can see the qrels and the run's file."""
        return self.can_see_qrels and self.can_download(run)

    def can_download(self, run: Run) -> bool:
        """A run file contains its tag, so other teams cannot download the files of an anonymous
        team."""
        if self.can_follow(run):
            return True
        is_shared = run.team.shares_files and self.can_name(run.team)
        return is_shared and self.audience <= self.campaign.run_files_audience


def sees_teams(campaign: Campaign, *, participates: bool) -> bool:
    """Whether a participant, or another person, can see which teams take part. If not, nothing may
    tell them that a name is taken."""
    return _person(campaign, participates).can_see_runs


def sees_team(team: Team, *, participates: bool) -> bool:
    """Whether a participant, or another person, can see that this team of others takes part, and
    under which name."""
    person = _person(team.campaign, participates)
    return person.can_see_runs and person.can_name(team)


def _person(campaign: Campaign, participates: bool) -> Viewer:
    """What every participant, or everyone, may see, whatever the team."""
    return Viewer(
        campaign=campaign, person=None, roles=frozenset(), team=None, participates=participates
    )


def campaigns_visible_to(person: Person) -> QuerySet[Campaign]:
    """Only organisers see drafts, and only members see private campaigns."""
    listed = Q(is_private=False) & ~Q(stage=Campaign.Stage.DRAFT)
    if not person.is_authenticated:
        return Campaign.objects.filter(listed)
    mine = Membership.objects.filter(campaign=OuterRef("pk"), person=person)
    organised = mine.filter(role=Membership.Role.ORGANISER)
    return Campaign.objects.filter(
        listed | Exists(organised) | (~Q(stage=Campaign.Stage.DRAFT) & Exists(mine))
    )


def drafts_joined_by(person: User) -> QuerySet[Campaign]:
    """Drafts that the person joined by a link, which shows the name. They learn nothing else of a
    draft before its organisers open it."""
    mine = Membership.objects.filter(campaign=OuterRef("pk"), person=person)
    drafts = Campaign.objects.filter(stage=Campaign.Stage.DRAFT, archived_at=None)
    organised = mine.filter(role=Membership.Role.ORGANISER)
    return drafts.filter(Exists(mine.filter(invitation__isnull=False)), ~Exists(organised))


def series_visible_to(person: Person) -> QuerySet[Series]:
    """The series of the campaigns that the person may see, by name."""
    visible = campaigns_visible_to(person).filter(series=OuterRef("pk"))
    return Series.objects.filter(Exists(visible)).order_by("name", "pk")


def viewer_or_404(person: Person, slug: str, *, params: Mapping[str, str] | None = None) -> Viewer:
    """The viewer, if the person may see the campaign. Two queries.

    `params` are the parameters of a page that can be previewed. Only organisers can preview.
    """
    campaign = _campaign_by_slug(person.is_authenticated).first(
        {ANY_SLUG: slug, ANY_PERSON: person.pk}
    )
    if campaign is None:
        raise Http404
    viewer = _viewer(person, campaign)
    preview = Preview.of(params or {})
    return _previewed(viewer, preview) if preview and viewer.is_organiser else viewer


@cache
def _campaign_by_slug(has_account: bool) -> CompiledQuery[Campaign]:
    person = User(pk=ANY_PERSON) if has_account else AnonymousUser()
    visible = campaigns_visible_to(person).select_related("series", "active_qrels")
    return CompiledQuery(visible.filter(slug=ANY_SLUG))


def organiser_or_404(person: Person, slug: str) -> Viewer:
    viewer = viewer_or_404(person, slug)
    if not viewer.is_organiser:
        raise Http404
    return viewer


def assessor_or_404(person: Person, slug: str) -> Viewer:
    """The viewer, if the person is an assessor of the campaign. See also `topics_to_judge`."""
    viewer = viewer_or_404(person, slug)
    if Membership.Role.ASSESSOR not in viewer.roles:
        raise Http404
    return viewer


def topics_to_judge(viewer: Viewer) -> QuerySet[Topic]:
    """The topics that are assigned to the assessor, who can see no others before their release."""
    return viewer.campaign.topics.filter(assessors__assessor=viewer.person)


def topic_to_judge_or_404(viewer: Viewer, code: str) -> Topic:
    return get_object_or_404(topics_to_judge(viewer), code=code)


def board_or_404(person: Person, slug: str, *, params: Mapping[str, str] | None = None) -> Viewer:
    """Like `viewer_or_404`, if the person may see the leaderboard."""
    viewer = viewer_or_404(person, slug, params=params)
    if not viewer.can_see_board:
        raise Http404
    return viewer


def runs_visible_to(viewer: Viewer) -> QuerySet[Run]:
    """All runs for organisers, and a team's own runs for its members. If the runs of the campaign
    are visible, also those on the leaderboard, including late and disqualified ones. Each run has
    `shown_name` and `shown_team`."""
    runs = viewer.campaign.runs.select_related("team").annotate(**shown_names(viewer))
    if viewer.is_organiser:
        return runs
    # An empty `Q` would match every run.
    visible = LIVE if viewer.can_see_runs else Q(pk__in=[])
    if viewer.team is not None:
        visible |= Q(team=viewer.team)
    return runs.filter(visible)


def shown_names(viewer: Viewer, run: str = "") -> dict[str, Case | Coalesce | F]:
    """Annotations `shown_name` and `shown_team` for rows that refer to a run by the path
    `run`. If the team is anonymous to the viewer, they are generated names."""
    if viewer.knows_all_names:
        return {"shown_name": run_name(run), "shown_team": F(f"{run}team__name")}
    masked = Q(**{f"{run}team__is_anonymous": True})
    if viewer.team is not None:
        masked &= ~Q(**{f"{run}team": viewer.team.pk})
    # The ids are random, so that a part of one says nothing about the team.
    run_id, team_id = f"{run}public_id", f"{run}team__public_id"
    return {
        "shown_name": _unless(masked, run_name(run), Concat(Value("run-"), Substr(run_id, 1, 6))),
        "shown_team": _unless(
            masked, f"{run}team__name", Concat(Value("anonymous-"), Substr(team_id, 1, 6))
        ),
    }


def _unless(masked: Q, name: str | Coalesce, instead: Concat) -> Case:
    default = F(name) if isinstance(name, str) else name
    return Case(When(masked, then=instead), default=default, output_field=CharField())


def run_or_404(viewer: Viewer, public_id: str, **besides: Exists) -> Run:
    """`besides` are read with it, and are attributes of it then."""
    return get_object_or_404(runs_visible_to(viewer).annotate(**besides), public_id=public_id)


def graded_run_or_404(viewer: Viewer, public_id: str) -> Run:
    """A run whose documents and judgments the viewer may see."""
    run = run_or_404(viewer, public_id)
    if not viewer.can_see_documents_of(run):
        raise Http404
    return run


def graded_runs(viewer: Viewer, public_ids: Iterable[str]) -> dict[str, Run]:
    """Those of the runs whose documents and judgments the viewer may see, by public id. At most one
    query."""
    if not (viewer.can_see_qrels or viewer.campaign.shows_own_documents):
        return {}
    runs = runs_visible_to(viewer).filter(public_id__in=list(public_ids))
    return {run.public_id: run for run in runs if viewer.can_see_documents_of(run)}


def _viewer(person: Person, campaign: Campaign) -> Viewer:
    moment = timezone.now()
    memberships: Iterable[Membership] = ()
    if person.is_authenticated:
        teams = participating_teams(campaign, moment).filter(pk=OuterRef("team"))
        mine = Membership.objects.filter(campaign=campaign, person=person)
        memberships = list(mine.select_related("team").annotate(participates=Exists(teams)))
    team = next((m.team for m in memberships if m.team is not None), None)
    is_approved = team is not None and team.approved_at is not None
    return Viewer(
        campaign=campaign,
        person=person,
        roles=frozenset(m.role for m in memberships),
        team=team if is_approved else None,
        pending_team=None if is_approved else team,
        moment=moment,
        participates=any(m.participates for m in memberships),
    )


def _previewed(viewer: Viewer, preview: Preview) -> Viewer:
    """The viewer that this team or the public would be. The campaign is changed in memory only.
    Raises `UnknownChoice` for an unknown team or stage."""
    campaign, team = copy.copy(viewer.campaign), None
    if preview.team:
        teams = dict(campaign.teams.values_list("public_id", "name"))
        offered = {"public": "the public"} | teams
        # "public" is only named in the message: `Preview.of` has made an empty team of it.
        choice_or_404("as", preview.team, offered, called="team to preview as")
        team = campaign.teams.get(public_id=preview.team)
    if preview.stage:
        choice_or_404("at", preview.stage, campaign.stage_switches, called="stage")
        campaign.stage = preview.stage
        campaign.is_accepting = preview.stage == Campaign.Stage.OPEN
        for switch, setting in campaign.stage_switches[preview.stage].items():
            setattr(campaign, switch, setting)
    role = frozenset({Membership.Role.PARTICIPANT} if team else ())
    return replace(
        viewer, campaign=campaign, roles=role, team=team, preview=preview, participates=None
    )


def preview_query(viewer: Viewer) -> str:
    """The query string of a preview, such as ?as=public&at=published. Empty without a preview."""
    return f"?{urlencode(terms)}" if (terms := preview_terms(viewer)) else ""


def preview_terms(viewer: Viewer) -> list[tuple[str, str]]:
    """The parameters of a preview, for forms."""
    preview = viewer.preview
    if preview is None:
        return []
    stage = [("at", preview.stage)] if preview.stage else []
    return [("as", preview.team or "public"), *stage]
