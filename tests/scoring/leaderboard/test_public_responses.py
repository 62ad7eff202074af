"""A board that everyone sees is sent compressed and with an ETag to readers without a login, and to
nobody else."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from campaigns.access import viewer_or_404
from campaigns.models import Audience, Campaign
from scoring.leaderboard import views
from scoring.output.compression import GZIP
from scoring.output.public import public_response
from scoring.worker import perform_waiting_jobs
from tests.access.crawler import seeds
from tests.access.test_access_matrix import clients_of
from tests.access.test_blindness import hidden_ids, values
from tests.access.worlds import FIRST, world
from tests.making import (
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)
from tests.scoring.leaderboard.test_board_page import SCORES, SHOWN

pytestmark = pytest.mark.django_db
URLS = {
    "page": reverse("scoring:leaderboard", args=["public"]),
    "page with columns": reverse("scoring:leaderboard", args=["public"]) + "?columns=AP&sort=team",
    "CSV": reverse("scoring:leaderboard-csv", args=["public"]),
    "LaTeX": reverse("scoring:leaderboard-latex", args=["public"]),
    "JSON": reverse("api:leaderboard", args=["public"]),
    "CSV of the API": reverse("api:leaderboard", args=["public"]) + "?format=csv",
    "badge": reverse("scoring:badge", args=["public"]),
}


@pytest.fixture
def board() -> Campaign:
    campaign = make_campaign(slug="public", **SHOWN)
    make_qrels(campaign, published_at=timezone.now())
    for _ in range(2):
        make_scores(make_run(campaign), SCORES)
    Client().get(URLS["page"])  # requests the bars
    perform_waiting_jobs(campaign)
    return campaign


def get(url: str, client: Client | None = None, **headers: str) -> HttpResponse:
    return (client or Client()).get(url, headers={"accept-encoding": "gzip", **headers})


def body(response: HttpResponse) -> bytes:
    is_packed = response.get("Content-Encoding") == "gzip"
    return gzip.decompress(response.content) if is_packed else response.content


# --- compression ---------------------------------------------------------------------------------


@pytest.mark.parametrize("url", URLS.values(), ids=URLS)
def test_a_reader_without_a_login_gets_the_same_body_compressed(url: str, board: Campaign) -> None:
    plain, packed = Client().get(url), get(url)
    assert (plain.status_code, packed.status_code) == (200, 200)
    assert not plain.has_header("Content-Encoding")
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert int(packed["Content-Length"]) == len(packed.content)
    for response in (plain, packed):
        assert {"Cookie", "Accept-Encoding"} <= set(response["Vary"].split(", "))
        assert set(response["Cache-Control"].split(", ")) == {"private", "no-cache"}
        assert response["Content-Type"] == plain["Content-Type"]
        assert response.get("Content-Disposition") == plain.get("Content-Disposition")


def test_an_encoding_that_is_refused_is_not_sent() -> None:
    taken = ("gzip", "deflate, gzip;q=0.5, br", "br,GZIP", "gzip; q=1.0")
    refused = ("", "identity", "br", "gzip;q=0", "gzip; q=0.0, br", "x-gzip", "gzip2")
    assert [bool(GZIP.search(each)) for each in taken] == [True] * len(taken)
    assert [bool(GZIP.search(each)) for each in refused] == [False] * len(refused)


@pytest.mark.parametrize("url", URLS.values(), ids=URLS)
@pytest.mark.parametrize("role", ["member", "organiser", "stranger"])
def test_a_response_to_a_person_is_neither_compressed_nor_stored(
    role: str, url: str, board: Campaign
) -> None:
    person = make_user()
    if role == "member":
        make_team(board, person)
    if role == "organiser":
        make_organiser(board, person)
    known = get(url)["ETag"]
    client = Client()
    client.force_login(person)
    response = get(url, client, **{"if-none-match": known})
    assert response.status_code == 200
    assert not response.has_header("Content-Encoding")
    assert not response.has_header("ETag")
    assert set(response["Cache-Control"].split(", ")) == {"private", "no-store"}


def test_a_message_that_waits_is_not_compressed_and_shown_once(board: Campaign) -> None:
    client = Client()
    storage = CookieStorage(HttpRequest())
    storage.add(messages.INFO, "You have logged out.")
    response = HttpResponse()
    storage.update(response)
    client.cookies = response.cookies
    first, second = get(URLS["page"], client), get(URLS["page"], client)
    assert "You have logged out." in first.content.decode()
    assert not first.has_header("Content-Encoding")
    assert b"You have logged out." not in body(second)
    assert b"You have logged out." not in body(get(URLS["page"]))


@pytest.mark.parametrize("has_token", [False, True])
def test_a_page_with_a_token_is_not_compressed(
    has_token: bool, board: Campaign, rf: RequestFactory
) -> None:
    """Also if its view says by mistake that it may be."""
    request = rf.get("/", headers={"accept-encoding": "gzip"})
    request.user = AnonymousUser()

    def page() -> HttpResponse:
        return HttpResponse(get_token(request) if has_token else "no form")

    response = public_response(request, viewer_or_404(request.user, "public"), page)
    assert response.has_header("Content-Encoding") is not has_token


@pytest.mark.long
def test_no_response_with_a_token_is_compressed_on_the_whole_site() -> None:
    roles = ("organiser", "participant", "assessor", "nobody")
    packed: dict[str, list[str]] = {role: [] for role in roles}
    hidden_ids()  # made in a world of its own, and so before this one
    with world(FIRST, "published") as here:
        for role, client in clients_of({role: here.people[role] for role in roles}).items():
            for _, path in seeds(values(here)):
                response = get(path, client)
                if response.has_header("Content-Encoding"):
                    packed[role].append(path)
                    assert b"csrfmiddlewaretoken" not in gzip.decompress(response.content)
    assert len(packed["nobody"]) >= 4
    assert [packed[role] for role in roles[:-1]] == [[], [], []]


# --- conditional requests ------------------------------------------------------------------------


def not_to_be_called(*_: Any, **__: Any) -> None:
    raise AssertionError("rendered again")


@pytest.mark.parametrize("url", URLS.values(), ids=URLS)
def test_an_unchanged_board_is_not_sent_again_and_not_rendered(
    url: str, board: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = get(url)["ETag"]
    for renderer in ("rendered_board", "cached_leaderboard"):
        monkeypatch.setattr(views, renderer, not_to_be_called)
    monkeypatch.setattr("scoring.leaderboard.api.cached_leaderboard", not_to_be_called)
    response = get(url, **{"if-none-match": known})
    assert (response.status_code, response.content) == (304, b"")
    assert response["ETag"] == known
    assert set(response["Cache-Control"].split(", ")) == {"private", "no-cache"}
    assert get(url, **{"if-none-match": 'W/"another"'}).status_code == 200


def another_run(campaign: Campaign) -> None:
    make_scores(make_run(campaign), SCORES)


CHANGES: dict[str, Callable[[Campaign], object]] = {
    "a new run": another_run,
    "new qrels": make_qrels,
    "a run withdrawn": lambda c: c.runs.filter(pk=c.runs.first().pk).update(
        withdrawn_at=timezone.now()
    ),
    "a team's name": lambda c: c.teams.update(name="Another name"),
    "another measure": lambda c: Campaign.objects.filter(pk=c.pk).update(measures=["RR"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_board_is_sent(change: str, board: Campaign) -> None:
    known = get(URLS["page"])["ETag"]
    board.refresh_from_db()
    CHANGES[change](board)
    response = get(URLS["page"], **{"if-none-match": known})
    assert response.status_code == 200
    assert response["ETag"] != known


@pytest.mark.parametrize("audience", [Audience.PARTICIPANTS, Audience.ORGANISERS])
@pytest.mark.parametrize("url", URLS.values(), ids=URLS)
def test_a_board_that_is_hidden_again_is_hidden_from_those_who_have_it(
    url: str, audience: Audience, board: Campaign
) -> None:
    known = get(url)["ETag"]
    Campaign.objects.filter(pk=board.pk).update(board_audience=audience)
    response = get(url, **{"if-none-match": known})
    assert response.status_code == (200 if url.startswith(URLS["page"] + "?")
                                    or url == URLS["page"] else 404)  # fmt: skip
    assert b"data-run" not in response.content
    assert not response.has_header("ETag")
    assert not response.has_header("Content-Encoding")
    assert set(response["Cache-Control"].split(", ")) == {"private", "no-store"}


def test_a_private_campaign_is_not_found_by_those_who_have_its_board(board: Campaign) -> None:
    known = get(URLS["page"])["ETag"]
    Campaign.objects.filter(pk=board.pk).update(is_private=True)
    assert get(URLS["page"], **{"if-none-match": known}).status_code == 404


def test_the_indentation_of_json_is_that_of_the_request(board: Campaign) -> None:
    url = URLS["JSON"]
    wide = body(get(url, accept="application/json; indent=4"))
    dense = body(get(url))
    assert json.loads(wide) == json.loads(dense)
    assert b"\n" in wide
    assert b"\n" not in dense


def test_links_in_latex_name_the_host_of_the_request(board: Campaign, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["one.example.org", "two.example.org"]
    for host in settings.ALLOWED_HOSTS:
        assert host.encode() in body(get(URLS["LaTeX"], host=host))
