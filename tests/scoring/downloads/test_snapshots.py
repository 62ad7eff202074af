"""A snapshot never changes, is its own file, and is for those who may see all that is in it."""

import csv
import io
import re
import zipfile
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import lifecycle
from campaigns.access import organiser_or_404
from campaigns.errors import CannotTakeSnapshot
from campaigns.models import Campaign, LogEntry, Preset, Run, Team, User
from campaigns.models.showing import TABLES
from campaigns.people.teams import admit_team
from campaigns.stored_files import FileLost
from scoring.downloads import snapshots
from scoring.downloads.snapshots import board_of, create_snapshot
from scoring.evaluation.rules import rules_of
from scoring.jobs.housekeeping import delete_unowned_files
from scoring.models import Snapshot
from tests.making import (
    give_file,
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)
from tests.teamwork import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    """Being judged, in TREC style; two runs are scored."""
    campaign = make_campaign(measures=["AP"], persistences=[0.5])
    give_file(make_qrels(campaign))
    for name, value in (("Alpha", 0.25), ("Beta", 0.5)):
        add_scored_run(campaign, make_team(campaign, name=name), value)
    lifecycle.start_judging(campaign=campaign, actor=None)
    return campaign


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


def add_scored_run(campaign: Campaign, team: Team, value: float) -> Run:
    run = make_run(campaign, team, tag=f"run-of-{team.name}")
    make_scores(run, {str(measure): (value, 0.1) for measure in rules_of(campaign).measures})
    return run


def taken(campaign: Campaign, organiser: User, title: str = "") -> Snapshot:
    viewer = organiser_or_404(organiser, campaign.slug)
    return create_snapshot(viewer=viewer, actor=organiser, title=title)


def page_of(snapshot: Snapshot, person: User | None = None, **query: str) -> object:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client.get(reverse("scoring:snapshot-detail", args=[snapshot.public_id]), query)


def file_of(snapshot: Snapshot, person: User | None = None, **headers: str) -> object:
    client = Client()
    if person is not None:
        client.force_login(person)
    url = reverse("scoring:snapshot-file", args=[snapshot.public_id])
    response = client.get(url, headers=headers)
    # Read at once: left alone, the stream would be closed during some later test.
    response.whole = b"".join(response.streaming_content) if response.streaming else b""
    return response


def bytes_of(response: object) -> bytes:
    return response.whole


def test_a_second_click_takes_no_second_snapshot(campaign: Campaign, organiser: User) -> None:
    client = Client()
    client.force_login(organiser)
    key = client.get(reverse("scoring:downloads", args=[campaign.slug])).context["key"]
    url = reverse("scoring:snapshot-create", args=[campaign.slug])
    first, second = (client.post(url, {"title": "Final", "key": key}) for _ in range(2))
    assert first.url == second.url == reverse("scoring:snapshot-detail", args=[key])
    assert campaign.snapshots.count() == 1


def test_a_snapshot_has_the_digits_and_marks_of_the_leaderboard(
    campaign: Campaign, organiser: User
) -> None:
    """Below 0.2571, 0.2562 with a residual of 0.3 is not printed 0.26."""
    member = make_user("gamma@example.org")
    gamma = make_team(campaign, member, name="Gamma")
    run = make_run(campaign, gamma, tag="exact", is_baseline=True, name="BM25_with_k1")
    make_scores(run, {str(each): (0.2571, 0.0) for each in rules_of(campaign).measures})
    other = make_run(campaign, gamma, tag="vague")
    make_scores(other, {str(each): (0.2562, 0.3) for each in rules_of(campaign).measures})
    lifecycle.publish(campaign=campaign, actor=None)
    snapshot = taken(campaign, organiser)

    def cells(page: str) -> list[tuple[str, str]]:
        return re.findall(r'<td class="num base"[^>]*>([^<]*)<span class="pale">(\d*)</span>', page)

    page = page_of(snapshot, member).content.decode()
    board = signed_in(member).get(reverse("scoring:leaderboard", args=[campaign.slug]))
    assert cells(page) == cells(board.content.decode())
    assert cells(page)[1:3] == [("0.2571", ""), ("0.2", "56")]
    for mark, count in (("tag-own", 2), ("tag-baseline", 1)):
        assert page.count(mark) == board.content.decode().split("</tbody>")[0].count(mark) == count
    assert "BM25_<wbr>with_<wbr>k1" in page
    assert page_of(snapshot).content.decode().count("tag-own") == 0


