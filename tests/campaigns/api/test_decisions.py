"""What organisers decide by script, and tell: of teams, of runs, of a campaign's afterlife."""

import pytest
from django.core import mail

from campaigns import lifecycle
from campaigns.models import Campaign, Judgment, LogEntry, Membership, Notice, Qrels, Run, Team
from scoring.models import Job, Snapshot
from tests.campaigns.api.conftest import World, client_of, faulty
from tests.flow_world import perform_jobs, wake_ups
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user

__all__ = ["wake_ups"]  # fixtures

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser_client(world: World):
    return client_of(world.organiser)


def send(client, url: str, **said: str):
    return client.post(url, said, format="json")


# --- teams ----------------------------------------------------------------------------------------


def teams_url(world: World, team: Team) -> str:
    return f"{world.url}teams/{team.public_id}/"


def waiting_team(world: World) -> Team:
    team = make_team(world.campaign, make_user(), name="Waiting")
    Team.objects.filter(pk=team.pk).update(approved_at=None)
    return team


def test_a_pending_team_is_approved_or_declined(world: World, organiser_client) -> None:
    first, second = waiting_team(world), waiting_team(world)
    answer = send(organiser_client, teams_url(world, first) + "approve/")
    assert answer.status_code == 200
    assert answer.json()["approved_at"] is not None
    again = send(organiser_client, teams_url(world, first) + "decline/")
    assert (again.status_code, again.json()["code"]) == (409, "cannot_change")
    assert send(organiser_client, teams_url(world, second) + "decline/").status_code == 204
    assert not Team.objects.filter(pk=second.pk).exists()


def test_two_teams_become_one(world: World, organiser_client) -> None:
    into = world.run.team
    team = make_team(world.campaign, make_user("other@example.org"), name="Other")
    make_run(world.campaign, team, tag="theirs")
    answer = send(organiser_client, teams_url(world, team) + "merge/", into=into.public_id)
    assert answer.status_code == 200
    assert (answer.json()["id"], answer.json()["runs"]) == (into.public_id, 2)
    assert "other@example.org" in answer.json()["members"]
    assert not Team.objects.filter(pk=team.pk).exists()
    assert (
        send(organiser_client, teams_url(world, team) + "merge/", into=into.public_id).status_code
        == 404
    )


def test_a_team_is_not_merged_with_itself_nor_with_one_that_is_out(
    world: World, organiser_client
) -> None:
    into = world.run.team
    team = make_team(world.campaign, name="Other")
    assert (
        send(organiser_client, teams_url(world, team) + "disqualify/", reason="why").status_code
        == 200
    )
    for chosen in (team, into):
        answer = send(organiser_client, teams_url(world, chosen) + "merge/", into=chosen.public_id)
        assert (answer.status_code, answer.json()["code"]) == (409, "cannot_merge")
    answer = send(organiser_client, teams_url(world, team) + "merge/", into=into.public_id)
    assert (answer.status_code, answer.json()["code"]) == (409, "cannot_merge")
    assert world.campaign.teams.count() == 2


def test_a_disqualified_team_is_not_ranked_until_it_is_reinstated(
    world: World, organiser_client
) -> None:
    def statuses() -> list[tuple[str, str]]:
        board = client_of(None).get(f"{world.url}leaderboard/").json()
        return [(row["status"], row["reason"]) for row in board]

    url = teams_url(world, world.run.team)
    answer = send(organiser_client, url + "disqualify/", reason="Tuned on the  test topics.")
    assert answer.json()["disqualified_reason"] == "Tuned on the test topics."
    assert statuses() == [("disqualified", "Tuned on the test topics.")]
    again = send(organiser_client, url + "disqualify/", reason="Another one.")
    assert (again.status_code, again.json()["code"]) == (409, "cannot_change")
    assert send(organiser_client, url + "reinstate/").json()["disqualified_at"] is None
    assert statuses() == [("ranked", "")]


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({}, ("reason", "required")),
        ({"reason": "  "}, ("reason", "blank")),
        ({"reason": "x" * 501}, ("reason", "max_length")),
    ],
)
def test_nothing_is_disqualified_without_a_reason(
    said: dict, fault: tuple[str, str], world: World, organiser_client
) -> None:
    run = f"{world.url}runs/{world.run.public_id}/"
    for url in (teams_url(world, world.run.team), run):
        assert faulty(send(organiser_client, url + "disqualify/", **said)) == [fault]
    assert not Team.objects.exclude(disqualified_at=None).exists()
    assert not Run.objects.exclude(disqualified_at=None).exists()


