"""What people are told by mail: whom, when, once, and never what they may not know."""

from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import lifecycle
from campaigns.mail import messages, notices
from campaigns.models import Announcement, Audience, Campaign, Notice, Run, User
from campaigns.people import membership
from campaigns.people.teams import decide_team
from scoring import tasks
from scoring.jobs import mail as delivery
from scoring.jobs import queue
from scoring.models import FeedbackRelease, Job
from scoring.worker import perform
from tests.crowd import crowd
from tests.making import make_campaign, make_organiser, make_qrels, make_run, make_team, make_user
from trackside import celery

pytestmark = pytest.mark.django_db

NOW = timezone.now()
HOUR = timedelta(hours=1)


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def told(person: User) -> list[str]:
    """The kinds of what this person is told, oldest first."""
    keys = Notice.objects.filter(recipient=person).order_by("pk").values_list("key", flat=True)
    return [key.split("/")[0] for key in keys]


def send_all() -> None:
    for job in Job.objects.filter(kind=Job.Kind.NOTIFY, state=Job.State.WAITING):
        perform(job.pk)


# --- the clock ------------------------------------------------------------------------------------


def test_opening_and_closing_by_date_are_each_announced_once() -> None:
    campaign = make_campaign(opens_at=NOW, closes_at=NOW + HOUR)
    alice = make_user()
    make_team(campaign, alice)
    microsecond = timedelta(microseconds=1)
    seen = []
    for moment in (
        NOW - microsecond, NOW, NOW, NOW + HOUR - microsecond,
        NOW + HOUR, NOW + HOUR, NOW + 2 * HOUR,
    ):  # fmt: skip
        notices.notify_of_dates(moment)
        seen.append(told(alice))
    opened, both = ["opened"], ["opened", "closed"]
    assert seen == [[], opened, opened, opened, both, both, both]


def test_a_campaign_that_opens_again_is_announced_again() -> None:
    campaign = make_campaign(opens_at=NOW, closes_at=NOW + HOUR)
    alice = make_user()
    make_team(campaign, alice)
    notices.notify_of_dates(NOW)
    notices.notify_of_dates(NOW + HOUR)
    Campaign.objects.filter(pk=campaign.pk).update(closes_at=NOW + 3 * HOUR)
    notices.notify_of_dates(NOW + HOUR + timedelta(minutes=1))
    notices.notify_of_dates(NOW + 3 * HOUR)
    assert told(alice) == ["opened", "closed", "opened", "closed"]


def test_closing_by_an_organiser_is_announced_and_publication_has_its_own_email() -> None:
    campaign = make_campaign()
    alice = make_user()
    make_team(campaign, alice)
    make_qrels(campaign)
    notices.notify_of_dates(NOW)
    lifecycle.close_submissions(campaign=campaign, actor=None)
    notices.notify_of_dates(NOW + HOUR)
    lifecycle.publish(campaign=campaign, actor=None)
    notices.notify_of_dates(NOW + 2 * HOUR)
    assert told(alice) == ["opened", "closed", "published"]


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "No further runs are accepted."),
        ({"grace_minutes": 30}, "within 30 minutes after "),
        ({"grace_minutes": 1}, "within 1 minute after "),
        ({"grace_minutes": 30, "is_accepting": False}, "No further runs are accepted."),
    ],
)
def test_the_email_says_what_happens_to_late_runs(facts: dict[str, object], said: str) -> None:
    campaign = make_campaign(opens_at=NOW, closes_at=NOW + HOUR)
    make_team(campaign, make_user())
    notices.notify_of_dates(NOW)
    Campaign.objects.filter(pk=campaign.pk).update(**facts)
    notices.notify_of_dates(NOW + HOUR)
    assert said in Notice.objects.order_by("pk").last().body


