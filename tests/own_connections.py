"""A database in a file for tests with more than one thread, as on a site: each thread has a
connection of its own, and a writer waits for another. All threads share the one connection of
SQLite's database in memory, which the tests run on, and with it each other's transactions."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from pytest_django.live_server_helper import LiveServer

from tests.patience import MILLISECONDS


@pytest.fixture
def own_connections(transactional_db: None, tmp_path: Path) -> Iterator[None]:
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    kept, connection.connection = connection.connection, None
    name, path = connection.settings_dict["NAME"], tmp_path / "database.sqlite3"
    copy = sqlite3.connect(path)
    kept.backup(copy)
    copy.execute("PRAGMA journal_mode=WAL")  # which fails if two connections ask for it at once
    copy.close()
    of_all_threads = connection.settings_dict
    options = of_all_threads["OPTIONS"]
    pragmas = f"PRAGMA synchronous=OFF;PRAGMA busy_timeout={MILLISECONDS:.0f};"
    init_command = options["init_command"] + pragmas
    of_all_threads |= {"NAME": str(path), "OPTIONS": options | {"init_command": init_command}}
    yield
    connection.close()
    of_all_threads |= {"NAME": name, "OPTIONS": options}
    connection.connection = kept


@pytest.fixture
def live_server(own_connections: None, live_server: LiveServer) -> LiveServer:
    return live_server
