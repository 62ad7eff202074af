"""Two web servers and two workers that share no folder: any of them may go, and nothing is lost."""

import pytest

from tests.patience import wait_for
from tests.stack.submissions import Track, prepare, run_bytes
from trackside.stack import Stack

pytestmark = [pytest.mark.long, pytest.mark.faults, pytest.mark.xdist_group("stack")]


@pytest.fixture(scope="module")
def track(stack: Stack) -> Track:
    return prepare(stack)


def settle(track: Track, count: int) -> None:
    wait_for(f"{count} runs to be scored", lambda: track.scored() >= count)
    assert track.scored() == count


def test_runs_are_scored_whichever_of_the_servers_goes(stack: Stack, track: Track) -> None:
    for number in range(4):
        status, answer = track.submit(run_bytes(f"first{number}"))
        assert (status, answer["status"]) == (202, "waiting")
    settle(track, 4)
    stack.stop("web0")
    stack.stop("worker1")
    for number in range(4):
        assert track.submit(run_bytes(f"second{number}"))[0] == 202
    settle(track, 8)
    stack.start_again("web0")
    stack.start_again("worker1")


def test_a_run_comes_back_from_the_store_as_it_was_submitted(track: Track) -> None:
    data = run_bytes("again", documents=5000, packed=False)  # more than the proxy keeps in memory
    assert len(data) > 500_000
    status, answer = track.submit(data)
    assert status == 202
    path = f"/campaigns/{track.slug}/runs/{answer['id']}/file"
    assert track.get(path)[0] in (302, 404)  # pages know sessions, not tokens
    path = f"/api/campaigns/{track.slug}/runs/{answer['id']}/file/"
    assert track.send("GET", path, token=track.team_token) == (200, data)


def test_the_proxy_lets_nobody_read_the_figures_or_set_the_hour_of_arrival(track: Track) -> None:
    assert track.get("/metrics")[0] == 404
    status, answer = track.send(
        "POST", f"/api/campaigns/{track.slug}/runs/", token=track.team_token,
        **{"X-Arrived": "1000000000", "Content-Type": "application/json"},
    )  # fmt: skip
    assert status in (400, 415), answer
