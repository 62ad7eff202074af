"""Many at once: threads, each with a connection of its own (fixture `own_connections`)."""

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db import connections

T = TypeVar("T")


def crowd(acts: Sequence[Callable[[], T]]) -> list[T | Exception]:
    """What each act gave or raised; all start together."""
    outcomes: list[T | Exception] = [RuntimeError("did nothing")] * len(acts)
    start = threading.Barrier(len(acts))

    def perform(number: int) -> None:
        start.wait()
        try:
            outcomes[number] = acts[number]()
        except Exception as error:
            outcomes[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=perform, args=(number,)) for number in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes
