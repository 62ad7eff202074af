"""Qrels and documents that are too large for a request: a worker reads them, and an organiser
follows it on a page."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client, TestCase
from django.urls import reverse
from django.utils import timezone

from campaigns.manage import upload_reading, upload_views
from campaigns.models import Campaign, Document, LogEntry, Membership, PendingUpload, Qrels, User
from campaigns.qrels import uploads_api
from campaigns.trec import compression
from campaigns.uploads import MOST_OPEN, confirm_upload, discard_upload
from scoring.backups import archive as archive_of_site
from scoring.jobs import housekeeping, queue
from scoring.models import Job
from scoring.verifying import verify
from scoring.worker import perform
from tests.campaigns.api.conftest import client_of
from tests.making import make_campaign, make_organiser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]

DOCUMENTS = b'{"doc_id": "a", "text": "one"}\n{"doc_id": "b", "text": "two"}\n'
FAULTY = b'{"doc_id": "a", "text": "one"}\n{\n' + b'{"doc_id": "a", "text": "two"}\n'
QRELS = b"1 0 d1 1\n2 0 d2 0\n"
UNUSUAL = b"1 0 d1 1\n7 0 d2 0\n"  # the campaign has no topic 7


@pytest.fixture
def campaign(settings: Any) -> Campaign:
    """A request of this site reads eight bytes."""
    settings.MAX_REQUEST_READING_BYTES = 8
    return make_campaign()


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def browser(organiser: User) -> Client:
    client = Client()
    client.force_login(organiser)
    return client


def send(
    browser: Client, campaign: Campaign, data: bytes, *, page: str = "documents", **fields: str
) -> HttpResponse:
    file = SimpleUploadedFile("large.txt", data)
    return browser.post(reverse(f"campaigns:{page}", args=[campaign.slug]), {"file": file} | fields)


def sent(
    browser: Client, campaign: Campaign, data: bytes, *, page: str = "documents", **fields: str
) -> PendingUpload:
    """The upload to whose page the browser is sent."""
    response = send(browser, campaign, data, page=page, **fields)
    upload = PendingUpload.objects.latest("pk")
    assert (response.status_code, response.url) == (302, url_of(upload))
    return upload


def url_of(upload: PendingUpload, act: str = "") -> str:
    name = f"campaigns:upload-{act}" if act else "campaigns:upload"
    return reverse(name, args=[upload.campaign.slug, upload.public_id])


def text_of(page: HttpResponse) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split())


def work(upload: PendingUpload) -> PendingUpload:
    """After a worker has performed the next job."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert perform()
    upload.refresh_from_db()
    return upload


# --- from upload to outcome -----------------------------------------------------------------------


def test_a_worker_stores_large_documents_and_the_page_follows_it(
    browser: Client, campaign: Campaign, organiser: User
) -> None:
    upload = sent(browser, campaign, DOCUMENTS)
    page = browser.get(url_of(upload))
    assert page["Refresh"]
    assert "The file waits for a worker to read it." in text_of(page)
    assert "large.txt waits to be read" in text_of(
        browser.get(reverse("campaigns:documents", args=[campaign.slug]))
    )
    assert not Document.objects.exists()
    key = upload.storage_key
    assert work(upload).state == PendingUpload.State.STORED
    assert dict(Document.objects.values_list("doc_id", "text")) == {"a": "one", "b": "two"}
    entry = LogEntry.objects.get(verb="added documents")
    assert (entry.actor, entry.details) == (organiser, {"count": 2})
    page = browser.get(url_of(upload))
    assert not page.has_header("Refresh")
    assert "2 documents uploaded." in text_of(page)
    assert not default_storage.exists(key)


def test_a_file_that_takes_too_long_waits_for_a_worker_too(
    browser: Client, campaign: Campaign, settings: Any
) -> None:
    settings.MAX_REQUEST_READING_BYTES = 1 << 20
    settings.MAX_REQUEST_READING_SECONDS = 0
    assert work(sent(browser, campaign, DOCUMENTS)).state == PendingUpload.State.STORED
    assert work(sent(browser, campaign, QRELS, page="qrels-add")).outcome["qrels_version"] == 1


