"""The organisers' page to export the pool and to import judgments."""

import hashlib

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from campaigns import access
from campaigns.errors import Refusal
from campaigns.judging import assignment, plans, pool_files
from campaigns.judging.forms import JudgmentsForm
from campaigns.judging.pool_files import ImportedJudgments
from campaigns.reading import whole_file
from campaigns.trec.problems import FormatError

MAX_SHOWN = 50  # conflicts of one kind
DEPTHS = (5, 10, 20, 50, 100)


@login_required
@require_safe
def pool_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    return _page(request, viewer)


@login_required
@require_POST
def judgments_import(request: HttpRequest, slug: str) -> HttpResponse:
    """Imports a file. If it contradicts known judgments, asks for confirmation first."""
    viewer = access.organiser_or_404(request.user, slug)
    assessors = assignment.assessors_of(viewer.campaign)
    form = JudgmentsForm(request.POST, request.FILES, assessors=assessors)
    if not form.is_valid():
        return _page(request, viewer, form=form, status=400)
    assessor = form.judged_by
    try:
        data = whole_file(form.cleaned_data["file"])
        judgments = pool_files.read_judgments(viewer.campaign, assessor, data)
        if judgments.has_conflicts and not form.confirms(data):
            return _confirmation_page(request, viewer, form, data, judgments)
        _, count = pool_files.import_judgments(
            campaign=viewer.campaign, assessor=assessor, data=data, actor=request.user
        )
    except FormatError as error:
        return _page(request, viewer, fault=error, status=400)
    except Refusal as error:
        messages.error(request, str(error))
        return redirect("campaigns:judging-pool", slug)
    parts = [f"{count} judgment{'' if count == 1 else 's'} of {assessor} imported."]
    if judgments.unchanged:
        parts.append(f"{judgments.unchanged} already known.")
    if judgments.unjudged:
        parts.append(f"{judgments.unjudged} lines not judged, with a grade below 0.")
    messages.success(request, " ".join(parts))
    return redirect("campaigns:judging-pool", slug)


def _page(
    request: HttpRequest, viewer: access.Viewer, *, status: int = 200, **extra: object
) -> HttpResponse:
    plan = plans.active_plan(viewer.campaign)
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "plan": plan,
        "selected": plan.tasks.count() if plan else 0,
        "depths": DEPTHS,
        "form": JudgmentsForm(assessors=assignment.assessors_of(viewer.campaign)),
    }
    return render(request, "campaigns/judging/judging_pool.html", page | extra, status=status)


def _confirmation_page(
    request: HttpRequest,
    viewer: access.Viewer,
    form: JudgmentsForm,
    data: bytes,
    judgments: ImportedJudgments,
) -> HttpResponse:
    """The file is not stored. The organiser uploads it again, and its digest shows that it is the
    same file."""
    kinds = (
        ("graded differently by other assessors", "They become disagreements.", "disputed"),
        ("graded differently by this assessor", "The imported grades replace them.", "changed"),
        ("decided differently by an organiser", "The decisions still count.", "decided"),
        ("outside the plan", "They are stored as judgments too.", "outside"),
    )
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "judgments": judgments,
        "assessor": form.judged_by,
        "kinds": [
            (title, consequence, conflicts, conflicts[:MAX_SHOWN])
            for title, consequence, name in kinds
            if (conflicts := getattr(judgments, name))
        ],
        "confirmed": hashlib.sha256(data).hexdigest(),
        "file_name": form.cleaned_data["file"].name,
        "is_another": bool(form.cleaned_data["confirmed"]),
    }
    return render(request, "campaigns/judging/judging_import_confirm.html", page, status=400)