# --- runs -----------------------------------------------------------------------------------------


def test_a_run_is_disqualified_once_and_reinstated(world: World, organiser_client) -> None:
    url = f"{world.url}runs/{world.run.public_id}/"
    first = send(organiser_client, url + "disqualify/", reason="It was made by hand.").json()
    again = send(organiser_client, url + "disqualify/", reason="Another one.").json()
    assert (first["status"], first["disqualified_because"]) == ("accepted", "It was made by hand.")
    assert again == first
    assert client_of(None).get(f"{world.url}leaderboard/").json()[0]["status"] == "disqualified"
    for _ in range(2):
        answer = send(organiser_client, url + "reinstate/").json()
        assert (answer["disqualified_at"], answer["disqualified_because"]) == (None, "")
    verbs = ["disqualified", "reinstated"]
    assert LogEntry.objects.filter(verb__in=verbs, actor=world.organiser).count() == 2


def test_a_team_cannot_disqualify_a_run_not_even_its_own(world: World) -> None:
    ours = client_of(world.participant)
    url = f"{world.url}runs/{world.run.public_id}/"
    assert send(ours, url + "disqualify/", reason="why").status_code == 404
    assert send(ours, url + "reinstate/").status_code == 404


# --- judgments ------------------------------------------------------------------------------------


def test_judgments_are_frozen_into_a_version(
    world: World, organiser_client, wake_ups: list[int]
) -> None:
    url = f"{world.url}qrels/freeze/"
    answer = send(organiser_client, url)
    assert (answer.status_code, answer.json()["code"]) == (409, "nothing_judged")
    topic = world.campaign.topics.get(code="1")
    assessor = make_user()
    for grade in (0, 1):
        Judgment.objects.create(
            campaign=world.campaign, topic=topic, doc_id="d1", grade=grade, assessor=assessor
        )
    frozen = organiser_client.post(url, {"note": "first", "is_activated": False}, format="json")
    assert frozen.status_code == 201
    assert (frozen.json()["version"], frozen.json()["is_active"]) == (2, False)
    assert (frozen.json()["judgments"], frozen.json()["note"]) == (1, "first")
    again = send(organiser_client, url).json()
    assert (again["version"], again["is_active"]) == (2, True)  # of the same content
    assert Qrels.objects.count() == 2


def test_judgments_that_cannot_be_used_are_answered_as_a_faulty_file(
    world: World, organiser_client
) -> None:
    topic = world.campaign.topics.get(code="1")
    Judgment.objects.create(
        campaign=world.campaign, topic=topic, doc_id="d1", grade=5, assessor=make_user()
    )
    answer = send(organiser_client, f"{world.url}qrels/freeze/")
    assert (answer.status_code, answer.json()["code"]) == (400, "file")
    assert [problem["code"] for problem in answer.json()["problems"]] == ["GRADE"]


# --- announcements --------------------------------------------------------------------------------


def test_an_announcement_is_sent_once_and_visible_to_people_with_a_role(
    world: World, organiser_client, wake_ups: list[int]
) -> None:
    url = f"{world.url}announcements/"
    said = {"subject": "Two  days more", "body": "Until **3 September**."}
    for _ in range(2):
        answer = send(organiser_client, url, **said)
        assert (answer.status_code, answer.json()["subject"]) == (201, "Two days more")
    Notice.objects.exclude(key__startswith="announcement/").delete()
    perform_jobs(Job.Kind.NOTIFY)
    assert [letter.to for letter in mail.outbox] == [[world.participant.email]]
    read = client_of(world.participant).get(url).json()
    assert [(each["subject"], each["body"]) for each in read] == [
        ("Two days more", "Until **3 September**.")
    ]
    assert client_of(None).get(url).json() == []  # nor does the page show it to strangers
    assert "Two days more" not in client_of(None).get("/campaigns/the-campaign/").content.decode()


