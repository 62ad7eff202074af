"""A deploy while runs are submitted: every process is stopped and started again, one by one."""

import threading
import time

from tests.load.clients import Answers
from tests.load.figures import Figure, Figures, at_most, none_of
from tests.stack.submissions import Track, run_bytes
from trackside.processes import HOST, answers, wait_for
from trackside.stack import Stack

ROUNDS, EVERY = 8, 0.2  # thirty-two restarts; five uploads a second
PATIENCE = 300
MOST_AWAY = 0.01  # of the answers

DOUBLED = """
from django.db.models import Count
from scoring.models import Evaluation
of_one = Evaluation.objects.filter(state="scored").values("run", "qrels", "definitions", "tie_rule")
print(of_one.annotate(times=Count("pk")).filter(times__gt=1).count())
"""


def restarts(stack: Stack, track: Track) -> Figures:
    """An upload is answered 202, or 503 by the proxy: then whoever sent it knows to try again."""
    known = track.scored()
    names = [name for name in stack.processes if name.startswith(("web", "worker"))]
    answered, is_over = Answers(), threading.Event()
    sender = threading.Thread(target=_send, args=(track, answered, is_over))
    sender.start()
    try:
        for name in names * ROUNDS:
            stack.stop(name)
            stack.start_again(name)
            if name.startswith("web"):
                wait_for(name, lambda name=name: answers(_port(stack, name), "/healthz?of=web"))
    finally:
        is_over.set()
        sender.join()
    taken, away = answered.statuses.count(202), answered.statuses.count(503)
    yield Figure("restarts, uploads", f"{len(names) * ROUNDS}, {len(answered.statuses)}")
    yield none_of("neither 202 nor 503", len(answered.statuses) - taken - away)
    yield at_most("503", 100 * away / len(answered.statuses), 100 * MOST_AWAY, "%", 1)
    yield none_of("taken and not scored", known + taken - _settled(track, known + taken))
    doubled = stack.manage("shell", "--verbosity", "0", "-c", DOUBLED)
    yield none_of("scored twice", int(doubled.split()[-1]))


def _send(track: Track, answered: Answers, is_over: threading.Event) -> None:
    """So many a second, however long each takes: one that waits holds up no other."""
    senders = []
    number = 0
    while not is_over.wait(EVERY):
        data = run_bytes(f"deploy{number}", topics=50, documents=20)
        senders.append(threading.Thread(target=_send_one, args=(track, data, answered)))
        senders[-1].start()
        number += 1
    for sender in senders:
        sender.join()


def _send_one(track: Track, data: bytes, answered: Answers) -> None:
    began = time.monotonic()
    try:
        status, _ = track.submit(data)
    except OSError:
        status = 0
    answered.seconds.append(time.monotonic() - began)
    answered.statuses.append(status)


def _port(stack: Stack, name: str) -> int:
    command, _ = stack.commands[name]
    return int(next(part for part in command if part.startswith(f"{HOST}:")).split(":")[1])


def _settled(track: Track, count: int) -> int:
    until = time.monotonic() + PATIENCE
    while (found := track.scored()) != count and time.monotonic() < until:
        time.sleep(0.5)
    return found
