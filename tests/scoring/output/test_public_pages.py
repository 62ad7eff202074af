"""Pages of analyses that everyone sees: rendered once, and sent compressed and with an ETag to
readers without a login, as tables are."""

import gzip

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.models import Audience, Campaign
from scoring.models import Analysis
from scoring.output import public
from tests.flow_world import perform_jobs
from tests.making import make_organiser, make_user
from tests.scoring.pools.test_pool_page import campaign  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db
ANALYSED = tuple(
    f"scoring:{name}"
    for name in ("significance", "significance-counts", "ranks", "stability", "needed-topics",
                 "pools", "pools-teams")
)  # fmt: skip
PAGES = (*ANALYSED, "scoring:agreement", "scoring:leaderboard")


@pytest.fixture
def board(campaign: Campaign) -> Campaign:  # noqa: F811 - the fixture
    for name in PAGES:
        get(name)
    perform_jobs()
    return campaign


def get(name: str, client: Client | None = None, **headers: str) -> HttpResponse:
    headers = {"accept-encoding": "gzip"} | headers
    return (client or Client()).get(reverse(name, args=["pooled"]), headers=headers)


def is_public(response: HttpResponse) -> bool:
    return response.has_header("ETag") and response.get("Content-Encoding") == "gzip"


def test_only_readers_without_a_login_get_a_page_compressed(board: Campaign) -> None:
    persons = [Client(), Client()]
    persons[0].force_login(make_user())
    persons[1].force_login(make_organiser(board))
    for name in PAGES:
        packed = get(name)
        assert (packed.status_code, is_public(packed)) == (200, True), name
        assert set(packed["Cache-Control"].split(", ")) == {"private", "no-cache"}
        assert b"csrfmiddlewaretoken" not in gzip.decompress(packed.content)
        for person in persons:
            response = get(name, person, **{"if-none-match": packed["ETag"]})
            assert (response.status_code, is_public(response)) == (200, False), name
            assert set(response["Cache-Control"].split(", ")) == {"private", "no-store"}


def test_an_unchanged_page_is_neither_sent_nor_rendered_again(
    board: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {name: get(name)["ETag"] for name in PAGES}

    def not_rendered(*_: object) -> None:
        raise AssertionError("rendered again")

    monkeypatch.setattr(public, "_rendered", not_rendered)
    for name, etag in known.items():
        assert get(name, **{"if-none-match": etag}).status_code == 304, name
        assert get(name).status_code == 200
    monkeypatch.undo()
    board.runs.filter(tag="ant1").update(name="another name")
    for name in ("scoring:significance", "scoring:ranks", "scoring:pools", "scoring:leaderboard"):
        assert get(name, **{"if-none-match": known[name]}).status_code == 200, name


@pytest.mark.parametrize("name", ANALYSED)
def test_a_page_that_waits_or_has_failed_is_rendered_each_time(
    name: str,
    campaign: Campaign,  # noqa: F811 - the fixture
) -> None:
    waiting = get(name)
    assert (waiting["Refresh"], is_public(get(name))) == ("2", True)
    perform_jobs()
    done = get(name)
    assert "Refresh" not in done
    assert done["ETag"] != waiting["ETag"]
    Analysis.objects.update(state=Analysis.State.FAILED, failure="too large")
    campaign.runs.filter(tag="ant1").update(name="another name")  # so that nothing is cached
    failed = get(name)
    assert not is_public(failed)
    assert "no-store" in failed["Cache-Control"]
    Analysis.objects.update(state=Analysis.State.DONE, failure="")
    assert is_public(get(name))


def test_a_page_that_is_hidden_again_is_hidden_from_those_who_have_it(board: Campaign) -> None:
    known = {name: get(name)["ETag"] for name in PAGES}
    Campaign.objects.filter(pk=board.pk).update(board_audience=Audience.ORGANISERS)
    for name, etag in known.items():
        response = get(name, **{"if-none-match": etag})
        assert (response.status_code, is_public(response)) == (200, False), name
        assert "scoring/leaderboard/leaderboard_hidden.html" in [t.name for t in response.templates]
