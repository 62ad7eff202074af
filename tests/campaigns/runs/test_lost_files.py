"""Stored files that are missing or damaged: what can be made again is, and the rest is said to be
lost and never passed on."""

import os
import time
from io import StringIO

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.models import Qrels, Run
from scoring.models import StoredGrades, StoredRanking
from tests.caches import empty_caches
from tests.flow_world import World, run_file, stored_files, wake_ups, world

__all__ = ["wake_ups", "world"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("wake_ups")]
HARMS = ["missing", "damaged"]


@pytest.fixture
def run(world: World) -> Run:
    """Scored, under qrels; the browsers show faults as people see them."""
    world.add_qrels()
    empty_caches()
    for browser in (world.browser, world.organiser_client):
        browser.raise_request_exception = False
    return world.submitted_run(run_file())


def harm(key: str, how: str) -> None:
    default_storage.delete(key)
    if how == "damaged":
        assert default_storage.save(key, ContentFile(b"x" * 100)) == key


def pages_of(world: World, run: Run) -> dict[str, HttpResponse]:
    """All that a run's own pages show."""
    arguments = [world.campaign.slug, run.public_id]
    names = ("run-detail", "run-documents", "run-unjudged")
    return {
        name: world.organiser_client.get(reverse(f"scoring:{name}", args=arguments))
        for name in names
    }


@pytest.mark.parametrize("how", HARMS)
def test_a_lost_ranking_is_recreated_from_the_run_file(world: World, run: Run, how: str) -> None:
    before = {name: page.content for name, page in pages_of(world, run).items()}
    stored = StoredRanking.objects.get(run=run)
    harm(stored.storage_key, how)
    after = pages_of(world, run)
    assert {name: page.status_code for name, page in after.items()} == dict.fromkeys(before, 200)
    made = StoredRanking.objects.get(run=run)
    assert made.storage_key != stored.storage_key
    assert made.digest == stored.digest


@pytest.mark.parametrize("how", HARMS)
def test_lost_grades_are_recreated_even_if_the_ranking_is_lost_too(
    world: World, run: Run, how: str
) -> None:
    for stored in (StoredGrades.objects.get(run=run), StoredRanking.objects.get(run=run)):
        harm(stored.storage_key, how)
    url = reverse("scoring:run-curves", args=[world.campaign.slug, run.public_id])
    assert world.organiser_client.get(url).status_code == 200
    assert verified() == (0, "All files are intact.\n")


@pytest.mark.parametrize("how", HARMS)
def test_lost_qrels_are_said_and_not_passed_on(world: World, run: Run, how: str) -> None:
    qrels = Qrels.objects.get()
    harm(qrels.storage_key, how)
    empty_caches()
    slug = world.campaign.slug
    page = world.organiser_client.get(reverse("campaigns:qrels-file", args=[slug, qrels.version]))
    assert (page.status_code, "missing or damaged" in page.content.decode()) == (503, True)
    script = world.organiser_client.get(reverse("api:qrels-file", args=[slug, qrels.version]))
    assert (script.status_code, script.json()["code"]) == (503, "file_lost")
    pages = {name: page.status_code for name, page in pages_of(world, run).items()}
    assert pages == {"run-detail": 200, "run-documents": 503, "run-unjudged": 503}


@pytest.mark.parametrize("how", HARMS)
def test_a_lost_run_file_is_said_and_its_pages_go_on(world: World, run: Run, how: str) -> None:
    harm(run.storage_key, how)
    url = reverse("campaigns:run-file", args=[world.campaign.slug, run.public_id])
    page = world.browser.get(url)
    assert (page.status_code, "missing or damaged" in page.content.decode()) == (503, True)
    assert {page.status_code for page in pages_of(world, run).values()} == {200}
    assert Client().get("/").status_code == 200


def verified(**options: bool) -> tuple[int, str]:
    """Exit status and words of `manage.py verify`."""
    out = StringIO()
    try:
        call_command("verify", stdout=out, **options)
    except CommandError as error:
        return 1, f"{out.getvalue()}{error}"
    return 0, out.getvalue()


def test_verify_names_every_file_by_its_run_and_repairs_what_can_be_recreated(
    world: World, run: Run
) -> None:
    assert verified() == (0, "All files are intact.\n")
    harm(StoredRanking.objects.get(run=run).storage_key, "missing")
    harm(StoredGrades.objects.get(run=run).storage_key, "damaged")
    orphan = default_storage.save("runs/zz/zzzz", ContentFile(b"nobody's"))
    long_ago = time.time() - 7200
    os.utime(default_storage.path(orphan), (long_ago, long_ago))
    status, said = verified()
    assert status == 1
    assert f"missing (ranking of run ours ({run.public_id})" in said
    assert f"damaged (grades of run ours ({run.public_id})" in said
    assert f"{orphan}: unused" in said
    status, said = verified(repair=True)
    assert (status, said.count("repaired")) == (0, 3)
    assert verified() == (0, "All files are intact.\n")
    assert orphan not in stored_files("runs")


def test_verify_leaves_what_only_a_backup_has(world: World, run: Run) -> None:
    harm(run.storage_key, "damaged")
    harm(StoredRanking.objects.get(run=run).storage_key, "missing")
    status, said = verified(repair=True)
    assert (status, "repaired" in said) == (1, False)
    assert f"damaged (file of run ours ({run.public_id}) in {world.campaign.slug})" in said
