"""Scripts that hand in to real web processes: many at once, twice, about the deadline, and while
the board is shown and hidden."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import NamedTuple, TypeVar

import pytest

from tests.faults.conftest import Settle, repetitions
from tests.faults.site import Site
from tests.faults.web import Web
from tests.patience import wait_for

T = TypeVar("T")


class Seen(NamedTuple):
    """What a reader of the board was told, and in which time."""

    began: float
    ended: float
    status: int
    rows: list[dict]


AT_ONCE = 50
TWICE = repetitions(2, 50)  # ten times each
DEADLINES = repetitions(1, 4)
SCRIPTS, LATE = 8, 5  # across the deadline; uploads of each after it
SHOWN = repetitions(1, 20)
READERS = 8

pytestmark = [pytest.mark.long, pytest.mark.faults]


def at_once(acts: list[Callable[[], T]]) -> list[T]:
    gate = threading.Barrier(len(acts))

    def perform(act: Callable[[], T]) -> T:
        gate.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(perform, acts))


def test_fifty_uploads_at_once_are_all_taken_and_scored(site: Site, settle: Settle) -> None:
    """On the embedded site by one worker, into one SQLite file."""
    assert site.worker.is_alive
    web = site.web
    numbers = site.new_runs(AT_ONCE)
    began = time.monotonic()
    answers = at_once([lambda number=number: web.submit(number) for number in numbers])
    assert {answer.status for answer in answers} == {202}
    times = site.scoring_times(numbers, since=began)
    for log in site.folder.glob("*.log"):
        assert "database is locked" not in log.read_text()
    settle(1, {f"{AT_ONCE} simultaneous uploads, until scored": list(times.values())})


def test_an_upload_sent_again_because_no_answer_came_is_one_run(site: Site, settle: Settle) -> None:
    """A double click, and a script that hangs up before it has the answer and tries again."""
    assert site.worker.is_alive
    web = site.web
    for _ in range(TWICE):
        numbers = site.new_runs(10)
        for number in numbers[:5]:
            web.send(number, key=f"again-{number}").close()
        again = [
            lambda number=number: web.submit(number, key=f"again-{number}") for number in numbers
        ]
        answers = at_once(again * 2)
        assert {answer.status for answer in answers} == {202}
        assert len({answer.body["id"] for answer in answers}) == len(numbers)
        site.wait_until_scored(numbers)
    settle(TWICE, {"10 uploads sent twice simultaneously, 5 of them once before": []})


class Sent(NamedTuple):
    number: int
    began: float
    ended: float
    status: int


def submit_until_late(web: Web, numbers: count, sent: list[Sent]) -> None:
    """Until it came late several times."""
    late = 0
    while late < LATE:
        number, began = next(numbers), time.time()
        answer = web.submit(number)
        sent.append(Sent(number, began, time.time(), answer.status))
        if answer.status != 202:
            assert (answer.status, answer.body["code"]) == (409, "too_late")
            late += 1
        time.sleep(0.3)  # of 8 scripts, each at another moment


def test_runs_that_began_to_arrive_before_the_deadline_count_and_others_do_not(
    site: Site, settle: Settle
) -> None:
    assert site.worker.is_alive
    web = site.web
    for _ in range(DEADLINES):
        numbers = count(len(site.submitted))
        sent: list[Sent] = []
        with ThreadPoolExecutor(SCRIPTS) as scripts:
            ends = [scripts.submit(submit_until_late, web, numbers, sent) for _ in range(SCRIPTS)]
            try:
                wait_for("runs to be taken", lambda sent=sent: len(sent) >= SCRIPTS)
            finally:  # or they would never end
                closes_at = site.ask("close_in", 5)
        for end in ends:
            end.result()
        taken = [each.number for each in sent if each.status == 202]
        late = [each.number for each in sent if each.status == 409]
        assert len(late) == SCRIPTS * LATE
        assert sorted(taken + late) == sorted(each.number for each in sent)
        assert all(each.began < closes_at for each in sent if each.status == 202)
        assert all(each.ended >= closes_at for each in sent if each.status == 409)
        assert site.ask("latest_arrival") < closes_at
        site.ask("close_in", None)
        site.submitted += sorted(taken + late)  # keeps the numbers in step
        site.refused += late
        site.wait_until_scored(taken)
    settle(DEADLINES, {"uploads by 8 scripts across the deadline": []})


def test_a_board_is_shown_whole_or_not_at_all_while_runs_are_scored(
    site: Site, settle: Settle
) -> None:
    assert site.worker.is_alive
    web = site.web
    site.wait_until_scored(site.submit())
    is_over = threading.Event()
    seen: list[Seen] = []

    def read() -> None:
        while not is_over.is_set():
            began = time.monotonic()
            status, rows = web.board()
            seen.append(Seen(began, time.monotonic(), status, rows))

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    hidden: list[tuple[float, float]] = []
    try:
        for _ in range(SHOWN):
            numbers = site.submit(5)
            site.ask("show_board", True)
            known = len(seen)
            wait_for("a reader who sees it", lambda known=known: _has_board(seen[known:]))
            site.ask("show_board", False)
            hidden_from = time.monotonic()
            site.wait_until_scored(numbers)
            hidden.append((hidden_from, time.monotonic()))
    finally:
        is_over.set()
        for reader in readers:
            reader.join()
    assert {each.status for each in seen} == {200, 404}
    for each in seen:
        if any(start < each.began and each.ended < end for start, end in hidden):
            assert each.status == 404
        assert all(row["base"] is not None and row["qrels"] == 1 for row in each.rows)
    settle(SHOWN, {f"board shown and hidden while runs are scored and {READERS} read": []})


def _has_board(answers: list[Seen]) -> bool:
    return any(each.status == 200 for each in answers)
