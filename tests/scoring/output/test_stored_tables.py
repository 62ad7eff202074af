"""A worker writes a table that takes long, once for everybody who may see the same."""

import csv
import gzip
import io
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from unittest import mock

import numpy as np
import pytest
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Audience, Campaign, Membership, Run, User
from scoring.analyses.budget import NewAnalyses
from scoring.core.data.artefacts import pack_vector
from scoring.jobs import housekeeping
from scoring.models import Job, Score, StoredTable
from scoring.output import long_downloads, public, stored_tables, table
from scoring.verifying import verify
from tests.browser.boards import make_published_board
from tests.flow_world import perform_jobs, stored_files
from tests.making import make_organiser, make_user

pytestmark = pytest.mark.django_db
TOPICS = tuple(f"t{number:02d}" for number in range(20))
BROWSER = {"accept": "text/html,*/*"}


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Three runs of twenty topics, 180 rows of scores. More than fifty rows are for a worker."""
    cache.clear()
    monkeypatch.setattr(public, "BYTES", 100)
    monkeypatch.setattr(long_downloads, "FREE_ROWS", 40)
    monkeypatch.setattr(long_downloads, "LONG_ROWS", 50)
    for module in ("table", "responses"):
        monkeypatch.setattr(f"scoring.output.{module}.ROWS_AT_A_TIME", 10)
    monkeypatch.setattr("scoring.downloads.api.ROWS_AT_A_TIME", 10)
    campaign = make_published_board("A", "B", "C", topics=TOPICS)
    random = np.random.default_rng(4)
    for score in Score.objects.all():
        bases = random.random(len(TOPICS))
        Score.objects.filter(pk=score.pk).update(
            bases=pack_vector(bases), mean_base=float(bases.mean())
        )
    return campaign


def ask(
    board: Campaign, name: str = "scoring:scores-csv", person: User | None = None, **asked: str
) -> HttpResponse:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client.get(reverse(name, args=[board.slug]), asked)


def body_of(response: HttpResponse) -> bytes:
    body = response.getvalue()
    response.close()
    return body


def written_without_a_worker(
    monkeypatch: pytest.MonkeyPatch, board: Campaign, name: str, person: User | None = None
) -> bytes:
    with monkeypatch.context() as patch:
        patch.setattr(long_downloads, "LONG_ROWS", 10_000)
        response = ask(board, name, person)
        assert response.status_code == 200
        return body_of(response)


@pytest.mark.parametrize("name", ["scoring:scores-csv", "scoring:topic-matrix-csv", "api:scores"])
def test_the_file_is_what_the_view_writes(
    board: Campaign, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = written_without_a_worker(monkeypatch, board, name)
    waiting = ask(board, name)
    assert (waiting.status_code, waiting["Retry-After"]) == (202, "2")
    assert ask(board, name).status_code == 202  # no second job
    assert Job.objects.filter(kind=Job.Kind.WRITE).count() == 1
    perform_jobs()
    with mock.patch.object(table.Table, "_cells", side_effect=AssertionError):
        response = ask(board, name)
    assert response.status_code == 200
    assert body_of(response) == expected


def test_a_large_package_is_written_by_a_worker_too(board: Campaign) -> None:
    url = reverse("scoring:package", args=[board.slug])
    assert Client().get(url, secure=True).status_code == 202
    perform_jobs()
    response = Client().get(url, secure=True)
    assert response["Content-Type"] == "application/zip"
    assert f'filename="{board.slug}-qrels-v1.zip"' in response["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(body_of(response))) as packed:
        scores = packed.read("scores.csv").decode()
        assert f"https://testserver{url}" in packed.read("datapackage.json").decode()
    assert len(scores.splitlines()) == 1 + 3 * 3 * len(TOPICS)


def test_who_waits_is_told_in_the_form_that_was_asked_for(board: Campaign, client: Client) -> None:
    url = reverse("scoring:scores-csv", args=[board.slug])
    page = client.get(url, headers=BROWSER)
    assert (page.status_code, page["Refresh"], page["Cache-Control"]) == (
        202, "2", "private, no-store",
    )  # fmt: skip
    assert "The download begins by itself" in page.content.decode()
    text = client.get(url)
    assert (text.status_code, text["Content-Type"], text["Retry-After"]) == (202, "text/plain", "2")
    script = ask(board, "api:scores")
    assert script.status_code == 202
    assert (script.json()["code"], script.json()["state"]) == ("computing", "waiting")


def test_the_headers_are_those_of_the_view(board: Campaign) -> None:
    ask(board)
    perform_jobs()
    response = ask(board)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="{board.slug}-scores.csv"'
    assert response["Cache-Control"] == "private, no-store"
    assert "Content-Encoding" not in response
    body_of(response)


def test_it_is_sent_compressed_to_those_without_a_login(board: Campaign) -> None:
    ask(board)
    organiser = make_organiser(board)
    ask(board, person=organiser)
    perform_jobs()
    url, takes_gzip = reverse("scoring:scores-csv", args=[board.slug]), {"accept-encoding": "gzip"}
    response = Client().get(url, headers=takes_gzip)
    assert (response["Content-Encoding"], response["Vary"]) == ("gzip", "Cookie, Accept-Encoding")
    packed = body_of(response)
    assert len(packed) == int(response["Content-Length"])
    known = Client()
    known.force_login(organiser)
    response = known.get(url, headers=takes_gzip)
    assert "Content-Encoding" not in response
    assert body_of(response) == gzip.decompress(packed)


def test_each_audience_has_its_own_table(board: Campaign) -> None:
    """The name of an anonymous team is in the organisers' table alone."""
    team = board.teams.get(name="A")
    team.is_anonymous = True
    team.save()
    organiser, member = make_organiser(board), make_user()
    Membership.objects.create(
        campaign=board, person=member, role=Membership.Role.PARTICIPANT, team=team
    )
    people = (None, organiser, member)
    assert [ask(board, person=person).status_code for person in people] == [202, 202, 202]
    perform_jobs()
    public, of_organisers, of_team = (
        csv.DictReader(io.StringIO(body_of(ask(board, person=person)).decode()))
        for person in people
    )
    assert "A" not in {row["team"] for row in public}
    assert "A" in {row["team"] for row in of_organisers}
    assert "A" in {row["team"] for row in of_team}
    colleague = make_user()
    Membership.objects.create(
        campaign=board, person=colleague, role=Membership.Role.PARTICIPANT, team=team
    )
    assert ask(board, person=colleague).status_code == 200  # the same as the other member