@pytest.mark.parametrize(
    "facts",
    [
        {"stage": Campaign.Stage.DRAFT, "is_accepting": False},
        {"archived_at": NOW},
        {"stage": Campaign.Stage.CLOSED, "is_accepting": False},  # nobody was told it had opened
        {"opens_at": NOW + HOUR},
    ],
)
def test_campaigns_without_dates_are_not_announced(facts: dict[str, object]) -> None:
    campaign = make_campaign(**facts)
    alice = make_user()
    make_team(campaign, alice)
    notices.notify_of_dates(NOW)
    assert told(alice) == []


@pytest.mark.django_db(transaction=True)
def test_ten_timers_at_once_tell_it_once(own_connections: None) -> None:
    campaign = make_campaign(opens_at=NOW)
    alice = make_user()
    make_team(campaign, alice)
    crowd([partial(notices.notify_of_dates, NOW + n * HOUR) for n in range(10)])
    assert told(alice) == ["opened"]


# --- who is told ----------------------------------------------------------------------------------


def test_only_members_of_approved_teams_are_emailed() -> None:
    campaign = make_campaign(joining=Campaign.Joining.APPROVAL)
    alice, waiting, stranger, olga = make_user(), make_user(), make_user(), make_organiser(campaign)
    make_team(campaign, alice)
    membership.create_own_team(campaign=campaign, person=waiting, name="Waiting")
    notices.notify_of_dates(NOW)
    assert told(alice) == ["opened"]
    assert told(waiting) == told(stranger) == []
    assert told(olga) == ["awaiting_approval"]


@pytest.mark.parametrize(
    ("audience", "own_scores", "with_run", "without_run"),
    [
        (Audience.EVERYONE, True, "The leaderboard is visible", "The leaderboard is visible"),
        (Audience.PARTICIPANTS, True, "The leaderboard is visible", ""),
        (Audience.ORGANISERS, True, "your team's runs shows its scores", ""),
        (Audience.ORGANISERS, False, "", ""),
    ],
)
def test_publication_is_emailed_to_those_who_see_results(
    audience: Audience, own_scores: bool, with_run: str, without_run: str
) -> None:
    campaign = make_campaign()
    campaign.stage_switches["published"] |= {
        "board_audience": audience,
        "shows_own_scores": own_scores,
    }
    campaign.save()
    alice, bob = make_user(), make_user()
    make_run(campaign, make_team(campaign, alice))
    make_team(campaign, bob)  # without a run, it is no participant after the close
    make_qrels(campaign)
    lifecycle.publish(campaign=campaign, actor=None)
    for person, words in ((alice, with_run), (bob, without_run)):
        notice = Notice.objects.filter(recipient=person).first()
        assert words in notice.body if words else notice is None


def test_the_email_of_an_approval_promises_no_open_submissions() -> None:
    campaign = make_campaign(opens_at=NOW + HOUR, joining=Campaign.Joining.APPROVAL)
    alice, olga = make_user(), make_organiser(campaign)
    team = membership.create_own_team(campaign=campaign, person=alice, name="Waiting")
    decide_team(team=team, approve=True, actor=olga)
    assert "runs now" not in Notice.objects.get(recipient=alice).body


def test_people_who_turned_emails_off_receive_none() -> None:
    campaign = make_campaign()
    alice, bob = make_user(gets_notices=False), make_user()
    make_team(campaign, alice, bob)
    notices.notify_of_dates(NOW)
    assert told(alice) == []
    User.objects.filter(pk=bob.pk).update(gets_notices=False)  # after it was written
    send_all()
    assert mail.outbox == []


def test_the_switch_is_on_the_account_page() -> None:
    alice = make_user()
    client = signed_in(alice)
    assert "Emails about my campaigns" in client.get(reverse("campaigns:account")).content.decode()
    client.post(reverse("campaigns:account"), {"name": "Alice"})
    alice.refresh_from_db()
    assert not alice.gets_notices
    client.post(reverse("campaigns:account"), {"name": "Alice", "gets_notices": "on"})
    alice.refresh_from_db()
    assert alice.gets_notices