def test_a_small_file_is_read_at_once(browser: Client, campaign: Campaign, settings: Any) -> None:
    settings.MAX_REQUEST_READING_BYTES = 1 << 20
    assert send(browser, campaign, DOCUMENTS).status_code == 302
    assert send(browser, campaign, QRELS, page="qrels-add").status_code == 302
    assert (Document.objects.count(), Qrels.objects.count()) == (2, 1)
    assert not PendingUpload.objects.exists()


@pytest.mark.parametrize(
    ("page", "data"), [("documents", FAULTY), ("qrels-add", b"1 0 d1 1\n1 0 d1 x\n2 0 d\n")]
)
def test_a_worker_refuses_with_the_problems_of_a_request(
    page: str, data: bytes, browser: Client, campaign: Campaign, settings: Any
) -> None:
    upload = work(sent(browser, campaign, data, page=page))
    assert upload.state == PendingUpload.State.REFUSED
    shown = browser.get(url_of(upload))
    settings.MAX_REQUEST_READING_BYTES = 1 << 20
    context = send(browser, campaign, data, page=page).context
    fault = context.get("fault") or context["qrels_fault"]
    assert upload.outcome["problems"] == [problem.as_dict() for problem in fault.problems]
    assert (upload.outcome["total"], upload.storage_key) == (fault.total, "")
    assert re.search(r"was refused\. It has \d problems\. No change was saved\.", text_of(shown))
    assert "line 2" in text_of(shown)
    assert (Document.objects.count(), Qrels.objects.count()) == (0, 0)


def test_unusual_qrels_are_confirmed_without_a_second_upload(
    browser: Client, campaign: Campaign, settings: Any
) -> None:
    upload = sent(browser, campaign, UNUSUAL, page="qrels-add", note="A note", add_only="on")
    assert work(upload).state == PendingUpload.State.UNCONFIRMED
    assert not Qrels.objects.exists()
    page = browser.get(url_of(upload))
    assert not page.has_header("Refresh")
    settings.MAX_REQUEST_READING_BYTES = 1 << 20
    doubt = send(browser, campaign, UNUSUAL, page="qrels-add").context["doubt"]
    assert upload.outcome["problems"] == [problem.as_dict() for problem in doubt.problems]
    assert "lines with topics that the campaign does not have are dropped" in text_of(page)
    for _ in range(2):  # two clicks
        assert browser.post(url_of(upload, "confirm")).status_code == 302
    assert Job.objects.filter(kind=Job.Kind.READ).exclude(state=Job.State.DONE).count() == 1
    assert work(upload).state == PendingUpload.State.STORED
    qrels = Qrels.objects.get()
    assert (qrels.note, qrels.judgment_count) == ("A note", 1)
    campaign.refresh_from_db()
    assert campaign.active_qrels is None
    assert "qrels v1 has been added and is not active." in text_of(browser.get(url_of(upload)))


def test_chosen_fields_of_documents_are_those_that_the_worker_reads(
    browser: Client, campaign: Campaign
) -> None:
    data = b'{"doc_id": "a", "text": "one", "body": "another"}\n'
    assert send(browser, campaign, data, text="body").status_code == 302
    work(PendingUpload.objects.get())
    assert Document.objects.get().text == "another"


