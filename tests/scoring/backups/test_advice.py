"""What the command and the checks of a deployment say about backups."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from scoring.models import Backup
from trackside.checks import check_backups


@pytest.mark.django_db
def test_a_deployment_without_a_backup_of_the_last_week_is_warned() -> None:
    (warning,) = check_backups()
    assert warning.msg.startswith("No backup was completed in the last 8 days")
    facts = {"bytes": 10, "files": 0, "faults": 0}
    Backup.objects.create(finished_at=timezone.now() - timedelta(days=9), **facts)
    assert len(check_backups()) == 1
    Backup.objects.create(finished_at=timezone.now() - timedelta(days=7), **facts)
    assert check_backups() == []


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "keep"), [("", 0), ("", -1), ("site.tar", 3)])
def test_keep_needs_a_number_and_a_folder(name: str, keep: int, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--keep needs a number from 1 on, and a folder"):
        call_command("backup", str(tmp_path / name), keep=keep)
    assert list(tmp_path.iterdir()) == []
