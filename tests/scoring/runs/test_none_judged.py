"""A run none of whose documents is judged: its page tells it from a bad run, to those who see its
scores."""

import pytest
from django.test import Client
from django.urls import reverse

from scoring.models import StoredRanking
from tests.flow_world import World, run_file
from tests.scoring.leaderboard.test_board_page import SHOWN

pytestmark = pytest.mark.usefixtures("wake_ups")
SENTENCE = "No document of this run is judged"
PASSAGES = run_file(documents=("d1-4", "d2-9", "d3-1"))


def test_a_team_reads_it_where_it_sees_scores_and_nothing_about_ids(world: World) -> None:
    world.add_qrels()
    run = world.submitted_run(PASSAGES)
    assert SENTENCE not in world.page_of(run)
    world.change(shows_own_scores=True)
    page = world.page_of(run)
    assert SENTENCE in page
    assert "of 6. Usual causes: ids of passages" in page
    assert "would be judged" not in page
    url = reverse("scoring:run-status", args=[world.campaign.slug, run.public_id])
    assert SENTENCE in world.browser.get(url).content.decode()


def test_organisers_read_how_the_ids_differ(world: World) -> None:
    world.add_qrels()
    run = world.submitted_run(PASSAGES)
    page = " ".join(world.page_of(run, browser=world.organiser_client).split())
    assert "4 of 6 would be judged if the ids of the run ended before their last" in page
    world.change(shows_own_scores=True)
    preview = reverse("scoring:run-detail", args=[world.campaign.slug, run.public_id])
    page = world.organiser_client.get(preview, {"as": world.team.public_id}).content.decode()
    assert SENTENCE in page
    assert "would be judged" not in page


def test_a_run_with_judged_documents_has_no_such_note_even_if_it_scores_0(world: World) -> None:
    world.add_qrels(b"1 0 d1 0\n1 0 d9 1\n2 0 d1 0\n2 0 d9 1\n")
    run = world.submitted_run(run_file())
    page = world.page_of(run, browser=world.organiser_client)
    assert "0.0000" in page
    assert SENTENCE not in page


def test_everybody_reads_it_after_publication(world: World) -> None:
    world.add_qrels()
    run = world.submitted_run(PASSAGES)
    world.change(**SHOWN)
    assert SENTENCE in world.page_of(run, browser=Client())


def test_a_lost_file_costs_the_note_and_not_the_page(world: World) -> None:
    world.add_qrels()
    run = world.submitted_run(PASSAGES)
    StoredRanking.objects.filter(run=run).delete()
    assert SENTENCE not in world.page_of(run, browser=world.organiser_client)


def test_of_a_long_run_the_first_documents_of_each_topic_are_looked_at(world: World) -> None:
    world.add_qrels()
    documents = ("d1-4", "d2-9", *(f"x{number}" for number in range(90)))
    run = world.submitted_run(run_file(documents=documents))
    page = " ".join(world.page_of(run, browser=world.organiser_client).split())
    assert "4 of 100 would be judged if the ids of the run ended before their last" in page