@pytest.mark.parametrize("key", ["../../etc/passwd", "passwd\0"])
def test_a_key_that_is_no_public_id_becomes_no_part_of_a_url(
    campaign: Campaign, organiser: User, key: str
) -> None:
    client = Client()
    client.force_login(organiser)
    url = reverse("scoring:snapshot-create", args=[campaign.slug])
    assert client.post(url, {"title": "Final", "key": key}).status_code == 302
    snapshot = campaign.snapshots.get()
    assert "passwd" not in snapshot.storage_key + snapshot.public_id


# --- it stays -------------------------------------------------------------------------------------


def test_whatever_happens_to_the_board_it_stays_as_it_was(
    campaign: Campaign, organiser: User
) -> None:
    lifecycle.publish(campaign=campaign, actor=organiser)
    snapshot = taken(campaign, organiser, "Final")
    page, file = page_of(snapshot).content, bytes_of(file_of(snapshot))
    make_qrels(campaign)  # another version, nothing scored yet
    Run.objects.filter(tag="run-of-Beta").update(withdrawn_at=timezone.now())
    Team.objects.filter(name="Alpha").update(name="Renamed")
    campaign.refresh_from_db()
    campaign.measures = ["nDCG@10"]
    campaign.save(update_fields=["measures"])
    assert bytes_of(file_of(snapshot)) == file
    assert page_of(snapshot).content == page
    assert b"run-of-Beta" in page
    assert b"Renamed" not in page


def test_the_page_shows_the_rows_of_its_file(campaign: Campaign, organiser: User) -> None:
    lifecycle.publish(campaign=campaign, actor=organiser)
    snapshot = taken(campaign, organiser)
    packed = zipfile.ZipFile(io.BytesIO(bytes_of(file_of(snapshot))))
    rows = list(csv.DictReader(io.StringIO(packed.read("leaderboard.csv").decode())))
    for measure in map(str, rules_of(campaign).measures):
        shown = page_of(snapshot, measure=measure).context["board"].rows
        wanted = [(r["run"], float(r["base"])) for r in rows if r["measure"] == measure]
        assert [(row.run, row.base) for row in shown] == wanted
        assert [row.rank for row in shown] == [1, 2]
    assert page_of(snapshot, measure="P@5").status_code == 404


def test_a_file_that_was_changed_is_not_shown(campaign: Campaign, organiser: User) -> None:
    snapshot = taken(campaign, organiser)
    default_storage.delete(snapshot.storage_key)
    key = default_storage.save(snapshot.storage_key, ContentFile(b"something else"))
    assert key == snapshot.storage_key
    with pytest.raises(FileLost):
        board_of(snapshot)
    lifecycle.publish(campaign=campaign, actor=organiser)
    url = reverse("scoring:snapshot-detail", args=[snapshot.public_id])
    answer = Client(raise_request_exception=False).get(url)
    assert (answer.status_code, "missing or damaged" in answer.content.decode()) == (503, True)
    downloads = reverse("scoring:downloads", args=[campaign.slug])
    assert Client().get(downloads).status_code == 200


def test_its_file_is_not_swept_away(campaign: Campaign, organiser: User) -> None:
    snapshot = taken(campaign, organiser)
    delete_unowned_files(older_than=timedelta(0))
    assert page_of(snapshot, organiser).status_code == 200


def test_it_is_written_down_who_took_it(campaign: Campaign, organiser: User) -> None:
    snapshot = taken(campaign, organiser, " For \n the paper ")
    assert snapshot.title == "For the paper"
    entry = LogEntry.objects.get(verb="created snapshot")
    assert (entry.actor, entry.subject) == (organiser, snapshot.public_id)
    assert entry.details["sha256"] == snapshot.digest


