"""Two versions side by side: three runs over two topics, worked by hand, and a slow twin."""

import csv
import html
import io
import math
import re

import numpy as np
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.models import Audience, Campaign, Team
from campaigns.trec.qrels import ParsedQrels, read_qrels
from scoring.qrels.diff import changes_between
from tests.flow_world import QRELS, World, perform_jobs, run_file
from tests.scoring.output.test_latex import rows_of

pytestmark = pytest.mark.usefixtures("wake_ups")

AFTER = b"1 0 d1 0\n1 0 d2 -1\n1 0 d3 1\n2 0 d1 0\n2 0 d2 1\n"
ORDERS = {"a": ("d1", "d2", "d3"), "b": ("d2", "d1", "d3"), "c": ("d3", "d2", "d1")}


@pytest.fixture
def world(world: World) -> World:
    """Scored under both versions, the second active."""
    world.add_qrels(QRELS)
    for tag, documents in ORDERS.items():
        world.submitted_run(run_file(tag, documents=documents))
    world.add_qrels(AFTER)
    perform_jobs()
    return world


def page(world: World, browser: Client, old: int = 1, new: int = 2, **query: str) -> HttpResponse:
    url = reverse("scoring:qrels-diff", args=[world.campaign.slug, old, new])
    return browser.get(url, {"measure": "AP"} | query)


def table(world: World, browser: Client, **query: str) -> list[dict[str, str]]:
    url = reverse("scoring:qrels-diff-csv", args=[world.campaign.slug, 1, 2])
    response = browser.get(url, {"measure": "AP"} | query)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_judgments_that_changed(world: World) -> None:
    """d1 of topic 1 is regraded, d2 is there with -1 and so judged no more, d3 is new."""
    found = page(world, world.organiser_client).context["diff"]
    changes = [(c.topic, c.doc_id, c.before, c.after) for c in found.changes]
    assert changes == [("1", "d1", 1, 0), ("1", "d2", 0, None), ("1", "d3", None, 1)]
    assert (found.changes.regraded, found.changes.added, found.changes.removed) == (1, 1, 1)
    assert (found.changes.unchanged, found.changes.topic_count) == (2, 1)
    assert found.changes.kinds == [(None, 1, 1), (0, None, 1), (1, 0, 1)]
    assert table(world, world.organiser_client) == [
        {"topic": "1", "document": "d1", "v1": "1", "v2": "0"},
        {"topic": "1", "document": "d2", "v1": "0", "v2": ""},
        {"topic": "1", "document": "d3", "v1": "", "v2": "1"},
    ]


def test_the_ranks_that_moved_and_how_far_the_boards_agree(world: World) -> None:
    """AP before: a (1 + 1/2)/2, b (1/2 + 1)/2, c (1/3 + 1/2)/2; after: a (1/3 + 1/2)/2,
    b (1/3 + 1)/2, c (1 + 1/2)/2. Of the pairs ab was tied, ac and bc turned round: τ-b is
    -2/√(2·3). From the top of the new board c, b, a: above b nothing is right, above a half a run
    of two, b, which had tied with it: τ_AP is 2 (0 + 1/4)/2 - 1."""
    found = page(world, world.organiser_client).context["diff"]
    moves = [(m.shown_name, m.rank_before, m.rank_after) for m in found.moves]
    assert moves == [("c", 3, 1), ("b", 1, 2), ("a", 1, 3)]
    before = [(1 / 3 + 1 / 2) / 2, 3 / 4, 3 / 4]
    after = [3 / 4, 2 / 3, (1 / 3 + 1 / 2) / 2]
    assert [m.base_before for m in found.moves] == pytest.approx(before, abs=1e-12)
    assert [m.base_after for m in found.moves] == pytest.approx(after, abs=1e-12)
    assert found.tau_b == pytest.approx(-2 / math.sqrt(6), abs=1e-12)
    assert found.tau_ap == pytest.approx(-3 / 4, abs=1e-12)
    assert found.waiting_count == 0
    rows = table(world, world.organiser_client, table="runs")
    assert [(r["run"], r["rank_v1"], r["rank_v2"], r["ranks_gained"]) for r in rows] == [
        ("c", "3", "1", "2"),
        ("b", "1", "2", "-1"),
        ("a", "1", "3", "-2"),
    ]
    assert [float(r["base_v2"]) for r in rows] == [m.base_after for m in found.moves]


