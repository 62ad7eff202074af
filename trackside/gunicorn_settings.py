"""The settings of gunicorn. The limits are not lower than those of the proxy, so only the proxy
refuses a request that is too long, with a page of the site."""

import sqlite3
from contextlib import suppress

from django.conf import settings

limit_request_line = 8190
limit_request_field_size = 8190
limit_request_fields = 32768

logger_class = "trackside.access_log.AccessLogger"
# Used if GUNICORN_CMD_ARGS="--access-logfile -" enables the access log. Its lines contain the
# request id, but no query strings and no secrets of links.
access_log_format = "%(t)s %(h)s %(m)s %(U)s %(s)s %(B)s %(M)sms [%({x-request-id}o)s]"

_kept_open: list[sqlite3.Connection] = []


def post_worker_init(worker: object) -> None:
    """Keeps a database of SQLite open as long as the web process runs. When its last connection is
    closed, SQLite deletes the files beside it, and the next request creates them again. On a full
    disk that fails, and with it every page."""
    if settings.USES_SQLITE:
        with suppress(sqlite3.Error):  # a request that needs the database will say so
            connection = sqlite3.connect(settings.DATABASES["default"]["NAME"])
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # creates them
            _kept_open.append(connection)
