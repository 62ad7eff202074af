"""Versions of the qrels: beside the active one, back again, frozen from judgments, handed out."""

import gzip
import hashlib
from datetime import UTC, datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from campaigns import lifecycle
from campaigns.models import Audience, Campaign, Judgment, LogEntry, Qrels
from campaigns.qrels import versions
from scoring.evaluation.rescoring import rescoring
from scoring.models import Evaluation, Score
from tests.crowd import crowd
from tests.flow_world import QRELS, World, perform_jobs, run_file, stored_files
from tests.making import make_user

pytestmark = pytest.mark.usefixtures("wake_ups")

OTHER = b"1 0 d1 0\n1 0 d3 1\n2 0 d2 1\n"


def send(world: World, data: bytes, **fields: str) -> str:
    """The organiser's form, sent; what the page says after it."""
    url = reverse("campaigns:qrels-add", args=[world.campaign.slug])
    file = SimpleUploadedFile("qrels.txt", data)
    response = world.organiser_client.post(url, {"file": file, **fields}, follow=True)
    world.campaign.refresh_from_db()
    return response.content.decode()


def activate(world: World, version: int) -> str:
    url = reverse("campaigns:qrels-activate", args=[world.campaign.slug, version])
    page = world.organiser_client.post(url, follow=True).content.decode()
    world.campaign.refresh_from_db()
    return page


def active_version(world: World) -> int | None:
    world.campaign.refresh_from_db()
    return world.campaign.active_qrels and world.campaign.active_qrels.version


def file_of(world: World, version: int, browser: Client) -> tuple[int, bytes]:
    url = reverse("campaigns:qrels-file", args=[world.campaign.slug, version])
    response = browser.get(url)
    return response.status_code, b"".join(response)


def judge(world: World, topic: str, doc_id: str, grade: int, assessor: object) -> None:
    Judgment.objects.create(
        campaign=world.campaign,
        topic=world.campaign.topics.get(code=topic),
        doc_id=doc_id,
        grade=grade,
        assessor=assessor,
    )


@pytest.mark.parametrize("button", ["add_only", "stays_aside"])  # of a page before an upgrade
def test_a_version_that_is_not_active_scores_nothing(world: World, button: str) -> None:
    send(world, QRELS)
    world.submitted_run(run_file())
    page = send(world, OTHER, note="after the audit", **{button: "on"})
    assert "qrels v2 has been added and is not active" in page
    assert "after the audit" in page
    assert (active_version(world), Qrels.objects.count(), perform_jobs()) == (1, 2, 0)


def test_an_older_version_is_activated_with_its_scores(world: World) -> None:
    send(world, QRELS)
    world.submitted_run(run_file())
    before = world.board("AP")
    send(world, OTHER)
    perform_jobs()
    assert world.board("AP") != before
    scores = set(Score.objects.values_list("pk", flat=True))
    assert "qrels v1 is active" in activate(world, 1)
    assert perform_jobs() == 0  # what was scored under it is still there
    assert world.board("AP") == before
    assert set(Score.objects.values_list("pk", flat=True)) == scores


def test_a_later_run_is_scored_under_the_reactivated_version(
    world: World,
) -> None:
    send(world, QRELS)
    send(world, OTHER)
    run = world.submitted_run(run_file())
    activate(world, 1)
    assert perform_jobs() == 1
    versions = run.evaluations.order_by("qrels__version").values_list("qrels__version", "state")
    assert list(versions) == [(1, Evaluation.State.SCORED), (2, Evaluation.State.SCORED)]


def test_the_content_of_an_older_version_is_no_new_one(world: World) -> None:
    for data in (QRELS, OTHER, QRELS):
        send(world, data)
    assert (active_version(world), Qrels.objects.count(), len(stored_files("qrels"))) == (1, 2, 2)


