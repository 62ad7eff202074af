"""Texts of documents: all of a file or none, again with a new text, out again."""

import io
import json
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from campaigns.judging import documents
from campaigns.judging.documents import add_documents, remove_documents, url_of
from campaigns.models import Campaign, Document, LogEntry
from campaigns.trec import compression
from campaigns.trec.documents_checks import ParsedDocument
from campaigns.trec.problems import FormatError
from tests.making import make_campaign, make_organiser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]


def texts() -> dict[str, str]:
    return dict(Document.objects.values_list("doc_id", "text"))


def test_a_file_is_stored_whole_and_a_second_one_brings_texts_up_to_date() -> None:
    campaign = make_campaign()
    organiser = make_organiser(campaign)
    first = io.BytesIO(b'{"id": "a", "text": "one"}\n{"id": "b", "text": "two"}\n')
    assert add_documents(campaign=campaign, file=first, actor=organiser).count == 2
    again = io.BytesIO(b'{"id": "b", "text": "new"}\n{"id": "c", "text": "three"}\n')
    add_documents(campaign=campaign, file=again, actor=organiser)
    assert texts() == {"a": "one", "b": "new", "c": "three"}
    assert [
        entry.details["count"] for entry in LogEntry.objects.filter(verb="added documents")
    ] == [2, 2]
    assert remove_documents(campaign=campaign, actor=organiser) == 3
    assert texts() == {}


def test_nothing_of_a_faulty_file_is_stored() -> None:
    campaign = make_campaign()
    lines = [b'{"id": "%d", "text": "x"}\n' % number for number in range(1200)] + [b"{\n"]
    with pytest.raises(FormatError, match="line 1201"):
        add_documents(
            campaign=campaign, file=io.BytesIO(b"".join(lines)), actor=make_organiser(campaign)
        )
    assert texts() == {}


@pytest.mark.parametrize(
    ("doc_id", "url"),
    [
        ("d1", "https://docs.example/d1?page"),
        ("a/b c&d=é", "https://docs.example/a%2Fb%20c%26d%3D%C3%A9?page"),
        ("javascript:alert(1)", "https://docs.example/javascript%3Aalert%281%29?page"),
    ],
)
def test_an_id_in_a_url_is_quoted(doc_id: str, url: str) -> None:
    campaign = make_campaign(document_address="https://docs.example/{doc_id}?page")
    assert url_of(campaign, doc_id) == url
    assert url_of(make_campaign(), doc_id) == ""


def test_only_reading_counts_as_reading_time_and_not_the_storing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file that is read in time may take the database long."""
    clock = [0.0]
    store = documents._store

    def slowly(campaign: Campaign, some: list[ParsedDocument]) -> None:
        clock[0] += 100
        store(campaign, some)

    monkeypatch.setattr(documents, "_store", slowly)
    monkeypatch.setattr(compression, "time", SimpleNamespace(thread_time=lambda: clock[0]))
    campaign, text = make_campaign(), "word " * 1000
    lines = (json.dumps({"doc_id": f"d{number}", "text": text}) for number in range(2000))
    file = io.BytesIO("\n".join(lines).encode())
    assert len(file.getvalue()) > 2 * compression.READ_BYTES
    added = add_documents(campaign=campaign, file=file, actor=make_organiser(campaign))
    assert added.count == 2000
    assert clock[0] > settings.MAX_READING_SECONDS


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"id": "a", "text": "x"}\n{"id": "b", "title": "only"}\n', "1 of them has no text: b."),
        (
            b'{"id": "x", "text": "x"}\n' + b"".join(b'{"id": "d%d"}\n' % n for n in range(6)),
            "6 of them have no text: d0, d1, d2, d3, d4 and others.",
        ),
        (
            b'{"id": "a", "words": "x"}\n',
            "None of them has a text: call the field or column text, contents, body, segment, "
            "passage or article.",
        ),
        (b'{"id": "a", "text": "x"}\n', None),
    ],
)
def test_documents_without_text_are_said(client: Client, data: bytes, said: str | None) -> None:
    campaign = make_campaign()
    client.force_login(make_organiser(campaign))
    url = reverse("campaigns:documents", args=[campaign.slug])
    page = client.post(url, {"file": SimpleUploadedFile("d.jsonl", data)}, follow=True)
    told = [str(message) for message in page.context["messages"] if message.level_tag == "warning"]
    assert told == ([said] if said else [])


def test_the_page_counts_documents_with_text_and_those_without(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_organiser(campaign))
    url = reverse("campaigns:documents", args=[campaign.slug])
    data = b'{"id": "a", "text": "x"}\n{"id": "b", "title": "only"}\n{"id": "c"}\n'
    client.post(url, {"file": SimpleUploadedFile("d.jsonl", data)})
    assert "1 document with text, 2 without." in client.get(url).content.decode()
    data = b'{"id": "b", "text": "y"}\n{"id": "c", "text": "z"}\n'
    client.post(url, {"file": SimpleUploadedFile("d.jsonl", data)})
    assert "3 documents with text." in client.get(url).content.decode()


def test_of_several_possible_fields_a_person_chooses_once() -> None:
    campaign = make_campaign()
    browser = Client()
    browser.force_login(make_organiser(campaign))
    url = reverse("campaigns:documents", args=[campaign.slug])
    data = b'{"id": "1", "docno": "D1", "text": "short", "body": "A <long> text"}\n'

    def post(**fields: str) -> object:
        return browser.post(url, {"file": SimpleUploadedFile("docs.jsonl", data), **fields})

    page = post()
    assert page.status_code == 400
    shown = page.content.decode()
    assert "No document has been stored yet" in shown
    assert "A &lt;long&gt; text" in shown
    assert texts() == {}
    assert post(doc_id="docno", text="nonsense").status_code == 400
    assert texts() == {}
    assert post(doc_id="docno", text="body").status_code == 302
    assert texts() == {"D1": "A <long> text"}
    assert post(doc_id="id").status_code == 302  # then the first text
    assert texts() == {"D1": "A <long> text", "1": "short"}
