"""A campaign is copied to the next year, archived, brought back and deleted."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import lifecycle
from campaigns.errors import Archived, CannotChangeStage, CannotDelete
from campaigns.manage import archiving
from campaigns.models import (
    Announcement,
    Campaign,
    Judgment,
    LogEntry,
    Membership,
    Notice,
    Run,
    Topic,
    User,
)
from campaigns.models.showing import CLOSED, live_board
from campaigns.people import membership
from scoring.jobs import queue
from scoring.models import FeedbackRelease, Job, Snapshot, StoredGrades, StoredRanking
from tests.making import (
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue.current_app, "send_task", lambda *args, **facts: None)


def full_campaign(**facts: object) -> Campaign:
    """One with something of everything that can hang on a campaign."""
    campaign = make_campaign(**facts)
    organiser, member = make_organiser(campaign), make_user()
    team = make_team(campaign, member)
    qrels = make_qrels(campaign)
    replaced = make_run(campaign, team, replaced_at=timezone.now())
    run = make_run(campaign, team, replaces=replaced)
    make_scores(run, {"AP": (0.5, None)})
    now = timezone.now()
    queue.enqueue(Job.Kind.CHECK, subject=run.pk, campaign_id=campaign.pk)
    lengths = {"topic_count": 2, "document_count": 2, "tied_count": 0, "longest": 1}
    StoredRanking.objects.create(
        run=run, storage_key=f"rankings/{run.pk}", digest="3" * 64, **lengths
    )
    StoredGrades.objects.create(
        run=run, qrels=qrels, storage_key=f"grades/{run.pk}", digest="4" * 64
    )
    FeedbackRelease.objects.create(run=run, qrels=qrels, measure="AP", value=0.5, shown=0.5)
    Snapshot.objects.create(
        campaign=campaign,
        title="as it was",
        qrels=qrels,
        definitions="1" * 16,
        storage_key=f"snapshots/{campaign.pk}",
        digest="5" * 64,
        size=1,
    )
    Announcement.objects.create(campaign=campaign, subject="Hear", body="all", by=organiser)
    Notice.objects.create(campaign=campaign, recipient=member, key="k", subject="s", body="b")
    topic = campaign.topics.first()
    Judgment.objects.create(
        campaign=campaign, topic=topic, doc_id="d", grade=1, assessor=organiser, at=now
    )
    membership.invite(campaign=campaign, by=organiser, role=Membership.Role.READER)
    LogEntry.objects.create(campaign=campaign, actor=organiser, verb="made for a test")
    return campaign


def organiser_of(campaign: Campaign) -> User:
    return campaign.memberships.filter(role=Membership.Role.ORGANISER).earliest("pk").person


def counts() -> dict[str, int]:
    return {
        model._meta.label: model._base_manager.count()
        for wing in ("campaigns", "scoring")
        for model in apps.get_app_config(wing).get_models()
        if model is not User
    }


def test_every_column_of_a_campaign_is_either_copied_or_of_one_year() -> None:
    columns = [field.name for field in Campaign._meta.concrete_fields]
    assert sorted(columns) == sorted(archiving.COPIED + archiving.NOT_COPIED)


def test_a_copy_takes_settings_texts_switches_and_organisers_and_leaves_the_year_behind() -> None:
    campaign = full_campaign(
        stage="published",
        is_accepting=False,
        guidelines="Read *me*.",
        terms="Be kind.",
        rel=2,
        highest_grade=3,
        persistences=[0.7],
        run_fields=[{"name": "gpu", "label": "GPU hours", "kind": "number"}],
        preset="live",
        stage_switches=live_board(),
        board_audience=2,
        runs_audience=2,
        opens_at=timezone.now() - timedelta(days=9),
        closes_at=timezone.now() - timedelta(days=1),
        published_at=timezone.now(),
        feedback="ladder",
        feedback_topics=["1"],
    )
    second = make_organiser(campaign)
    actor = organiser_of(campaign)
    made = archiving.copy_campaign(campaign=campaign, slug="next", name="Next", actor=actor)
    made = Campaign.objects.get(pk=made.pk)
    for column in archiving.COPIED:
        assert getattr(made, column) == getattr(campaign, column), column
    assert (made.stage, made.is_accepting, made.copied_from) == ("draft", False, campaign)
    assert Campaign.objects.values(*CLOSED).get(pk=made.pk) == CLOSED
    dates = (made.opens_at, made.closes_at, made.published_at, made.topics_released_at)
    assert dates == (None, None, None, None)
    assert made.active_qrels is None
    assert made.feedback_topics == []
    people_in_it = {m.person: m.role for m in made.memberships.all()}
    assert people_in_it == {actor: "organiser", second: "organiser"}
    for left in (made.topics, made.qrels, made.teams, made.runs):
        assert left.count() == 0
    assert made.log.get().verb == "copied from"


def test_a_copy_to_an_existing_url_is_refused() -> None:
    campaign = full_campaign()
    actor = organiser_of(campaign)
    before = counts()
    for slug in (campaign.slug, "new", "no good"):
        with pytest.raises(ValidationError):
            archiving.copy_campaign(campaign=campaign, slug=slug, name="Next", actor=actor)
    assert counts() == before


def test_a_person_without_permission_cannot_create_a_campaign_by_copying() -> None:
    campaign = make_campaign()
    client = Client()
    client.force_login(make_organiser(campaign))
    url = reverse("campaigns:campaign-copy", args=[campaign.slug])
    assert "does not have permission to create campaigns" in client.get(url).content.decode()
    assert client.post(url, {"name": "Next", "slug": "next"}).status_code == 403
    assert Campaign.objects.count() == 1


def test_an_organiser_copies_by_the_page() -> None:
    campaign = make_campaign()
    client = Client()
    client.force_login(make_organiser(campaign, make_user(is_approved=True)))
    url = reverse("campaigns:campaign-copy", args=[campaign.slug])
    assert client.post(url, {"name": "Next", "slug": campaign.slug}).status_code == 400
    answer = client.post(url, {"name": "Next", "slug": "next"})
    assert answer.url == reverse("campaigns:campaign-manage", args=["next"])
    assert client.get(answer.url).status_code == 200


def test_a_campaign_with_open_submissions_cannot_be_archived() -> None:
    campaign = make_campaign()
    with pytest.raises(CannotChangeStage, match="Close them first"):
        archiving.archive(campaign=campaign, actor=None)


def test_nothing_of_an_archived_campaign_changes_until_it_is_brought_back() -> None:
    campaign = make_campaign(stage="closed", is_accepting=False)
    stale = Campaign.objects.get(pk=campaign.pk)
    make_qrels(campaign)
    archiving.archive(campaign=campaign, actor=None)
    before = Campaign.objects.values().get(pk=campaign.pk)
    acts = [
        lambda: archiving.archive(campaign=stale, actor=None),
        lambda: lifecycle.change_settings(campaign=stale, fields=["name"], actor=None),
        lambda: lifecycle.change_visibility(
            campaign=stale, preset="live", table=live_board(), actor=None
        ),
        *(lambda step=step: step(campaign=stale, actor=None) for step in lifecycle.STEPS.values()),
    ]
    stale.name = "Another"
    stale.active_qrels = campaign.active_qrels
    for act in acts:
        with pytest.raises(Archived):
            act()
    assert Campaign.objects.values().get(pk=campaign.pk) == before
    archiving.unarchive(campaign=stale, actor=None)
    lifecycle.publish(campaign=stale, actor=None)
    assert [entry.verb for entry in stale.log.all()] == ["published", "unarchived", "archived"]


@pytest.mark.parametrize("button", ["unarchive", "bring_back"])  # of a page before an upgrade
def test_an_organiser_unarchives_by_the_page(client: Client, button: str) -> None:
    campaign = make_campaign(archived_at=timezone.now())
    client.force_login(make_organiser(campaign))
    client.post(reverse("campaigns:campaign-archive", args=[campaign.slug]), {button: ""})
    campaign.refresh_from_db()
    assert campaign.archived_at is None


def test_an_archived_campaign_is_listed_apart() -> None:
    campaign = make_campaign(stage="published", is_accepting=False, name="Last year's")
    archiving.archive(campaign=campaign, actor=None)
    page = Client().get(reverse("campaigns:campaign-list"))
    assert list(page.context["campaigns"]) == []
    assert list(page.context["archived"]) == [campaign]
    assert "Last year" in page.content.decode()


@pytest.mark.parametrize("stage", ["open", "closed", "judging", "published"])
def test_a_visible_campaign_cannot_be_deleted(stage: str) -> None:
    campaign = full_campaign(stage=stage)
    actor, before = organiser_of(campaign), counts()
    with pytest.raises(CannotDelete, match="Archive it before you delete it"):
        archiving.delete_campaign(campaign=campaign, actor=actor, typed_slug=campaign.slug)
    assert counts() == before


def test_deleting_takes_the_url_typed_again() -> None:
    campaign = full_campaign(stage="draft", is_accepting=False)
    actor, before = organiser_of(campaign), counts()
    for typed in ("", campaign.name, campaign.slug.upper()):
        with pytest.raises(CannotDelete, match="type its URL name"):
            archiving.delete_campaign(campaign=campaign, actor=actor, typed_slug=typed)
    assert counts() == before


@pytest.mark.parametrize("is_archived", [True, False], ids=["archived", "draft"])
def test_a_deleted_campaign_leaves_nothing_and_takes_nothing_of_another(is_archived: bool) -> None:
    kept = full_campaign()
    before = counts()
    stage = "published" if is_archived else "draft"
    campaign = full_campaign(stage=stage, is_accepting=False)
    actor = organiser_of(campaign)
    copy = archiving.copy_campaign(campaign=campaign, slug="next", name="Next", actor=actor)
    if is_archived:
        archiving.archive(campaign=campaign, actor=actor)
    assert all(Model.objects.exists() for Model in (Run, Topic, Snapshot, FeedbackRelease))
    gone = Campaign.objects.get(pk=campaign.pk)
    for _ in range(2):  # of two clicks the second finds nothing to do
        archiving.delete_campaign(campaign=gone, actor=actor, typed_slug=campaign.slug)
    copy.refresh_from_db()
    assert copy.copied_from is None
    archiving.delete_campaign(campaign=copy, actor=actor, typed_slug="next")
    assert counts() == before
    assert list(Campaign.objects.all()) == [kept]
    assert User.objects.filter(pk=actor.pk).exists()


def test_deleting_by_the_page() -> None:
    campaign = full_campaign(stage="draft", is_accepting=False)
    client = Client()
    client.force_login(organiser_of(campaign))
    url = reverse("campaigns:campaign-delete", args=[campaign.slug])
    answer = client.post(url, {"slug": "another"})
    assert answer.status_code == 400
    assert "type its URL name" in answer.content.decode()
    answer = client.post(url, {"slug": campaign.slug})
    assert answer.url == reverse("campaigns:campaign-list")
    assert client.get(url).status_code == 404
    again = client.post(url, {"slug": campaign.slug}, follow=True)  # the second of two clicks
    assert again.redirect_chain == [(reverse("campaigns:campaign-list"), 302)]
    assert "no longer exists" in again.content.decode()


@pytest.mark.parametrize(
    ("name", "data"),
    [("campaigns:announce", {"subject": "News", "body": "Some"}), ("campaigns:role-invite", {})],
)
def test_an_archived_campaign_sends_no_announcements_or_invitations(
    name: str, data: dict[str, str]
) -> None:
    campaign = make_campaign(stage=Campaign.Stage.PUBLISHED, archived_at=timezone.now())
    browser = Client()
    browser.force_login(make_organiser(campaign))
    kwargs = {"slug": campaign.slug} | ({"role": "reader"} if name.endswith("invite") else {})
    assert browser.post(reverse(name, kwargs=kwargs), data).status_code == 302
    assert not campaign.announcements.exists()
    assert not campaign.invitations.exists()
