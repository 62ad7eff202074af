"""What organisers do with a team while a run of it is on its way counts for that run."""

from collections.abc import Callable

import pytest

from campaigns.models import Run, Team
from campaigns.people import merging, teams
from campaigns.runs import submission
from tests.flow_world import World, run_file, stored_files
from tests.making import make_team

pytestmark = pytest.mark.usefixtures("wake_ups")
During = Callable[[Callable[[], object]], None]


@pytest.fixture
def during_the_upload(monkeypatch: pytest.MonkeyPatch) -> During:
    """Performs an act once: after the first decision, and before the file is stored."""

    def perform(act: Callable[[], object]) -> None:
        store = submission.stored_upload

        def store_meanwhile(upload):
            monkeypatch.setattr(submission, "stored_upload", store)
            act()
            return store(upload)

        monkeypatch.setattr(submission, "stored_upload", store_meanwhile)

    return perform


@pytest.mark.parametrize("way", ["by page", "by script"])
def test_a_team_that_is_disqualified_during_its_upload_submits_nothing(
    world: World, during_the_upload: During, way: str
) -> None:
    during_the_upload(
        lambda: teams.disqualify_team(
            team=world.team, reason="trained on the qrels", actor=world.organiser
        )
    )
    code = refused(world, way, "Your team is disqualified: trained on the qrels")
    assert code in (None, "disqualified")


@pytest.mark.parametrize("way", ["by page", "by script"])
def test_a_run_of_a_team_merged_during_its_upload_is_refused_and_then_accepted(
    world: World, during_the_upload: During, way: str
) -> None:
    other = make_team(world.campaign)
    during_the_upload(
        lambda: merging.merge_teams(team=world.team, into=other, actor=world.organiser)
    )
    assert refused(world, way, "merged your team into another team") in (None, "team_gone")
    assert not Team.objects.filter(pk=world.team.pk).exists()
    assert world.submitted_run(run_file()).team == other


def refused(world: World, way: str, reason: str) -> str | None:
    """Sends a run that is refused for this reason; the code that scripts are told."""
    send = world.submit if way == "by page" else world.submit_by_script
    answer = send(run_file())
    assert answer.status_code == (400 if way == "by page" else 409)
    assert reason in answer.content.decode()
    assert (Run.objects.count(), stored_files("runs")) == (0, [])
    return answer.json()["code"] if way == "by script" else None
