"""A web process prepares few long downloads at a time, and one for a client."""

import csv
import io
import json
from collections.abc import Iterator
from unittest import mock

import numpy as np
import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from scoring.analyses import requests
from scoring.core.data.artefacts import pack_vector
from scoring.downloads import views
from scoring.models import Analysis, Score
from scoring.output import long_downloads, public, table
from scoring.significance.analysis import SIGNIFICANCE
from tests.browser.boards import make_published_board
from tests.flow_world import perform_jobs
from tests.making import make_user

pytestmark = pytest.mark.django_db
CODES = tuple(f"t{number:02d}" for number in range(20))
AnyResponse = HttpResponse | StreamingHttpResponse


@pytest.fixture(autouse=True)
def nothing_is_being_prepared() -> Iterator[None]:
    yield
    assert long_downloads._DOWNLOADS._clients == []


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Three runs of twenty topics; forty rows are a long download, and public tables of more than
    100 bytes are not kept."""
    monkeypatch.setattr(long_downloads, "FREE_ROWS", 40)
    for module in (table, "scoring.output.responses", "scoring.downloads.api"):
        name = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{name}.ROWS_AT_A_TIME", 10)
    monkeypatch.setattr(public, "BYTES", 100)
    campaign = make_published_board("A", "B", "C", topics=CODES)
    random = np.random.default_rng(4)
    for score in Score.objects.all():
        bases = random.random(len(CODES))
        Score.objects.filter(pk=score.pk).update(
            bases=pack_vector(bases), mean_base=float(bases.mean())
        )
    return campaign


def ask(campaign: Campaign, name: str, client: int = 1, **asked: str) -> AnyResponse:
    """By a client with this number, who has not read the response yet."""
    url = reverse(name, args=[campaign.slug])
    headers = {"accept": "text/html,*/*"}
    return Client(REMOTE_ADDR=f"10.0.0.{client}").get(url, asked, headers=headers)


def read(response: AnyResponse) -> bytes:
    body = response.getvalue()
    response.close()
    return body


def test_one_for_each_client_and_two_for_all(board: Campaign) -> None:
    first = ask(board, "scoring:scores-csv", 1)
    assert ask(board, "scoring:topic-matrix-csv", 1).status_code == 429
    second = ask(board, "scoring:topic-matrix-csv", 2)
    assert ask(board, "api:scores", 3).status_code == 429
    assert ask(board, "scoring:package", 3).status_code == 429
    assert (first.status_code, second.status_code) == (200, 200)
    assert len(list(csv.reader(io.StringIO(read(first).decode())))) == 1 + 3 * 3 * len(CODES)
    third = ask(board, "api:scores", 3)
    assert len(json.loads(read(third))) == 3 * 3 * len(CODES)
    assert len(read(second).splitlines()) == 1 + 3 * len(CODES)


def test_a_client_that_goes_away_leaves_its_place(board: Campaign) -> None:
    ask(board, "scoring:scores-csv").close()
    next(iter(response := ask(board, "scoring:scores-csv")))
    response.close()
    assert ask(board, "scoring:scores-csv").close() is None


def test_pages_and_short_tables_are_for_everybody(board: Campaign) -> None:
    taken = [ask(board, "scoring:scores-csv", client) for client in (1, 2)]
    for name in ("leaderboard", "topics-csv", "leaderboard-csv", "leaderboard-latex", "downloads"):
        assert ask(board, f"scoring:{name}", 1).status_code == 200, name
    assert ask(board, "api:leaderboard", 1).status_code == 200
    for response in taken:
        response.close()


def test_accounts_behind_one_address_are_clients_of_their_own(board: Campaign) -> None:
    people = [Client(REMOTE_ADDR="10.0.0.1"), Client(REMOTE_ADDR="10.0.0.1")]
    for person in people:
        person.force_login(make_user())
    url = reverse("scoring:scores-csv", args=[board.slug])
    answers = [person.get(url) for person in (*people, people[0])]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    for answer in answers:
        answer.close()


def test_the_refusal_tries_again_by_itself(board: Campaign) -> None:
    taken = ask(board, "scoring:scores-csv")
    page = ask(board, "scoring:scores-csv")
    assert (page["Retry-After"], page["Refresh"]) == ("5", "5")
    assert "Too many long downloads" in page.content.decode()
    script = ask(board, "api:scores", format="csv")
    assert (script.status_code, script["Retry-After"]) == (429, "5")
    assert script.json()["code"] == "too_many_downloads"
    taken.close()


def test_a_table_known_to_be_long_is_refused_before_it_is_computed(board: Campaign) -> None:
    read(ask(board, "scoring:topic-matrix-csv", 1))
    taken = [ask(board, "scoring:scores-csv", client) for client in (1, 2)]
    with mock.patch.object(table.Table, "csv_blocks") as written:
        assert ask(board, "scoring:topic-matrix-csv", 3).status_code == 429
    assert not written.called
    for response in taken:
        response.close()
    rows = read(ask(board, "scoring:topic-matrix-csv", 3)).splitlines()
    assert len(rows) == 1 + 3 * len(CODES)


def test_a_download_that_fails_ends(board: Campaign) -> None:
    with (
        mock.patch.object(views, "write_package", side_effect=ValueError("a fault")),
        pytest.raises(ValueError, match="a fault"),
    ):
        ask(board, "scoring:package")
    assert ask(board, "scoring:package").status_code == 200


def test_long_json_is_that_of_short_json(board: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_downloads, "FREE_ROWS", 1)
    ask(board, "api:significance")
    perform_jobs()
    streamed = ask(board, "api:significance")
    assert streamed.streaming
    assert streamed["Content-Type"] == "application/json"
    found = json.loads(read(streamed))
    monkeypatch.undo()
    whole = ask(board, "api:significance")
    assert not whole.streaming
    assert found == whole.json()
    assert len(found) == 3


def test_requests_share_the_result_of_an_analysis(board: Campaign) -> None:
    ask(board, "scoring:significance")
    perform_jobs()
    analysis = Analysis.objects.get(kind="significance")
    result = requests.result_of(SIGNIFICANCE, analysis)
    assert requests.result_of(SIGNIFICANCE, Analysis.objects.get(pk=analysis.pk)) is result
    with pytest.raises(ValueError, match="read-only"):
        result.p_values[0] = 0


def test_an_analysis_replaced_during_a_request_is_asked_for_again(board: Campaign) -> None:
    ask(board, "scoring:significance")
    perform_jobs()
    analysis = Analysis.objects.get(kind="significance")
    Analysis.objects.filter(pk=analysis.pk).update(answer=None)
    page = ask(board, "scoring:significance")
    assert (page.status_code, page["Refresh"]) == (429, "1")
    assert "The leaderboard has changed" in page.content.decode()
    script = ask(board, "api:significance")
    assert (script.status_code, script.json()["code"]) == (429, "analysis_replaced")
