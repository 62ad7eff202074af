"""Which versions of pg_dump and pg_restore are refused, before anything is written."""

from pathlib import Path

import pytest

from scoring.backups import postgres
from scoring.backups.postgres import ProgramFailed

# pg_dump, server, what is said. Tried with programs of 15 and 17: what 17 writes or restores ends
# in `unrecognized configuration parameter "transaction_timeout"` on a server of 15.
DUMPS = [
    (15, 15, None),
    (17, 17, None),
    (16, 15, None),
    (18, 17, None),
    (15, 17, "pg_dump 15 cannot read the database of PostgreSQL 17. Install the programs of "
             "PostgreSQL 17 (Debian: postgresql-client-17)."),
    (17, 16, "What pg_dump 17 writes cannot be restored into PostgreSQL 16. Install the programs of"
             " PostgreSQL 16 (Debian: postgresql-client-16)."),
]  # fmt: skip
# pg_dump that made it, pg_restore, server, what is said
LOADS = [
    (15, 15, 15, None),
    (16, 17, 17, None),
    (17, 18, 17, None),
    (16, 16, 15, None),
    (17, 15, 15, "The backup was made with pg_dump 17, and the database server is PostgreSQL 15. "
                 "Restore into PostgreSQL 17 or later."),
    (17, 15, 17, "pg_restore 15 cannot read the backup, which was made with pg_dump 17. Install the"
                 " programs of PostgreSQL 17 (Debian: postgresql-client-17)."),
    (15, 17, 15, "pg_restore 17 cannot restore into PostgreSQL 15. Install the programs of "
                 "PostgreSQL 15 (Debian: postgresql-client-15)."),
]  # fmt: skip


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs that were run, by name."""
    ran: list[str] = []
    monkeypatch.setattr(postgres, "_run", lambda program, *arguments: ran.append(program))
    return ran


def set_versions(monkeypatch: pytest.MonkeyPatch, program: int, server: int) -> None:
    monkeypatch.setattr(postgres, "major_version", lambda name: program)
    monkeypatch.setattr(postgres, "server_version", lambda: server)


@pytest.mark.parametrize(("program", "server", "said"), DUMPS)
def test_a_dump_that_cannot_be_made_or_restored_is_refused(
    program: int, server: int, said: str | None, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_versions(monkeypatch, program, server)
    if said is None:
        postgres.dump("1-1", "dump", without_rows_of="tables")
        assert ran == ["pg_dump"]
    else:
        with pytest.raises(ProgramFailed) as refused:
            postgres.dump("1-1", "dump", without_rows_of="tables")
        assert (str(refused.value), ran) == (said, [])


@pytest.mark.parametrize(("dumped_by", "program", "server", "said"), LOADS)
def test_a_dump_that_cannot_be_loaded_is_refused(
    dumped_by: int, program: int, server: int, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_versions(monkeypatch, program, server)
    if said is None:
        postgres.refuse_unfit(dumped_by)
    else:
        with pytest.raises(ProgramFailed) as refused:
            postgres.refuse_unfit(dumped_by)
        assert str(refused.value) == said


def test_a_program_that_is_missing_or_fails_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "server_version", lambda: 17)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProgramFailed, match=r"pg_dump is not installed\. Install the pro"):
        postgres.dump("1-1", "dump", without_rows_of="tables")
    program = tmp_path / "pg_restore"
    program.write_text("#!/bin/sh\necho 'pg_restore: error: no such database' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(ProgramFailed, match="pg_restore ended with status 1: pg_restore: err"):
        postgres.load("dump")
