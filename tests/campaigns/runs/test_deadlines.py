"""Dates: typed on three clocks, decided in UTC, the same for page and API and whatever clock the
machine believes in."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template import Context, Template
from django.test import Client
from django.urls import reverse

from campaigns import lifecycle
from campaigns.access import Viewer
from campaigns.models import Campaign
from campaigns.runs import submission
from campaigns.runs.description import Description
from scoring.jobs import queue as jobs
from tests.campaigns.manage.test_typed_dates import typed
from tests.making import make_campaign, make_run, make_team, make_user
from tests.patience import PATIENCE

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[3]
INSTANT = timedelta(microseconds=1)
CLOSES = datetime(2026, 9, 2, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs.current_app, "send_task", lambda *args, **facts: None)


# --- decided --------------------------------------------------------------------------------------


def upload(campaign: Campaign, client: Client, door: str) -> int:
    file = SimpleUploadedFile("run.txt", b"1 Q0 d 1 1.0 tag\n")
    if door == "page":
        url = reverse("campaigns:run-create", args=[campaign.slug])
        return client.post(url, {"file": file, "run_type": "automatic"}).status_code
    url = reverse("api:run-create", args=[campaign.slug])
    return client.post(url, {"file": file}).status_code


TAKEN = {"page": 302, "api": 202}
NOT_TAKEN = {"page": 400, "api": 409}


@pytest.mark.parametrize("door", TAKEN)
@pytest.mark.parametrize(
    ("moment", "is_taken", "is_late"),
    [
        (CLOSES - timedelta(days=1) - INSTANT, False, None),  # one microsecond before it opens
        (CLOSES - timedelta(days=1), True, False),
        (CLOSES - INSTANT, True, False),
        (CLOSES, True, True),
        (CLOSES + timedelta(minutes=30) - INSTANT, True, True),
        (CLOSES + timedelta(minutes=30), False, None),
    ],
)
def test_page_and_api_decide_alike_to_the_microsecond(
    door: str, moment: datetime, is_taken: bool, is_late: bool | None
) -> None:
    person = make_user()
    campaign = make_campaign(
        opens_at=CLOSES - timedelta(days=1), closes_at=CLOSES, grace_minutes=30
    )
    make_team(campaign, person)
    with time_machine.travel(moment, tick=False):
        client = Client()
        client.force_login(person)
        assert upload(campaign, client, door) == (TAKEN if is_taken else NOT_TAKEN)[door]
    assert [run.is_late for run in campaign.runs.all()] == ([is_late] if is_taken else [])


@pytest.mark.parametrize(
    ("zone", "local", "in_utc"),
    [
        ("Europe/Rome", "2026-03-29T03:00", "2026-03-29T01:00"),
        ("Europe/Rome", "2026-10-25T03:00", "2026-10-25T02:00"),
        ("Europe/Rome", "2026-10-25T01:59:59", "2026-10-24T23:59:59"),
        ("Etc/GMT+12", "2026-10-25T02:30", "2026-10-25T14:30"),
    ],
)
def test_an_end_on_the_day_when_clocks_change_is_kept_to_the_microsecond(
    zone: str, local: str, in_utc: str
) -> None:
    campaign = Campaign(is_accepting=True, closes_at=typed(zone, local))
    end = datetime.fromisoformat(in_utc).replace(tzinfo=UTC)
    assert lifecycle.is_accepting_at(campaign, end - INSTANT)
    assert not lifecycle.is_accepting_at(campaign, end)


ELSEWHERE = """
import django
django.setup()
from datetime import UTC, datetime, timedelta
import time_machine
from tests.tables import make_tables
make_tables()
from tests.campaigns.runs import test_deadlines as it
from tests.campaigns.manage.test_typed_dates import form, typed
from tests.making import make_team, make_user
from scoring.jobs import queue
queue.current_app.send_task = lambda *args, **facts: None
campaign = form("Europe/Rome", closes_at="2026-10-25T03:00").save()
it.Campaign.objects.filter(pk=campaign.pk).update(stage="open", is_accepting=True)
campaign.topics.create(code="1", position=0)
person = make_user()
make_team(campaign, person)
end = datetime(2026, 10, 25, 2, 0, tzinfo=UTC)
said = [campaign.closes_at.astimezone(UTC).isoformat()]
for moment in (end - it.INSTANT, end):
    with time_machine.travel(moment, tick=False):
        client = it.Client()
        client.force_login(person)
        said += [it.upload(campaign, client, door) for door in ("page", "api")]
said.append(it.Template("{% load moments %}{% moment m c %}").render(
    it.Context({"m": end, "c": campaign})))
