"""A web process reads one file of qrels, judgments or documents at a time, with limits."""

import gzip
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from rest_framework.response import Response

from campaigns import reading
from campaigns.judging import judgment_files
from campaigns.judging.documents import add_documents
from campaigns.judging.judgment_files import read_judgment_file
from campaigns.models import Document, Judgment, Qrels
from campaigns.qrels import files
from campaigns.qrels.files import uploaded_content
from campaigns.trec import documents, qrels
from campaigns.trec.problems import FormatError, Problem
from tests.campaigns.api.conftest import World, client_of
from tests.campaigns.judging.making import make_assessor
from tests.making import make_user

pytestmark = pytest.mark.django_db
QRELS = b"1 0 d1 1\n2 0 d2 0\n"


def send(world: World, data: bytes = QRELS) -> Response:
    file = SimpleUploadedFile("qrels.txt", data)
    return client_of(world.organiser).post(f"{world.url}qrels/", {"file": file}, format="multipart")


@contextmanager
def others_read(*, wait: int) -> Iterator[None]:
    """One reads, and this many wait."""
    with ExitStack() as stack:
        for place in (reading._READING, *[reading._PRESENT] * (1 + wait)):
            assert place.acquire(blocking=False)
            stack.callback(place.release)
        yield


@pytest.mark.parametrize(("waiting", "patience"), [(0, 0.01), (reading.WAITING, 1e9)])
def test_a_file_waits_for_another_unless_too_many_wait(
    waiting: int,
    patience: float,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", patience)
    before = Qrels.objects.count()
    with others_read(wait=waiting):
        answer = send(world)
        assert (answer.status_code, answer.json()["code"]) == (429, "too_many_files")
        assert answer.has_header("Retry-After")
    assert Qrels.objects.count() == before
    assert send(world).status_code == 201
    assert send(world, b"1 0 d1 x\n").status_code == 400
    assert send(world, QRELS + b"1 0 d3 1\n").status_code == 201


def test_the_page_says_that_nothing_was_stored(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 0.0)
    browser = Client(headers={"accept": "text/html"})
    browser.force_login(world.organiser)
    file = SimpleUploadedFile("documents.txt", b"d1\ta text\n")
    with others_read(wait=0):
        page = browser.post(f"/campaigns/{world.campaign.slug}/judging/documents/", {"file": file})
    assert page.status_code == 429
    assert not page.has_header("Refresh")
    assert "Nothing of yours was stored" in re.sub(r"\s+", " ", page.content.decode())
    assert not Document.objects.exists()


def test_a_request_has_less_time_than_a_command(world: World, settings: Any) -> None:
    settings.MAX_REQUEST_READING_SECONDS = 0
    (problem,) = import_judgments(world, QRELS)
    assert problem.code == "TOO_SLOW"
    assert send(world).status_code == 202  # a worker reads it
    uploaded_content(world.campaign, QRELS, is_confirmed=True)


def test_blank_lines_count(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """1 MB of gzip with a billion of them kept a web process for a minute."""
    monkeypatch.setattr(files, "MOST_LINES", 5)
    (problem,) = send(world, gzip.compress(b"\n" * 9 + QRELS)).json()["problems"]
    assert (problem["code"], problem["line"]) == ("TOO_MANY", 6)
    monkeypatch.setattr(documents, "MAX_BLANK_LINES", 3)
    file = SimpleUploadedFile("documents.txt", b"\n\n\n\nd1\ta text\n")
    with pytest.raises(FormatError) as refused:
        add_documents(campaign=world.campaign, file=file, actor=world.organiser)
    assert [(each.code, each.line) for each in refused.value.problems] == [("TOO_MANY", 4)]


def test_a_request_stops_at_fewer_plain_bytes_than_a_command(world: World, settings: Any) -> None:
    settings.MAX_REQUEST_READING_BYTES = 64
    large = b"1 0 d1 1\n# " + b"x" * 64 + b"\n2 0 d2 0\n"
    for data in (large, gzip.compress(large)):
        (problem,) = import_judgments(world, data)
        assert (problem.code, problem.line) == ("TOO_BIG", None)
    read_judgment_file(world.campaign, large)
    assert import_judgments(world, b"1 0 d1 1\n") == ()


def test_lines_are_counted_before_judgments_are_converted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of five fields and 64 MB of line feeds would become 64 million texts."""
    monkeypatch.setattr(judgment_files, "MOST_LINES", 5)
    monkeypatch.setattr(qrels, "_of_prels", lambda line: pytest.fail("converted"))
    (problem,) = import_judgments(world, b"1 d1 0 1 1" + b"\n" * 9)
    assert (problem.code, problem.line) == ("TOO_MANY", 6)


def test_judgments_of_the_site_itself_are_frozen_whatever_their_size(
    world: World, settings: Any
) -> None:
    """They can be as many as in the largest file."""
    settings.MAX_REQUEST_READING_BYTES = settings.MAX_REQUEST_READING_SECONDS = 0
    topic = world.campaign.topics.first()
    assert topic is not None
    graded = {"topic": topic, "doc_id": "d1", "grade": 1, "key": "k"}
    Judgment.objects.create(campaign=world.campaign, assessor=world.organiser, **graded)
    client = client_of(world.organiser)
    assert client.post(f"{world.url}qrels/freeze/", {}, format="json").status_code == 201


def import_judgments(world: World, data: bytes) -> tuple[Problem, ...]:
    """The problems that the page shows of a file of the assessor."""
    make_assessor(world.campaign, person=(assessor := make_user()))
    browser = Client()
    browser.force_login(world.organiser)
    file = SimpleUploadedFile("judgments.txt", data)
    page = browser.post(
        reverse("campaigns:judging-import", args=[world.campaign.slug]),
        {"file": file, "assessor": assessor.pk},
    )
    return page.context["fault"].problems if page.status_code == 400 else ()
