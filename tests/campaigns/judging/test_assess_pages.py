"""The assessors' pages without scripts, and their answers to one."""

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import (
    Campaign,
    Document,
    Judgment,
    Membership,
    Plan,
    Topic,
    TopicAssessor,
    User,
)
from tests.campaigns.judging.making import make_assessor, make_plan, topic_of
from tests.flow_world import clock, logged_in
from tests.making import make_organiser

__all__ = ["clock"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]


class AssessorBrowser:
    """An assessor's browser at the assessment page of topic 1."""

    def __init__(self, plan: Plan, person: User | None = None) -> None:
        self.person = person or make_assessor(plan.campaign)
        self.browser = logged_in(self.person)
        self.path = reverse("campaigns:assess-topic", args=[plan.campaign.slug, "1"])

    def look(self, query: str = "") -> dict:
        response = self.browser.get(self.path + query)
        assert response.status_code == 200
        return response.context

    def press(self, *, status: int = 302, **fields: object) -> object:
        context = self.look()
        shown, last = context["shown"], context["last"]
        form = {"key": context["key"], "doc_id": shown.doc_id if shown else ""}
        form["last"] = last.doc_id if last else ""
        response = self.browser.post(self.path, form | fields)
        assert response.status_code == status
        return response

    @property
    def document(self) -> str:
        shown = self.look()["shown"]
        return shown.doc_id if shown else ""


@pytest.fixture
def assessor() -> AssessorBrowser:
    return AssessorBrowser(make_plan())


def acts() -> list[tuple[str, int | None]]:
    return list(Judgment.objects.order_by("pk").values_list("doc_id", "grade"))


def test_after_a_grade_the_next_document_appears(assessor: AssessorBrowser) -> None:
    response = assessor.press(grade=2, is_unsure="on", note="a\r\nb")
    assert response.url == assessor.path
    assert assessor.document == "d2"
    made = Judgment.objects.get()
    assert (made.grade, made.is_unsure, made.note) == (2, True, "a\nb")


def test_the_same_form_sent_twice_is_one_judgment_and_with_another_grade_a_correction(
    assessor: AssessorBrowser,
) -> None:
    form = {"key": "k1", "doc_id": assessor.document}
    for grade in (2, 2, 1, 2):
        assessor.browser.post(assessor.path, form | {"grade": grade})
    assert acts() == [("d1", 2), ("d1", 1)]


def test_skip_undo_and_judging_again(assessor: AssessorBrowser) -> None:
    assessor.press(act="skip")
    assert assessor.document == "d2"
    assessor.press(act="undo")
    assert assessor.document == "d1"
    assessor.press(grade=1)
    assessor.press(act="undo")
    assert (assessor.document, acts()) == ("d1", [("d1", 1), ("d1", None)])
    assessor.press(grade=3)
    again = assessor.look("?doc=d1")
    assert (again["shown"].doc_id, again["earlier"].grade) == ("d1", 3)
    assessor.browser.post(assessor.path, {"key": "k2", "doc_id": "d1", "grade": 0})
    assert (assessor.document, acts()[-1]) == ("d2", ("d1", 0))


def test_a_note_that_is_too_long_is_cut_and_the_judgment_kept(assessor: AssessorBrowser) -> None:
    assessor.press(grade=1, note="x" * 1200)
    assert Judgment.objects.get().note == "x" * 1000


@pytest.mark.parametrize(
    "fields",
    [{}, {"grade": 9}, {"grade": "x"}, {"grade": 1, "key": ""}, {"grade": 1, "doc_id": "other"}],
)
def test_an_invalid_judgment_is_reported_and_the_document_stays(
    assessor: AssessorBrowser, fields: dict
) -> None:
    response = assessor.press(**fields)
    page = assessor.browser.get(response.url)
    assert b'role="alert"' in page.content
    assert acts() == []
    assert assessor.document == "d1"


