"""Tables that everyone sees are sent compressed and with an ETag to readers without a login, and to
nobody else. They change with the rows that they depend on."""

import gzip
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Audience, Campaign
from scoring.models import Evaluation, Score
from scoring.output import public
from tests.flow_world import perform_jobs
from tests.making import make_organiser, make_user
from tests.scoring.pools.test_pool_page import campaign  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db
TABLES = (
    *(f"scoring:{name}-{form}" for form in ("csv", "latex")
      for name in ("topics", "topic", "significance", "significance-counts", "agreement",
                   "agreement-runs", "pools", "pools-teams")),
    *("scoring:topic-matrix-csv", "scoring:agreement-swaps-csv", "scoring:pools-depths-csv",
      "scoring:pools-measures-latex", "api:topic-means", "api:significance", "api:agreement",
      "api:pool"),
)  # fmt: skip
PAIR = {"a": "AP", "b": "nDCG@10"}


@pytest.fixture
def board(campaign: Campaign) -> Campaign:  # noqa: F811 - the fixture
    for name in TABLES:
        get(name)
    perform_jobs()
    return campaign


def get(name: str, client: Client | None = None, **headers: str) -> HttpResponse:
    args = ["pooled", "2"] if name.startswith("scoring:topic-") else ["pooled"]
    if name == "scoring:topic-matrix-csv":
        args = ["pooled"]
    asked = PAIR if "runs" in name or "swaps" in name else {}
    headers = {"accept-encoding": "gzip"} | headers
    return (client or Client()).get(reverse(name, args=args), asked, headers=headers)


def is_public(response: HttpResponse) -> bool:
    return response.has_header("ETag") and response["Content-Encoding"] == "gzip"


def body(response: HttpResponse) -> bytes:
    return b"".join(response) if response.streaming else response.content


def test_only_readers_without_a_login_get_a_table_compressed(board: Campaign) -> None:
    persons = [Client(), Client()]
    persons[0].force_login(make_user())
    persons[1].force_login(make_organiser(board))
    for name in TABLES:
        packed = get(name)
        assert (packed.status_code, is_public(packed)) == (200, True), name
        assert {"Cookie", "Accept-Encoding"} <= set(packed["Vary"].split(", "))
        assert set(packed["Cache-Control"].split(", ")) == {"private", "no-cache"}
        for person in persons:
            response = get(name, person, **{"if-none-match": packed["ETag"]})
            assert response.status_code == 200
            assert not response.has_header("Content-Encoding")
            assert not response.has_header("ETag")
            assert set(response["Cache-Control"].split(", ")) == {"private", "no-store"}
        # what strangers see with a login is what everyone sees
        stranger = get(name, persons[0])
        assert gzip.decompress(packed.content) == body(stranger), name
        assert packed.get("Content-Disposition") == stranger.get("Content-Disposition")
        plain = get(name, **{"accept-encoding": "identity"})
        assert plain.content == body(stranger)
        assert plain["ETag"] == packed["ETag"]


def test_an_unchanged_table_is_neither_sent_nor_computed_again(
    board: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {name: get(name)["ETag"] for name in TABLES}

    def no_table(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(public, "_rendered", no_table)
    for name, etag in known.items():
        response = get(name, **{"if-none-match": etag})
        assert (response.status_code, response.content) == (304, b""), name
        assert response["ETag"] == etag
        assert get(name, **{"if-none-match": 'W/"another"'}).status_code == 200


def new_scores(campaign: Campaign) -> None:  # noqa: F811
    """A run is scored again: its scores are replaced together with the time."""
    run = campaign.runs.ranked().first()
    Score.objects.filter(evaluation__run=run).update(mean_base=0.001)
    Evaluation.objects.filter(run=run).update(scored_at=timezone.now())


CHANGES: dict[str, tuple[str, Callable[[Campaign], object]]] = {
    "new scores": ("scoring:agreement-runs-csv", new_scores),
    "a run withdrawn": (
        "scoring:topic-csv",
        lambda c: c.runs.filter(tag="ant1").update(withdrawn_at=timezone.now()),
    ),
    "a team's name": ("scoring:pools-csv", lambda c: c.teams.update(name="Another name")),
    "a topic's title": (
        "scoring:topics-csv",
        lambda c: c.topics.filter(position=0).update(fields=[["title", "another title"]]),
    ),
    "visible counts of judgments": (
        "api:topic-means",
        lambda c: Campaign.objects.filter(pk=c.pk).update(qrels_audience=Audience.EVERYONE),
    ),
    "hidden scores by topic": (
        "scoring:topics-csv",
        lambda c: Campaign.objects.filter(pk=c.pk).update(per_topic_audience=Audience.ORGANISERS),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_table_is_sent(change: str, board: Campaign) -> None:
    name, make = CHANGES[change]
    before = get(name)
    make(board)
    after = get(name, **{"if-none-match": before["ETag"]})
    assert after.status_code == 200
    assert is_public(after)
    assert gzip.decompress(after.content) != gzip.decompress(before.content)


def test_a_table_that_is_hidden_again_is_hidden_from_those_who_have_it(board: Campaign) -> None:
    known = {name: get(name)["ETag"] for name in TABLES}
    tomorrow = timezone.now() + timedelta(days=1)
    Campaign.objects.filter(pk=board.pk).update(
        board_audience=Audience.ORGANISERS, topics_released_at=tomorrow
    )
    for name, etag in known.items():
        response = get(name, **{"if-none-match": etag})
        assert response.status_code == 404, name
        assert not response.has_header("ETag")
        assert not response.has_header("Content-Encoding")


def test_a_table_that_is_being_computed_is_not_cached(campaign: Campaign) -> None:  # noqa: F811
    for name in ("scoring:significance-csv", "api:pool"):
        response = get(name)
        assert response.status_code == 202
        assert not response.has_header("ETag")
        assert not response.has_header("Content-Encoding")
        perform_jobs()
        assert get(name).status_code == 200


def test_a_long_table_is_compressed_and_a_huge_one_streamed(
    board: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blocks() -> Iterator[bytes]:
        yield from (b"x" * 400, b"y" * 400)

    def respond() -> StreamingHttpResponse:
        return StreamingHttpResponse(blocks(), content_type="text/csv")

    request = get("scoring:topics-csv").wsgi_request
    viewer = public.board_viewer(request, "pooled")
    packed = public.public_response(request, viewer, respond)
    assert gzip.decompress(packed.content) == b"x" * 400 + b"y" * 400
    assert packed["Content-Type"] == "text/csv"

    monkeypatch.setattr(public, "BYTES", 500)
    public.PACKED_RESPONSES.clear()
    huge = public.public_response(request, viewer, respond)
    assert huge.streaming
    assert not huge.has_header("Content-Encoding")
    assert b"".join(huge) == b"x" * 400 + b"y" * 400
