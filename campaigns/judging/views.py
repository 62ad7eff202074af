"""The assessors' pages: their topics, the assessment page, and their judgments.

The assessment page always shows the document that the assessor has claimed. So a reload, the back
button and a second tab all show the same document.
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
from campaigns.options import takes

ROWS = 50


@login_required
@require_safe
def assess(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.assessor_or_404(request.user, slug)
    campaign = viewer.campaign
    topics = list(access.topics_to_judge(viewer))
    plan = plans.active_plan(campaign)
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


@takes("all", "doc")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assess_topic(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The assessment page. `?doc=` shows a document again that was judged or skipped. `?all=1`
    continues with the next topic when a topic has no document left."""
    viewer = access.assessor_or_404(request.user, slug)
    topic = access.topic_to_judge_or_404(viewer, code)
    if request.method == "POST":
        return _post(request, viewer, topic)
    context = _context(request, viewer, topic, request.GET.get("doc", ""))
    if next_url := _next_url(context):
        return redirect(next_url)
    return render(request, "campaigns/judging/assess_topic.html", context)


@takes("page")
@login_required
@require_safe
def assessed(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    viewer = access.assessor_or_404(request.user, slug)
    topic = access.topic_to_judge_or_404(viewer, code)
    rows = assessment_page.judged_by(topic, viewer.campaign, request.user)
    page = Paginator(rows, ROWS).get_page(request.GET.get("page"))
    assessment_page.add_titles(page.object_list, viewer.campaign)
    context = {"viewer": viewer, "campaign": viewer.campaign, "topic": topic, "page": page}
    return render(request, "campaigns/judging/assessed.html", context)


def _post(request: HttpRequest, viewer: access.Viewer, topic: Topic) -> HttpResponse:
    """Performs the action. A script gets the next page's part as JSON, a browser a redirect."""
    form = JudgmentForm(request.POST)
    # A browser accepts anything, also JSON, but it names HTML.
    is_script = request.accepts("application/json") and not request.accepts("text/html")
    message, status = "", 200
    try:
        message = _perform(form, request, topic)
    except (CannotJudge, CannotChangeStage) as error:
        message, status = str(error), 409
    if is_script:
        context = _context(request, viewer, topic, "")
        page = render_to_string("campaigns/judging/_assessment.html", context, request)
        data = {"message": message, "page": page, "next_url": _next_url(context)}
        return JsonResponse(data, status=status)
    if message:
        (messages.info if status == 200 else messages.error)(request, message)
    return redirect(_url(viewer.campaign, topic, all_topics=_all_topics(request)))


def _all_topics(request: HttpRequest) -> bool:
    return request.GET.get("all") == "1"


def _url(campaign: Campaign, topic: Topic, *, all_topics: bool) -> str:
    url = reverse("campaigns:assess-topic", args=[campaign.slug, topic.code])
    return f"{url}?all=1" if all_topics else url


def _next_url(context: Mapping[str, Any]) -> str:
    """The page of the next topic, if the assessor goes through all topics and this one is done."""
    if not context["all_topics"] or context["shown"] or context["next_topic"] is None:
        return ""
    return _url(context["campaign"], context["next_topic"], all_topics=True)


def _perform(form: JudgmentForm, request: HttpRequest, topic: Topic) -> str:
    """Performs the action, and returns a message for the assessor or ""."""
    if not form.is_valid():
        raise CannotJudge(" ".join(error for errors in form.errors.values() for error in errors))
    act, key = form.cleaned_data["act"], form.cleaned_data["key"]
    doc_id = form.cleaned_data["last" if act == "undo" else "doc_id"]
    target = {"assessor": request.user, "topic": topic, "doc_id": doc_id}
    if act == "skip":
        assessing.skip(**target)
        return ""
    if act == "undo":
        is_claimed = assessing.undo(**target, key=f"{key}-undo")
        return "" if is_claimed else "Undone. Another assessor has this document now."
    grade = form.cleaned_data["grade"]
    recorded = assessing.judge(
        **target,
        grade=grade,
        # Without the script a page has one key for all grades: see `JudgmentForm`.
        key=f"{key}-{grade}",
        is_unsure=form.cleaned_data["is_unsure"],
        note=form.cleaned_data["note"],
    )
    late = "Your judgment came late. It is saved, and another assessor has the document now."
    return late if recorded.is_additional else ""


def _context(
    request: HttpRequest, viewer: access.Viewer, topic: Topic, again: str
) -> dict[str, Any]:
    """`again` is the id of a document to judge again, or ""."""
    campaign, person = viewer.campaign, request.user
    all_topics = _all_topics(request) and not again
    # Saves the queries by which the topic would look it up.
    topic.campaign = campaign
    earlier = assessment_page.judged_before(topic, person, again) if again else None
    if again and earlier is None:
        raise Http404
    # Claims nothing: the document was judged before, or nobody judges here any more.
    if again or campaign.archived_at is not None:
        plan, doc_id = plans.active_plan(campaign), again
        progress = assessment_page.progress_by_topic(plan, [topic], person)[topic.pk]
        next_topic = None
    else:
        claimed = assessing.claim_next(assessor=person, topic=topic)
        plan, doc_id = claimed.plan, claimed.task.doc_id if claimed.task else ""
        tasks, next_topic = claimed.tasks, claimed.next_topic
        progress = (
            assessment_page.progress_of(tasks)
            if plan
            else assessment_page.progress_by_topic(None, [topic], person)
        )[topic.pk]
    recent = assessment_page.recent(campaign, person)
    last = assessment_page.last_judged_of_all_topics(plan, person, recent) if all_topics else None
    return {
        "viewer": viewer,
        "campaign": campaign,
        "topic": topic,
        "plan": plan,
        "is_paused": plan is not None and plan.state == Plan.State.PAUSED,
        "progress": progress,
        "minutes": assessment_page.minutes_left(recent, progress.left),
        "shown": assessment_page.displayed_document(topic, campaign, doc_id) if doc_id else None,
        "earlier": earlier,
        "draft": earlier or assessment_page.undone_judgment(doc_id, recent, topic),
        "next_topic": next_topic,
        "all_topics": all_topics,
        "here": _url(campaign, topic, all_topics=all_topics),
        "last": last or assessment_page.last_judged(progress, recent, topic),
        "undo_url": _url(campaign, last.topic, all_topics=True) if last and last.topic else "",
        "is_first": not recent,
        "is_new_topic": not recent or recent[0].topic_id != topic.pk,
        "grades": assessment_page.scale_of(campaign),
        "key": uuid4(),
    }
