"""A storage that is full, on a real disk of a megabyte, or that is away: told, and nothing half."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.test import Client

from campaigns.models import LogEntry, Run
from scoring.jobs import health_probes
from tests.flow_world import World, run_file, stored_files, wake_ups, world

__all__ = ["wake_ups", "world"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("wake_ups")]
LARGE = run_file(documents=tuple(f"d{number}" for number in range(12_000)))  # 400 kB


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Of a megabyte."""
    made = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)]
    mounted = subprocess.run(made, capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"only root makes a disk of a megabyte: {mounted.stderr.decode()}")
    yield tmp_path
    subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


@pytest.fixture
def on_the_disk(world: World, disk: Path, settings: object) -> World:
    storage = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(disk / "files")},
    }
    settings.STORAGES = settings.STORAGES | {"default": storage}
    world.change(run_depth=20_000)
    for browser in (world.browser, world.organiser_client):
        browser.raise_request_exception = False  # as a browser sees it
    return world


@pytest.mark.parametrize("way", ["by page", "by script"])
def test_a_full_disk_refuses_uploads_and_recovers_with_free_space(
    on_the_disk: World, disk: Path, way: str
) -> None:
    send = on_the_disk.submit if way == "by page" else on_the_disk.submit_by_script
    filler = disk / "filler"
    filler.write_bytes(bytes(800_000))
    log = LogEntry.objects.count()
    answer = send(LARGE)
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    told = answer.json()["message"] if way == "by script" else answer.content.decode()
    assert "temporarily unavailable" in told
    assert (Run.objects.count(), LogEntry.objects.count(), stored_files("runs")) == (0, log, [])
    filler.unlink()
    on_the_disk.add_qrels()
    run = on_the_disk.submitted_run(LARGE)
    assert run.state == Run.State.ACCEPTED
    assert default_storage.open(run.storage_key).read() == LARGE


def test_pages_still_work_with_a_full_disk_and_healthz_names_it(
    on_the_disk: World, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_the_disk.add_qrels()
    run = on_the_disk.submitted_run(run_file())
    with (disk / "filler").open("wb") as file, pytest.raises(OSError, match="No space"):
        file.write(bytes(2_000_000))
    assert on_the_disk.page_of(run)
    assert [row["run"] for row in on_the_disk.board()] == [run.tag]
    assert on_the_disk.submit(LARGE).status_code == 503
    assert Client().get("/").status_code == 200
    monkeypatch.setattr(health_probes, "PROBES", health_probes.make_probes())
    facts = Client().get("/healthz").json()
    assert (facts["storage"], facts["database"]) == (False, True)
