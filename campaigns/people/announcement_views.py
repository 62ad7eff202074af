"""Pages on which organisers publish, edit and delete announcements."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from campaigns import access
from campaigns.errors import CannotEditAnnouncement, show_refusals
from campaigns.mail.messages import participants_of
from campaigns.models import Announcement
from campaigns.people import announcements
from campaigns.people.forms import AnnouncementEditForm, AnnouncementForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def announce(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    form = AnnouncementForm(request.POST or None)
    if _is_final(request, form):
        with show_refusals(request):
            announcements.announce(campaign=viewer.campaign, by=request.user, **form.cleaned_data)
            messages.success(request, "The announcement is on the overview, and is being emailed.")
        return redirect("campaigns:campaign-detail", slug)
    return _page(request, viewer, form)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def announcement_edit(request: HttpRequest, slug: str, announcement: int) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    edited = get_object_or_404(viewer.campaign.announcements, pk=announcement)
    form = AnnouncementEditForm(request.POST or None, announcement=edited)
    if _is_final(request, form):
        with show_refusals(request):
            try:
                announcements.edit(announcement=edited, by=request.user, **form.cleaned_data)
            except CannotEditAnnouncement as error:
                form.add_error("seen", str(error))
                return _page(request, viewer, form, edited)
            messages.success(request, "The announcement was changed.")
        return redirect("campaigns:campaign-detail", slug)
    return _page(request, viewer, form, edited)


@login_required
@require_POST
def announcement_delete(request: HttpRequest, slug: str, announcement: int) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    edited = get_object_or_404(viewer.campaign.announcements, pk=announcement)
    with show_refusals(request):
        announcements.delete(announcement=edited, by=request.user)
        messages.success(request, f"The announcement {edited.subject} was deleted.")
    return redirect("campaigns:campaign-detail", slug)


def _is_final(request: HttpRequest, form: AnnouncementForm) -> bool:
    return request.method == "POST" and form.is_valid() and request.POST.get("act") != "preview"


def _page(
    request: HttpRequest,
    viewer: access.Viewer,
    form: AnnouncementForm,
    announcement: Announcement | None = None,
) -> HttpResponse:
    """The form, with a preview of a valid text."""
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "announcement": announcement,
        "form": form,
        "preview": form.cleaned_data if form.is_bound and form.is_valid() else None,
        "reader_count": participants_of(viewer.campaign).count(),
    }
    status = 400 if form.errors else 200
    return render(request, "campaigns/people/announce.html", page, status=status)