def test_api_and_latex_have_the_same_rows(world: World) -> None:
    here = f"/campaigns/{world.campaign.slug}/qrels/1-2"
    client = world.organiser_client
    assert client.get(f"/api{here}/judgments/").json() == [
        {"topic": "1", "document": "d1", "v1": 1, "v2": 0},
        {"topic": "1", "document": "d2", "v1": 0, "v2": None},
        {"topic": "1", "document": "d3", "v1": None, "v2": 1},
    ]
    moves = client.get(f"/api{here}/runs/", {"measure": "AP"}).json()
    assert [(row["run"], row["rank_v1"], row["rank_v2"]) for row in moves] == [
        ("c", 3, 1), ("b", 1, 2), ("a", 1, 3),
    ]  # fmt: skip
    assert moves[0]["base_v2"] == pytest.approx(3 / 4, abs=1e-12)
    assert rows_of(client.get(f"{here}.tex").content.decode()) == [
        ["topic", "document", "v1", "v2"],
        ["1", "d1", "1", "0"],
        ["1", "d2", "0", "–"],
        ["1", "d3", "–", "1"],
    ]
    printed = client.get(f"{here}.tex", {"table": "runs", "measure": "AP"})
    assert printed["Content-Disposition"].endswith('-qrels-v1-v2-runs.tex"')
    assert rows_of(printed.content.decode())[1][2:] == ["3", "1", "2", "0.417", "0.750"]


def test_the_page_says_it_in_a_sentence(world: World) -> None:
    text = " ".join(page(world, world.organiser_client).content.decode().split())
    assert "3 judgments of 1 topic changed: 1 regraded, 1 new, 1 removed." in text
    assert "3 of 3 runs moved, c farthest, from rank 3 to 1. Rank 1 changed" in text


def test_a_version_with_itself_differs_in_nothing(world: World) -> None:
    found = page(world, world.organiser_client, 2, 2).context["diff"]
    assert (len(found.changes), found.moved_count) == (0, 0)
    assert (found.tau_b, found.tau_ap) == pytest.approx((1.0, 1.0), abs=1e-12)


def test_a_version_that_was_never_active_moves_no_ranks(world: World) -> None:
    url = reverse("campaigns:qrels-add", args=[world.campaign.slug])
    file = io.BytesIO(b"1 0 d1 1\n2 0 d1 1\n")
    world.organiser_client.post(url, {"file": file, "add_only": "on"})
    found = page(world, world.organiser_client, 2, 3).context["diff"]
    assert (found.moves, found.waiting_count, found.tau_b) == ((), 3, None)
    assert len(found.changes) == 4


def test_unknown_versions_measures_and_tables_are_not_found(world: World) -> None:
    assert page(world, world.organiser_client, 1, 9).status_code == 404
    assert page(world, world.organiser_client, measure="P@7").status_code == 404
    url = reverse("scoring:qrels-diff-csv", args=[world.campaign.slug, 1, 2])
    assert world.organiser_client.get(url, {"table": "people"}).status_code == 404


@pytest.mark.parametrize("board", [Audience.ORGANISERS, Audience.PARTICIPANTS])
@pytest.mark.parametrize("qrels", [Audience.ORGANISERS, Audience.PARTICIPANTS])
def test_it_is_visible_to_viewers_of_both_the_leaderboard_and_the_qrels(
    world: World, board: Audience, qrels: Audience
) -> None:
    world.change(board_audience=board, runs_audience=board, qrels_audience=qrels)
    is_seen = board == qrels == Audience.PARTICIPANTS
    api = f"/api/campaigns/{world.campaign.slug}/qrels/1-2"
    assert page(world, world.browser).status_code == 404  # v1 stood on no published board
    assert world.browser.get(f"{api}/runs/").status_code == 404
    world.campaign.qrels.update(published_at=world.campaign.created_at)
    assert page(world, world.browser).status_code == (200 if is_seen else 404)
    for table in ("judgments", "runs"):
        assert world.browser.get(f"{api}/{table}/").status_code == (200 if is_seen else 404)
    assert page(world, Client()).status_code == 404