def test_adding_the_same_file_twice_at_once_creates_one_version(
    world: World, own_connections: None
) -> None:
    def add() -> int:
        campaign = Campaign.objects.get(pk=world.campaign.pk)
        qrels, _ = versions.add_qrels(campaign=campaign, data=QRELS, note="", actor=None)
        return qrels.version

    assert crowd([add] * 4) == [1] * 4
    assert Qrels.objects.count() == 1


def test_of_two_versions_activated_at_once_one_is_active_and_the_log_has_both(
    world: World, own_connections: None
) -> None:
    send(world, QRELS)
    run = world.submitted_run(run_file())
    added = []
    for number in range(2):
        data = OTHER + b"2 0 x%d 0\n" % number
        qrels, _ = versions.add_qrels(
            campaign=world.campaign, data=data, note="", actor=None, is_activated=False
        )
        added.append(qrels)

    def activate(qrels: Qrels) -> None:
        campaign = Campaign.objects.get(pk=world.campaign.pk)
        versions.activate_qrels(campaign=campaign, qrels=qrels, actor=None)

    outcomes = crowd([lambda q=qrels: activate(q) for qrels in added])
    assert outcomes == [None, None]
    log = LogEntry.objects.filter(verb="activated qrels").order_by("pk")
    logged = list(log.values_list("subject", flat=True))
    assert sorted(logged) == ["1", "2", "3"]
    assert active_version(world) == int(logged[-1])
    perform_jobs()
    state = Evaluation.State.SCORED
    assert run.evaluations.get(qrels=world.campaign.active_qrels).state == state


def test_a_version_above_the_scale_does_not_come_back(world: World) -> None:
    world.change(highest_grade=2)
    send(world, QRELS.replace(b"d1 1", b"d1 2"))
    send(world, OTHER)
    world.change(highest_grade=1)
    assert "qrels v1 contains grade 2" in activate(world, 1)
    assert active_version(world) == 2