print(said)
"""


def decided_where_the_clock_says(zone: str, folder: Path) -> str:
    """A site of its own, whose machine stands in that zone, takes and refuses uploads."""
    environment = os.environ | {
        "TZ": zone,
        "VAR_DIR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder}/site.sqlite3",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


def test_machines_in_other_zones_decide_and_say_the_same(tmp_path: Path) -> None:
    said = {}
    for zone in ("Pacific/Kiritimati", "America/New_York"):
        folder = tmp_path / zone.replace("/", "-")
        folder.mkdir()
        said[zone] = decided_where_the_clock_says(zone, folder)
    first, second = said.values()
    assert first == second
    assert first.startswith("['2026-10-25T02:00:00+00:00', 302, 202, 400, 409, ")


# --- shown ---------------------------------------------------------------------------------------


def shown(moment: datetime | None, campaign: Campaign) -> str:
    template = Template("{% load moments %}{% moment m c %}")
    return template.render(Context({"m": moment, "c": campaign}))


def test_a_moment_is_shown_on_every_clock() -> None:
    end = datetime(2026, 10, 25, 2, 0, tzinfo=UTC)
    assert shown(end, Campaign(time_zone="Europe/Rome")) == (
        '<time class="moment" datetime="2026-10-25T02:00:00+00:00" data-zone="Europe/Rome">'
        "25 October 2026, 03:00 Europe/Rome "
        '<span class="clocks"><span>25 Oct, 02:00 UTC</span> · '
        "<span>24 Oct, 14:00 AoE</span></span></time>"
    )
    before = shown(end - timedelta(hours=1), Campaign(time_zone="Europe/Rome"))
    assert "25 October 2026, 02:00 Europe/Rome" in before  # the second of its two o'clocks
    assert "Rome" not in shown(end, Campaign(time_zone="UTC"))
    on_earth = shown(end, Campaign(time_zone="Etc/GMT+12"))
    assert "24 October 2026, 14:00 AoE" in on_earth
    assert on_earth.count("AoE") == 1
    assert shown(None, Campaign()) == "–"


def test_a_moment_far_away_is_shown_too() -> None:
    for year in (2000, 2200):
        assert str(year) in shown(datetime(year, 1, 1, 13, tzinfo=UTC), Campaign())


# --- the end of the upload ------------------------------------------------------------------------


def slow_upload(
    campaign: Campaign, client: Client, door: str, began: datetime, completed: datetime
) -> int:
    """As the proxy passes it on."""
    client.defaults["HTTP_X_ARRIVED"] = f"{began.timestamp():.6f} {completed.timestamp():.6f}"
    return upload(campaign, client, door)


@pytest.fixture
def proxied(settings: LazySettings) -> LazySettings:
    settings.ARRIVAL_HEADER = "X-Arrived"
    settings.UPLOAD_ALLOWANCE_SECONDS = 120
    settings.UPLOAD_LEAST_BYTES_PER_SECOND = 1  # the file of 17 bytes may take 17 s more
    return settings


@pytest.mark.parametrize("door", TAKEN)
@pytest.mark.parametrize(
    ("seconds", "grace_minutes", "is_taken", "is_late"),
    [
        (119.999, 0, True, False),
        (120, 0, False, None),
        (133, 0, False, None),
        (119.999, 30, True, False),
        (120, 30, True, True),
        (133, 30, True, True),
    ],
)
def test_a_run_that_is_complete_later_than_the_allowance_is_late(
    proxied: LazySettings,
    door: str,
    seconds: float,
    grace_minutes: int,
    is_taken: bool,
    is_late: bool | None,
) -> None:
    person = make_user()
    campaign = make_campaign(closes_at=CLOSES, grace_minutes=grace_minutes)
    make_team(campaign, person)
    client = Client()
    client.force_login(person)
    began, completed = CLOSES - timedelta(seconds=1), CLOSES + timedelta(seconds=seconds)
    with time_machine.travel(completed + timedelta(hours=1), tick=False):  # it waited in a queue
        status = slow_upload(campaign, client, door, began, completed)
    assert status == (TAKEN if is_taken else NOT_TAKEN)[door]
    found = [(run.is_late, run.submitted_at, run.received_at) for run in campaign.runs.all()]
    assert found == ([(is_late, began, completed)] if is_taken else [])


@pytest.mark.parametrize("door", TAKEN)
@pytest.mark.parametrize(("seconds", "is_taken"), [(137, True), (137.001, False)])
def test_an_upload_that_is_slower_than_the_least_rate_is_refused(
    proxied: LazySettings, door: str, seconds: float, is_taken: bool
) -> None:
    person = make_user()
    campaign = make_campaign(closes_at=CLOSES)
    make_team(campaign, person)
    client = Client()
    client.force_login(person)
    began = CLOSES - timedelta(days=1)
    status = slow_upload(campaign, client, door, began, began + timedelta(seconds=seconds))
    assert status == (TAKEN if is_taken else NOT_TAKEN)[door]
    assert campaign.runs.count() == is_taken


def test_without_a_proxy_the_end_is_when_the_body_was_read() -> None:
    person = make_user()
    campaign = make_campaign(closes_at=CLOSES, grace_minutes=30)
    team = make_team(campaign, person)
    began = CLOSES - timedelta(seconds=1)
    with time_machine.travel(CLOSES + timedelta(seconds=121), tick=False):
        run = submission.submit(
            viewer=Viewer(campaign, person, frozenset({"participant"}), team),
            upload=SimpleUploadedFile("run.txt", b"1 Q0 d 1 1.0 tag\n" * 20_000),
            arrived_at=began,
            description=Description(),
        )
    assert run.is_late


def test_a_run_is_not_withdrawn_by_a_request_that_was_sent_slowly(proxied: LazySettings) -> None:
    person = make_user()
    campaign = make_campaign(closes_at=CLOSES)
    run = make_run(campaign, make_team(campaign, person))
    url = reverse("campaigns:run-withdraw", args=[campaign.slug, run.public_id])
    client = Client()
    client.force_login(person)
    for seconds, is_withdrawn in ((121, False), (119, True)):
        ended = CLOSES.timestamp() + seconds
        client.post(url, headers={"X-Arrived": f"{CLOSES.timestamp() - 1:.3f} {ended:.3f}"})
        run.refresh_from_db()
        assert (run.withdrawn_at is not None) == is_withdrawn
