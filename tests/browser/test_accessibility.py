"""Pages that everybody can read: axe finds nothing, and nothing scrolls sideways."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import expect

from campaigns.judging import gold
from campaigns.judging.program_judgments import import_grades
from campaigns.models import Campaign, Document, Judgment, Run, Team, User
from campaigns.people import announcements
from campaigns.people.membership import invite
from scoring.worker import perform_waiting_jobs
from tests.browser.boards import HOSTILE, board_path, make_published_board, open_chart, run_path
from tests.browser.conftest import Visitor
from tests.browser.test_every_page import ALL_RULES
from tests.campaigns.judging.making import make_assessor, make_plan
from tests.campaigns.judging.programs import make_program
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Place = tuple[str, User | None]  # a path, and who looks at it

PROBLEMS = [
    {"code": "FIELDS", "line": line, "field": 5, "value": "x" * 40, "message": "5 fields"}
    for line in range(100_000, 100_025)
]
WARNING = {"code": "TIES", "line": None, "field": None, "value": "", "message": "ties"}


def board() -> Place:
    return board_path(make_published_board(*HOSTILE)), None


def scored_run() -> Place:
    campaign = make_published_board("A", "B")
    return run_path(campaign.runs.first()), make_organiser(campaign)


def with_baseline(*, is_board: bool) -> Place:
    campaign = make_published_board("A", "B", "C")
    run, *_, baseline = campaign.runs.order_by("pk")
    Run.objects.filter(pk=baseline.pk).update(is_baseline=True)
    query = f"?baseline={baseline.public_id}"
    path = board_path(campaign) if is_board else run_path(run)
    Client().get(path + query)
    perform_waiting_jobs(campaign)
    return path + query, None


def board_with_baseline() -> Place:
    return with_baseline(is_board=True)


def run_with_baseline() -> Place:
    return with_baseline(is_board=False)


def refused_run() -> Place:
    team = make_team(make_campaign(), person := make_user(), name=HOSTILE[-1])
    run = make_run(
        team=team, tag="t" * 64, state=Run.State.REFUSED,
        problems=PROBLEMS, problem_count=99, warnings=[WARNING],
    )  # fmt: skip
    return run_path(run), person


def upload_form() -> Place:
    team = make_team(make_campaign(), person := make_user())
    return f"/campaigns/{team.campaign.slug}/submit/", person


def overview() -> Place:
    team = make_team(campaign := make_campaign(name=HOSTILE[-1]), person := make_user())
    make_run(team=team, tag="t" * 64)
    return f"/campaigns/{campaign.slug}/", person


def management() -> Place:
    campaign = make_published_board("A")
    return f"/campaigns/{campaign.slug}/manage/", make_organiser(campaign)


def settings_form() -> Place:
    campaign = make_campaign(stage=Campaign.Stage.DRAFT)
    return f"/campaigns/{campaign.slug}/manage/settings/", make_organiser(campaign)


def new_campaign() -> Place:
    return "/campaigns/new/", make_user(is_approved=True)


def edited_announcement() -> Place:
    campaign = make_campaign(name=HOSTILE[-1], contact="a" * 60 + "@example.org")
    person = make_organiser(campaign)
    said = announcements.announce(campaign=campaign, by=person, subject="s" * 150, body="Text.")
    announcements.edit(announcement=said, by=person, subject="s" * 150, body="Another.")
    return f"/campaigns/{campaign.slug}/manage/announcements/{said.pk}/edit/", person


def announcements_on_the_overview() -> Place:
    path, organiser = edited_announcement()
    return path.partition("manage/")[0], organiser


def pooled_runs() -> Place:
    campaign = make_published_board(*HOSTILE)
    return f"/campaigns/{campaign.slug}/manage/pooled-runs/", make_organiser(campaign)


def people() -> Place:
    """Two teams with the same name, of which one awaits approval under another name."""
    campaign = make_campaign(name=HOSTILE[-1])
    make_team(campaign, make_user(), name="t" * 100)
    make_team(campaign, make_user(), name="Short")
    waiting = make_team(campaign, make_user(), name="t" * 100)
    Team.objects.filter(pk=waiting.pk).update(approved_at=None)
    organiser = make_organiser(campaign)
    for role in ("participant", "assessor"):
        invite(campaign=campaign, by=organiser, role=role)
    return f"/campaigns/{campaign.slug}/manage/people/", organiser


def judged_campaign() -> Campaign:
    """A gold document with a long id, on which two assessors disagree."""
    campaign = make_campaign(highest_grade=3)
    topic = campaign.topics.get(code="1")
    campaign.topics.update(fields=[["title", "t"], ["desc", "In short."], ["narr", "Long. " * 80]])
    doc_id = "d" * 100
    Document.objects.create(campaign=campaign, doc_id=doc_id, title="T", text="Text. " * 400)
    gold.mark(campaign=campaign, topic="1", doc_id=doc_id, grade=1, actor=make_user())
    for grade in (0, 2):
        Judgment.objects.create(
            campaign=campaign, topic=topic, doc_id=doc_id, grade=grade, assessor=make_user()
        )
    return campaign


def gold_documents() -> Place:
    campaign = judged_campaign()
    return f"/campaigns/{campaign.slug}/judging/gold/", make_organiser(campaign)


def disagreements() -> Place:
    campaign = judged_campaign()
    return f"/campaigns/{campaign.slug}/judging/disagreements/", make_organiser(campaign)


def judging_program() -> Place:
    """With the agreement with people, on one document."""
    campaign = judged_campaign()
    program = make_program(campaign, name=HOSTILE[-1])
    import_grades(program=program, data=f"1 0 {'d' * 100} 1\n".encode(), actor=None)
    return f"/campaigns/{campaign.slug}/judging/programs/{program.pk}/", program.added_by


def program_agreement() -> Place:
    url, organiser = judging_program()
    return f"{url}agreement/", organiser


def run_families() -> Place:
    campaign = make_published_board(*HOSTILE)
    return f"/campaigns/{campaign.slug}/judging/run-families/", make_organiser(campaign)


def first_document() -> Place:
    campaign = judged_campaign()
    plan = make_plan(campaign, tasks=("d" * 100,))
    return f"/campaigns/{plan.campaign.slug}/assess/1/", make_assessor(campaign)


def run_list() -> Place:
    campaign = make_published_board(*HOSTILE)
    return f"/campaigns/{campaign.slug}/runs/", make_organiser(campaign)


def campaign_list() -> Place:
    make_published_board("A", name=HOSTILE[-1])
    return "/", None


def account() -> Place:
    return "/account/", make_user()


def login() -> Place:
    return "/accounts/login/", None


def not_found() -> Place:
    return "/nowhere/", None


PLACES = (
    board, board_with_baseline, scored_run, run_with_baseline, refused_run, upload_form, overview,
    management, settings_form, new_campaign, edited_announcement, announcements_on_the_overview,
    pooled_runs, people, gold_documents, disagreements,
    judging_program, program_agreement, run_families, first_document, run_list,
    campaign_list, account, login, not_found,
)  # fmt: skip
# The label of a check box counts as a part of it. Those of the leaderboard have no label.
LOW = """() => [...document.querySelectorAll(
    `main :is(button, input:not(.pick > *), select, textarea, summary, .button, .actions a,
    .paging a)`
)].map((each) => (each.matches("[type=checkbox], [type=radio]") && each.labels[0]) || each)
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 24)
    .map((each) => each.outerHTML.slice(0, 90))"""
MAIN = (board, scored_run, upload_form)  # of these in the fast tier, in one theme and one width


def looks(usual: object, other: object) -> list[object]:
    """Every place with the usual one, in the long tier but for the main places. With the other one
    only by `make test-exhaustive`: the long tier tries both on every page of another campaign
    (test_every_page.py)."""
    cases = []
    for place in PLACES:
        tiers = ([] if place in MAIN else pytest.mark.long), pytest.mark.exhaustive
        cases += [
            pytest.param(place, value, id=f"{place.__name__}-{value}", marks=marks)
            for value, marks in zip((usual, other), tiers, strict=True)
        ]
    return cases


@pytest.mark.parametrize(("place", "theme"), looks("light", "dark"))
def test_axe_finds_nothing(visit: Visitor, place: Callable[[], Place], theme: str) -> None:
    path, person = place()
    page = visit(path, person=person, is_dark=theme == "dark").page
    if place is board:
        open_chart(page)
        expect(page.locator("#canvas[data-drawn]")).to_be_visible()
    found = Axe().run(page, options=ALL_RULES)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize(("place", "width"), looks(390, 1280))
def test_nothing_scrolls_sideways(visit: Visitor, place: Callable[[], Place], width: int) -> None:
    path, person = place()
    page = visit(path, person=person, width=width).page
    if place is board:
        open_chart(page)
        expect(page.locator("#canvas[data-drawn]")).to_be_visible()
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_no_control_is_lower_than_24_pixels(visit: Visitor, place: Callable[[], Place]) -> None:
    """axe accepts lower ones with space around them."""
    path, person = place()
    page = visit(path, person=person).page
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate(LOW) == []


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 1000])
def test_the_head_has_the_account_at_the_right_if_its_links_need_two_lines(
    visit: Visitor, width: int
) -> None:
    path, organiser = management()
    User.objects.filter(pk=organiser.pk).update(is_staff=True, name="Ann Operator of the Site")
    page = visit(path, person=organiser, width=width).page
    site, account, head = (
        page.locator(part).bounding_box() for part in ("nav.site", "nav.account", ".top > div")
    )
    assert site["y"] == account["y"]
    assert head["x"] + head["width"] - account["x"] - account["width"] <= 24  # its padding
