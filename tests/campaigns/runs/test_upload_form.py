"""The upload form is there while a file might be taken, and else says why it is not."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from campaigns.access import viewer_or_404
from campaigns.models import Run, Team
from campaigns.runs import submission_options
from tests.flow_world import World, run_file

pytestmark = pytest.mark.usefixtures("wake_ups")

NOW = timezone.now()


def form_page(world: World, *, organiser: bool = False) -> str:
    url = reverse("campaigns:run-create", args=[world.campaign.slug])
    return (world.organiser_client if organiser else world.browser).get(url).content.decode()


def has_form(page: str) -> bool:
    return 'id="upload"' in page


def test_after_the_deadline_there_is_no_form(world: World) -> None:
    world.change(closes_at=NOW - timedelta(hours=2), grace_minutes=30)
    page = form_page(world)
    assert not has_form(page)
    assert "Submissions closed on" in page
    assert has_form(form_page(world, organiser=True))


def test_in_the_grace_time_the_form_says_that_a_run_would_be_late(world: World) -> None:
    world.change(closes_at=timezone.now() - timedelta(minutes=5), grace_minutes=30)
    page = form_page(world)
    assert has_form(page)
    assert "marked as late and not ranked" in page


def test_a_full_quota_leaves_the_form_to_what_can_be_replaced(world: World) -> None:
    world.change(run_quota=1)
    world.add_qrels()
    run = world.submitted_run(run_file())
    page = form_page(world)
    assert has_form(page)
    assert f'<option value="{run.public_id}"' in page
    Run.objects.update(state=Run.State.CHECKING)  # nothing to be replaced yet
    page = form_page(world)
    assert not has_form(page)
    assert "1 of 1 runs submitted" in page


def test_with_a_full_quota_one_more_run_is_not_offered(world: World) -> None:
    world.change(run_quota=1)
    first = world.submitted_run(run_file("first"))
    options = submission_options.options_for(
        viewer_or_404(world.participant, world.campaign.slug), NOW
    )
    assert [run.public_id for run in options.replaceable] == [first.public_id]
    page = form_page(world)
    assert "Choose a run" in page
    assert "an additional run" not in page
    refused = world.submit(run_file("second")).content.decode()
    assert "The team has submitted 1 of 1 run. Withdraw or replace a run" in refused
    world.change(shows_own_scores=True)  # a replaced run keeps its place then
    assert not has_form(form_page(world))


def test_a_run_outside_the_days_of_the_quota_frees_no_place(world: World) -> None:
    world.change(run_quota=1, quota_days=7)
    old = world.submitted_run(run_file("old"))
    Run.objects.filter(pk=old.pk).update(submitted_at=NOW - timedelta(days=8))
    new = world.submitted_run(run_file("new"))
    options = submission_options.options_for(
        viewer_or_404(world.participant, world.campaign.slug), timezone.now()
    )
    assert [run.public_id for run in options.replaceable] == [new.public_id]


def test_a_run_that_an_upload_is_about_to_replace_is_not_offered_again(world: World) -> None:
    old = world.submitted_run(run_file("old"))
    world.submit(run_file("new"), replaces=old.public_id)
    assert f'<option value="{old.public_id}"' not in form_page(world)


def test_a_team_that_waits_and_one_without_the_terms_see_why(world: World) -> None:
    world.change(terms="Be fair.")
    page = form_page(world)
    assert not has_form(page)
    assert "Accept the campaign&#x27;s terms on your team" in page
    Team.objects.filter(pk=world.team.pk).update(approved_at=None)
    page = form_page(world)
    assert not has_form(page)
    assert "Your team awaits approval by an organiser" in page


def test_before_the_opening_the_page_says_when(world: World) -> None:
    opens = NOW + timedelta(days=2)
    world.change(opens_at=opens)
    page = form_page(world)
    assert not has_form(page)
    assert f"Submissions open on {opens:%-d %B %Y %H:%M} UTC" in page
    assert opens.isoformat() in page  # on the reader's other clocks too


@pytest.mark.parametrize(
    "facts", [{"attempt_quota": 0}, {"topics_released_at": NOW + timedelta(1)}]
)
def test_a_reason_that_refuses_every_file_hides_the_form(world: World, facts) -> None:
    world.change(**facts)
    assert not has_form(form_page(world))


def test_a_form_that_was_sent_too_late_says_so_and_stays(world: World) -> None:
    world.change(closes_at=NOW - timedelta(hours=2))
    page = world.submit(run_file())
    assert page.status_code == 400
    assert "Submissions closed on" in page.content.decode()


def test_the_same_file_again_is_called_so(world: World) -> None:
    world.submitted_run(run_file("ours"))
    again = world.submitted_run(run_file("ours"))
    assert (again.state, again.problems[0]["code"]) == (Run.State.REFUSED, "SAME_FILE")
    assert "already submitted this file" in again.problems[0]["message"]
    other = world.submitted_run(run_file("ours", documents=("d3", "d1")))
    assert (other.state, other.name) == (Run.State.ACCEPTED, "ours-2")


def test_after_the_back_button_the_second_attempt_submits_another_file(world: World) -> None:
    """A browser's back button shows the form with the key of the upload that was taken."""
    first = world.submitted_run(run_file("first"), idempotency_key="shown once")
    refused = world.submit(run_file("second"), idempotency_key="shown once")
    assert refused.status_code == 400
    assert "You already submitted another file from this page" in refused.content.decode()
    key = refused.context["form"]["idempotency_key"].value()
    assert key != "shown once"
    second = world.submitted_run(run_file("second"), idempotency_key=key)
    assert second != first


