"""The real image behind the real proxy: used, stopped, killed, started again, and restored."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.container import machine_services
from tests.container.image import ROOT, Image
from tests.container.people import JOIN, PREPARE, Person, person_at, run_file
from tests.container.programs import Failed
from tests.container.site import ENVIRONMENT, Site, project
from tests.container.steps import note, step
from tests.container.submissions import Submitter
from tests.patience import wait_for

pytestmark = [pytest.mark.container, pytest.mark.browser]
STORE = {
    "S3_BUCKET": "trackside",
    "S3_ENDPOINT": "http://store:9000",
    "S3_REGION": "us-east-1",
    "S3_ACCESS_KEY": "trackside",
    "S3_SECRET_KEY": "storeword",
}
RUNNING = "SELECT count(*) FROM scoring_job WHERE kind = 'check' AND state = 'running'"
LOST = "SELECT sum(lost_leases) FROM scoring_job"
OPERATOR = "operator@site.example"
FACTOR = f"""
from allauth.mfa.models import Authenticator
from campaigns.models import User
Authenticator.objects.create(user=User.objects.get(email="{OPERATOR}"), type="totp", data={{}})
"""
# The arguments of each command of manage.py that docs/operations.md names for a running site. What
# asks in a terminal gets its answers from the environment, or as input.
COMMANDS = {
    "createsuperuser": f"DJANGO_SUPERUSER_PASSWORD=secret COMMAND --noinput --email {OPERATOR}",
    "check": "COMMAND --deploy",
    "approve": f"COMMAND {OPERATOR}",
    "changepassword": f"printf 'tell-nobody-2\\ntell-nobody-2\\n' | COMMAND {OPERATOR}",
    "remove_second_factor": f"python manage.py shell -c '{FACTOR}' && COMMAND {OPERATOR}",
    "verify": "COMMAND --repair",
}
OF_THE_SERVICE_BACKUP = {"backup", "restore"}
UNFINISHED = "SELECT count(*) FROM scoring_job WHERE state NOT IN ('done', 'failed')"
STATES = "SELECT state, count(*) FROM campaigns_run GROUP BY state"


@pytest.fixture(scope="module", params=["volume", "s3"])
def site(request: pytest.FixtureRequest, built: Image) -> Iterator[Site]:
    settings = STORE if request.param == "s3" else {}
    with project(built, **settings) as site:
        if settings:
            key, secret = STORE["S3_ACCESS_KEY"], STORE["S3_SECRET_KEY"]
            place = site.folder / "store"
            store = machine_services.s3_store(site.network, place, STORE["S3_BUCKET"], key, secret)
            site.running["store"] = store
            store.start()
        with step(f"every service of docker-compose.yml, files: {request.param}"):
            for name in site.services:
                site.up(name)
            site.wait_healthy("worker")
        for what, seconds in site.seconds.items():
            note(f"  {seconds:.1f} s until {what}")
        site.manage("shell", "-c", PREPARE)
        yield site


@pytest.fixture
def person(site: Site, request: pytest.FixtureRequest) -> Iterator[Person]:
    if not Path("/usr/bin/chromium").exists() and os.environ.get("REQUIRE_BROWSER") != "1":
        pytest.skip("/usr/bin/chromium is missing")
    with person_at(site, request.node.callspec.params["site"]) as person:
        yield person


def asked(site: Site, question: str) -> list[tuple[object, ...]]:
    address = site.network.join("db").address
    place = f"host={address} user=trackside dbname=trackside"
    with psycopg.connect(place, password=ENVIRONMENT["POSTGRES_PASSWORD"]) as database:
        return database.execute(question).fetchall()


def test_its_containers_are_confined(site: Site) -> None:
    for name in ("web", "worker"):
        container = site.container(name)
        status = container.execute("cat", "/proc/self/status")
        assert "CapEff:\t0000000000000000" in status
        assert "CapBnd:\t0000000000000000" in status
        assert "NoNewPrivs:\t1" in status
        assert "Uid:\t10001\t10001" in status
        assert "Gid:\t10001\t10001" in status
        with pytest.raises(Failed, match="Read-only file system"):
            container.execute("touch", "/app/collected/new")


def test_the_log_of_requests_has_no_query_strings(site: Site) -> None:
    site.wait_healthy("web")
    log = site.container("web").log.read_text()
    assert " GET /healthz 200 " in log
    assert "of=web" not in log


def test_a_run_is_uploaded_and_scored_and_outlives_its_containers(
    site: Site, person: Person
) -> None:
    with step("the browser signs up, uploads a run and sees its score"):
        person.sign_up()
        person.takes_picture("signed-up")
        site.manage("shell", "-c", JOIN)
        small = run_file("small", 1000)
        first = person.upload("small", small)
        person.sees_accepted(first)
        person.takes_picture("run")
        score = person.sees_score("small")
        person.takes_picture("board")
    with step("worker and web are killed while a job runs, and started again"):
        large = run_file("large", 60_000)  # long enough to be seen running
        second = person.upload("large", large)
        wait_for("the job to run", lambda: asked(site, RUNNING) == [(1,)])
        for name in ("worker", "web"):
            site.container(name).kill()
        assert asked(site, RUNNING) == [(1,)]
        start_again(site)
        person.sees_accepted(second)
        assert asked(site, LOST) == [(1,)]
        person.sees_score("large")
    with step("worker and web are stopped, and started again"):
        for name in ("worker", "web"):
            note(f"  {name} ended {site.container(name).stop():.1f} s after SIGTERM")
        start_again(site)
    assert person.sees_score("small") == score
    assert asked(site, STATES) == [("accepted", 2)]
    assert (person.downloads(first), person.downloads(second)) == (small, large)
    person.takes_picture("afterwards")


def start_again(site: Site) -> None:
    for name in ("web", "worker"):
        site.container(name).start()
    for name in ("web", "worker"):
        site.wait_healthy(name)


def test_a_backup_made_during_submissions_restores_a_site_without_its_volumes(site: Site) -> None:
    submitter = Submitter(site)
    for _ in range(3):
        submitter.submit()
    confirmed = set(submitter.digests)
    with step("a backup, while runs are submitted"), submitter.submitting():
        printed = site.run("backup")
    (name,) = re.findall(r"/backups/(site-\S+\.tar): the database and \d+ files\.", printed)
    note(f"  {len(submitter.digests) - len(confirmed)} runs were submitted in the meantime")
    with pytest.raises(Failed, match="The database is not empty"):
        site.run("backup", "python", "manage.py", "restore", f"/backups/{name}")
    with step("the volumes are destroyed, and the backup is restored"):
        for each in ("web", "worker", "db"):
            site.container(each).stop()
        for volume in ("files", "database"):
            shutil.rmtree(site.folder / "volumes" / volume)
        for folder in (site.folder / "store" / "data" / STORE["S3_BUCKET"]).glob("*"):
            shutil.rmtree(folder)
        site.container("db").start()
        site.wait_healthy("db")
        site.run("backup", "python", "manage.py", "restore", f"/backups/{name}")
        site.run("migrate")
        start_again(site)
    kept = {run for (run,) in asked(site, "SELECT public_id FROM campaigns_run")}
    assert confirmed <= kept
    ours = kept & set(submitter.digests)
    assert {run: submitter.downloaded(run) for run in ours} == {
        run: submitter.digests[run] for run in ours
    }
    wait_for("the jobs that the backup contains", lambda: asked(site, UNFINISHED) == [(0,)])
    assert set(asked(site, STATES)) == {("accepted", len(kept))}
    site.manage("verify")
    submitter.submit()


def test_the_commands_of_the_documentation_run_in_it(site: Site) -> None:
    text = (ROOT / "docs/operations.md").read_text()
    named = set(re.findall(r"manage\.py ([a-z_]+)", text)) - OF_THE_SERVICE_BACKUP
    assert named == set(COMMANDS)
    for name, line in COMMANDS.items():
        site.container("web").execute(
            "sh", "-c", line.replace("COMMAND", f"python manage.py {name}")
        )
    assert ".tar" in site.run("backup", "ls", "/backups")


def test_the_commands_that_dump_and_load_the_database_work_in_its_container(site: Site) -> None:
    """The commands of "From PostgreSQL 16 to 17", within one version."""
    dump = "pg_dump --username trackside --format=custom trackside >/tmp/trackside.dump"
    listed = "pg_restore --list </tmp/trackside.dump | grep -c 'TABLE DATA'"
    load = "pg_restore --username trackside --dbname loaded --no-owner --exit-on-error"
    say = "SELECT count(*) FROM campaigns_run"
    place = site.container("db")
    assert int(place.execute("sh", "-c", f"{dump} && {listed}")) > 40
    place.execute("createdb", "--username", "trackside", "loaded")
    place.execute("sh", "-c", f"{load} </tmp/trackside.dump")
    counts = [
        place.execute("psql", "--username", "trackside", "--tuples-only", "--command", say, name)
        for name in ("trackside", "loaded")
    ]
    assert int(counts[0]) == int(counts[1]) > 0
