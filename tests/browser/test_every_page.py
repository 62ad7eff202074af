"""Every URL that answers somebody with a page: axe finds nothing in light nor in dark, the
keyboard finds its way in, and nothing scrolls sideways on a phone or at 200 %."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, TimeoutError

from campaigns.models import Campaign, Membership, User
from campaigns.people import membership
from campaigns.qrels.versions import add_qrels
from scoring.management.commands.load_demo import ORGANISER, PARTICIPANT, REPORTS, TRAINS
from scoring.worker import perform_waiting_jobs
from tests.access.crawler import every_url
from tests.browser.conftest import Visitor
from tests.campaigns.judging.making import make_assessor, make_plan
from tests.making import make_failed_job, make_snapshot

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Cast = dict[str, User | None]  # who looks, the one who sees the most first

ALL_DRAWN = """() => [...document.querySelectorAll("figure.chart")].every((figure) => figure.hidden
    || figure.closest("details:not([open])") || figure.querySelector("[data-drawn]"))
    && (!document.querySelector("#swagger-ui") || document.querySelector(".opblock"))"""
SETTLED = """async () => {
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    const fading = document.getAnimations().filter((each) => each instanceof CSSTransition);
    await Promise.allSettled(fading.map((each) => each.finished));
}"""
WITHOUT_WORDS = """() => [...document.querySelectorAll("figure.chart")].filter((figure) =>
    !figure.querySelector("[role=img][aria-label]") || !document.querySelector("main table")
).length"""
FITS = "(width) => document.documentElement.scrollWidth <= width"
OPEN_ALL = "document.querySelectorAll('details').forEach((each) => (each.open = true))"
# With controls of 24 by 24 pixels, or as much space around them (WCAG 2.2, 2.5.8), for which axe
# looks only if asked.
ALL_RULES = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
ONLY_COLOURS = {
    "resultTypes": ["violations"],
    "runOnly": {"type": "rule", "values": ["color-contrast"]},
}


@pytest.fixture
def demo(settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    call_command("load_demo", size="small", verbosity=0, stdout=(tmp_path / "said").open("w"))


def test_the_pages_of_a_published_campaign(demo, visit: Visitor) -> None:
    """It takes more than a minute: axe looks at eighty pages and more, in both themes. Each part of
    it would load the demo, and ask every URL whether it is a page, again."""
    campaign = Campaign.objects.get(slug=REPORTS)
    cast = _cast(campaign)
    places = dict(_places(campaign, cast, _fill(campaign, cast["organiser"])))
    assert len(places) > 55
    assert _wrong_with(places, cast, visit) == ""


def test_what_participants_see_of_an_open_campaign(demo, visit: Visitor) -> None:
    campaign = Campaign.objects.get(slug=TRAINS)
    cast = {"participant": User.objects.get(email=PARTICIPANT), "nobody": None}
    places = dict(_places(campaign, cast, _values(campaign)))
    of_it = {path: role for path, role in places.items() if path.startswith("/campaigns/")}
    assert len(of_it) > 10
    assert _wrong_with(of_it, cast, visit) == ""


def _cast(campaign: Campaign) -> Cast:
    """The demo's people and an assessor with something to judge."""
    plan = make_plan(campaign, tasks=("tsd-000001", "tsd-000002"), topics=(_code(campaign),))
    organiser = User.objects.get(email=ORGANISER)
    participant = User.objects.get(email=PARTICIPANT)
    assessor = make_assessor(plan.campaign, topics=(_code(campaign),))
    return {
        "organiser": organiser,
        "participant": participant,
        "assessor": assessor,
        "nobody": None,
    }


def _fill(campaign: Campaign, organiser: User | None) -> dict[str, object]:
    """What a campaign of some age has beside its runs; what stands in the places of URLs."""
    add_qrels(
        campaign=campaign,
        data=f"{_code(campaign)} 0 tsd-000001 1\n".encode(),
        note="Only one judgment.",
        actor=organiser,
        is_confirmed=True,
    )
    perform_waiting_jobs(campaign)
    make_failed_job(campaign.runs.first())
    make_snapshot(campaign)
    _, token = membership.invite(campaign=campaign, by=organiser, role=Membership.Role.READER)
    return _values(campaign) | {
        "token": token,
        "guide": "formats",
        "file": "client.py",
        "snapshot": campaign.snapshots.values_list("public_id", flat=True)[0],
    }