def test_a_script_gets_the_next_page_with_the_answer(assessor: AssessorBrowser) -> None:
    form = {"key": "k1", "doc_id": assessor.document, "grade": 1}
    answer = assessor.browser.post(assessor.path, form, headers={"Accept": "application/json"})
    assert answer.json()["message"] == ""
    assert 'data-doc="d2"' in answer.json()["page"]
    refused = assessor.browser.post(
        assessor.path, form | {"doc_id": "none"}, headers={"Accept": "application/json"}
    )
    assert (refused.status_code, refused.json()["message"]) == (
        409, "This document is not assigned to you."
    )  # fmt: skip


def test_a_late_judgment_is_said_to_be_one_more(clock) -> None:
    plan = make_plan()
    ann, bob = AssessorBrowser(plan), AssessorBrowser(plan)
    held = ann.document
    clock.shift(3600)
    assert bob.document == held
    response = ann.browser.post(ann.path, {"key": "k", "doc_id": held, "grade": 1}, follow=True)
    assert b"came late" in response.content
    assert acts() == [("d1", 1)]


def test_after_the_session_has_ended_the_form_leads_back_to_the_same_document(
    assessor: AssessorBrowser,
) -> None:
    held = assessor.document
    assessor.browser.logout()
    response = assessor.browser.post(assessor.path, {"key": "k", "doc_id": held, "grade": 1})
    assert response.url == f"{reverse('account_login')}?next={assessor.path}"
    assessor.browser.force_login(assessor.person)
    assert assessor.document == held


def test_text_is_shown_as_text_with_the_topics_words_marked(assessor: AssessorBrowser) -> None:
    campaign = Campaign.objects.get()
    topic = topic_of(Plan.objects.get())
    topic.fields = [["title", "dielectric liquids"]]
    topic.save()
    Document.objects.create(
        campaign=campaign,
        doc_id="d1",
        title="<script>alert(1)</script>",
        text="A liquid & <b>Dielectric</b>",
    )
    page = assessor.browser.get(assessor.path).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "A <mark>liquid</mark> &amp; &lt;b&gt;<mark>Dielectric</mark>&lt;/b&gt;" in page
    Campaign.objects.update(document_address="https://docs.example/{doc_id}")
    page = assessor.browser.get(assessor.path).content.decode()
    link = '<a href="https://docs.example/d1" target="_blank" rel="noopener noreferrer">'
    assert link in page


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"state": "paused"}, "Judging is paused"),
        ({"state": "ended"}, "nothing to judge now"),
        ({"budget": 20, "method": "C"}, "reloads automatically"),
        ({}, "This topic is complete. You judged 1 document."),
    ],
)
def test_a_page_without_a_document_says_why(facts: dict[str, object], words: str) -> None:
    plan = make_plan(tasks=("d1",))
    assessor = AssessorBrowser(plan)
    assessor.press(grade=1)
    Plan.objects.update(**facts)
    assert words in assessor.browser.get(assessor.path).content.decode()


def test_a_finished_topic_links_to_the_next_topic_with_documents() -> None:
    plan = make_plan(tasks=("d1",), topics=("1", "2"), budget=20, method="C")
    assessor = AssessorBrowser(plan, make_assessor(plan.campaign, topics=("1", "2")))
    assessor.press(grade=1)
    page = assessor.browser.get(assessor.path).content.decode()
    assert f'href="{assessor.path.replace("/1/", "/2/")}">Continue with topic 2</a>' in page
    Plan.objects.update(state="paused")
    assert "Continue with topic" not in assessor.browser.get(assessor.path).content.decode()