def test_a_script_in_the_page_is_given_another_key_only_where_a_file_was_refused(
    world: World,
) -> None:
    url = reverse("campaigns:run-create", args=[world.campaign.slug])
    asked = {"headers": {"Accept": "application/json"}}
    faulty = world.browser.post(url, {"idempotency_key": "mine"}, **asked).json()
    assert faulty["idempotency_key"] == "mine"
    world.submitted_run(run_file("first"), idempotency_key="mine")
    data = {"file": SimpleUploadedFile("run.txt", run_file("second")), "run_type": "automatic"}
    refused = world.browser.post(url, data | {"idempotency_key": "mine"}, **asked).json()
    assert refused["idempotency_key"] not in ("", "mine")


def overview(world: World) -> str:
    url = reverse("campaigns:campaign-detail", args=[world.campaign.slug])
    return " ".join(world.browser.get(url).content.decode().split())


def test_the_overview_names_the_step_that_is_the_teams(world: World) -> None:
    assert "Next step: submit a run." in overview(world)
    first = world.submitted_run(run_file("first"))
    assert "Your team can submit more runs." in overview(world)
    Run.objects.filter(pk=first.pk).update(withdrawn_at=timezone.now())
    assert "Next step: submit a run." in overview(world)
    world.change(asks_acceptance=True, run_quota=1)
    run = world.submitted_run(run_file("ours"))
    sentence = "1 of your runs is checked, and counts only if you accept it"
    assert sentence in overview(world)
    world.change(stage="closed", is_accepting=False)
    assert sentence in overview(world)
    assert "Submissions are closed." not in overview(world)
    world.change(stage="judging")
    assert sentence not in overview(world)
    world.change(stage="open", is_accepting=True)
    accept = reverse("campaigns:run-accept", args=[world.campaign.slug, run.public_id])
    world.browser.post(accept)
    assert "Your team has submitted its 1 run. It can still replace it." in overview(world)


def test_the_overview_calls_no_disqualified_team_to_submit(world: World) -> None:
    Team.objects.filter(pk=world.team.pk).update(
        disqualified_at=NOW, disqualified_reason="two teams of one person"
    )
    page = overview(world)
    assert "cannot submit runs. Reason: two teams of one person" in page
    assert "Next step" not in page


def test_the_page_of_a_refused_run_leads_back_to_the_form(world: World) -> None:
    run = world.submitted_run(b"no run at all\n")
    assert run.state == Run.State.REFUSED
    assert f'href="/campaigns/{world.campaign.slug}/submit/">submit it again' in world.page_of(run)


def test_the_column_of_run_files_appears_if_any_can_be_downloaded(world: World) -> None:
    world.submitted_run(run_file("ours"))
    world.change(runs_audience=2)
    url = reverse("scoring:downloads", args=[world.campaign.slug])
    own, others = world.browser.get(url), world.another_team().get(url)
    assert ">run file</th>" in own.content.decode()
    assert "ours" in others.content.decode()
    assert ">run file</th>" not in others.content.decode()
