"""The list of campaigns, the overview of a campaign, and creating one."""

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from campaigns import access, lifecycle, quotas, scoring_hooks
from campaigns.judging import assessment_page
from campaigns.manage import home
from campaigns.manage.calendar import calendar_of
from campaigns.manage.forms import CampaignForm, NewCampaignForm
from campaigns.manage.measures_form import MeasuresForm
from campaigns.models import Audience, Campaign, Membership
from campaigns.people import demo_accounts
from campaigns.runs import decisions

ROWS_SHOWN = 5  # of a leaderboard, on the home page
TOPICS_SHOWN = 100  # on the overview; the list of topics has pages


@require_safe
def campaign_list(request: HttpRequest) -> HttpResponse:
    campaigns = access.campaigns_visible_to(request.user).order_by("-created_at", "-pk")
    own, joined_drafts, requests = [], [], 0
    if request.user.is_authenticated:
        own = home.own_campaigns(request.user, request.arrived_at)
        joined_drafts = list(access.drafts_joined_by(request.user).order_by("name", "pk"))
        requests = home.open_requests(request.user)
    own_ids = {each.campaign.pk for each in own}
    others = list(campaigns.filter(archived_at=None).exclude(pk__in=own_ids))
    published = [each for each in others if each.stage == Campaign.Stage.PUBLISHED]
    return render(
        request,
        "campaigns/manage/campaign_list.html",
        {
            "own": own,
            "joined_drafts": joined_drafts,
            "open_requests": requests,
            "campaigns": others,
            "archived": list(campaigns.exclude(archived_at=None)),
            "accepting": [e for e in others if lifecycle.is_accepting_at(e, request.arrived_at)],
            "published": published,
            **(_example(published) if request.user.is_anonymous else {}),
            "may_create": lifecycle.may_create_campaigns(request.user),
            "demo_accounts": demo_accounts.offered_accounts(),
        },
    )


@require_safe
def campaign_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """The overview. An organiser can preview it as somebody else."""
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    campaign: Campaign = viewer.campaign
    own_runs = access.runs_visible_to(viewer).filter(team=viewer.team)
    runs = own_runs.order_by("-submitted_at", "-pk") if viewer.team else own_runs.none()
    is_assessor = Membership.Role.ASSESSOR in viewer.roles
    is_accepting = lifecycle.is_accepting_at(campaign, request.arrived_at)
    topics = list(campaign.topics.order_by("position")) if viewer.can_see_topics else []
    return render(
        request,
        "campaigns/manage/campaign_detail.html",
        {
            "viewer": viewer,
            "campaign": campaign,
            "topics": topics,
            "first_topics": topics[:TOPICS_SHOWN],
            "announcements": list(campaign.announcements.prefetch_related("versions"))
            if viewer.roles
            else [],
            "measures": scoring_hooks.explained_measures(["RBP", *campaign.measures]),
            "leading_measures": scoring_hooks.explained_measures(
                scoring_hooks.measures_of(campaign)[:1]
            ),
            "is_accepting": is_accepting,
            "is_late": lifecycle.is_late_at(campaign, request.arrived_at),
            "runs": runs,
            "has_run": any(run.is_live for run in runs),
            "to_judge": assessment_page.left_for(campaign, viewer.person) if is_assessor else 0,
            "to_accept": [run for run in runs if decisions.can_accept(viewer, run)],
            "quota": viewer.team
            and is_accepting
            and quotas.quota_of(campaign, viewer.team, request.arrived_at),
        },
    )


@require_safe
def campaign_dates(request: HttpRequest, slug: str) -> HttpResponse:
    """A calendar program subscribes to it without a login, if the campaign is public."""
    campaign = access.viewer_or_404(request.user, slug).campaign
    url = request.build_absolute_uri(reverse("campaigns:campaign-detail", args=[slug]))
    return HttpResponse(
        calendar_of(campaign, url=url, now=request.arrived_at),
        content_type="text/calendar; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}.ics"'},
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_create(request: HttpRequest) -> HttpResponse:
    if not lifecycle.may_create_campaigns(request.user):
        return redirect("campaigns:organiser-request")
    form = NewCampaignForm(request.POST or None, person=request.user)
    measures_form = MeasuresForm(request.POST or None, campaign=form.instance)
    if request.method == "POST" and are_valid_settings(form, measures_form):
        campaign = lifecycle.create_campaign(
            campaign=form.save(commit=False), organiser=request.user
        )
        warn_of_past_close(request, campaign)
        return redirect("campaigns:campaign-manage", campaign.slug)
    return render(
        request,
        "campaigns/manage/campaign_form.html",
        {
            "form": form,
            "measures_form": measures_form,
            "known_series": list(access.series_visible_to(request.user)),
        },
        status=400 if form.errors or measures_form.errors else 200,
    )


def warn_of_past_close(request: HttpRequest, campaign: Campaign) -> None:
    """A closing date in the past is allowed, because it also closes submissions at once."""
    closes = campaign.closes_at
    if closes is not None and closes <= request.arrived_at:
        messages.warning(
            request,
            "The date on which submissions close is in the past, so submissions are closed. To "
            "change it, choose Edit dates.",
        )


def are_valid_settings(form: CampaignForm, measures_form: MeasuresForm) -> bool:
    """Validates both forms, so that one response names every error, and sets the campaign's
    measures. Returns whether both are valid."""
    rel = form.cleaned_data.get("rel") if form.is_valid() else None
    # Also if the other form is not valid, so that the page shows the errors of both.
    measures = measures_form.measures(rel or form.instance.rel)
    if rel is None or measures is None:
        return False
    form.instance.measures = measures
    leading = measures_form.leading_measure(form.instance)
    form.instance.leading_measure = leading or ""
    return leading is not None


def _example(published: Sequence[Campaign]) -> dict[str, object]:
    """The newest campaign with a leaderboard for everybody, and the first rows of it."""
    example = next((each for each in published if each.board_audience == Audience.EVERYONE), None)
    if example is None:
        return {}
    viewer = access.viewer_or_404(AnonymousUser(), example.slug)
    return {"example": example, "excerpt": scoring_hooks.first_rows_of_board(viewer, ROWS_SHOWN)}