def test_an_archived_campaign_keeps_its_qrels(world: World) -> None:
    send(world, QRELS)
    send(world, OTHER, add_only="on")
    world.change(archived_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert "archived" in activate(world, 2)
    assert "archived" in send(world, QRELS + b"2 0 x 0\n")
    assert (active_version(world), Qrels.objects.count(), len(stored_files("qrels"))) == (1, 2, 2)


def test_a_version_has_the_time_of_its_first_published_leaderboard(world: World) -> None:
    send(world, QRELS)
    lifecycle.publish(campaign=world.campaign, actor=world.organiser)
    send(world, OTHER)
    published = Qrels.objects.get(version=2).published_at
    assert published is not None
    activate(world, 1)
    activate(world, 2)
    assert Qrels.objects.get(version=2).published_at == published


def test_before_publication_no_version_has_that_time(
    world: World,
) -> None:
    for data in (QRELS, OTHER):
        send(world, data)
    assert set(Qrels.objects.values_list("published_at", flat=True)) == {None}


def test_the_latest_judgment_of_a_document_is_frozen(world: World) -> None:
    anna, bob = make_user(), make_user()
    for topic, doc_id, grade, assessor in [
        ("1", "d1", 0, anna),
        ("1", "d1", 1, anna),  # she thought better of it
        ("1", "d2", 1, anna),
        ("1", "d2", 0, bob),  # they disagree: his is the later word
        ("2", "d2", 1, bob),
    ]:
        judge(world, topic, doc_id, grade, assessor)
    url = reverse("campaigns:qrels-freeze", args=[world.campaign.slug])
    page = world.organiser_client.post(url, {"note": "first pool"}, follow=True).content.decode()
    assert "qrels v1 is active" in page
    qrels = Qrels.objects.get()
    assert file_of(world, 1, world.organiser_client) == (200, b"1 0 d1 1\n1 0 d2 0\n2 0 d2 1\n")
    assert (qrels.note, qrels.judgment_count) == ("first pool", 3)
    assert qrels.provenance == {
        "judgments": 5,
        "from_outside": 4,  # of those that stand
        "documents": 3,
        "assessors": 2,
        "by_assessor": [2, 2],
        "judged_twice": 1,
        "disagreed": 1,
        "decided": 0,
    }


def test_frozen_again_without_new_judgments_is_no_new_version(world: World) -> None:
    judge(world, "1", "d1", 1, make_user())
    for _ in range(2):
        versions.freeze_judgments(campaign=world.campaign, note="", actor=None)
    assert Qrels.objects.count() == 1
    judge(world, "1", "d2", 1, make_user())
    frozen = versions.freeze_judgments(
        campaign=world.campaign, note="", actor=None, is_activated=False
    )
    assert (frozen.version, active_version(world)) == (2, 1)


def test_nothing_judged_is_nothing_to_freeze(world: World) -> None:
    url = reverse("campaigns:qrels-freeze", args=[world.campaign.slug])
    page = world.organiser_client.post(url, follow=True).content.decode()
    assert "no judgments to freeze" in page
    assert Qrels.objects.count() == 0


def test_a_gzipped_version_is_downloaded_as_plain_text(world: World) -> None:
    send(world, gzip.compress(QRELS))
    assert file_of(world, 1, world.organiser_client) == (200, QRELS)


@pytest.mark.parametrize(
    ("audience", "team", "public"),
    [
        (Audience.ORGANISERS, 404, 404),
        (Audience.PARTICIPANTS, 200, 404),
        (Audience.EVERYONE, 200, 200),
    ],
)
def test_the_visibility_of_qrels_decides_who_can_download_them(
    world: World, audience: Audience, team: int, public: int
) -> None:
    send(world, QRELS)
    send(world, OTHER, add_only="on")
    world.change(qrels_audience=audience)
    assert file_of(world, 1, world.browser)[0] == team
    assert file_of(world, 1, Client())[0] == public
    for browser in (world.browser, Client()):  # never active: nobody's but the organisers'
        assert file_of(world, 2, browser)[0] == 404
    assert file_of(world, 2, world.organiser_client) == (200, OTHER)


def test_the_bar_counts_the_runs_scored_under_the_version_active_version(world: World) -> None:
    send(world, QRELS)
    for tag in ("one", "two", "three"):
        world.submitted_run(run_file(tag))
    send(world, OTHER)
    url = reverse("scoring:rescoring", args=[world.campaign.slug])
    page = world.organiser_client.get(url).content.decode()
    assert "0 of 3 runs scored under qrels v2" in page
    assert "hx-get" in page
    Evaluation.objects.filter(qrels__version=2, run__tag="one").update(state="scored")
    Evaluation.objects.filter(qrels__version=2, run__tag="two").update(state="failed")
    found = rescoring(world.campaign)
    assert found is not None
    assert (found.total, found.scored, found.failed, found.is_over) == (3, 1, 1, False)
    perform_jobs()
    page = world.organiser_client.get(url).content.decode()
    assert "All 3 runs are scored under qrels v2" in page
    assert "hx-get" not in page


@pytest.mark.parametrize(
    "data",
    [
        b"query-id\tcorpus-id\tscore\n1\td1\t0\n1\td3\t1\n2\td2\t1\n",
        b'{"1": {"d1": 0, "d3": 1}, "2": {"d2": 1}}',
        b"topic iteration docno grade\n" + OTHER,
    ],
)
def test_qrels_of_another_layout_are_downloaded_as_trec_has_them(world: World, data: bytes) -> None:
    send(world, data)
    version = world.campaign.qrels.latest("version")
    assert file_of(world, version.version, world.organiser_client) == (200, OTHER)
    assert version.provenance["uploaded_sha256"] == hashlib.sha256(data).hexdigest()
    send(world, gzip.compress(OTHER, mtime=0))
    version = world.campaign.qrels.latest("version")
    assert "uploaded_sha256" not in version.provenance
