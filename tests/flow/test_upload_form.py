"""The upload form is there while a file might be taken, and else says why it is not."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Run
from tests.flow.conftest import World, run_file

NOW = timezone.now()


def form_page(world: World, *, organiser: bool = False) -> str:
    url = reverse("campaigns:run-create", args=[world.campaign.slug])
    return (world.desk if organiser else world.browser).get(url).content.decode()


def has_form(page: str) -> bool:
    return 'id="upload"' in page


def test_after_the_deadline_there_is_no_form(world: World) -> None:
    world.change(closes_at=NOW - timedelta(hours=2), grace_minutes=30)
    page = form_page(world)
    assert not has_form(page)
    assert "Runs were taken until" in page
    assert has_form(form_page(world, organiser=True))


def test_in_the_grace_time_the_form_says_that_a_run_would_be_late(world: World) -> None:
    world.change(closes_at=NOW - timedelta(minutes=5), grace_minutes=30)
    page = form_page(world)
    assert has_form(page)
    assert "marked late, and not ranked" in page


def test_a_full_quota_leaves_the_form_to_what_can_be_replaced(world: World) -> None:
    world.change(run_quota=1)
    world.add_qrels()
    run = world.taken_in(run_file())
    page = form_page(world)
    assert has_form(page)
    assert f'<option value="{run.public_id}"' in page
    Run.objects.update(state=Run.State.CHECKING)  # nothing to be replaced yet
    page = form_page(world)
    assert not has_form(page)
    assert "1 of 1 runs handed in" in page


@pytest.mark.parametrize(
    "facts", [{"attempt_quota": 0}, {"topics_released_at": NOW + timedelta(1)}]
)
def test_what_stands_in_the_way_of_every_file_takes_the_form_away(world: World, facts) -> None:
    world.change(**facts)
    assert not has_form(form_page(world))


def test_a_form_that_was_sent_too_late_says_so_and_stays(world: World) -> None:
    world.change(closes_at=NOW - timedelta(hours=2))
    page = world.hand_in(run_file())
    assert page.status_code == 400
    assert "Runs were taken until" in page.content.decode()


def test_the_same_file_again_is_called_so(world: World) -> None:
    world.taken_in(run_file("ours"))
    again = world.taken_in(run_file("ours"))
    assert (again.state, again.problems[0]["code"]) == (Run.State.REFUSED, "TAG_TAKEN")
    assert "this very file" in again.problems[0]["message"]
    other = world.taken_in(run_file("ours", documents=("d3", "d1")))
    assert "another run with this tag" in other.problems[0]["message"]
