"""The organisers' pages of programs that judge."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from campaigns import access
from campaigns.errors import Refusal, show_refusals
from campaigns.judging import program_judgments, programs
from campaigns.judging.program_forms import ProgramFileForm, ProgramForm
from campaigns.judging.program_judgments import ProgramProgress
from campaigns.models import Campaign, Program
from campaigns.reading import whole_file
from campaigns.trec.problems import FormatError


@dataclass(frozen=True)
class ProgramRow:
    program: Program
    progress: ProgramProgress

    @property
    def cost(self) -> Decimal | None:
        """Of all documents that it has judged; None if nobody noted it."""
        each = self.program.cost_per_document
        return None if each is None else each * self.progress.judged


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def programs_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Lists the programs, and adds one."""
    viewer = access.organiser_or_404(request.user, slug)
    instance = Program(campaign=viewer.campaign)
    form = ProgramForm(request.POST if request.method == "POST" else None, instance=instance)
    if request.method == "POST" and form.is_valid():
        with show_refusals(request):
            added = programs.add_program(program=form.save(commit=False), actor=request.user)
            return redirect("campaigns:judging-program", slug, added.pk)
        return redirect("campaigns:judging-programs", slug)
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "form": form,
        "rows": [_row(program) for program in programs.programs_of(viewer.campaign)],
    }
    status = 400 if form.errors else 200
    return render(request, "campaigns/judging/judging_programs.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def program_page(request: HttpRequest, slug: str, program: int) -> HttpResponse:
    """One program: what it is, its token, its judgments. POST changes what it is."""
    viewer = access.organiser_or_404(request.user, slug)
    found = _program_or_404(viewer.campaign, program)
    if request.method != "POST":
        return _page(request, viewer, found)
    # An instance of its own, because the form also writes invalid values into it.
    form = ProgramForm(request.POST, instance=_program_or_404(viewer.campaign, program))
    if not form.is_valid():
        return _page(request, viewer, found, form=form, status=400)
    with show_refusals(request):
        programs.change_program(program=form.save(commit=False), actor=request.user)
        messages.success(request, "Saved.")
    return redirect("campaigns:judging-program", slug, found.pk)


@login_required
@require_POST
def program_token(request: HttpRequest, slug: str, program: int) -> HttpResponse:
    """Creates a token and shows it this once."""
    viewer = access.organiser_or_404(request.user, slug)
    found = _program_or_404(viewer.campaign, program)
    try:
        token = programs.create_token(program=found, actor=request.user)
    except Refusal as error:
        messages.error(request, str(error))
        return redirect("campaigns:judging-program", slug, found.pk)
    # Read again, with the time at which the token was created.
    found = _program_or_404(viewer.campaign, program)
    return _page(request, viewer, found, token=token)


@login_required
@require_POST
def program_token_revoke(request: HttpRequest, slug: str, program: int) -> HttpResponse:
    return _change(request, slug, program, programs.revoke_token, "The token is revoked.")


@login_required
@require_POST
def program_retire(request: HttpRequest, slug: str, program: int) -> HttpResponse:
    return _change(request, slug, program, programs.retire_program, "The program is retired.")


@login_required
@require_POST
def program_import(request: HttpRequest, slug: str, program: int) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    found = _program_or_404(viewer.campaign, program)
    form = ProgramFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, viewer, found, file_form=form, status=400)
    try:
        data = whole_file(form.cleaned_data["file"])
        recorded = program_judgments.import_grades(program=found, data=data, actor=request.user)
    except FormatError as error:
        return _page(request, viewer, found, fault=error, status=400)
    except Refusal as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{found.name}: {recorded.in_words}")
    return redirect("campaigns:judging-program", slug, found.pk)


def _page(
    request: HttpRequest,
    viewer: access.Viewer,
    program: Program,
    *,
    status: int = 200,
    **extra: object,
) -> HttpResponse:
    api = reverse("api:judging-progress", args=[viewer.campaign.slug])
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "program": program,
        "row": _row(program),
        "has_judged": program.judgments.exists(),
        "form": ProgramForm(instance=program),
        "file_form": ProgramFileForm(),
        "api_url": request.build_absolute_uri(api).removesuffix("progress/"),
    }
    return render(request, "campaigns/judging/judging_program.html", page | extra, status=status)


def _change(
    request: HttpRequest, slug: str, program: int, change: Callable[..., None], done: str
) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    found = _program_or_404(viewer.campaign, program)
    with show_refusals(request):
        change(program=found, actor=request.user)
        messages.success(request, done)
    return redirect("campaigns:judging-program", slug, found.pk)


def _program_or_404(campaign: Campaign, program: int) -> Program:
    found = get_object_or_404(campaign.programs.select_related("added_by"), pk=program)
    found.campaign = campaign
    return found


def _row(program: Program) -> ProgramRow:
    return ProgramRow(program, program_judgments.progress_of(program))