# --- it is whole ----------------------------------------------------------------------------------


def test_without_qrels_there_is_nothing_to_take(campaign: Campaign, organiser: User) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(active_qrels=None)
    with pytest.raises(CannotTakeSnapshot, match="no qrels"):
        taken(campaign, organiser)


def test_a_board_that_is_being_scored_is_not_taken(campaign: Campaign, organiser: User) -> None:
    make_run(campaign, make_team(campaign))
    with pytest.raises(CannotTakeSnapshot, match="One run has no score yet"):
        taken(campaign, organiser)
    assert not Snapshot.objects.exists()


def test_a_row_that_cannot_be_written_leaves_a_file_that_is_swept_away(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(snapshots, "record", fail)
    with pytest.raises(OSError, match="full"):
        taken(campaign, organiser)
    assert not Snapshot.objects.exists()
    assert delete_unowned_files(older_than=timedelta(0)) >= 1


# --- whom it is for -------------------------------------------------------------------------------


def test_it_is_found_once_all_that_is_in_it_is_shown(campaign: Campaign, organiser: User) -> None:
    snapshot = taken(campaign, organiser)
    stranger = make_user()
    assert page_of(snapshot, organiser).status_code == 200
    assert page_of(snapshot).status_code == file_of(snapshot, stranger).status_code == 404
    lifecycle.publish(campaign=campaign, actor=organiser)
    assert page_of(snapshot).status_code == file_of(snapshot, stranger).status_code == 200
    lifecycle.unpublish(campaign=campaign, actor=organiser)
    assert page_of(snapshot).status_code == file_of(snapshot, stranger).status_code == 404


def test_under_a_live_board_one_with_scores_by_topic_waits_for_publication(
    organiser: User, campaign: Campaign
) -> None:
    """Everybody sees the means already, and nobody else may get the rest through a snapshot."""
    table = TABLES[Preset.LIVE]()
    lifecycle.change_visibility(campaign=campaign, preset="live", table=table, actor=organiser)
    snapshot = taken(campaign, organiser)
    downloads = reverse("scoring:downloads", args=[campaign.slug])
    assert page_of(snapshot).status_code == 404
    assert snapshot.public_id not in Client().get(downloads).content.decode()
    lifecycle.publish(campaign=campaign, actor=organiser)
    assert page_of(snapshot).status_code == 200
    assert snapshot.public_id in Client().get(downloads).content.decode()


def test_one_of_a_class_room_is_the_classs(campaign: Campaign, organiser: User) -> None:
    table = TABLES[Preset.CLASS_ROOM]()
    lifecycle.change_visibility(campaign=campaign, preset="classroom", table=table, actor=organiser)
    member = make_user()
    team = make_team(campaign, member)  # without a run: after the close, admitted or nothing
    admit_team(team=team, admit=True, actor=organiser)
    snapshot = taken(campaign, organiser)
    assert page_of(snapshot, member).status_code == 200
    assert page_of(snapshot).status_code == 404
    names = zipfile.ZipFile(io.BytesIO(bytes_of(file_of(snapshot, member)))).namelist()
    assert "qrels.txt" not in names
    assert "scores.csv" not in names  # these are the class's alone, and shown on its pages


def test_names_stay_as_the_public_knew_them(campaign: Campaign, organiser: User) -> None:
    Team.objects.filter(name="Alpha").update(is_anonymous=True)
    lifecycle.publish(campaign=campaign, actor=organiser)
    snapshot = taken(campaign, organiser)
    past = timezone.now() - timedelta(days=1)
    Campaign.objects.filter(pk=campaign.pk).update(reveals_teams_at=past)
    packed = zipfile.ZipFile(io.BytesIO(bytes_of(file_of(snapshot, organiser))))
    everything = b"".join(packed.read(name) for name in packed.namelist())
    assert b"Alpha" not in everything
    assert b"Beta" in everything


def test_a_kept_copy_is_confirmed_only_to_who_may_see_it(
    campaign: Campaign, organiser: User
) -> None:
    snapshot = taken(campaign, organiser)
    tag = file_of(snapshot, organiser)["ETag"]
    assert file_of(snapshot, organiser, if_none_match=tag).status_code == 304
    assert file_of(snapshot, make_user(), if_none_match=tag).status_code == 404
    for response in (file_of(snapshot, organiser), page_of(snapshot, organiser)):
        assert "no-store" in response["Cache-Control"]


# --- a DOI ----------------------------------------------------------------------------------------


def save_doi(snapshot: Snapshot, person: User, doi: str) -> HttpResponse:
    path = reverse("scoring:snapshot-doi", args=[snapshot.public_id])
    return signed_in(person).post(path, {"doi": doi}, follow=True)


@pytest.mark.parametrize(
    "typed",
    ["10.5281/zenodo.1", " https://doi.org/10.5281/zenodo.1 ", "doi: 10.5281/zenodo.1"],
)
def test_a_doi_is_cited(campaign: Campaign, organiser: User, typed: str) -> None:
    snapshot = taken(campaign, organiser)
    before = bytes_of(file_of(snapshot, organiser))
    page = save_doi(snapshot, organiser, typed).content.decode()
    assert page.count('href="https://doi.org/10.5281/zenodo.1"') == 2  # in the citation too
    assert "doi = {10.5281/zenodo.1}," in page
    assert bytes_of(file_of(snapshot, organiser)) == before
    entry = LogEntry.objects.get(verb="changed DOI")
    assert entry.details == {"doi": "10.5281/zenodo.1"}
    save_doi(snapshot, organiser, typed)
    assert LogEntry.objects.filter(verb="changed DOI").count() == 1
    listed = signed_in(organiser).get(reverse("api:snapshot-list", args=[campaign.slug])).json()
    assert listed[0]["doi"] == "10.5281/zenodo.1"
    assert "doi.org" not in save_doi(snapshot, organiser, "").content.decode()


@pytest.mark.parametrize("typed", ["zenodo.1", "10.5281", "10.5281/", "10.1/x y", "10.1234/é"])
def test_what_is_no_doi_is_refused_and_stays_typed(
    campaign: Campaign, organiser: User, typed: str
) -> None:
    snapshot = taken(campaign, organiser)
    answer = save_doi(snapshot, organiser, typed)
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "A DOI has the form 10.5281/zenodo.1234567." in page
    assert f'value="{typed}"' in page
    snapshot.refresh_from_db()
    assert snapshot.doi == ""


def test_only_the_start_of_a_doi_is_a_url(campaign: Campaign, organiser: User) -> None:
    snapshot = taken(campaign, organiser)
    save_doi(snapshot, organiser, "10.5281/doi:1")
    snapshot.refresh_from_db()
    assert snapshot.doi == "10.5281/doi:1"


@pytest.mark.parametrize("typed", ["10.5281/a#b?c", "https://doi.org/10.5281/a%23b%3Fc"])
def test_the_url_of_a_doi_is_encoded(campaign: Campaign, organiser: User, typed: str) -> None:
    snapshot = taken(campaign, organiser)
    page = save_doi(snapshot, organiser, typed).content.decode()
    assert page.count('href="https://doi.org/10.5281/a%23b%3Fc"') == 2
    assert "doi = {10.5281/a" in page
    snapshot.refresh_from_db()
    assert snapshot.doi == "10.5281/a#b?c"


def test_the_doi_of_an_archived_campaign_stays(campaign: Campaign, organiser: User) -> None:
    snapshot = taken(campaign, organiser)
    Campaign.objects.update(archived_at=timezone.now())
    assert "DOI" not in page_of(snapshot, organiser).content.decode()
    assert "archived" in save_doi(snapshot, organiser, "10.5281/zenodo.1").content.decode()
    snapshot.refresh_from_db()
    assert snapshot.doi == ""
