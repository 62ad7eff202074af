"""A run in a layout without tags is called as its file."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from campaigns.models import Run
from tests.flow_world import World, perform_jobs

pytestmark = pytest.mark.usefixtures("wake_ups")
JSON = b'{"1": {"d1": 2.5, "d2": 1}, "2": {"d2": 1}}'


def submitted(world: World, file_name: str, data: bytes = JSON, **fields: str) -> Run:
    response = world.browser.post(
        reverse("campaigns:run-create", args=[world.campaign.slug]),
        {"file": SimpleUploadedFile(file_name, data), "run_type": "automatic", **fields},
    )
    assert response.status_code == 302
    perform_jobs()
    return Run.objects.latest("pk")


def test_the_file_names_the_run_and_the_report_says_so(world: World) -> None:
    run = submitted(world, "BM25 (tuned).json")
    assert (run.state, run.tag, str(run)) == ("accepted", "BM25_(tuned)", "BM25_(tuned)")
    assert "its name became the tag" in world.page_of(run)
    assert submitted(world, "other.json", JSON + b"\n", name="Chosen").display_name == "Chosen"


def test_the_same_file_by_another_name_is_still_the_same(world: World) -> None:
    submitted(world, "one.json")
    again = submitted(world, "two.json")
    assert again.state == "refused"
    assert "your team has already submitted this file" in world.page_of(again)


def test_a_file_on_trial_has_the_same_tag(world: World) -> None:
    url = reverse("scoring:run-trial", args=[world.campaign.slug])
    page = world.browser.post(url, {"file": SimpleUploadedFile("dense.json", JSON)})
    assert "dense" in page.content.decode()
