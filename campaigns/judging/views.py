"""The assessors' pages: the topics to judge, the desk, and what was judged.

The desk answers a look with the document that is held, whatever was on the screen before; so a
reload, the back button and a second tab all show the same one.
"""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from campaigns import access, scoring_hooks
from campaigns.errors import CannotChangeStage, CannotJudge
from campaigns.judging import assessment_page, plans
from campaigns.judging import tasks as assessing
from campaigns.judging.assessing_forms import JudgmentForm
from campaigns.models import Campaign, Plan, Topic

ROWS = 50


@login_required
@require_safe
def assess(request: HttpRequest, slug: str) -> HttpResponse:
    """My topics."""
    viewer = access.assessor_or_404(request.user, slug)
    campaign = viewer.campaign
    topics = list(access.topics_to_judge(viewer))
    plan = plans.plan_in_force(campaign)
    progress = assessment_page.progress_by_topic(plan, topics, request.user)
    rows = [(topic, progress[topic.pk]) for topic in topics]
    left = sum(each.left for _, each in rows)
    context = {
        "viewer": viewer,
        "campaign": campaign,
        "plan": plan,
        "rows": rows,
        "left": left,
        "residual": scoring_hooks.mean_residual_of(plan),
        "judged": sum(each.judged for _, each in rows),
        "next_topic": next((topic for topic, each in rows if each.left), None),
        "minutes": assessment_page.minutes_left(
            assessment_page.recent(campaign, request.user), left
        ),
    }
    return render(request, "campaigns/judging/assess.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assess_topic(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The desk; `?doc=` shows a document again that was judged or skipped. With `?all=1` it goes
    through all topics: where nothing is left of one, to the next that has something."""
    viewer = access.assessor_or_404(request.user, slug)
    topic = access.topic_to_judge_or_404(viewer, code)
    if request.method == "POST":
        return _act(request, viewer, topic)
    again = request.GET.get("doc", "")
    context = _desk(request, viewer, topic, again)
    if onward := _onward(context):
        return redirect(onward)
    return render(request, "campaigns/judging/assess_topic.html", context)


@login_required
@require_safe
def assessed(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """My judgments of a topic."""
    viewer = access.assessor_or_404(request.user, slug)
    topic = access.topic_to_judge_or_404(viewer, code)
    rows = assessment_page.judged_by(topic, viewer.campaign, request.user)
    page = Paginator(rows, ROWS).get_page(request.GET.get("page"))
    assessment_page.add_titles(page.object_list, viewer.campaign)
    context = {"viewer": viewer, "campaign": viewer.campaign, "topic": topic, "page": page}
    return render(request, "campaigns/judging/assessed.html", context)


def _act(request: HttpRequest, viewer: access.Viewer, topic: Topic) -> HttpResponse:
    """Does it, and shows the desk as it is then: as a page, or to a script as a part of one."""
    form = JudgmentForm(request.POST)
    is_script = request.accepts("application/json") and not request.accepts("text/html")
    said, status = "", 200
    try:
        said = _perform(form, request, topic)
    except (CannotJudge, CannotChangeStage) as error:
        said, status = str(error), 409
    if is_script:
        context = _desk(request, viewer, topic, "")
        page = render_to_string("campaigns/judging/_desk.html", context, request)
        answer = {"said": said, "desk": page, "onward": _onward(context)}
        return JsonResponse(answer, status=status)
    if said:
        (messages.info if status == 200 else messages.error)(request, said)
    return redirect(_address(viewer.campaign, topic, goes_on=_goes_on(request)))


def _goes_on(request: HttpRequest) -> bool:
    return request.GET.get("all") == "1"


def _address(campaign: Campaign, topic: Topic, *, goes_on: bool) -> str:
    here = reverse("campaigns:assess-topic", args=[campaign.slug, topic.code])
    return f"{here}?all=1" if goes_on else here


def _onward(desk: Mapping[str, Any]) -> str:
    """Where a desk leads that goes through all topics; "" where it stays."""
    if not desk["goes_on"] or desk["shown"] or desk["elsewhere"] is None:
        return ""
    return _address(desk["campaign"], desk["elsewhere"], goes_on=True)


def _perform(form: JudgmentForm, request: HttpRequest, topic: Topic) -> str:
    """What there is to say of it."""
    if not form.is_valid():
        raise CannotJudge(" ".join(error for errors in form.errors.values() for error in errors))
    act, key = form.cleaned_data["act"], form.cleaned_data["key"]
    doc_id = form.cleaned_data["last" if act == "undo" else "doc_id"]
    whose = {"assessor": request.user, "topic": topic, "doc_id": doc_id}
    if act == "skip":
        assessing.skip(**whose)
        return ""
    if act == "undo":
        is_back = assessing.undo(**whose, key=f"{key}-undo")
        return "" if is_back else "Taken back. Somebody else has this document by now."
    grade = form.cleaned_data["grade"]
    taken = assessing.judge(
        **whose,
        grade=grade,
        key=f"{key}-{grade}",
        is_unsure=form.cleaned_data["is_unsure"],
        note=form.cleaned_data["note"],
    )
    late = "Your judgment came late: it is kept beside that of somebody who has the document now."
    return late if taken.is_further else ""


def _desk(request: HttpRequest, viewer: access.Viewer, topic: Topic, again: str) -> dict[str, Any]:
    campaign, person = viewer.campaign, request.user
    goes_on = _goes_on(request) and not again
    topic.campaign = campaign
    given = assessment_page.judged_before(topic, person, again) if again else None
    if again and given is None:
        raise Http404
    if again or campaign.archived_at is not None:
        plan, doc_id = plans.plan_in_force(campaign), again
        progress = assessment_page.progress_by_topic(plan, [topic], person)[topic.pk]
        elsewhere = None
    else:
        look = assessing.claim_next(assessor=person, topic=topic)
        plan, doc_id = look.plan, look.task.doc_id if look.task else ""
        tasks, elsewhere = look.tasks, look.elsewhere
        progress = (
            assessment_page.progress_of(tasks)
            if plan
            else assessment_page.progress_by_topic(None, [topic], person)
        )[topic.pk]
    recent = assessment_page.recent(campaign, person)
    last = assessment_page.last_act_anywhere(plan, person, recent) if goes_on else None
    return {
        "viewer": viewer,
        "campaign": campaign,
        "topic": topic,
        "plan": plan,
        "is_paused": plan is not None and plan.state == Plan.State.PAUSED,
        "progress": progress,
        "minutes": assessment_page.minutes_left(recent, progress.left),
        "shown": assessment_page.displayed_document(topic, campaign, doc_id) if doc_id else None,
        "given": given,
        "written": given or assessment_page.undone_judgment(doc_id, recent, topic),
        "elsewhere": elsewhere,
        "goes_on": goes_on,
        "here": _address(campaign, topic, goes_on=goes_on),
        "last": last or assessment_page.last_act(progress, recent, topic),
        "undo_at": _address(campaign, last.topic, goes_on=True) if last and last.topic else "",
        "is_first": not recent,
        "grades": assessment_page.scale_of(campaign),
        "key": uuid4(),
    }
