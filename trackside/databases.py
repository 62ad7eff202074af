"""Connection settings for SQLite and PostgreSQL."""

from typing import Any

from trackside.environment import Environment


def sqlite_settings() -> dict[str, Any]:
    """IMMEDIATE transactions take the write lock when they begin, so they cannot fail later because
    another process has written in the meantime."""
    options = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            # With WAL, readers do not wait for a writer, and NORMAL leaves the database consistent
            # after a loss of power.
            "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA busy_timeout=20000;"
            "PRAGMA foreign_keys=ON;PRAGMA cache_size=-20000;PRAGMA temp_store=MEMORY;"
            "PRAGMA mmap_size=134217728;"
        ),
    }
    return {"OPTIONS": options}


def postgres_settings(env: Environment, options: dict[str, Any]) -> dict[str, Any]:
    """`options` are those of DATABASE_URL.

    DATABASE_SILENT_SECONDS: a server that does not respond for so long, and does not accept a new
    connection either, is given up. STATEMENT_SECONDS: PostgreSQL ends statements that take longer,
    and transactions that are idle for twice as long. trackside/wsgi.py sets both for web processes.
    """
    options = options | {"silent_seconds": env.number("DATABASE_SILENT_SECONDS", default=6)}
    session: dict[str, str] = {}
    # Both ends of a connection detect that the other host is lost, and PostgreSQL then releases the
    # rows that a lost worker had locked.
    if seconds := env.integer("DATABASE_KEEPALIVE_SECONDS", default=30):
        # Idle for a third of the time, then four probes in the rest.
        for name, value in {
            "idle": max(1, seconds // 3),
            "interval": max(1, seconds // 6),
            "count": 4,
        }.items():
            options[f"keepalives_{name}"] = value
            session[f"tcp_keepalives_{name}"] = str(value)
        options["tcp_user_timeout"] = 1000 * seconds
        session["tcp_user_timeout"] = f"{seconds}s"
    if seconds := env.integer("STATEMENT_SECONDS", default=0):
        session["statement_timeout"] = f"{seconds}s"
        session["idle_in_transaction_session_timeout"] = f"{2 * seconds}s"
    if session:
        options["options"] = " ".join(f"-c {name}={value}" for name, value in session.items())
    return {
        "ENGINE": "trackside.postgres",
        # A pooler that gives a connection to each transaction needs 0 and True.
        "CONN_MAX_AGE": env.integer("CONN_MAX_AGE", default=60),
        "DISABLE_SERVER_SIDE_CURSORS": env.boolean("DISABLE_SERVER_SIDE_CURSORS", default=False),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }
