"""A track's whole year through pages and API: draft, teams, twelve runs, the deadline, the pool,
judgments, publication, a correction, and what stays."""

import csv
import io
import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from campaigns.models import Judgment, Run, Team
from campaigns.people import membership
from scoring.models import Job
from tests import trecyear
from tests.flow_world import logged_in, perform_jobs
from tests.frozen_clock import frozen
from tests.making import make_user
from tests.track import (
    API,
    HERE,
    HIDDEN,
    INSTANT,
    SETTINGS,
    TEAMS,
    Year,
    board,
    look,
    submit,
    told_all,
    upload,
)
from tests.trecyear import Judged

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups")]


@pytest.fixture(
    params=[
        "simulated",
        pytest.param(
            "real",
            marks=[
                pytest.mark.long,
                pytest.mark.data,
                pytest.mark.skipif(
                    not trecyear.DATA,
                    reason="TRACKSIDE_DATA does not name the folder of real runs",
                ),
            ],
        ),
    ]
)
def year(
    request: Any, settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> Iterator[Year]:
    caplog.set_level(logging.ERROR, "django.request")  # refusals are part of the story
    storages = settings.STORAGES["default"] | {"OPTIONS": {"location": str(tmp_path / "files")}}
    settings.STORAGES = settings.STORAGES | {"default": storages}
    stock = trecyear.real() if request.param == "real" else trecyear.simulated()
    with frozen("2026-03-01T09:00:00Z") as clock:
        cast = {name: make_user(f"{name}@example.org", name=name.title()) for name in TEAMS}
        cast["olga"] = make_user("olga@example.org", name="Olga", is_approved=True)
        cast["hal"] = make_user("hal@example.org", name="Hal")
        browsers = {name: logged_in(person) for name, person in cast.items()}
        yield Year(stock, clock, cast, browsers | {"nobody": Client()})


def test_a_year(year: Year) -> None:
    draft_it(year)
    gather_teams(year)
    submit_runs(year)
    pass_the_deadline(year)
    first = judge_the_pool(year)
    publish(year, first)
    snapshot = correct(year, first)
    reveal(year, snapshot)
    read_the_log(year)


def draft_it(year: Year) -> None:
    """1 March. Made by script; nobody else may know of it."""
    settings = SETTINGS | {"run_depth": year.stock.depth}
    made = year.organiser_client.post("/api/campaigns/", settings, content_type="application/json")
    assert made.status_code == 201, made.content
    topics = SimpleUploadedFile("topics", year.stock.topics)
    added = year.organiser_client.post(f"{API}/topics/", {"file": topics})
    assert added.json()["added"] == year.campaign.topics.count() > 0
    assert year.browsers["ada"].get(f"{HERE}/").status_code == 404
    preview = year.organiser_client.get(f"{HERE}/?as=public&at=open").content.decode()
    assert "Return <strong>documents</strong>" in preview


def gather_teams(year: Year) -> None:
    """15 March. Four teams ask to be let in; two of them are merged; topics are still secret."""
    year.move_to("2026-03-15T09:00:00Z")
    year.step("open")
    for who, name in TEAMS.items():
        fields = {"name": name, "accepts_terms": "on", "shares_files": "on"}
        hides = {"is_anonymous": "on"} if name == HIDDEN else {}
        digest = membership.terms_digest(year.campaign)
        year.post(who, f"{HERE}/team/", **fields, **hides, digest=digest)
    waiting = year.browsers["ada"].get(f"{HERE}/submit/")  # not let in yet: told so, no form
    assert (waiting.status_code, b'type="file"' in waiting.content) == (200, False)
    teams = {team.name: team.public_id for team in Team.objects.all()}
    for public_id in teams.values():
        year.post("olga", f"{HERE}/manage/teams/{public_id}/approve/")
    merging = f"{HERE}/manage/teams/{teams['Canopy Two']}/merge/"
    year.post("olga", merging, into=teams["Canopy"])
    assert "Canopy" in year.browsers["dora"].get(f"{HERE}/team/").content.decode()
    assert year.browsers["ada"].get(f"{HERE}/topics.xml").status_code == 404
    early = year.browsers["ada"].post(f"{API}/runs/", upload(year.stock.runs[year.stock.tags[0]]))
    assert (early.status_code, early.json()["code"]) == (409, "too_early")
    told = year.told()
    assert {who: told[who] for who in TEAMS} == {
        who: [f"A track: {name} is approved"] for who, name in TEAMS.items()
    }
    assert len(told["olga"]) == len(TEAMS)  # each asked to be let in


def submit_runs(year: Year) -> None:
    """April. Ten runs by page and by script; one is refused, one is replaced."""
    year.move_to("2026-04-01T00:00:00Z")
    assert year.browsers["ada"].get(f"{HERE}/topics.xml").status_code == 200
    assert year.told() == told_all("submissions are open")
    for number, tag in enumerate(year.stock.tags[:10]):
        year.move_to(f"2026-04-{number + 2:02d}T10:00:00Z")
        submit(year, ["ada", "ben", "cem"][number % 3], tag, is_by_script=number % 2 == 0)
    refuse_one(year)
    replace_one(year)


def refuse_one(year: Year) -> None:
    year.told()
    lines = year.stock.runs[year.stock.tags[10]].decode().splitlines()
    lines[6] = lines[6].rpartition(" ")[0] + " another-tag"
    year.post("cem", f"{HERE}/submit/", **upload("\n".join(lines).encode()))
    perform_jobs()
    run = Run.objects.latest("pk")
    assert (run.state, run.problems[0]["line"]) == (Run.State.REFUSED, 7)
    # Both of the team are told, and nobody else.
    refusal = ["A track: run run.txt was refused"]
    assert year.told() == {"cem": refusal, "dora": refusal}


def replace_one(year: Year) -> None:
    tag = year.stock.tags[1]
    old = Run.objects.get(tag=tag)
    lines = year.stock.runs[tag].decode().splitlines()
    shorter = "\n".join(lines[:-5])
    new = submit(year, "ben", tag, is_by_script=False, data=shorter, replaces=old.public_id)
    old.refresh_from_db()
    new.refresh_from_db()
    assert old.replaced_at is not None
    assert new.state == Run.State.ACCEPTED


def pass_the_deadline(year: Year) -> None:
    """The end of April, anywhere on Earth: one comes in time, one late, one too late."""
    closes = year.campaign.closes_at
    year.move_to(closes - INSTANT)
    assert not submit(year, "ada", year.stock.tags[10], is_by_script=False).is_late
    year.move_to(closes)
    assert submit(year, "cem", year.stock.tags[11], is_by_script=True).is_late
    told = year.told()
    assert all(told[who].count("A track: submissions are closed") == 1 for who in TEAMS)
    year.move_to(closes + timedelta(minutes=30))
    late = year.browsers["ben"].post(f"{API}/runs/", upload(year.stock.runs[year.stock.tags[0]]))
    assert (late.status_code, late.json()["code"]) == (409, "too_late")
    assert year.told() == {}  # once is enough


def judge_the_pool(year: Year) -> Judged:
    """June. The pool of the runs that count is judged and frozen; the blind notice nothing."""
    year.step("judge")
    year.move_to("2026-06-01T09:00:00Z")
    link = year.post("olga", f"{HERE}/manage/people/invite/assessor/", 200).context["link"]
    year.post("hal", link.partition("testserver")[2])
    year.told()
    before = {who: look(year, who) for who in ("ada", "nobody", "hal")}
    judged = year.stock.pool(tag for tag in year.handed if tag != year.stock.tags[11])
    topics = {topic.code: topic for topic in year.campaign.topics.all()}
    Judgment.objects.bulk_create(
        Judgment(
            campaign=year.campaign,
            topic=topics[code],
            doc_id=document,
            grade=grade,
            assessor=year.people["hal"],
        )
        for (code, document), grade in judged.items()
    )
    year.post("olga", f"{HERE}/manage/qrels/freeze/", note="the pool to depth 10")
    assert perform_jobs() >= 12
    # Hal's own data hold Hal's judgments; nothing else is told to anybody.
    own = {"ada": [], "nobody": [], "hal": ["GET /account/data.json"]}
    assert {who: seen.differences(look(year, who)) for who, seen in before.items()} == own
    assert year.told() == {}
    assert_scores(year, judged)
    return judged


def assert_scores(year: Year, judged: Judged, version: str = "") -> None:
    """What the organisers' board has is what plain loops over the files give."""
    expected = {tag: trecyear.by_hand(data, judged, p=0.8) for tag, data in year.handed.items()}
    rbp, ap = (
        board(year.organiser_client, f"measure={m}{version}") for m in ("RBP(p%3D0.8)", "AP")
    )
    assert {row["run"] for row in rbp} == {row["run"] for row in ap} == set(expected)
    for row in rbp:
        due = expected[row["run"]]
        assert float(row["base"]) == pytest.approx(due["base"], abs=1e-12)
        assert float(row["residual"]) == pytest.approx(due["residual"], abs=1e-12)
    for row in ap:
        assert float(row["base"]) == pytest.approx(expected[row["run"]]["AP"], abs=1e-12)
    assert [row["run"] for row in rbp if row["status"] == "late"] == [year.stock.tags[11]]
    assert sum(row["rank"] != "" for row in rbp) == 11


def publish(year: Year, first: Judged) -> None:
    """1 July. Everyone sees the board; the nameless team stays nameless."""
    year.move_to("2026-07-01T09:00:00Z")
    year.step("publish")
    assert year.told() == told_all("results are published")
    rows = board(year.browsers["nobody"], "measure=AP")
    assert len(rows) == 12
    masked = [row for row in rows if row["team"].startswith("anonymous-")]
    assert len(masked) == sum(run.team.name == HIDDEN for run in live(year))
    everything = look(year, "nobody")
    assert everything.holding(HIDDEN.encode()) == []
    assert [tag for tag in hidden_tags(year) if everything.holding(tag.encode())] == []
    # the team itself is not hidden from itself
    assert HIDDEN in {row["team"] for row in board(year.browsers["ben"], "measure=AP")}


def live(year: Year) -> list[Run]:
    return list(Run.objects.live().select_related("team"))


def hidden_tags(year: Year) -> list[str]:
    return [run.tag for run in live(year) if run.team.name == HIDDEN]


def correct(year: Year, first: Judged) -> str:
    """15 July. A snapshot is taken; then fifty judgments are found wrong, and version 2 comes."""
    year.move_to("2026-07-15T09:00:00Z")
    snapshot = year.post("olga", f"{HERE}/snapshots/new/", title="As published").url
    before = board(year.browsers["nobody"], "measure=AP")
    second = trecyear.corrected(first)
    file = SimpleUploadedFile("qrels.txt", trecyear.qrels_file(second))
    added = year.organiser_client.post(f"{API}/qrels/", {"file": file, "note": "fifty were wrong"})
    assert added.status_code == 201, added.content
    assert perform_jobs(Job.Kind.EVALUATE) == 12  # a replaced run is worth no more work
    assert_scores(year, second)
    assert_scores(year, first, "&qrels=1")
    older = board(year.browsers["nobody"], "measure=AP&qrels=1")
    moves = [row.pop("ranks_gained") for row in older]  # compared with the active version
    assert older == before
    assert [bool(move) for move in moves] == [row["status"] == "ranked" for row in older]
    assert board(year.browsers["nobody"], "measure=AP") != before
    diff = year.organiser_client.get(f"{HERE}/qrels/1-2.csv").content.decode()
    assert len(list(csv.DictReader(io.StringIO(diff)))) == trecyear.CHANGED
    assert "τ" in year.organiser_client.get(f"{HERE}/qrels/1-2/").content.decode()
    assert year.browsers["nobody"].get(f"{HERE}/qrels/1-2/").status_code == 404
    return snapshot


def reveal(year: Year, snapshot: str) -> None:
    """1 September. The nameless team is named, to the instant; the snapshot stays as it was."""
    file = f"{snapshot.rstrip('/')}.zip"
    kept = b"".join(year.browsers["nobody"].get(file))
    year.move_to(year.campaign.reveals_teams_at - INSTANT)
    assert HIDDEN not in {row["team"] for row in board(year.browsers["nobody"], "")}
    year.move_to(year.campaign.reveals_teams_at)
    assert HIDDEN in {row["team"] for row in board(year.browsers["nobody"], "")}
    assert set(hidden_tags(year)) <= {row["run"] for row in board(year.browsers["nobody"], "")}
    assert b"".join(year.browsers["nobody"].get(file)) == kept
    assert HIDDEN not in year.browsers["nobody"].get(snapshot).content.decode()


def read_the_log(year: Year) -> None:
    """Who changed what, in order; for organisers only."""
    text = year.organiser_client.get(f"{HERE}/manage/log.csv").content.decode()
    acts = [row["action"] for row in csv.DictReader(io.StringIO(text)) if row["actor"] == "Olga"]
    assert acts[::-1] == [
        *("created", "changed visibility", "added topics", "opened"),
        *("approved", "approved", "approved", "approved", "merged"),
        *("began judging", "invited", "added qrels", "activated qrels"),
        *("published", "created snapshot", "added qrels", "activated qrels"),
    ]
    assert year.browsers["ada"].get(f"{HERE}/manage/log.csv").status_code == 404