# --- sending --------------------------------------------------------------------------------------


def test_a_notice_that_is_delivered_twice_is_sent_once() -> None:
    campaign = make_campaign()
    alice, bob = make_user(), make_user()
    make_team(campaign, alice, bob)
    notices.notify_of_dates(NOW)
    send_all()
    for notice in Notice.objects.all():
        messages.send_notice(notice.pk)
    # each alone: nobody learns another's address
    assert sorted(message.to for message in mail.outbox) == sorted([[alice.email], [bob.email]])
    assert all(not message.cc and not message.bcc for message in mail.outbox)
    assert not Job.objects.exclude(state=Job.State.DONE).exists()


def test_a_failed_email_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()
    make_team(campaign, make_user())
    notices.notify_of_dates(NOW)

    def fail(*args: object, **kwargs: object) -> None:
        raise OSError("no mail server")

    with monkeypatch.context() as patch:
        patch.setattr(messages.EmailMessage, "send", fail)
        patch.setattr(messages, "_silent_until", 0.0)
        send_all()
    job = Job.objects.get()
    assert (job.state, job.attempts) == (Job.State.WAITING, 0)  # an outage costs no attempt
    send_all()
    assert len(mail.outbox) == 1


def test_names_are_written_as_they_are_and_on_one_line() -> None:
    campaign = make_campaign(name="Q & A\r\nBcc: all@evil.example")
    alice = make_user()
    make_team(campaign, alice)
    notices.notify_of_dates(NOW)
    send_all()
    (message,) = mail.outbox
    assert "\n" not in message.subject
    assert message.subject.startswith("Q & A")
    assert message.recipients() == [alice.email]
    assert "Bcc" not in message.message()
    assert "&amp;" not in message.body


TEXTS = Path(settings.BASE_DIR, "templates/mail").glob("[a-z]*.txt")
OF_THE_SITE = {"organiser_decision", "organiser_request"}  # and of no campaign
# An invitation may go to a person without an account.
KINDS = sorted({path.stem for path in TEXTS} - {"invitation", *OF_THE_SITE})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("site", ["", "https://track.example/"])
def test_every_email_says_what_and_where(kind: str, site: str, settings: object) -> None:
    settings.SITE_URL = site
    campaign = make_campaign(name="It's a track", closes_at=NOW, grace_minutes=5)
    run = make_run(campaign, problems=[{"code": "X", "line": 3, "message": "odd"}], problem_count=1)
    said = Announcement(campaign=campaign, subject="So", body="*Thus*")
    subject, body = messages.compose(
        kind, campaign, run=run, name=run.tag, team=run.team, announcement=said
    )
    assert subject.startswith("It's a track: ")
    assert "{" not in subject + body
    assert "&#" not in subject + body
    assert "account page" in body
    assert ("https://track.example/campaigns/" in body) is bool(site)


# --- runs -----------------------------------------------------------------------------------------


def test_a_refused_run_is_emailed_to_its_whole_team_and_nobody_else() -> None:
    campaign = make_campaign()
    alice, bob, rival = make_user(), make_user(), make_user()
    team = make_team(campaign, alice, bob)
    make_team(campaign, rival)
    problem = {"code": "SCORE", "line": 7, "message": "the score is not a number", "value": "x"}
    run = make_run(
        campaign, team, state=Run.State.REFUSED, problems=[problem], problem_count=1, tag="mine"
    )
    notices.notify_team(run, "refused")
    notices.notify_team(run, "refused")
    send_all()
    assert told(alice) == told(bob) == ["refused"]
    assert told(rival) == []
    assert "line 7: the score is not a number: x" in mail.outbox[0].body


def test_a_blind_team_is_not_emailed_that_its_run_is_scored() -> None:
    campaign = make_campaign()
    alice = make_user()
    run = make_run(campaign, make_team(campaign, alice))
    delivery.notify_of_scores([run], campaign)
    assert told(alice) == []


