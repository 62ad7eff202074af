"""What organisers do by script, from an empty site to a published board; and what they may not."""

import pytest
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient
from rest_framework.throttling import SimpleRateThrottle

from campaigns.models import Campaign, Qrels
from campaigns.models.showing import live_board
from tests.campaigns.api.conftest import World, client_of
from tests.flow_world import QRELS, perform_jobs, run_file, wake_ups
from tests.making import make_campaign, make_organiser, make_team, make_user

__all__ = ["wake_ups"]  # fixtures

pytestmark = pytest.mark.django_db
TOPICS = b"1\tfirst\n2\tsecond\n"


def a_file(data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("file.txt", data)


def test_a_campaign_is_run_by_script_from_its_first_topic_to_its_board(
    wake_ups: list[int],
) -> None:
    organiser_client, person = client_of(make_user(is_approved=True)), make_user()
    made = organiser_client.post(
        "/api/campaigns/",
        {"slug": "by-script", "name": "By script", "run_quota": 3, "preset": "live"},
        format="json",
    )
    url = "/api/campaigns/by-script/"
    assert (made.status_code, made.json()["stage"]) == (201, "draft")
    assert made.json()["settings"]["stage_switches"] == live_board()
    assert (
        organiser_client.post(f"{url}steps/open/").json()["code"] == "cannot_step"
    )  # no topics yet
    added = organiser_client.post(f"{url}topics/", {"file": a_file(TOPICS)})
    assert added.json() == {"added": 2, "updated": 0, "warnings": []}
    assert organiser_client.post(f"{url}steps/open/").json()["stage"] == "open"
    make_team(Campaign.objects.get(slug="by-script"), person)
    taken = client_of(person).post(f"{url}runs/", {"file": a_file(run_file())})
    perform_jobs()
    assert client_of(person).get(taken.json()["url"]).json()["status"] == "accepted"
    qrels = organiser_client.post(f"{url}qrels/", {"file": a_file(QRELS), "note": "pool of ten"})
    assert (qrels.status_code, qrels.json()["version"], qrels.json()["is_active"]) == (201, 1, True)
    perform_jobs()
    board = client_of(None).get(f"{url}leaderboard/", {"measure": "AP"}).json()
    assert [(row["rank"], row["run"], row["qrels"]) for row in board] == [(1, "ours", 1)]
    snapshot = organiser_client.post(f"{url}snapshots/", {"title": "Day one"}, format="json")
    assert (snapshot.status_code, snapshot.json()["title"]) == (201, "Day one")
    assert [team["runs"] for team in organiser_client.get(f"{url}teams/").json()] == [1]


def test_not_everybody_makes_campaigns() -> None:
    body = {"slug": "mine", "name": "Mine"}
    assert client_of(None).post("/api/campaigns/", body, format="json").status_code == 401
    assert client_of(make_user()).post("/api/campaigns/", body, format="json").status_code == 403
    assert not Campaign.objects.exists()


# --- topics and qrels -----------------------------------------------------------------------------


def test_a_faulty_file_is_answered_with_its_lines_and_leaves_nothing(world: World) -> None:
    organiser_client = client_of(world.organiser)
    answer = organiser_client.post(
        f"{world.url}qrels/", {"file": a_file(b"1 0 d1 1\n2 0 d2 good\n")}
    )
    problems = [(each["code"], each["line"]) for each in answer.json()["problems"]]
    assert (answer.status_code, answer.json()["code"], problems) == (400, "file", [("GRADE", 2)])
    answer = organiser_client.post(f"{world.url}topics/", {"file": a_file(b"1\tone\n1\tanother\n")})
    problems = [(each["code"], each["line"]) for each in answer.json()["problems"]]
    assert (answer.status_code, problems) == (400, [("DUP", 2)])
    assert (world.campaign.qrels.count(), world.campaign.topics.count()) == (1, 3)


def test_unusual_qrels_are_accepted_with_a_confirmation(world: World) -> None:
    organiser_client, data = client_of(world.organiser), QRELS + b"99 0 d1 1\n"
    first = organiser_client.post(f"{world.url}qrels/", {"file": a_file(data)})
    assert (first.status_code, first.json()["code"]) == (400, "needs_confirmation")
    assert world.campaign.qrels.count() == 1
    again = organiser_client.post(
        f"{world.url}qrels/",
        {"file": a_file(data), "is_confirmed": "true", "is_activated": "false"},
    )
    assert (again.status_code, again.json()["is_active"]) == (201, False)
    assert "DROPPED_TOPICS" in {warning["code"] for warning in again.json()["warnings"]}


def test_an_older_version_is_activated_again(world: World) -> None:
    organiser_client = client_of(world.organiser)
    organiser_client.post(f"{world.url}qrels/", {"file": a_file(QRELS)})
    assert Campaign.objects.get(pk=world.campaign.pk).active_qrels.version == 2
    assert organiser_client.post(f"{world.url}qrels/1/").json()["is_active"]
    versions = organiser_client.get(f"{world.url}qrels/").json()
    assert [(each["version"], each["is_active"]) for each in versions] == [(1, True), (2, False)]
    text = b"".join(organiser_client.get(f"{world.url}qrels/2/").streaming_content)
    assert text == QRELS


def test_a_topic_with_a_slash_in_its_code_is_found(world: World) -> None:
    assert client_of(None).get(f"{world.url}topics/a/b/").json()["code"] == "a/b"


def test_a_topic_can_be_removed_only_while_nothing_depends_on_it(world: World) -> None:
    organiser_client = client_of(world.organiser)
    answer = organiser_client.delete(f"{world.url}topics/1/")
    assert (answer.status_code, answer.json()["code"]) == (409, "cannot_remove")
    fresh = make_campaign(slug="fresh")
    make_organiser(fresh, world.organiser)
    assert organiser_client.delete("/api/campaigns/fresh/topics/1/").status_code == 204
    assert [topic.code for topic in fresh.topics.all()] == ["2"]


def test_before_the_topics_are_released_nobody_counts_them(world: World) -> None:
    Campaign.objects.filter(pk=world.campaign.pk).update(topics_released_at="2100-01-01T00:00:00Z")
    public = client_of(None)
    assert public.get(world.url).json()["topics"] is None
    for path in ("topics/", "topics/1/", "scores/", "scores/?format=csv"):
        assert public.get(world.url + path).status_code == 404
    assert client_of(world.organiser).get(world.url).json()["topics"] == 3


def test_nothing_of_an_archived_campaign_is_changed(world: World) -> None:
    Campaign.objects.filter(pk=world.campaign.pk).update(archived_at="2026-01-01T00:00:00Z")
    organiser_client = client_of(world.organiser)
    run = f"{world.url}runs/{world.run.public_id}/"
    team = f"{world.url}teams/{world.run.team.public_id}/"
    answers = [
        organiser_client.patch(world.url, {"name": "New"}, format="json"),
        organiser_client.post(f"{world.url}steps/unpublish/"),
        organiser_client.post(f"{world.url}topics/", {"file": a_file(TOPICS)}),
        organiser_client.post(f"{world.url}qrels/", {"file": a_file(QRELS)}),
        organiser_client.post(f"{world.url}snapshots/", {}, format="json"),
        organiser_client.patch(world.url, {"asks_priority": True}, format="json"),
        organiser_client.patch(world.url, {"feedback_runs": 3}, format="json"),
        organiser_client.post(
            f"{world.url}announcements/", {"subject": "s", "body": "b"}, format="json"
        ),
        organiser_client.post(f"{world.url}archive/"),
        organiser_client.post(f"{run}disqualify/", {"reason": "why"}, format="json"),
        organiser_client.post(f"{run}reinstate/"),
        organiser_client.post(f"{team}approve/"),
        organiser_client.post(f"{team}disqualify/", {"reason": "why"}, format="json"),
        organiser_client.post(f"{team}merge/", {"into": "nobody"}, format="json"),
    ]
    assert [(each.status_code, each.json()["code"]) for each in answers] == [
        (409, "archived")
    ] * len(answers)
    assert Campaign.objects.get(pk=world.campaign.pk).name == world.campaign.name
    assert Qrels.objects.count() == 1


# --- what is not there ----------------------------------------------------------------------------

PATHS = (
    "", "topics/", "topics/1/", "qrels/", "qrels/1/", "teams/", "runs/", "runs/x/", "leaderboard/",
    "scores/", "snapshots/", "steps/open/", "copy/", "archive/", "unarchive/", "announcements/",
    "qrels/freeze/", "teams/x/merge/", "teams/x/disqualify/", "runs/x/disqualify/",
    "runs/x/reinstate/",
)  # fmt: skip


def test_hidden_objects_are_not_found(world: World) -> None:
    """To the letter, for every method."""
    Campaign.objects.filter(pk=world.campaign.pk).update(stage="draft")
    stranger = client_of(make_user())
    for path in PATHS:
        for method in ("get", "post", "patch", "delete", "options"):
            hidden = getattr(stranger, method)(world.url + path)
            missing = getattr(stranger, method)(f"/api/campaigns/no-such/{path}")
            assert hidden.status_code == missing.status_code, (method, path)
            assert hidden.content == missing.content, (method, path)


def test_a_hidden_snapshot_or_run_is_not_found(world: World) -> None:
    Campaign.objects.filter(pk=world.campaign.pk).update(
        stage="judging", board_audience=0, runs_audience=0, per_topic_audience=0
    )
    public = client_of(None)
    ids = (world.snapshot.public_id, world.run.public_id)
    for path, name in (
        ("/snapshots/{}/", ids[0]), ("/snapshots/{}.zip", ids[0]),
        (f"{world.url}runs/{{}}/", ids[1]), (f"{world.url}runs/{{}}/file/", ids[1]),
    ):  # fmt: skip
        hidden, missing = public.get(path.format(name)), public.get(path.format("nothing"))
        assert (hidden.status_code, missing.status_code) == (404, 404)
        # A page that is not found leads to the log-in and back to its own URL.
        assert hidden.content.replace(name.encode(), b"nothing") == missing.content


# --- running away ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scope", "method", "path", "body"),
    [
        ("organise", "patch", "", {"name": "Again"}),
        ("organise", "post", "steps/open/", None),
        ("organise", "post", "snapshots/", {}),
        ("uploads", "post", "runs/", None),
    ],
)
def test_a_runaway_script_receives_429(
    scope: str, method: str, path: str, body: dict | None, world: World, monkeypatch
) -> None:
    rates = SimpleRateThrottle.THROTTLE_RATES | {scope: "1/hour"}
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", rates)
    client: APIClient = client_of(world.organiser)
    call = getattr(client, method)
    assert call(world.url + path, body, format="json" if body is not None else None)
    caches["throttles"].clear()  # in another web process
    second = call(world.url + path, body, format="json" if body is not None else None)
    assert second.status_code == 429
    assert int(second["Retry-After"]) > 0
    assert client.get(world.url + "leaderboard/").status_code == 200  # reading goes on
