"""Measures beside the one that ranks: chosen in the address, the same on page, CSV, LaTeX, API."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from tests.making import make_campaign, make_qrels, make_run, make_scores
from tests.test_board_page import SHOWN, get, runs_on_page, table

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


def test_columns_come_in_the_order_asked_each_once_and_never_the_one_that_ranks(
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
        (SHARP, "0.12"),
    ]
    latex = get("leaderboard-latex", published, **ASKED).content.decode()
    assert "judged@10 & AP & RBP(p=0.8) & unknown" in latex
    assert "0.250 & 0.250 & +0.062" in latex
    path = reverse("api:leaderboard", args=[published.slug])
    first, *_ = Client().get(path, ASKED).json()
    assert first["columns"] == [
        {"measure": "AP", "base": 0.25, "residual": None},
        {"measure": SHARP, "base": 0.25, "residual": 0.0625},
    ]
    assert Client().get(path).json()[0]["columns"] == []


def test_the_table_can_be_sorted_by_a_column(published: Campaign) -> None:
    by_tag = {run.tag: run.public_id for run in published.runs.all()}
    shown = runs_on_page(get("leaderboard", published, **ASKED, sort="AP"))
    assert shown == [by_tag[tag] for tag in ("two", "one", "three")]


def test_the_picker_explains_each_family_and_ticks_what_is_shown(published: Campaign) -> None:
    page = get("leaderboard", published, **ASKED).content.decode()
    assert "The mean, over all relevant documents of the topic" in page
    ticked = re.findall(r'name="columns" value="([^"]+)" form="controls" checked', page)
    assert ticked == [SHARP, "AP"]


def test_a_blind_board_has_no_columns(published: Campaign) -> None:
    Campaign.objects.filter(pk=published.pk).update(board_audience=0)
    assert "0.2500" not in get("leaderboard", published, **ASKED).content.decode()
    assert get("leaderboard-csv", published, **ASKED).status_code == 404