def test_nobody_gets_it_who_may_not_see_the_table_any_more(board: Campaign) -> None:
    ask(board)
    perform_jobs()
    assert ask(board).status_code == 200
    Campaign.objects.filter(pk=board.pk).update(per_topic_audience=Audience.ORGANISERS)
    assert ask(board).status_code == 404


def test_a_changed_leaderboard_has_a_new_table(board: Campaign) -> None:
    ask(board)
    perform_jobs()
    Run.objects.filter(tag="run2").update(withdrawn_at=timezone.now())
    assert ask(board).status_code == 202
    perform_jobs()
    response = ask(board)
    assert response.status_code == 200
    assert b"run2" not in body_of(response)
    assert StoredTable.objects.count() == 2
    stored_tables.delete_outdated()
    assert StoredTable.objects.count() == 1
    assert ask(board).status_code == 200


def test_a_table_is_of_the_state_in_which_a_worker_begins(board: Campaign) -> None:
    ask(board)
    Run.objects.filter(tag="run2").update(withdrawn_at=timezone.now())
    perform_jobs()
    response = ask(board)
    assert response.status_code == 200
    assert b"run2" not in body_of(response)


def test_several_requests_in_several_states_are_one_table(board: Campaign) -> None:
    for tag in ("run2", "run1"):
        assert ask(board).status_code == 202
        Run.objects.filter(tag=tag).update(withdrawn_at=timezone.now())
    assert StoredTable.objects.count() == 2
    perform_jobs()
    assert [stored.state for stored in StoredTable.objects.all()] == [StoredTable.State.DONE]


def test_where_the_leaderboard_changes_while_a_worker_writes_web_processes_write(
    board: Campaign,
) -> None:
    """Until housekeeping: somebody who waits for a leaderboard that changes all the time gets the
    table nevertheless."""
    ask(board)
    files, cells = stored_files("tables"), table.Table._cells

    def cells_and_withdrawal(self: table.Table) -> Iterator[list[object]]:
        yield from cells(self)
        Run.objects.filter(tag="run2").update(withdrawn_at=timezone.now())

    with mock.patch.object(table.Table, "_cells", cells_and_withdrawal):
        perform_jobs()
    assert stored_files("tables") == files
    response = ask(board)
    assert response.status_code == 200
    assert b"run2" not in body_of(response)
    stored_tables.delete_outdated()
    assert ask(board).status_code == 202