def test_one_may_go_through_all_topics_and_undo_across_them() -> None:
    plan = make_plan(tasks=("d1", "d2"), topics=("1", "2", "3"))
    assessor = AssessorBrowser(plan, make_assessor(plan.campaign, topics=("1", "2")))
    mine = assessor.browser.get(reverse("campaigns:assess", args=[plan.campaign.slug]))
    assert f'href="{assessor.path}?all=1">Go through all topics</a>' in mine.content.decode()
    here, there = (f"{assessor.path.replace('/1/', f'/{code}/')}?all=1" for code in "12")

    def act(url: str, **fields: object) -> str:
        """Press a button and follow to the next page."""
        page = assessor.browser.get(url, follow=True)
        shown, last = page.context["shown"], page.context["last"]
        form = {"key": page.context["key"], "doc_id": shown.doc_id if shown else ""}
        form["last"] = last.doc_id if last else ""
        to = page.context["undo_url"] if fields.get("act") == "undo" else page.context["here"]
        answer = assessor.browser.post(to, form | fields, follow=True)
        return answer.request["PATH_INFO"] + "?" + answer.request["QUERY_STRING"]

    assert act(here, grade=1) == here
    assert act(here, grade=0) == there  # nothing is left of topic 1
    page = assessor.browser.get(there)
    assert page.context["shown"].doc_id == "d1"
    assert "Topic 1." in page.content.decode()  # the last act was there
    assert f'formaction="{here}"' in page.content.decode()
    assert act(there, act="undo") == here
    assert assessor.browser.get(here).context["shown"].doc_id == "d2"
    assert act(here, act="skip") == there
    assert act(there, grade=1) == there
    assert act(there, grade=1) == there  # all is done: it stays
    assert "This topic is complete." in assessor.browser.get(there).content.decode()
    assert acts() == [("d1", 1), ("d2", 0), ("d2", None), ("d1", 1), ("d2", 1)]
    assert assessor.browser.get(assessor.path).status_code == 200  # who does not ask for it stays
    assert not assessor.browser.get(f"{assessor.path}?doc=d1").context["all_topics"]


def test_a_script_receives_the_url_of_the_next_topic() -> None:
    plan = make_plan(tasks=("d1",), topics=("1", "2"))
    assessor = AssessorBrowser(plan, make_assessor(plan.campaign, topics=("1", "2")))
    form = {"key": assessor.look()["key"], "doc_id": "d1", "grade": 1}
    for url, onward in (
        (f"{assessor.path}?all=1", f"{assessor.path.replace('/1/', '/2/')}?all=1"),
        (assessor.path, ""),
    ):
        answer = assessor.browser.post(url, form, headers={"accept": "application/json"})
        assert answer.json()["next_url"] == onward


def test_after_the_plan_has_ended_what_was_judged_is_still_counted(
    assessor: AssessorBrowser,
) -> None:
    assessor.press(grade=1)
    assessor.press(grade=2)
    assessor.press(act="undo")
    Plan.objects.update(state="ended")
    mine = assessor.browser.get(reverse("campaigns:assess", args=[Campaign.objects.get().slug]))
    assert [progress.judged for _, progress in mine.context["rows"]] == [1]
    assert assessor.look()["progress"].judged == 1


def test_an_undone_judgment_shows_its_note_again(assessor: AssessorBrowser) -> None:
    assessor.press(grade=1, is_unsure="on", note="a long thought")
    assert assessor.look()["draft"] is None  # the next document begins empty
    assessor.press(act="undo")
    page = assessor.browser.get(assessor.path).content.decode()
    assert "a long thought</textarea>" in page
    assert 'id="unsure" checked' in page
    assert assessor.look()["earlier"] is None


def test_progress_and_the_rest_at_ones_own_pace(clock) -> None:
    plan = make_plan(tasks=tuple(f"d{n}" for n in range(20)))
    assessor, other = AssessorBrowser(plan), AssessorBrowser(plan)
    other.press(grade=0)
    for seconds in (40, 60, 50, 4000, 45, 60):  # an hour at lunch counts as no judgment
        assessor.press(grade=1)
        clock.shift(seconds)
    assessor.press(act="skip")
    context = assessor.look()
    progress = context["progress"]
    assert (progress.judged, progress.skipped, progress.left, progress.with_others) == (6, 1, 12, 1)
    # gaps of 40, 60, 50 and 45 s: median 47.5 s, of 12 documents 9.5 min
    assert context["minutes"] == round(47.5 * 12 / 60)
    page = assessor.browser.get(reverse("campaigns:assess", args=[plan.campaign.slug]))
    assert page.context["left"] == 12
    assert "and 12 are left" in page.content.decode()


