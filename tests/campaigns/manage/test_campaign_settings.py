"""The form of a campaign's settings: measures, series, what it begins with, and its URL."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import scoring_hooks
from campaigns.models import Campaign, LogEntry, Series, User
from campaigns.models.showing import live_board
from scoring.core.measures.names import parse_measure
from tests.campaigns.manage.test_typed_dates import TYPED
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user

pytestmark = pytest.mark.django_db
RULES = {key: value for key, value in TYPED.items() if key != "slug"}


@pytest.fixture
def client(settings) -> Client:
    settings.WHO_MAY_CREATE_CAMPAIGNS = "anyone"
    client = Client()
    client.force_login(make_user("olga@example.org"))
    return client


def made(client: Client, **typed: object) -> Campaign:
    answer = client.post(reverse("campaigns:campaign-create"), RULES | {"preset": "trec"} | typed)
    assert answer.status_code == 302, answer.context["form"].errors
    return Campaign.objects.latest("pk")


def test_every_measure_that_is_offered_is_one_by_its_own_name() -> None:
    for names in scoring_hooks.offered_measures().values():
        assert [str(parse_measure(name)) for name in names] == list(names)


def test_ticked_and_typed_measures_keep_their_order(client: Client) -> None:
    campaign = made(client, ticked=["P@10", "AP"], typed="map, P(rel=2)@5  IPrec@0.2")
    assert campaign.measures[:3] == ["AP", "P@10", "P(rel=2)@5"]
    url = reverse("campaigns:campaign-edit", args=[campaign.slug])
    page = client.get(url).context["measures_form"]
    assert page.initial["ticked"] == ["AP", "P@10"]
    kept = {"ticked": ["RR", "P@10"], "typed": "P(rel=2)@5"}
    client.post(url, RULES | {"slug": campaign.slug, "highest_grade": "2"} | kept)
    campaign.refresh_from_db()
    assert campaign.measures == ["P@10", "P(rel=2)@5", "RR"]  # what stood there keeps its place
    entry = LogEntry.objects.filter(verb="changed settings").latest("pk")
    assert entry.details["changed"]["measures"][1] == ["P@10", "P(rel=2)@5", "RR"]


def test_a_measure_that_nobody_knows_is_refused_with_the_nearest(client: Client) -> None:
    answer = client.post(
        reverse("campaigns:campaign-create"), RULES | {"preset": "trec", "typed": "nDGC@10"}
    )
    assert "did you mean nDCG" in answer.content.decode()
    assert not Campaign.objects.exists()


def test_a_request_without_measures_keeps_them(client: Client) -> None:
    campaign = make_campaign(measures=["bpref"])
    client.force_login(make_organiser(campaign))
    url = reverse("campaigns:campaign-edit", args=[campaign.slug])
    client.post(url, RULES | {"slug": campaign.slug, "name": "Renamed"})
    campaign.refresh_from_db()
    assert (campaign.name, campaign.measures) == ("Renamed", ["bpref"])


def test_a_request_with_the_leading_measure_only_keeps_the_measures(client: Client) -> None:
    assert made(client, leading="AP").measures == make_campaign().measures


def test_a_closing_date_in_the_past_is_allowed_with_a_warning(client: Client) -> None:
    past = {"opens_at": "", "closes_at": "2001-01-01T12:00"}
    warning = "close is in the past, so submissions are closed."  # runs may still be late

    def post(url: str, **typed: str) -> str:
        page = client.post(url, RULES | {"preset": "trec"} | typed, follow=True)
        return page.content.decode()

    create = reverse("campaigns:campaign-create")
    assert warning in post(create, **past)
    edit = reverse("campaigns:campaign-edit", args=[Campaign.objects.get().slug])
    slug = {"slug": Campaign.objects.get().slug}
    assert warning not in post(edit, **past, **slug, name="Renamed")  # the date is as before
    assert warning not in post(edit, **slug, closes_at="")
    assert warning in post(edit, **past, **slug)


def test_a_series_is_created_once_and_reused(client: Client) -> None:
    first = made(client, name="One", series="TREC 2026")
    second = made(client, name="Two", series="trec 2026 ")
    assert Series.objects.count() == 1
    assert first.series == second.series
    assert str(second.series) == "TREC 2026"
    url = reverse("campaigns:campaign-edit", args=[second.slug])
    client.post(url, RULES | {"name": "Two", "slug": second.slug, "series": ""})
    second.refresh_from_db()
    assert second.series is None
    entry = LogEntry.objects.filter(verb="changed settings").latest("pk")
    assert entry.details["changed"] == {"series": ["TREC 2026", None]}


@pytest.mark.parametrize("hidden", [{"is_private": True}, {"stage": "draft"}])
def test_a_series_of_which_one_sees_no_campaign_is_neither_found_nor_joined(
    client: Client, hidden: dict
) -> None:
    secret = Series.objects.create(slug="secret-series", name="Secret Series MARK")
    make_campaign(slug="secret", name="Secret", **{"stage": "open"} | hidden, series=secret)
    own = made(client, name="One", series="secret-Series")
    assert (own.series == secret, str(own.series)) == (False, "secret-Series")
    page = client.get(reverse("campaigns:campaign-create")).content.decode()
    assert "MARK" not in page
    assert '<option value="secret-Series">' in page
    assert made(client, name="Two", series="Secret series").series == own.series


def test_members_of_a_private_campaign_join_its_series(client: Client) -> None:
    series = Series.objects.create(slug="trec-2026", name="TREC 2026")
    campaign = make_campaign(
        slug="secret", name="Secret", stage="open", is_private=True, series=series
    )
    person = User.objects.get()
    campaign.memberships.create(person=person, role="reader")
    assert made(client, name="One", series="trec 2026").series == series


def test_a_campaign_begins_with_the_table_that_was_chosen(client: Client) -> None:
    campaign = made(client, preset="live")
    assert (campaign.preset, campaign.stage_switches) == ("live", live_board())
    assert campaign.board_audience == 0  # a draft shows nothing whatever was chosen


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Robuste Suche: Köln 2026", "robuste-suche-koln-2026"),
        ("New", "campaign"),
        ("検索", "campaign"),
        ("The Track", "the-track-2"),
    ],
)
def test_a_url_is_derived_from_the_name(client: Client, name: str, slug: str) -> None:
    make_campaign(slug="the-track")
    assert made(client, name=name).slug == slug


def test_settings_of_an_archived_campaign_are_shown_and_locked() -> None:
    campaign = make_campaign(archived_at=timezone.now(), stage="published", is_accepting=False)
    client = Client()
    client.force_login(make_organiser(campaign))
    url = reverse("campaigns:campaign-edit", args=[campaign.slug])
    page = client.get(url).content.decode()
    assert page.count("<fieldset disabled>") == page.count("<fieldset") == 5
    assert ">Save<" not in page
    client.post(url, RULES | {"slug": campaign.slug, "name": "Renamed"})
    assert Campaign.objects.get(pk=campaign.pk).name == campaign.name


@pytest.mark.parametrize(
    "column",
    ["grace_minutes", "run_quota", "quota_days", "attempt_quota", "run_depth"],
)
def test_a_number_that_no_date_or_database_can_bear_is_refused(client: Client, column: str) -> None:
    """Minutes beyond the year 9999 would break every page that tells of the campaign."""
    url = reverse("campaigns:campaign-create")
    dated = {"preset": "trec", "closes_at": "2027-01-01T12:00", column: "99999999999"}
    answer = client.post(url, RULES | dated)
    assert answer.status_code == 400
    assert column in answer.context["form"].errors
    assert not Campaign.objects.exists()


def test_numbers_of_feedback_have_bounds_too(client: Client) -> None:
    campaign = made(client, slug="bounds")
    sent = {"feedback": "none", "feedback_step": "0.01", "feedback-form": ""}
    for column in ("feedback_runs", "feedback_days"):
        small = {"feedback_runs": "2", "feedback_days": "30"}
        url = reverse("campaigns:visibility", args=[campaign.slug])
        answer = client.post(url, sent | small | {column: "99999999999"})
        assert column in answer.context["feedback_form"].errors


@pytest.mark.parametrize("field", ["version", "mark"])  # `mark` of a page before an upgrade
def test_an_old_tab_does_not_overwrite_what_another_organiser_saved(
    client: Client, field: str
) -> None:
    campaign = made(client, slug="two-tabs")
    url = reverse("campaigns:campaign-edit", args=[campaign.slug])
    mark = client.get(url).context["version"]
    kept = RULES | {"slug": campaign.slug, field: mark}
    assert client.post(url, kept | {"name": "Renamed"}).status_code == 302
    assert client.post(url, kept | {"name": "Renamed"}).status_code == 302  # a double click
    refused = client.post(url, kept | {"run_quota": "3"})
    page = refused.content.decode()
    assert refused.status_code == 400
    assert "has saved changes since" in page
    assert "Name, Runs per team" in page
    campaign.refresh_from_db()
    assert (campaign.name, campaign.run_quota) == ("Renamed", None)
    again = kept | {"run_quota": "3", field: refused.context["version"]}
    assert client.post(url, again).status_code == 302  # said so, and meant
    campaign.refresh_from_db()
    assert (campaign.name, campaign.run_quota) == (RULES["name"], 3)


def test_a_new_campaign_needs_its_name_dates_zone_and_preset_only(client: Client) -> None:
    url = reverse("campaigns:campaign-create")
    page = client.get(url).content.decode()
    unfolded, folded = page.split('<details class="more-settings">')
    unfolded = unfolded[unfolded.index("<h1>") :]
    for name in ("name", "preset", "is_private", "opens_at", "closes_at", "time_zone"):
        assert f'name="{name}"' in unfolded
    for name in ("slug", "guidelines", "run_quota", "highest_grade", "persistences"):
        assert f'name="{name}"' in folded
    assert client.post(url, RULES | {"preset": "trec", "name": ""}).content.count(b"open>") == 0
    faulty = client.post(url, RULES | {"preset": "trec", "run_depth": "0"}).content.decode()
    assert '<details class="more-settings" open>' in faulty
    assert made(client, time_zone="Asia/Tokyo", name="Tōkyō 2027").slug == "tokyo-2027"


def test_manage_counts_files_and_runs_and_begins_with_teams_that_wait(client: Client) -> None:
    campaign = make_campaign(closes_at=timezone.now(), guidelines="Rank.")
    make_organiser(campaign, User.objects.get(email="olga@example.org"))
    team = make_team(campaign)
    for state in ("accepted", "refused", "failed"):
        make_run(team=team, state=state)
    make_run(team=team, withdrawn_at=timezone.now())
    url = reverse("campaigns:campaign-manage", args=[campaign.slug])
    text = client.get(url).content.decode()
    assert text.count("4 files, 1 run<") == 1  # the step Runs
    assert text.count("4 files, 1 run ") == 1  # under the heading
    for link in ("Edit guidelines", "Edit dates", "Edit quotas", "Edit people and teams"):
        assert f">{link}</a>" in text
    make_team(campaign, name="The late ones")
    campaign.teams.filter(name="The late ones").update(approved_at=None)
    text = client.get(url).content.decode()
    assert text.index("One team awaits your approval: The late ones.") < text.index('class="lead"')
    assert ">1 team</a>, and 1 more awaits your approval." in text
    people = client.get(reverse("campaigns:people", args=[campaign.slug])).content.decode()
    assert "4 files, 1 run<" in people
    campaign.teams.update(approved_at=None)
    assert ">No team yet</a>, and 2 await your approval." in client.get(url).content.decode()


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("help@example.org", "mailto:help@example.org"),
        ("a+b&c@example.org", "mailto:a%2Bb%26c@example.org"),
        ("https://example.org/track", "https://example.org/track"),
        ("javascript://example.org/%0aalert(1)", None),
        ("ftp://example.org", None),
        ("ask Olga", None),
        ("help@example.org\r\nBcc: x@example.org", None),
    ],
)
def test_everyone_who_sees_the_campaign_sees_its_contact(
    client: Client, contact: str, link: str | None
) -> None:
    campaign = make_campaign()
    make_organiser(campaign, User.objects.get(email="olga@example.org"))
    url = reverse("campaigns:campaign-edit", args=[campaign.slug])
    answer = client.post(url, RULES | {"slug": campaign.slug, "contact": contact})
    assert answer.status_code == (302 if link else 400)
    page = Client().get(reverse("campaigns:campaign-detail", args=[campaign.slug])).content.decode()
    assert (f'href="{link}"' in page) == bool(link)
    assert "javascript:" not in page
