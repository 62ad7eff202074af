"""What organisers say to all teams."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaigns import access
from campaigns.mail import messages as letters
from campaigns.mail import notices
from campaigns.people.forms import AnnouncementForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def announce(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    if viewer.campaign.archived_at is not None:
        messages.error(request, "The campaign is archived: bring it back first.")
        return redirect("campaigns:campaign-manage", slug)
    form = AnnouncementForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        notices.announce(
            campaign=viewer.campaign,
            subject=form.cleaned_data["subject"],
            body=form.cleaned_data["body"],
            by=request.user,
        )
        messages.success(request, "Announced: it is on the overview, and on its way by mail.")
        return redirect("campaigns:campaign-detail", slug)
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "form": form,
        "reader_count": letters.participants_of(viewer.campaign).count(),
    }
    status = 400 if form.errors else 200
    return render(request, "campaigns/people/announce.html", page, status=status)
