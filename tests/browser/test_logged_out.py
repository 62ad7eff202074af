"""What was typed into a form stays if the login expired in the meantime."""

from urllib.parse import urlsplit

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Page, expect

from campaigns.models import Announcement, Campaign, User
from tests.browser.conftest import Visitor
from tests.making import make_campaign, make_organiser, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def log_in(page: Page, person: User) -> None:
    """In another tab of the same browser."""
    browser = Client()
    browser.force_login(person)
    session = browser.cookies["sessionid"].value
    host = urlsplit(page.url).hostname
    cookie = {"name": "sessionid", "value": session, "domain": host, "path": "/"}
    page.context.add_cookies([cookie])


def typed_announcement(visit: Visitor, person: User, slug: str) -> Page:
    page = visit(f"/campaigns/{slug}/manage/announce/", person=person).page
    page.get_by_label("Subject").fill("The topics are out")
    page.locator("textarea").fill("A text that took an hour.")
    return page


def test_a_form_is_sent_as_before_while_the_login_lasts(visit: Visitor) -> None:
    campaign = make_campaign()
    page = typed_announcement(visit, make_organiser(campaign), campaign.slug)
    page.locator("main form button[value=send], main form button.main").first.click()
    expect(page.locator("body")).to_contain_text("The topics are out")
    expect(page.locator("[data-logged-out]")).to_have_count(0)


def test_a_form_after_the_login_expired_stays_and_is_sent_after_a_new_login(
    visit: Visitor,
) -> None:
    campaign = make_campaign()
    person = make_organiser(campaign)
    page = typed_announcement(visit, person, campaign.slug)
    Session.objects.all().delete()
    button = page.locator("main form button[value=send], main form button.main").first
    button.click()
    expect(page.get_by_role("alert")).to_contain_text("You are logged out")
    expect(page.locator("textarea")).to_have_value("A text that took an hour.")
    login = page.get_by_role("link", name="Log in in another tab")
    expect(login).to_have_attribute("href", "/accounts/login/")
    with page.context.expect_page() as opened:
        login.click()
    expect(opened.value.locator("h1")).to_have_text("Log in")
    expect(page.locator("textarea")).to_have_value("A text that took an hour.")
    log_in(page, make_user())
    button.click()
    expect(page.get_by_role("alert")).to_contain_text("Another person is logged in now")
    expect(login).to_have_attribute("href", "/accounts/logout/?next=/accounts/login/")
    assert not Announcement.objects.exists()
    log_in(page, person)
    button.click()
    expect(page.locator("[data-logged-out]")).to_have_count(0)
    expect(page.locator("body")).to_contain_text("The topics are out")


def test_a_form_that_was_just_opened_keeps_what_was_typed_too(visit: Visitor) -> None:
    campaign = make_campaign()
    person = make_organiser(campaign)
    page = visit(f"/campaigns/{campaign.slug}/manage/settings/", person=person).page
    page.get_by_label("Name", exact=True).fill("Another name")
    Session.objects.all().delete()
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_role("alert")).to_contain_text("You are logged out")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Another name")
    log_in(page, person)
    page.get_by_role("button", name="Save settings").click()
    expect(page.locator("h1")).to_have_text("Manage")
    assert Campaign.objects.get().name == "Another name"


def test_a_chosen_file_stays_chosen(visit: Visitor) -> None:
    campaign = make_campaign()
    page = visit(f"/campaigns/{campaign.slug}/manage/", person=make_organiser(campaign)).page
    file = {"name": "qrels.txt", "mimeType": "text/plain", "buffer": b"1 0 d1 1\n"}
    page.get_by_label("Qrels file").set_input_files(file)
    Session.objects.all().delete()
    page.get_by_role("button", name="Add and activate").click()
    expect(page.get_by_role("alert")).to_contain_text("You are logged out")
    assert page.get_by_label("Qrels file").evaluate("field => field.files[0].name") == "qrels.txt"