def test_a_large_file_with_several_possible_fields_is_asked_about_at_once(
    browser: Client, campaign: Campaign, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    data = b'{"doc_id": "a", "text": "one", "body": "two"}\n' * 2000
    settings.MAX_REQUEST_READING_BYTES = len(data) - 1
    monkeypatch.setattr(compression, "READ_BYTES", 4096)
    page = send(browser, campaign, data)
    assert (page.status_code, page.context["fields"].texts) == (400, ("text", "body"))
    assert not PendingUpload.objects.exists()


# --- nothing is lost or stored in part ------------------------------------------------------------


def lose_role(campaign: Campaign, organiser: User) -> None:
    Membership.objects.filter(campaign=campaign, person=organiser).delete()
    make_organiser(campaign)


def be_deactivated(campaign: Campaign, organiser: User) -> None:
    User.objects.filter(pk=organiser.pk).update(is_active=False)


def archive(campaign: Campaign, organiser: User) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(archived_at=timezone.now())


@pytest.mark.parametrize("is_during_reading", [False, True])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lose_role, "no longer an organiser"),
        (be_deactivated, "no longer an organiser"),
        (archive, "archived"),
    ],
)
@pytest.mark.parametrize(("page", "data"), [("documents", DOCUMENTS), ("qrels-add", QRELS)])
def test_nothing_is_stored_for_a_person_who_may_not_upload_any_more(
    page: str,
    data: bytes,
    change: Callable[[Campaign, User], None],
    said: str,
    is_during_reading: bool,
    browser: Client,
    campaign: Campaign,
    organiser: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    upload = sent(browser, campaign, data, page=page)
    if is_during_reading:
        kind = PendingUpload.Kind(upload.kind)
        reader = upload_reading.READERS[kind]

        def read(*args: Any) -> Any:
            found = reader.read(*args)
            change(campaign, organiser)
            return found

        monkeypatch.setitem(upload_reading.READERS, kind, reader._replace(read=read))
    else:
        change(campaign, organiser)
    assert work(upload).state == PendingUpload.State.REFUSED
    assert said in upload.outcome["message"]
    assert (Document.objects.count(), Qrels.objects.count()) == (0, 0)
    assert upload.storage_key == ""
    assert Job.objects.get(kind=Job.Kind.READ).state == Job.State.DONE


def test_a_worker_that_fails_while_it_stores_leaves_nothing_and_tries_again(
    browser: Client, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = sent(browser, campaign, DOCUMENTS)
    with monkeypatch.context() as broken:
        broken.setattr(upload_reading, "end_upload", lambda *args: 1 / 0)
        assert work(upload).state == PendingUpload.State.WAITING
    assert not Document.objects.exists()
    Job.objects.update(due_at=None)
    assert work(upload).state == PendingUpload.State.STORED
    assert Document.objects.count() == 2


def test_the_attempt_that_lost_its_lease_stores_nothing(
    browser: Client, campaign: Campaign, settings: Any
) -> None:
    """A worker stalls, another one performs the job, and the first goes on."""
    settings.LEASE_SECONDS = -1
    upload = sent(browser, campaign, DOCUMENTS)
    job = Job.objects.get()
    first = queue.claim(job.pk)
    assert first is not None
    assert work(upload).state == PendingUpload.State.STORED
    Document.objects.all().delete()
    key = default_storage.save("uploads/aa/a", SimpleUploadedFile("a", DOCUMENTS))
    still = {"state": PendingUpload.State.READING, "storage_key": key}  # as the first one read it
    PendingUpload.objects.filter(pk=upload.pk).update(**still)
    with pytest.raises(queue.LeaseLost):
        upload_reading.read_upload(upload.pk, lambda: queue.finish(first))
    assert not Document.objects.exists()


def test_after_the_last_attempt_the_page_says_that_the_site_failed(
    browser: Client, campaign: Campaign, settings: Any
) -> None:
    settings.JOB_ATTEMPTS = 1
    upload = sent(browser, campaign, DOCUMENTS)
    default_storage.delete(upload.storage_key)
    assert work(upload).state == PendingUpload.State.FAILED
    assert "failed because of a fault of the site" in text_of(browser.get(url_of(upload)))
    default_storage.save(upload.storage_key, SimpleUploadedFile("a", DOCUMENTS))
    job = Job.objects.get()
    page = browser.get(reverse("scoring:queue", args=[campaign.slug]))
    assert "read large.txt with documents" in text_of(page)
    browser.post(reverse("scoring:job-retry", args=[campaign.slug, job.pk]))
    assert work(upload).state == PendingUpload.State.STORED


@pytest.mark.parametrize("is_during_reading", [False, True])
def test_a_discarded_file_is_not_stored(
    is_during_reading: bool,
    browser: Client,
    campaign: Campaign,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    upload = sent(browser, campaign, DOCUMENTS)

    def discard(*args: Any) -> None:
        with TestCase.captureOnCommitCallbacks(execute=True):
            page = browser.post(url_of(upload, "discard"), follow=True)
        assert "large.txt was discarded." in text_of(page)

    if is_during_reading:
        reader = upload_reading.READERS[PendingUpload.Kind.DOCUMENTS]
        monkeypatch.setitem(
            upload_reading.READERS,
            PendingUpload.Kind.DOCUMENTS,
            reader._replace(read=lambda *args: (discard(), reader.read(*args))[1]),
        )
    else:
        discard()
    assert perform()
    assert (PendingUpload.objects.count(), Document.objects.count()) == (0, 0)
    assert not default_storage.exists(upload.storage_key)
    assert Job.objects.get().state == Job.State.DONE


def test_the_page_tells_how_far_a_file_has_been_read(
    browser: Client, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_reading, "PROGRESS_SECONDS", 0)
    monkeypatch.setattr(compression, "READ_BYTES", 31)
    upload = sent(browser, campaign, DOCUMENTS)
    told: list[str] = []
    read, store = upload_reading._ReportingFile.read, upload_reading.store_documents

    def look() -> None:
        told.append(text_of(browser.get(url_of(upload))))

    monkeypatch.setattr(
        upload_reading._ReportingFile, "read", lambda *args: (read(*args), look())[0]
    )
    monkeypatch.setattr(upload_reading, "store_documents", lambda **facts: (look(), store(**facts)))
    work(upload)
    assert "The file is being read. This" in told[0]
    assert any("The file is being read: 31 bytes of 62 bytes." in page for page in told)
    assert "The file is valid. The documents are being stored." in told[-1]
    assert "are being stored" not in " ".join(told[:-1])


# --- limits ---------------------------------------------------------------------------------------


def test_a_campaign_has_few_files_that_wait(browser: Client, campaign: Campaign) -> None:
    for _ in range(MOST_OPEN):
        sent(browser, campaign, UNUSUAL, page="qrels-add")
    for page in ("documents", "qrels-add"):
        refused = send(browser, campaign, DOCUMENTS, page=page)
        assert "3 large files of this campaign wait" in text_of(browser.get(refused.url))
    assert PendingUpload.objects.count() == MOST_OPEN
    assert sum(len(files) for _, files in stored()) == MOST_OPEN
    other = make_campaign()
    make_organiser(other, PendingUpload.objects.latest("pk").actor)
    sent(browser, other, DOCUMENTS)
    unread = PendingUpload.objects.filter(campaign=campaign).latest("pk")
    browser.post(url_of(unread, "discard"))
    sent(browser, campaign, DOCUMENTS)


def stored() -> list[tuple[str, list[str]]]:
    folders, _ = default_storage.listdir("uploads")
    return [(folder, default_storage.listdir(f"uploads/{folder}")[1]) for folder in folders]


def test_a_file_above_the_limit_of_uploads_is_not_kept(
    browser: Client, campaign: Campaign, settings: Any
) -> None:
    settings.MAX_UPLOAD_BYTES = len(DOCUMENTS) - 1
    page = send(browser, campaign, DOCUMENTS)
    assert "Compress it with gzip." in text_of(browser.get(page.url))
    assert not PendingUpload.objects.exists()
    assert not default_storage.exists("uploads")


def test_an_archived_campaign_keeps_no_file(browser: Client, campaign: Campaign) -> None:
    archive(campaign, campaign)
    for page in ("documents", "qrels-add"):
        refused = send(browser, campaign, QRELS, page=page)
        assert "The campaign is archived" in text_of(browser.get(refused.url))
    assert not PendingUpload.objects.exists()
    assert [files for _, files in stored() if files] == []


def test_an_upload_is_deleted_after_a_day_unless_it_waits_for_a_worker(
    browser: Client, campaign: Campaign
) -> None:
    unconfirmed = sent(browser, campaign, UNUSUAL, page="qrels-add")
    work(unconfirmed)
    waiting = sent(browser, campaign, DOCUMENTS)
    assert housekeeping.delete_old_uploads() == 0
    old = timezone.now() - timedelta(days=1, minutes=1)
    PendingUpload.objects.update(state_changed_at=old)
    assert housekeeping.delete_old_uploads() == 1
    assert PendingUpload.objects.get() == waiting
    assert housekeeping.delete_unowned_files(older_than=timedelta(0)) == 1
    assert default_storage.exists(waiting.storage_key)
    assert browser.get(url_of(unconfirmed)).status_code == 404


def test_a_backup_has_the_files_that_wait(browser: Client, campaign: Campaign) -> None:
    upload = sent(browser, campaign, DOCUMENTS)
    assert archive_of_site._digests()[upload.storage_key] == upload.digest


def test_verify_knows_a_file_that_waits(browser: Client, campaign: Campaign) -> None:
    upload = sent(browser, campaign, DOCUMENTS)
    assert list(verify()) == []
    default_storage.delete(upload.storage_key)
    (fault,) = verify()
    assert (fault.key, fault.fault) == (upload.storage_key, "missing")
    assert fault.owner == (
        f"documents file large.txt, uploaded to {campaign.slug} and not stored yet"
    )


# --- the API --------------------------------------------------------------------------------------


def test_a_confirmation_of_what_is_discarded_at_the_same_moment_is_not_found(
    browser: Client, organiser: User, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other organiser discards it after this request has looked it up."""
    for view, client in (
        (upload_views, browser),
        (uploads_api, client_of(organiser)),
    ):
        upload = sent(browser, campaign, UNUSUAL, page="qrels-add")
        work(upload)

        def discarded_first(*, upload: PendingUpload, actor: User) -> PendingUpload:
            discard_upload(upload=upload)
            return confirm_upload(upload=upload, actor=actor)

        monkeypatch.setattr(view, "confirm_upload", discarded_first)
        is_page = view is upload_views
        url = url_of(upload, "confirm") if is_page else reverse(
            "api:upload-confirm", args=[campaign.slug, upload.public_id])  # fmt: skip
        assert client.post(url).status_code == 404


def test_the_api_answers_202_and_tells_the_result_at_a_url(
    organiser: User, campaign: Campaign
) -> None:
    client = client_of(organiser)
    file = SimpleUploadedFile("large.txt", UNUSUAL)
    url = reverse("api:qrels-list", args=[campaign.slug])
    answer = client.post(url, {"file": file, "note": "A note"}, format="multipart")
    body = answer.json()
    assert (answer.status_code, body["state"], body["size"]) == (202, "waiting", len(UNUSUAL))
    assert answer["Retry-After"]
    work(PendingUpload.objects.get())
    answer = client.get(body["url"])
    assert (answer.status_code, answer.json()["state"]) == (200, "unconfirmed")
    assert not answer.has_header("Retry-After")
    (problem,) = answer.json()["problems"]
    assert (problem["code"], problem["line"], answer.json()["problem_count"]) == (
        "UNKNOWN_TOPIC",
        2,
        1,
    )
    answer = client.post(body["url"] + "confirm/")
    assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
    work(PendingUpload.objects.get())
    answer = client.get(body["url"]).json()
    assert (answer["state"], answer["version"]) == ("stored", 1)
    assert answer["message"] == "qrels v1 is active. Every run is being scored with it."
    assert client.delete(body["url"]).status_code == 204
    assert client.get(body["url"]).status_code == 404
    assert Qrels.objects.get().note == "A note"


def test_a_confirmed_file_of_the_api_is_not_asked_about(
    organiser: User, campaign: Campaign
) -> None:
    file = SimpleUploadedFile("large.txt", UNUSUAL)
    sent = {"file": file, "is_confirmed": "true"}
    url = reverse("api:qrels-list", args=[campaign.slug])
    assert client_of(organiser).post(url, sent, format="multipart").status_code == 202
    assert work(PendingUpload.objects.get()).state == PendingUpload.State.STORED


def test_the_api_refuses_a_fourth_file(organiser: User, campaign: Campaign) -> None:
    client, url = client_of(organiser), reverse("api:qrels-list", args=[campaign.slug])
    answers = [
        client.post(url, {"file": SimpleUploadedFile("f", QRELS)}, format="multipart")
        for _ in range(MOST_OPEN + 1)
    ]
    assert [answer.status_code for answer in answers] == [202, 202, 202, 409]
    assert answers[-1].json()["code"] == "cannot_upload"