def test_few_tables_of_a_client_wait_at_once(board: Campaign) -> None:
    """Others would wait for all of them. Visitors without a login count together."""
    asked = [ask(board, text=str(number)).status_code for number in range(5)]
    assert asked == [202, 202, 202, 429, 429]
    assert StoredTable.objects.count() == Job.objects.filter(kind=Job.Kind.WRITE).count() == 3
    organiser = make_organiser(board)
    assert ask(board, person=organiser).status_code == 202
    assert ask(board, text="2").status_code == 202
    perform_jobs()
    assert ask(board, text="3").status_code == 202


def test_visitors_delete_no_table_of_people(
    board: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_tables, "KEPT", 2)
    organiser = make_organiser(board)
    ask(board, person=organiser)
    for number in range(3):
        ask(board, text=str(number))
        perform_jobs()
    assert StoredTable.objects.filter(person=None).count() == 2
    assert ask(board, person=organiser).status_code == 200


def test_if_no_worker_can_write_it_web_processes_do(
    board: Campaign, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.JOB_ATTEMPTS = 1
    ask(board)
    with mock.patch.object(stored_tables, "_store", side_effect=ValueError("a fault")):
        perform_jobs()
    assert StoredTable.objects.get().state == StoredTable.State.FAILED
    response = ask(board)
    assert response.status_code == 200
    assert len(body_of(response).splitlines()) == 1 + 3 * 3 * len(TOPICS)


def test_a_lost_file_is_written_again(board: Campaign) -> None:
    ask(board)
    perform_jobs()
    stored = StoredTable.objects.get()
    default_storage.delete(stored.storage_key)
    assert ask(board).status_code == 202
    perform_jobs()
    assert ask(board).status_code == 200
    key = StoredTable.objects.get().storage_key
    default_storage.delete(key)
    default_storage.save(key, ContentFile(b"something else"))
    assert ask(board).status_code == 202


def test_new_tables_cost_the_budget_of_analyses(
    board: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NewAnalyses, "rate", "2/hour", raising=False)
    answers = [ask(board, x=str(number)).status_code for number in range(3)]
    assert answers == [202, 202, 429]
    assert StoredTable.objects.count() == Job.objects.filter(kind=Job.Kind.WRITE).count() == 2
    assert ask(board, x="0").status_code == 202


def test_a_long_url_is_not_stored(board: Campaign) -> None:
    response = ask(board, x="x" * 500)
    assert response.status_code == 200
    body_of(response)
    assert not StoredTable.objects.exists()


def test_a_campaign_keeps_its_newest_tables(
    board: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_tables, "KEPT", 2)
    for number in range(3):
        ask(board, x=str(number))
        perform_jobs()
    assert [stored.url[-1] for stored in StoredTable.objects.order_by("pk")] == ["1", "2"]
    assert housekeeping.delete_unowned_files(older_than=timedelta(0)) >= 1
    kept = StoredTable.objects.values_list("storage_key", flat=True)
    assert sorted(stored_files("tables")) == sorted(kept)
    assert ask(board, x="2").status_code == 200


def test_yesterdays_tables_are_deleted(board: Campaign) -> None:
    ask(board)
    perform_jobs()
    yesterday = timezone.now() - stored_tables.KEPT_FOR - timedelta(minutes=1)
    StoredTable.objects.update(created_at=yesterday)
    stored_tables.delete_outdated()
    assert not StoredTable.objects.exists()


def test_a_person_or_a_campaign_that_is_deleted_leaves_no_job(board: Campaign) -> None:
    ask(board)
    StoredTable.objects.all().delete()
    perform_jobs()
    assert Job.objects.get(kind=Job.Kind.WRITE).state == Job.State.DONE


def test_verify_knows_them(board: Campaign) -> None:
    ask(board)
    perform_jobs()
    assert not [fault for fault in verify() if fault.key.startswith("tables")]
    stored = StoredTable.objects.get()
    default_storage.delete(stored.storage_key)
    (fault,) = (fault for fault in verify(repair=True) if fault.key.startswith("tables"))
    assert (fault.key, fault.fault, fault.is_repaired) == (stored.storage_key, "missing", True)
    assert fault.owner == f"table {stored.url}"
    assert not [fault for fault in verify() if fault.key.startswith("tables")]
