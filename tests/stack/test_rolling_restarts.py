"""A new version comes while people hand in: web servers and workers end and start in turn."""

import threading
import time
from collections.abc import Iterator

import pytest

from config.stack import Stack, listens, wait_for
from tests.faults.conftest import note, repetitions
from tests.stack.handing_in import Track, prepare, run_bytes

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("stack"), pytest.mark.timeout(3600)]

RESTARTS = repetitions(4, 30)  # of web0, web1, worker0, worker1 by turns
UPLOAD_EVERY = 0.2
MOST_TRIES = 20
AWAY = {0, 503}


@pytest.fixture
def track(stack: Stack) -> Iterator[Track]:
    return prepare(stack, slug="rolling")


class Sender:
    """Hands a run in every UPLOAD_EVERY seconds, and again with the same key where it is told to
    come again or hears nothing."""

    def __init__(self, track: Track) -> None:
        self.ids: list[str] = []
        self.told_to_come_again = 0
        self._track = track
        self._is_over = threading.Event()
        self._threads: list[threading.Thread] = []
        self._clock = threading.Thread(target=self._send_all)

    def __enter__(self) -> "Sender":
        self._clock.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._clock.join()
        for thread in self._threads:
            thread.join()

    @property
    def sent(self) -> int:
        return len(self._threads)

    def _send_all(self) -> None:
        while not self._is_over.wait(UPLOAD_EVERY):
            thread = threading.Thread(target=self._send, args=(len(self._threads),))
            self._threads.append(thread)
            thread.start()

    def _send(self, number: int) -> None:
        for _ in range(MOST_TRIES):
            try:
                status, answer = self._track.hand_in(
                    run_bytes(f"rolling{number}"), key=f"rolling{number}"
                )
            except OSError:
                status = 0
            if status not in AWAY:
                self.ids.append(answer["id"] if status == 202 else f"{status}")
                return
            self.told_to_come_again += 1
            time.sleep(0.5)


def test_nothing_is_lost_or_doubled_while_a_new_version_comes(stack: Stack, track: Track) -> None:
    with Sender(track) as sender:
        for turn in range(RESTARTS):
            name = ("web0", "web1", "worker0", "worker1")[turn % 4]
            stack.stop(name)
            stack.start_again(name)
            if name.startswith("web"):
                command, _ = stack.commands[name]
                port = int(command[command.index("--bind") + 1].rpartition(":")[2])
                wait_for(name, lambda port=port: listens(port))
            time.sleep(1)
    until = time.monotonic() + 120
    while track.scored() < sender.sent and time.monotonic() < until:
        time.sleep(0.5)
    lost, doubled = sender.sent - len(set(sender.ids)), track.scored() - sender.sent
    note(
        f"web and worker restarted by turns, {sender.sent} uploads meanwhile"
        f" ({sender.told_to_come_again} told to come again)",
        "production stack",
        RESTARTS,
        lost=max(lost, -doubled),
        doubled=max(doubled, 0),
    )
    assert (lost, doubled) == (0, 0)
