"""The organisers' page of documents."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, Document
from tests.campaigns.judging.making import make_plan
from tests.flow_world import logged_in
from tests.making import make_campaign, make_organiser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]


@pytest.fixture
def office() -> tuple[Client, str]:
    campaign = make_campaign()
    make_plan(campaign, tasks=("a", "b"), topics=("1", "2"))
    path = reverse("campaigns:documents", args=[campaign.slug])
    return logged_in(make_organiser(campaign)), path


def upload(office: tuple[Client, str], data: bytes):
    browser, path = office
    return browser.post(path, {"file": SimpleUploadedFile("docs.jsonl", data)}, follow=True)


def test_documents_are_uploaded_counted_and_deleted(office: tuple[Client, str]) -> None:
    browser, path = office
    page = upload(office, b'{"id": "a", "text": "x"}\n{"id": "z"}\n')
    assert b"2 documents uploaded." in page.content
    assert b"Of the 2 documents to judge, 1 has no text." in page.content
    browser.post(f"{path}remove/")
    assert Document.objects.count() == 0


def test_errors_in_a_documents_file_are_listed_by_line(office: tuple[Client, str]) -> None:
    page = upload(office, b'{"id": "a", "text": "x"}\n{"id": "a"}\n')
    assert page.status_code == 400
    assert b"line 2" in page.content
    assert Document.objects.count() == 0


@pytest.mark.parametrize(
    ("url", "is_taken"),
    [("https://x.example/{doc_id}", True), ("javascript:{doc_id}", False), ("", True)],
)
def test_a_url_is_set_or_refused(office: tuple[Client, str], url: str, is_taken: bool) -> None:
    browser, path = office
    response = browser.post(f"{path}address/", {"document_address": url})
    assert response.status_code == (302 if is_taken else 400)
    assert Campaign.objects.get().document_address == (url if is_taken else "")
