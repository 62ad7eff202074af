"""Django's PostgreSQL backend, with a time limit for servers that do not respond.

The server enforces PostgreSQL's own time limits, and the kernel of a host whose server hangs still
acknowledges packets, so neither statement_timeout nor tcp_user_timeout ends such a wait. If an
answer takes longer than usual, the backend opens a second connection. If the server accepts it, the
statement is a long one and the backend continues to wait. If not, the statement ends with
OperationalError.
"""

import time
from collections.abc import Generator
from math import ceil
from typing import Any

import psycopg
from django.db import OperationalError
from django.db.backends.postgresql import base

from scoring.jobs.probes import Probe

LEAST_CONNECT_SECONDS = 2  # the minimum of libpq
OF_PSYCOPG = {"autocommit", "context", "cursor_factory", "prepare_threshold", "row_factory"}


class Connection(psycopg.Connection[Any]):
    """A connection that gives up if its server does not respond."""

    probe: Probe | None = None
    patience = 0.0  # seconds without an answer before a second connection checks the server

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **options: Any) -> Any:
        return super().wait(self._watched(gen), *arguments, **options)

    def _watched(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """The same generator; psycopg resumes it every 0.1 s while no data arrive."""
        try:
            state = next(gen)
            began = time.monotonic()
            while True:
                ready = yield state
                is_late = not ready and time.monotonic() > began + self.patience
                if is_late and self.probe is not None and not self.probe.answers():
                    self.close()
                    raise psycopg.OperationalError("the database server is silent")
                state = gen.send(ready)
        except StopIteration as end:
            return end.value


class DatabaseWrapper(base.DatabaseWrapper):
    """Has the option `silent_seconds`: the time after which it gives up a server that does not
    respond. All connections of a process share the state of their server."""

    _probes: dict[str, Probe] = {}

    def get_connection_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super().get_connection_params()
        silent = float(params.pop("silent_seconds", 6.0))
        return {"connect_timeout": max(ceil(silent), LEAST_CONNECT_SECONDS)} | params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        # A third of the time for the answer, and the rest for the second connection.
        patience = float(self.settings_dict["OPTIONS"].get("silent_seconds", 6.0)) / 3
        of_libpq = {
            name: value
            for name, value in conn_params.items()
            if name not in OF_PSYCOPG and value is not None
        }
        where = psycopg.conninfo.make_conninfo(**of_libpq)
        if where not in self._probes:
            self._probes[where] = Probe("database", lambda: ask(where), timeout=2 * patience)
        probe = self._probes[where]
        if probe.is_known_silent() and not probe.answers():
            raise OperationalError("the database server is silent")
        connection = super().get_new_connection(conn_params)
        connection.__class__ = Connection  # Django's function names psycopg's class
        connection.probe, connection.patience = probe, patience
        return connection


def ask(where: str) -> None:
    """Raises if the server does not respond. A server without a free connection does respond."""
    try:
        psycopg.connect(where, autocommit=True).close()
    except psycopg.errors.ConnectionTimeout:
        raise
    except psycopg.OperationalError as error:
        # So a server begins its refusal, for instance if it has too many connections.
        if "FATAL" not in str(error):
            raise
