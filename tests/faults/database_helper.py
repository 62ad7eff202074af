"""The helper process: the one part of the fault suite that is bound to a site's database.

It reads one JSON request a line and answers one JSON line: the web process of the scenarios, and
their eyes. `python -m tests.faults.database_helper submit 17` is a web process for a single upload.
"""

# ruff: noqa: E402 - models can be imported once Django is set up

import json
import os
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import django

from campaigns.errors import SubmissionRefused

django.setup()

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from knox.models import AuthToken

from campaigns import quotas
from campaigns.models import (
    Audience,
    Campaign,
    LogEntry,
    Membership,
    Notice,
    Run,
    Team,
    Topic,
    User,
)
from campaigns.qrels import versions
from campaigns.runs import submission
from scoring.evaluation.requests import request_evaluations
from scoring.jobs import queue
from scoring.models import Evaluation, Job, Score
from tests.faults import files
from tests.faults.ledger import read_ledger
from tests.patience import wait_for
from tests.tables import make_tables

SLUG = "faults"


def prepare() -> None:
    """The tables, and a campaign with topics, qrels and one team."""
    make_tables()
    campaign = Campaign.objects.create(
        slug=SLUG,
        name="Faults",
        stage=Campaign.Stage.OPEN,
        is_accepting=True,
        highest_grade=2,
        attempt_quota=30_000,
    )
    Topic.objects.bulk_create(
        Topic(campaign=campaign, code=code, position=position)
        for position, code in enumerate(files.TOPICS)
    )
    member, organiser = (
        User.objects.create_user(f"{who}@example.org", "a long password")
        for who in ("team", "organiser")
    )
    team = Team.objects.create(campaign=campaign, name="The team")
    Membership.objects.create(
        campaign=campaign, person=member, role=Membership.Role.PARTICIPANT, team=team
    )
    Membership.objects.create(campaign=campaign, person=organiser, role=Membership.Role.ORGANISER)
    versions.add_qrels(campaign=campaign, data=files.QRELS, note="", actor=None)


def token() -> str:
    """Lets scripts in as the team's member."""
    return AuthToken.objects.create(User.objects.get(email="team@example.org"))[1]


def close_in(seconds: float | None) -> float:
    """Puts the deadline this many seconds ahead, or takes it away; its Unix time."""
    closes_at = None if seconds is None else timezone.now() + timedelta(seconds=seconds)
    Campaign.objects.update(closes_at=closes_at)
    return closes_at.timestamp() if closes_at else 0.0


def latest_arrival() -> float:
    return Run.objects.latest("submitted_at").submitted_at.timestamp()


def show_board(is_shown: bool) -> None:
    """To everybody, or to organisers alone."""
    audience = Audience.EVERYONE if is_shown else Audience.ORGANISERS
    Campaign.objects.update(board_audience=audience)


def submit(numbers: list[int]) -> None:
    """Hands in these runs as the upload page does, bell included."""
    campaign = Campaign.objects.get(slug=SLUG)
    team = Team.objects.get()
    for number in numbers:
        upload = SimpleUploadedFile(f"{number}.txt", files.run_bytes(number))
        with submission.stored_upload(upload) as file:
            submission.submit_run(
                campaign=campaign,
                team=team,
                person=None,
                file=file,
                submitted_at=timezone.now(),
                description=str(number),
            )


def score_again(numbers: list[int]) -> None:
    """As after a release with new versions of the measures: the runs have no current scores, and
    nothing of the old ones is left in the log."""
    runs = Run.objects.filter(description__in=map(str, numbers))
    with transaction.atomic():
        Score.objects.filter(evaluation__run__in=runs).update(definition=0)
        entries = LogEntry.objects.filter(verb="scored")
        mine = entries.filter(subject__in=list(runs.values_list("public_id", flat=True)))
        mine._raw_delete(connection.alias)  # entries refuse to be deleted
        request_evaluations(Campaign.objects.get(slug=SLUG))


def look(numbers: list[int]) -> dict[str, dict[str, Any]]:
    """What became of these runs: states, and attempts of their two kinds of job."""
    runs = {run.pk: run for run in Run.objects.filter(description__in=map(str, numbers))}
    evaluations = {each.run_id: each for each in Evaluation.objects.filter(run__in=runs)}
    scored = [evaluation.pk for evaluation in evaluations.values()]
    checks = Q(kind=Job.Kind.CHECK, subject__in=runs)
    found = Job.objects.filter(checks | Q(kind=Job.Kind.EVALUATE, subject__in=scored))
    attempts = {(job.kind, job.subject): job.attempts for job in found.order_by("pk")}
    seen = {}
    for run in runs.values():
        evaluation = evaluations.get(run.pk)
        seen[run.description] = {
            "id": run.public_id,
            "run": run.state,
            "evaluation": evaluation.state if evaluation else None,
            "checks": attempts.get((Job.Kind.CHECK, run.pk), 0),
            "scorings": attempts.get((Job.Kind.EVALUATE, evaluation.pk), 0) if evaluation else 0,
        }
    return seen


