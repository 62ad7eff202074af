"""Documents that are judged elsewhere: the pool to take along, and the answers that come back."""

import hashlib

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from campaigns import access
from campaigns.errors import CannotChangeStage
from campaigns.judging import assignment, plans, pool_files
from campaigns.judging.forms import JudgmentsForm
from campaigns.judging.pool_files import ImportedJudgments
from campaigns.models import User
from campaigns.trec.problems import FormatError

SHOWN = 50  # conflicts of a kind
DEPTHS = (5, 10, 20, 50, 100)


@login_required
@require_safe
def pool_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    return _page(request, viewer)


@login_required
@require_POST
def judgments_import(request: HttpRequest, slug: str) -> HttpResponse:
    """Takes a file in; where it would contradict what is known, asks first."""
    viewer = access.organiser_or_404(request.user, slug)
    assessors = assignment.assessors_of(viewer.campaign)
    form = JudgmentsForm(request.POST, request.FILES, assessors=assessors)
    if not form.is_valid():
        return _page(request, viewer, form=form, status=400)
    data, assessor = form.cleaned_data["file"].read(), form.judged_by
    try:
        answers = pool_files.read_judgments(viewer.campaign, assessor, data)
        if answers.has_conflicts and not form.confirms(data):
            return _ask(request, viewer, form, data, answers)
        _, count = pool_files.import_judgments(
            campaign=viewer.campaign, assessor=assessor, data=data, actor=request.user
        )
    except FormatError as error:
        return _page(request, viewer, fault=error, status=400)
    except CannotChangeStage as error:
        messages.error(request, str(error))
        return redirect("campaigns:judging-pool", slug)
    messages.success(request, _told(count, answers, assessor))
    return redirect("campaigns:judging-pool", slug)


def _page(
    request: HttpRequest, viewer: access.Viewer, *, status: int = 200, **extra: object
) -> HttpResponse:
    plan = plans.plan_in_force(viewer.campaign)
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "plan": plan,
        "laid_out": plan.tasks.count() if plan else 0,
        "depths": DEPTHS,
        "form": JudgmentsForm(assessors=assignment.assessors_of(viewer.campaign)),
    }
    return render(request, "campaigns/judging/judging_pool.html", page | extra, status=status)


def _ask(
    request: HttpRequest,
    viewer: access.Viewer,
    form: JudgmentsForm,
    data: bytes,
    answers: ImportedJudgments,
) -> HttpResponse:
    """Nothing is stored meanwhile: the file is chosen again, and its digest says that it is the
    one that was looked at."""
    kinds = (
        ("judged otherwise by others", "Both stand; they are listed as disagreements.", "disputed"),
        ("judged otherwise by this assessor before", "The answer takes its place.", "changed"),
        ("decided otherwise by an organiser", "The decision goes on to count.", "decided"),
        ("outside the plan", "They are kept as judgments all the same.", "outside"),
    )
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "answers": answers,
        "assessor": form.judged_by,
        "kinds": [
            (words, then, found, found[:SHOWN])
            for words, then, name in kinds
            if (found := getattr(answers, name))
        ],
        "confirmed": hashlib.sha256(data).hexdigest(),
        "file_name": form.cleaned_data["file"].name,
        "is_another": bool(form.cleaned_data["confirmed"]),
    }
    return render(request, "campaigns/judging/judging_answers_confirm.html", page, status=400)


def _told(count: int, answers: ImportedJudgments, assessor: User) -> str:
    parts = [f"{count} judgment{'' if count == 1 else 's'} of {assessor} taken in."]
    if answers.unchanged:
        parts.append(f"{answers.unchanged} were known already.")
    if answers.unjudged:
        parts.append(f"{answers.unjudged} lines have a grade below 0: not judged.")
    return " ".join(parts)