def _values(campaign: Campaign) -> dict[str, object]:
    team = campaign.teams.get(memberships__person__email=PARTICIPANT)
    return {
        "slug": campaign.slug,
        "public_id": team.runs.values_list("public_id", flat=True)[0],
        "code": _code(campaign),
        "team": team.public_id,
        "old": 1,
        "new": 2,
        "name": "nDCG",
        "key": "no-such-key",
        "uidb36": "1",
    }


def _code(campaign: Campaign) -> str:
    return str(campaign.topics.order_by("position").values_list("code", flat=True)[0])


def _places(campaign: Campaign, cast: Cast, values: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Every path that is a page to one of the cast, and to whom. Studies are done when it is
    looked at again."""
    clients = {role: Client() for role in cast}
    for role, person in cast.items():
        if person is not None:
            clients[role].force_login(person)
    for name, pattern in every_url():
        parts = pattern.pattern.regex.groupindex
        if not values.keys() >= set(parts) or name.startswith("openid_connect_"):
            continue  # no page: it leads to another site, named in the URL before this part
        path = reverse(name, kwargs={part: values[part] for part in parts})
        role = next((role for role in cast if _is_a_page(clients[role], path)), None)
        if role is not None:
            yield path, role
    perform_waiting_jobs(campaign)


def _is_a_page(client: Client, path: str) -> bool:
    answer = client.get(path)
    is_html = answer.headers.get("Content-Type", "").startswith("text/html")
    return answer.status_code == 200 and is_html and b"<!DOCTYPE html>" in answer.content


def _wrong_with(places: dict[str, str], cast: Cast, visit: Visitor) -> str:
    wrong = []
    for role, person in cast.items():
        visited = visit("/", person=person)
        for path in (path for path, whose in places.items() if whose == role):
            faults = _faults_of(visited.page, path) + visited.complaints
            visited.complaints.clear()
            wrong += [f"{path} as {role}: {fault}" for fault in faults]
    return "\n".join(wrong)


def _faults_of(page: Page, path: str) -> list[str]:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    page.goto(path)
    page.wait_for_function(ALL_DRAWN)
    faults = list(_faults_of_the_keyboard(page))
    page.evaluate(OPEN_ALL)
    page.wait_for_function(ALL_DRAWN)
    faults += _axe(page, ALL_RULES)
    page.emulate_media(color_scheme="dark")
    page.evaluate(SETTLED)  # scripts hear of the new scheme with the next frame
    faults += [f"in the dark: {fault}" for fault in _axe(page, ONLY_COLOURS)]
    if count := page.evaluate(WITHOUT_WORDS):
        faults.append(f"{count} charts without a summary or a table")
    for width in (640, 390):  # 200 % of 1280, and a phone
        page.set_viewport_size({"width": width, "height": 900})
        try:
            page.wait_for_function(FITS, arg=width)  # charts are drawn anew
        except TimeoutError:
            wide = page.evaluate("document.documentElement.scrollWidth")
            faults.append(f"{wide} px wide on a screen of {width}")
    return faults


def _faults_of_the_keyboard(page: Page) -> Iterator[str]:
    """The first thing to be reached leads past the head of the page, unless the page put the focus
    where its work begins."""
    if page.evaluate("document.activeElement === document.body"):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('href')") != "#content":
            yield "Tab does not begin with the link to the content"


# Swagger draws a main of its own into ours, and cannot be told not to.
SWAGGERS_OWN = {"landmark-main-is-top-level", "landmark-no-duplicate-main", "landmark-unique"}


def _axe(page: Page, options: dict[str, object]) -> list[str]:
    found = Axe().run(page, options=options)
    return [
        f"{each['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for each in found.response["violations"]
        if not (page.url.endswith("/api/docs/") and each["id"] in SWAGGERS_OWN)
        for node in each["nodes"][:3]
    ]