def test_an_assessors_overview_says_what_waits_and_leads_to_it(assessor: AssessorBrowser) -> None:
    campaign = Campaign.objects.get()
    Campaign.objects.update(stage="judging", is_accepting=False)
    overview = reverse("campaigns:campaign-detail", args=[campaign.slug])
    page = assessor.browser.get(overview).content.decode()
    assert "3 documents await your judgment" in page
    assert f'href="{reverse("campaigns:assess", args=[campaign.slug])}">Assess</a></div>' in page
    assert "Submissions are closed." not in page
    for state in ("paused", "ended"):
        Plan.objects.update(state=state)
        assert "Submissions are closed." in assessor.browser.get(overview).content.decode()


def test_the_first_document_comes_with_the_description_of_the_topic(
    assessor: AssessorBrowser,
) -> None:
    Topic.objects.update(fields=[["title", "t"], ["desc", "asked for"]])
    page = assessor.browser.get(assessor.path).content.decode()
    assert '<details class="topic-description" open>' in page
    assert "<dt>Description</dt>" in page
    assessor.press(grade=1)
    assert (
        '<details class="topic-description">'
        in assessor.browser.get(assessor.path).content.decode()
    )


def test_judged_documents_are_listed_latest_first_on_pages(clock) -> None:
    plan = make_plan(tasks=tuple(f"d{n:02}" for n in range(60)))
    assessor, other = AssessorBrowser(plan), AssessorBrowser(plan)
    other.press(grade=3, note="canary")
    for number in range(55):
        assessor.press(grade=number % 3)
        clock.shift(1)
    assessor.press(act="skip")
    path = reverse("campaigns:assessed", args=[plan.campaign.slug, "1"])
    page = assessor.browser.get(path)
    rows = page.context["page"].object_list
    assert (len(rows), rows[0].doc_id, rows[0].is_skipped) == (50, "d56", True)
    assert (rows[1].doc_id, rows[1].grade) == ("d55", 54 % 3)
    second = assessor.browser.get(f"{path}?page=2").context["page"].object_list
    assert [row.doc_id for row in second][-1] == "d01"
    assert b"canary" not in page.content


@pytest.mark.parametrize("name", ["assess", "assess-topic", "assessed"])
def test_few_queries(name: str, assessor: AssessorBrowser, django_assert_max_num_queries) -> None:
    for grade in (1, 2):
        assessor.press(grade=grade)
    args = [Campaign.objects.get().slug] + (["1"] if name != "assess" else [])
    with django_assert_max_num_queries(12):
        assert assessor.browser.get(reverse(f"campaigns:{name}", args=args)).status_code == 200


def test_topics_of_others_are_not_found_and_neither_are_documents_not_given_out(
    assessor: AssessorBrowser, client: Client
) -> None:
    campaign = Campaign.objects.get()
    assert assessor.browser.get(assessor.path.replace("/1/", "/2/")).status_code == 404
    assert assessor.browser.get(f"{assessor.path}?doc=d3").status_code == 404
    organiser = make_organiser(campaign)
    TopicAssessor.objects.create(topic=topic_of(Plan.objects.get()), assessor=organiser)
    client.force_login(organiser)
    assert client.get(assessor.path).status_code == 404  # named, and no assessor
    Membership.objects.filter(person=assessor.person).delete()
    assert assessor.browser.get(assessor.path).status_code == 404


def test_the_description_opens_again_when_the_topic_changes() -> None:
    plan = make_plan(topics=("1", "2"))
    Topic.objects.update(fields=[["title", "t"], ["desc", "asked for"], ["narr", "in full"]])
    assessor = AssessorBrowser(plan, make_assessor(plan.campaign, topics=("1", "2")))
    other = reverse("campaigns:assess-topic", args=[plan.campaign.slug, "2"])
    opened = '<details class="topic-description" open>'
    assessor.press(grade=1)
    assert opened not in assessor.browser.get(assessor.path).content.decode()
    page = assessor.browser.get(other).content.decode()
    assert opened in page
    assert "in full" in page
