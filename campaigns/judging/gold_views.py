"""The organisers' page of gold documents."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from campaigns import access
from campaigns.errors import show_refusals
from campaigns.judging import gold
from campaigns.judging.forms import GoldForm
from campaigns.judging.gold_tasks import gold_documents


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def gold_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Lists the gold documents, and marks one."""
    viewer = access.organiser_or_404(request.user, slug)
    form = GoldForm(request.POST if request.method == "POST" else None, campaign=viewer.campaign)
    if request.method == "POST" and form.is_valid():
        with show_refusals(request):
            marked = gold.mark(campaign=viewer.campaign, actor=request.user, **form.cleaned_data)
            messages.success(request, f"{marked.doc_id} of topic {marked.topic} is gold.")
        return redirect("campaigns:judging-gold", slug)
    graded = gold.graded_gold(viewer.campaign)
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "form": form,
        "graded": graded,
        "agreement": gold.agreement_with_gold(graded),
    }
    status = 400 if form.errors else 200
    return render(request, "campaigns/judging/judging_gold.html", context, status=status)


@login_required
@require_POST
def gold_unmark(request: HttpRequest, slug: str, gold_document: int) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    marked = get_object_or_404(gold_documents(viewer.campaign), pk=gold_document)
    with show_refusals(request):
        gold.unmark(gold=marked, actor=request.user)
        messages.success(request, f"{marked.doc_id} of topic {marked.topic} is no longer gold.")
    return redirect("campaigns:judging-gold", slug)