def test_an_announcement_says_something(world: World, organiser_client) -> None:
    answer = send(organiser_client, f"{world.url}announcements/", subject=" ")
    assert sorted(faulty(answer)) == [("body", "required"), ("subject", "blank")]
    assert not world.campaign.announcements.exists()


# --- afterlife ------------------------------------------------------------------------------------


def test_a_campaign_is_copied_to_the_next_year(world: World, organiser_client) -> None:
    answer = send(organiser_client, f"{world.url}copy/", slug="next-year", name="Next year")
    assert (answer.status_code, answer.json()["stage"]) == (201, "draft")
    assert (answer.json()["topics"], answer.json()["roles"]) == (0, ["organiser"])
    made = Campaign.objects.get(slug="next-year")
    assert (made.copied_from, made.measures) == (world.campaign, world.campaign.measures)
    assert faulty(send(organiser_client, f"{world.url}copy/", slug="next-year", name="Again")) == [
        ("slug", "unique")
    ]


def test_copying_requires_the_permission_to_create_campaigns(world: World) -> None:
    second = make_organiser(world.campaign, make_user())
    answer = send(client_of(second), f"{world.url}copy/", slug="next-year", name="Next year")
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert not Campaign.objects.filter(slug="next-year").exists()


def test_a_campaign_is_archived_and_brought_back(world: World, organiser_client) -> None:
    assert (
        send(organiser_client, f"{world.url}archive/").json()["settings"]["archived_at"] is not None
    )
    again = send(organiser_client, f"{world.url}archive/")
    assert (again.status_code, again.json()["code"]) == (409, "archived")
    for _ in range(2):
        answer = send(organiser_client, f"{world.url}unarchive/")
        assert (answer.status_code, answer.json()["settings"]["archived_at"]) == (200, None)


def test_a_campaign_that_takes_runs_is_not_archived(world: World, organiser_client) -> None:
    Campaign.objects.filter(pk=world.campaign.pk).update(stage="open", is_accepting=True)
    answer = send(organiser_client, f"{world.url}archive/")
    assert (answer.status_code, answer.json()["code"]) == (409, "cannot_step")


def test_deleting_takes_the_archive_and_the_url_typed_again(world: World, organiser_client) -> None:
    assert faulty(organiser_client.delete(world.url)) == [("typed", "required")]
    early = organiser_client.delete(f"{world.url}?typed=the-campaign")
    assert (early.status_code, early.json()["code"]) == (409, "cannot_delete")
    lifecycle.unpublish(campaign=world.campaign, actor=None)
    send(organiser_client, f"{world.url}archive/")
    other = organiser_client.delete(f"{world.url}?typed=the-campain")
    assert (other.status_code, other.json()["code"]) == (409, "cannot_delete")
    assert Campaign.objects.filter(pk=world.campaign.pk).exists()
    assert organiser_client.delete(f"{world.url}?typed=the-campaign").status_code == 204
    assert not Campaign.objects.filter(pk=world.campaign.pk).exists()
    assert not Run.objects.exists()
    assert not Snapshot.objects.exists()
    assert organiser_client.get(world.url).status_code == 404


def test_an_assessor_does_none_of_this(world: World) -> None:
    assessor, campaign = make_user(is_approved=True), make_campaign(slug="draft", stage="draft")
    Membership.objects.create(campaign=world.campaign, person=assessor, role="assessor")
    make_organiser(campaign, world.organiser)
    client = client_of(assessor)
    answers = [
        send(client, f"{world.url}copy/", slug="mine", name="Mine"),
        send(client, f"{world.url}archive/"),
        send(client, f"{world.url}qrels/freeze/"),
        send(client, f"{world.url}announcements/", subject="s", body="b"),
        client.delete("/api/campaigns/draft/?typed=draft"),
    ]
    assert [answer.status_code for answer in answers] == [404] * 5
    assert Campaign.objects.filter(slug="draft").exists()
