"""Many at once: threads on a database that takes them.

SQLite's database in memory, which the tests run on, refuses a second writer at once instead of
letting it wait; so the crowd works on a copy of it in a file, as the site does, and what it did is
brought back.
"""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from django.db import connection, connections

T = TypeVar("T")


def crowd(acts: Sequence[Callable[[], T]], folder: Path) -> list[T | Exception]:
    """What each act gave or raised; all start together. The test's own transaction must be none
    (`transactional_db`)."""
    path = folder / "crowd.sqlite3"
    is_sqlite = connection.vendor == "sqlite"
    if is_sqlite:
        _copy(connection.connection, path)
    outcomes: list[T | Exception] = [RuntimeError("did nothing")] * len(acts)
    start = threading.Barrier(len(acts))

    def perform(number: int) -> None:
        mine = connections["default"]
        if is_sqlite:
            mine.settings_dict = mine.settings_dict | {"NAME": str(path)}
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
    if is_sqlite:
        _bring_back(path, connection.connection)
    return outcomes


def _copy(source: sqlite3.Connection, path: Path) -> None:
    target = sqlite3.connect(path)
    source.backup(target)
    target.close()


def _bring_back(path: Path, target: sqlite3.Connection) -> None:
    source = sqlite3.connect(path)
    source.backup(target)
    source.close()