@pytest.mark.parametrize(
    "shown",
    [
        {"shows_own_scores": True},
        {"board_audience": Audience.PARTICIPANTS, "runs_audience": Audience.PARTICIPANTS},
    ],
)
def test_a_team_that_may_see_scores_is_emailed_once(shown: dict[str, object]) -> None:
    campaign = make_campaign(**shown)
    alice = make_user()
    run = make_run(campaign, make_team(campaign, alice))
    delivery.notify_of_scores([run], campaign)
    delivery.notify_of_scores([run], campaign)  # scored anew, under other qrels
    send_all()
    assert told(alice) == ["scored"]
    assert len(mail.outbox) == 1


@pytest.mark.parametrize(("shown", "expected"), [(0.25, ["scored"]), (None, [])])
def test_feedback_is_emailed_if_there_is_any(shown: float | None, expected: list[str]) -> None:
    campaign = make_campaign(feedback=Campaign.Feedback.ROUNDED)
    alice = make_user()
    run = make_run(campaign, make_team(campaign, alice))
    FeedbackRelease.objects.create(
        run=run, qrels=make_qrels(campaign), measure="AP", value=0.251, shown=shown
    )
    delivery.notify_of_scores([run], campaign)
    assert told(alice) == expected


# --- the worker's timer ---------------------------------------------------------------------------


def test_the_task_sends_due_notices() -> None:
    campaign = make_campaign(opens_at=NOW - HOUR)
    alice = make_user()
    make_team(campaign, alice)
    tasks.tell_due()
    assert told(alice) == ["opened"]


def test_the_timer_runs_every_minute_and_survives_a_broker_outage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[object, ...]] = []

    class Timer:
        def call_repeatedly(self, seconds: float, act: object, arguments: tuple = ()) -> object:
            asked.append((seconds, act, arguments))

    def no_broker(*args: object, **kwargs: object) -> None:
        raise ConnectionError("no broker")

    worker = type("Worker", (), {"timer": Timer()})()
    celery.Sweeper(worker).start(worker)
    monkeypatch.setattr(celery.app, "send_task", no_broker)
    (ask, arguments) = next(
        (act, given) for seconds, act, given in asked if given[:1] == ("scoring.tell_due",)
    )
    ask(*arguments)  # raises nothing
    sent = []
    monkeypatch.setattr(celery.app, "send_task", lambda name, **options: sent.append(name))
    ask(*arguments)
    assert sent == ["scoring.tell_due"]
    assert tasks.perform_next.name == queue.TASK


# --- work that was given up -------------------------------------------------------------------


def give_up(run: Run, kind: Job.Kind = Job.Kind.CHECK) -> None:
    job = queue.enqueue(kind, subject=run.pk, campaign_id=run.campaign_id)
    Job.objects.filter(pk=job.pk).update(attempts=settings.JOB_ATTEMPTS - 1)
    with queue.job_attempt(job.pk):
        raise OSError("the disk is away")


def test_organisers_are_emailed_once_a_day_about_failed_runs() -> None:
    campaign = make_campaign()
    organiser, alice = make_organiser(campaign), make_user()
    team = make_team(campaign, alice)
    give_up(make_run(campaign, team))
    give_up(make_run(campaign, team))
    assert (told(organiser), told(alice)) == (["failed"], [])
    send_all()
    (letter,) = mail.outbox
    assert letter.to == [organiser.email]
    assert "processing a run has failed" in letter.subject
    Notice.objects.update(key="failed/2026-01-01")
    give_up(make_run(campaign, team))
    assert told(organiser) == ["failed", "failed"]


def test_a_failed_email_causes_no_email() -> None:
    campaign = make_campaign()
    organiser = make_organiser(campaign)
    give_up(make_run(campaign, make_team(campaign)), Job.Kind.NOTIFY)
    assert told(organiser) == []