def quota_used() -> dict[str, int]:
    """What the team has used of its runs, and of its attempts of a day."""
    quota = quotas.quota_of(Campaign.objects.get(), Team.objects.get(), timezone.now())
    return {"runs": quota.used, "attempts": quota.attempts}


def letters_to_organisers() -> list[str]:
    """The subjects of what they were sent."""
    sent = Notice.objects.filter(recipient__email="organiser@example.org", sent_at__isnull=False)
    return list(sent.values_list("subject", flat=True))


def open_jobs() -> int:
    return Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING]).count()


def check_job_of(number: int) -> int:
    run = Run.objects.get(description=str(number))
    return Job.objects.get(kind=Job.Kind.CHECK, subject=run.pk).pk


def lease_of(number: int) -> float:
    """The end of the lease of the job that scores this run, as Unix time."""
    evaluation = Evaluation.objects.get(run__description=str(number))
    job = Job.objects.get(kind=Job.Kind.EVALUATE, subject=evaluation.pk)
    return job.lease_until.timestamp()


def deliver_often(numbers: list[int], times: int, patience: float) -> int:
    """Sends the message of every job of these runs `times` more, as soon as it exists and once
    more when all is done; returns how many were sent."""
    names = [str(number) for number in numbers]
    wake_ups: set[int] = set()

    def are_all_scored() -> bool:
        runs = Run.objects.filter(description__in=names)
        evaluations = Evaluation.objects.filter(run__in=runs)
        wanted = [*Job.objects.filter(kind=Job.Kind.CHECK, subject__in=runs.values("pk"))]
        wanted += Job.objects.filter(kind=Job.Kind.EVALUATE, subject__in=evaluations.values("pk"))
        for job in wanted:
            if job.pk not in wake_ups:
                wake_ups.add(job.pk)
                _ring(job.pk, times)
        return evaluations.filter(state=Evaluation.State.SCORED).count() == len(numbers)

    wait_for("all runs to be scored", are_all_scored, patience=patience)
    for job_id in wake_ups:
        _ring(job_id, times)
    return 2 * times * len(wake_ups)


def _ring(job_id: int, times: int) -> None:
    for _ in range(times):
        queue.wake_worker(job_id)


def cut_database() -> int:
    """Ends every other connection to this PostgreSQL database; how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return cursor.fetchone()[0]


def die_between_commit_and_bell(number: int) -> int:
    """Forks a web process that takes the run in and is killed before it rings; its exit status."""
    connection.close()
    child = os.fork()
    if child == 0:
        os.environ["TRACKSIDE_FAULTS"] = "before-wake=kill"
        submit([number])
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def submit_at_once(numbers: list[int], quota: int) -> list[int]:
    """Hands in all of these at the same moment, where only `quota` more are allowed; which were
    taken."""
    campaign = Campaign.objects.get(slug=SLUG)
    campaign.run_quota = Run.objects.exclude(state__in=["refused", "failed"]).count() + quota
    campaign.save(update_fields=["run_quota"])
    start = threading.Barrier(len(numbers))

    def submit_when_all_are_ready(number: int) -> int | None:
        start.wait()
        try:
            submit([number])
        except SubmissionRefused:
            return None
        finally:
            connection.close()
        return number

    with ThreadPoolExecutor(len(numbers)) as pool:
        taken = list(pool.map(submit_when_all_are_ready, numbers))
    campaign.run_quota = None
    campaign.save(update_fields=["run_quota"])
    return [number for number in taken if number is not None]


ANSWERS = {
    act.__name__: act
    for act in (
        prepare,
        token,
        close_in,
        latest_arrival,
        show_board,
        submit,
        submit_at_once,
        score_again,
        die_between_commit_and_bell,
        look,
        quota_used,
        letters_to_organisers,
        open_jobs,
        check_job_of,
        lease_of,
        deliver_often,
        cut_database,
        read_ledger,
    )
}


def serve() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"answer": ANSWERS[request["act"]](*request["arguments"])}
        except Exception:
            answer = {"error": traceback.format_exc()}
        if connection.vendor == "postgresql":  # it may be another server by the next request
            connection.close()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["submit"]:
        submit([int(sys.argv[2])])
    else:
        serve()
