"""Measures beside the one that ranks: chosen in the URL, the same on page, CSV, LaTeX, API."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.access import Viewer
from campaigns.models import Campaign, Qrels
from scoring.core.measures.names import parse_measure
from scoring.qrels.diff import diff
from tests.making import give_file, make_campaign, make_qrels, make_run, make_scores
from tests.scoring.leaderboard.test_board_page import SHOWN, get, runs_on_page, table

pytestmark = pytest.mark.django_db
RBP, SHARP = "RBP(p=0.5)", "RBP(p=0.8)"
ASKED = {"measure": RBP, "columns": ["AP", SHARP, RBP, "AP"]}


@pytest.fixture
def published() -> Campaign:
    campaign = make_campaign(slug="published", **SHOWN)
    make_qrels(campaign)
    for tag, base in (("one", 0.5), ("two", 0.25)):
        scores = {RBP: (base, 0.25), SHARP: (base / 2, 0.0625), "AP": (0.75 - base, None)}
        make_scores(make_run(campaign, tag=tag), scores)
    make_scores(make_run(campaign, tag="three"), {RBP: (0.125, 0.25)})
    return campaign


def test_columns_keep_the_requested_order_without_duplicates_or_the_ranking_measure(
    published: Campaign,
) -> None:
    rows = table(get("leaderboard-csv", published, **ASKED))
    assert list(rows[0])[-3:] == ["AP", SHARP, f"{SHARP} residual"]
    cells = [(r["run"], r["base"], r["AP"], r[SHARP], r[f"{SHARP} residual"]) for r in rows]
    assert cells == [
        ("one", "0.5", "0.25", "0.25", "0.0625"),
        ("two", "0.25", "0.5", "0.125", "0.0625"),
        ("three", "0.125", "", "", ""),
    ]


def test_page_latex_and_api_have_the_columns_of_the_csv(published: Campaign) -> None:
    page = get("leaderboard", published, **ASKED).content.decode()
    cells = re.findall(r'<td class="num extra" data-label="([^"]+)">([^<]+)<', page)
    assert [(name, text.strip()) for name, text in cells[:4]] == [
        ("AP", "0.2500"),
        (SHARP, "0.25"),
        ("AP", "0.5000"),
        (SHARP, "0.13"),
    ]
    latex = get("leaderboard-latex", published, **ASKED).content.decode()
    assert "judged@10 & AP & RBP(p=0.8) & residual" in latex
    assert "0.2500 & 0.25 & +0.06" in latex
    path = reverse("api:leaderboard", args=[published.slug])
    first, *_ = Client().get(path, ASKED).json()
    assert first["columns"] == [
        {"measure": "AP", "base": 0.25, "residual": None},
        {"measure": SHARP, "base": 0.25, "residual": 0.0625},
    ]
    assert "columns" not in Client().get(path).json()[0]


def test_the_table_can_be_sorted_by_a_column(published: Campaign) -> None:
    by_tag = {run.tag: run.public_id for run in published.runs.all()}
    shown = runs_on_page(get("leaderboard", published, **ASKED, sort="AP"))
    assert shown == [by_tag[tag] for tag in ("two", "one", "three")]


def test_the_picker_explains_each_family_and_ticks_what_is_shown(published: Campaign) -> None:
    page = get("leaderboard", published, **ASKED).content.decode()
    assert "The mean of the precision at the rank of each relevant document" in page
    ticked = re.findall(r'name="columns" value="([^"]+)" form="controls" checked', page)
    assert ticked == [SHARP, "AP"]


def test_a_blind_board_has_no_columns(published: Campaign) -> None:
    Campaign.objects.filter(pk=published.pk).update(board_audience=0)
    assert "0.2500" not in get("leaderboard", published, **ASKED).content.decode()
    assert get("leaderboard-csv", published, **ASKED).status_code == 404


# --- ranks gained compared with the active version ----------------------------------------------


@pytest.fixture
def two_versions() -> Campaign:
    """Under v1 a, b, c; under v2, active, late-comer first, then c, a, b, in this order."""
    campaign = make_campaign(slug="published", **SHOWN)
    first = make_qrels(campaign)
    runs = {tag: make_run(campaign, tag=tag) for tag in ("a", "b", "c", "late-comer", "gone")}
    for tag, base in (("a", 0.9), ("gone", 0.8), ("b", 0.7), ("c", 0.6)):
        make_scores(runs[tag], {RBP: (base, 0.1), "ESL(n=1)": (base, None)})
    make_qrels(campaign)
    for tag, base in (("late-comer", 0.99), ("c", 0.6), ("a", 0.5), ("b", 0.4)):
        make_scores(runs[tag], {RBP: (base, 0.1), "ESL(n=1)": (base, None)})
    Qrels.objects.filter(pk=first.pk).update(published_at=timezone.now())
    return campaign


def test_moves_are_counted_among_the_runs_that_both_boards_rank(two_versions: Campaign) -> None:
    rows = table(get("leaderboard-csv", two_versions, measure=RBP, qrels="1"))
    assert [(row["run"], row["rank"], row["ranks_gained"]) for row in rows] == [
        ("a", "1", "1"),  # second of three under the active version
        ("gone", "2", ""),
        ("b", "3", "1"),
        ("c", "4", "-2"),
    ]
    page = get("leaderboard", two_versions, measure=RBP, qrels="1").content.decode()
    assert re.findall(r'data-label="moved">([^<]*)<', page) == ["+1", "–", "+1", "−2"]
    assert "ranks_gained" not in table(get("leaderboard-csv", two_versions, measure=RBP))[0]


def test_where_less_is_better_moves_turn_round(two_versions: Campaign) -> None:
    Campaign.objects.filter(pk=two_versions.pk).update(measures=["ESL(n=1)"])
    asked = {"measure": "ESL(n=1)", "qrels": "1", "type": "automatic"}
    rows = table(get("leaderboard-csv", two_versions, **asked))
    # v1: c, b, gone, a; active: b, a, c. Among the common: c b a against b a c.
    assert {row["run"]: row["ranks_gained"] for row in rows} == {
        "c": "2", "b": "-1", "gone": "", "a": "-1",
    }  # fmt: skip


def test_the_page_of_two_versions_counts_in_the_same_way(two_versions: Campaign) -> None:
    viewer = Viewer(Campaign.objects.get(pk=two_versions.pk), None, frozenset({"organiser"}), None)
    old, new = (give_file(qrels) for qrels in two_versions.qrels.order_by("version"))
    found = diff(viewer, old, new, parse_measure(RBP))
    ranks = [(move.shown_name, move.rank_before, move.rank_after) for move in found.moves]
    assert ranks == [("c", 3, 1), ("a", 1, 2), ("b", 2, 3)]
    # Of the pairs ab, ac, bc the last two are turned: (1 - 2) / 3.
    assert found.tau_b == pytest.approx(-1 / 3, abs=1e-12)
    assert found.waiting_count == 2


# --- filters --------------------------------------------------------------------------------------


def test_in_the_pool_is_what_organisers_named_and_else_what_is_judged_to_rank_10() -> None:
    campaign = make_campaign(slug="published", **SHOWN)
    make_qrels(campaign)
    for tag, base, judged, said in (
        ("a", 0.9, 1.0, None), ("b", 0.8, 0.95, None), ("c", 0.7, 0.5, True),
        ("d", 0.6, 1.0, False),
    ):  # fmt: skip
        run = make_run(campaign, tag=tag, is_pooled=said)
        make_scores(run, {RBP: (base, 0.1), "Judged@10": (judged, None)})
    shown = {
        value: [(row["run"], row["rank"]) for row in
                table(get("leaderboard-csv", campaign, measure=RBP, judged=value))]
        for value in ("yes", "no", "")
    }  # fmt: skip
    assert shown["yes"] == [("a", "1"), ("c", "3")]
    assert shown["no"] == [("b", "2"), ("d", "4")]
    assert len(shown[""]) == 4
    page = get("leaderboard", campaign, measure=RBP, judged="yes").content.decode()
    assert "if each of its first ten documents is judged, on every topic" in page
    assert get("leaderboard", campaign, judged="half").status_code == 404


def test_a_board_that_does_not_know_what_was_judged_offers_no_such_choice(
    published: Campaign,
) -> None:
    assert 'name="judged"' not in get("leaderboard", published).content.decode()
    assert get("leaderboard", published, judged="yes").status_code == 404


def test_the_old_name_of_the_residual_still_sorts(published: Campaign) -> None:
    names = ("residual", "unknown")
    pages = [get("leaderboard", published, sort=name).content.decode() for name in names]
    for page in pages:
        assert re.search(r'class="num residual" +aria-sort="descending"', page)
