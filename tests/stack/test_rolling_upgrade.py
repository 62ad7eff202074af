"""The previous release on the new schema, beside the new code: no act fails, no run is lost."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.faults.servers import Postgres, Redis
from tests.stack.releases import ROOT, Release, Visitor, eventually, extract, previous_release
from tests.stack.submissions import Track, run_bytes
from tests.test_migrations import RELEASED
from trackside.stack import Missing

pytestmark = [
    pytest.mark.long,
    pytest.mark.faults,
    pytest.mark.xdist_group("stack"),
]

JSON = "application/json"
# By the previous release: a campaign with runs on a shown board, and two people who can log in.
PREPARE = """
from campaigns import assignments
from campaigns.models import Campaign, Membership, Team, Topic, User
from knox.models import AuthToken
campaign = Campaign.objects.create(
    slug="stack", name="While it is upgraded", stage="open", is_accepting=True, measures=["AP"],
    runs_audience=2, board_audience=2,
)
Topic.objects.bulk_create(
    Topic(campaign=campaign, code=str(code), position=code) for code in range(5)
)
member, organiser, new = (
    User.objects.create_user(f"{who}@example.org", "a long password", is_approved=True)
    for who in ("team", "organiser", "new")
)
team = Team.objects.create(campaign=campaign, name="The team")
Membership.objects.create(campaign=campaign, person=member, role="participant", team=team)
Membership.objects.create(campaign=campaign, person=organiser, role="organiser")
qrels = "".join(f"{t} 0 d{d} {d % 2}\\n" for t in range(5) for d in range(20))
assignments.add_qrels(campaign=campaign, data=qrels.encode(), note="", actor=None)
print("\\n".join(AuthToken.objects.create(person)[1] for person in (member, organiser)))
"""


@dataclass
class Upgrade:
    """A site that the previous release set up and this one has migrated."""

    old: Release
    new: Release
    old_web: Visitor
    new_web: Visitor
    tokens: list[str]
    runs: int = 0

    def upload(self, web: Visitor) -> None:
        """Two runs more."""
        for _ in range(2):
            status, answer = self.track(web).submit(run_bytes(f"run{self.runs}"))
            assert status == 202, (answer, self.explain())
            self.runs += 1

    def settle(self) -> None:
        """Every run is scored, once, and both releases show the same board."""
        eventually(
            f"{self.runs} scored runs",
            lambda: self.track(self.old_web).scored() == self.runs,
            self.explain,
        )
        board = "/api/campaigns/stack/leaderboard/?measure=AP"
        old, new = (self.track(web).get(board) for web in (self.old_web, self.new_web))
        # The key that the previous release calls standing is status since, and baselines are new.
        without_baselines = new[1].replace(b',"is_baseline":0', b"")
        renamed = old[1].replace(b'"standing":', b'"status":')
        assert (old[0], renamed) == (new[0], without_baselines)

    def track(self, web: Visitor) -> Track:
        return Track(web.port, *self.tokens)

    def explain(self) -> str:
        return self.old.log_tail() + self.new.log_tail()


def environment(folder: Path, services: dict[str, str]) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "VAR_DIR": str(folder / "var"),
        "SECRET_KEY": "only-for-tests",
        "SITE_URL": "http://127.0.0.1",
        "LEASE_SECONDS": "10",
        "RENEWAL_SECONDS": "3",
        "SWEEP_SECONDS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    } | services


def services_of(database: str, folder: Path, ends: ExitStack) -> dict[str, str]:
    if database == "sqlite":
        return {}
    redis, postgres = Redis(folder), Postgres()
    ends.callback(postgres.throw_away)
    ends.callback(redis.stop, gently=False)
    redis.start()
    postgres.start()
    return {"DATABASE_URL": postgres.url, "BROKER_URL": redis.url}


@pytest.fixture(scope="module")
def previous_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        return extract(previous_release(), tmp_path_factory.mktemp("previous"))
    except Missing as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(
    scope="module", params=["postgresql", pytest.param("sqlite", marks=pytest.mark.exhaustive)]
)
def upgrade(
    request: pytest.FixtureRequest, previous_tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Upgrade]:
    """The previous release runs; then the new one migrates beside it and starts its web server."""
    folder = tmp_path_factory.mktemp(request.param)
    with ExitStack() as ends:
        try:
            named = environment(folder, services_of(request.param, folder, ends))
        except Missing as error:
            if os.environ.get("REQUIRE_SERVICES") == "1":
                pytest.fail(str(error))
            pytest.skip(str(error))
        old = Release("old", previous_tree, named, folder)
        new = Release("new", ROOT, named, folder)
        ends.callback(old.close)
        ends.callback(new.close)
        old.manage("migrate", "--verbosity", "0")
        tokens = old.manage("shell", "--verbosity", "0", "-c", PREPARE).split()[-2:]
        old_web = old.start_web()
        old.start_worker()
        new.manage("migrate", "--verbosity", "0")
        yield Upgrade(old, new, old_web, new.start_web(), tokens)


def test_each_process_runs_the_release_that_it_is_said_to(upgrade: Upgrade) -> None:
    for release in (upgrade.old, upgrade.new):
        script = "import campaigns, scoring; print(campaigns.__file__, scoring.__file__)"
        found = release.manage("shell", "--verbosity", "0", "-c", script).split()[-2:]
        assert all(Path(path).is_relative_to(release.tree) for path in found)


def test_the_previous_release_takes_scores_and_shows_runs_on_the_new_schema(
    upgrade: Upgrade,
) -> None:
    upgrade.upload(upgrade.old_web)
    upgrade.settle()


def test_people_create_campaigns_and_teams_in_the_previous_release_and_go_on_in_the_new_one(
    upgrade: Upgrade,
) -> None:
    visitor = Visitor(upgrade.old_web.port)
    visitor.send("/accounts/login/", login="new@example.org", password="a long password")
    assert "Newcomers" in visitor.send("/campaigns/stack/team/", name="Newcomers")
    visitor.port = upgrade.new_web.port
    assert "Newcomers" in visitor.page("/campaigns/stack/team/")
    old, new = upgrade.track(upgrade.old_web), upgrade.track(upgrade.new_web)
    facts = json.dumps({"slug": "next", "name": "Next", "preset": "trec"}).encode()
    created = old.send(
        "POST", "/api/campaigns/", facts, token=old.organiser_token, **{"Content-Type": JSON}
    )
    assert created[0] == 201, created
    assert new.get("/api/campaigns/next/")[0] == 200


def test_a_new_worker_scores_what_the_previous_release_takes(upgrade: Upgrade) -> None:
    upgrade.old.stop("worker")
    upgrade.upload(upgrade.old_web)
    # No sweep within the test's patience: it understands the messages themselves.
    upgrade.new.start_worker(SWEEP_SECONDS="600")
    upgrade.upload(upgrade.old_web)
    upgrade.settle()


def test_a_worker_of_the_previous_release_scores_what_the_new_one_takes(upgrade: Upgrade) -> None:
    upgrade.new.stop("worker")
    upgrade.new_web.send("/accounts/password/reset/", email="team@example.org")  # no work for it
    upgrade.upload(upgrade.new_web)
    upgrade.old.start_worker()
    upgrade.settle()
    upgrade.upload(upgrade.new_web)  # and hears of those that come while it listens
    upgrade.settle()


def test_workers_of_both_releases_share_the_work(upgrade: Upgrade) -> None:
    upgrade.new.start_worker()
    for web in (upgrade.old_web, upgrade.new_web):
        upgrade.upload(web)
    upgrade.settle()
    left = "from scoring.models import Job; print(Job.objects.exclude(state='done').count())"
    eventually(
        "every job to be done, of kinds that only one release knows too",
        lambda: upgrade.new.manage("shell", "--verbosity", "0", "-c", left).split()[-1] == "0",
        upgrade.explain,
    )


def test_the_previous_release_passes_its_own_test_of_a_year_on_the_new_schema(
    previous_tree: Path, tmp_path: Path
) -> None:
    """Every act of a campaign, from the draft to what stays, by pages and API. It takes most of a
    minute, because a year is one story, which begins with the migrations."""
    postgres = Postgres()
    try:
        postgres.start()
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE test_year")
        url = postgres.url.removesuffix("postgres")
        named = environment(tmp_path, {"BROKER_URL": "redis://127.0.0.1:1"})
        new = Release("new", ROOT, named | {"DATABASE_URL": f"{url}test_year"}, tmp_path)
        new.manage("migrate", "--verbosity", "0")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--reuse-db", "-p", "no:cacheprovider",
             "tests/flow/test_a_trec_year.py", "tests/test_teams.py"],
            cwd=previous_tree, env=named | {
                "DATABASE_URL": f"{url}year", "DJANGO_SETTINGS_MODULE": "tests.settings",
            }, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-5000:]
    finally:
        postgres.throw_away()


def test_the_migrations_said_to_be_released_are_those_of_the_previous_release(
    previous_tree: Path,
) -> None:
    for app, last in RELEASED.items():
        names = sorted(path.stem for path in (previous_tree / app / "migrations").glob("0*.py"))
        assert names[-1] == last