def test_an_anonymous_team_stays_so(world: World) -> None:
    rivals = world.another_team()
    shown = Audience.EVERYONE
    world.change(stage=Campaign.Stage.PUBLISHED, runs_audience=shown, board_audience=shown)
    world.change(qrels_audience=shown)
    world.campaign.qrels.update(published_at=world.campaign.created_at)
    Team.objects.filter(pk=world.team.pk).update(is_anonymous=True, name="The Secret Ones")
    run = world.campaign.runs.get(tag="a")
    own = page(world, world.browser).content.decode()
    assert "The Secret Ones" in own
    for browser in (rivals, Client()):
        rows = table(world, browser, table="runs")
        assert f"run-{run.public_id[:6]}" in {row["run"] for row in rows}
        assert {row["team"] for row in rows} == {f"anonymous-{world.team.public_id[:6]}"}
        assert "The Secret Ones" not in page(world, browser).content.decode()


def test_a_preview_is_carried_to_the_tables(world: World) -> None:
    """An organiser who looks as the public gets the public's rows in the files too."""
    shown = {"published": {"runs_audience": 2, "board_audience": 2, "qrels_audience": 2}}
    world.change(stage_switches=world.campaign.stage_switches | shown)
    world.campaign.qrels.update(published_at=world.campaign.created_at)
    text = page(
        world, world.organiser_client, **{"as": "public", "at": "published"}
    ).content.decode()
    links = re.findall(r'href="([^"]*1-2\.csv[^"]*)"', html.unescape(text))
    assert len(links) == 2
    Team.objects.filter(pk=world.team.pk).update(is_anonymous=True, name="The Secret Ones")
    for link in links:
        assert "as=public" in link
        assert "at=published" in link
        response = world.organiser_client.get(link)
        assert response.status_code == 200
        assert "The Secret Ones" not in response.content.decode()


def test_changes_are_those_of_a_slow_twin() -> None:
    random = np.random.default_rng(20_26)
    for _ in range(50):
        old, new = drawn(random), drawn(random)
        found = changes_between(old, new, topics=["9", "1", "5"])
        before, after = judged(old), judged(new)
        expected = [
            (topic, doc_id, before.get((topic, doc_id)), after.get((topic, doc_id)))
            for topic in ("9", "1", "5")
            for doc_id in sorted({doc for code, doc in before | after if code == topic})
            if before.get((topic, doc_id)) != after.get((topic, doc_id))
        ]
        assert [(c.topic, c.doc_id, c.before, c.after) for c in found] == expected
        same = {key for key in before if before[key] == after.get(key)}
        assert found.unchanged == len(same)


def drawn(random: np.random.Generator) -> ParsedQrels:
    """Up to twelve judgments, grades from -2 to 2, in a random order; document names of two
    widths."""
    lines = {
        (random.choice(["9", "1", "5"]), random.choice(["d", "dd", "a-long-document"])): grade
        for grade in random.integers(-2, 3, size=random.integers(1, 13))
    }
    return read_qrels("".join(f"{t} 0 {d} {g}\n" for (t, d), g in lines.items()).encode())


def judged(qrels: ParsedQrels) -> dict[tuple[str, str], int]:
    return {
        (qrels.topics[topic], doc_id.decode()): grade
        for topic, doc_id, grade in zip(
            qrels.topic_index.tolist(), qrels.doc_ids.tolist(), qrels.grades.tolist(), strict=True
        )
        if grade >= 0
    }
