"""Every chart says what its axes and its colours count."""

import json
import re

import pytest
from django.test import Client

from campaigns.models import Campaign
from tests.flow_world import perform_jobs
from tests.scoring.pools.test_pool_page import MEASURES, campaign, get

__all__ = ["campaign"]  # the fixture: six runs of three teams, four topics

pytestmark = pytest.mark.django_db
DATA = re.compile(r'<script id="([^"]+)" type="application/json">(.*?)</script>', re.S)


def test_every_axis_and_scale_of_colours_has_its_name(campaign: Campaign) -> None:
    a, b = campaign.runs.values_list("public_id", flat=True)[:2]
    asked: list[tuple[str, dict[str, str]]] = [
        ("leaderboard", {}),
        ("agreement", {}),
        ("agreement", {"a": MEASURES[0], "b": MEASURES[2]}),
        ("significance", {"correction": "none"}),
        ("compare", {"a": a, "b": b}),
        ("topic-list", {}),
        ("pools", {}),
        ("pools-teams", {}),
        ("report", {}),
    ]
    for name, query in asked:
        get(name, **query)
    perform_jobs()
    figures = {f"{name} {key}": each for name, query in asked for key, each in drawn(name, query)}
    figures |= {
        f"{page} {key}": each
        for page in ("", "curves/")
        for key, each in found_in(get_run(campaign, a, page))
    }
    assert len(figures) >= 15
    assert {name: faults for name, each in figures.items() if (faults := nameless(each))} == {}


def drawn(name: str, query: dict[str, str]) -> list[tuple[str, dict]]:
    return found_in(get(name, **query).content.decode())


def get_run(campaign: Campaign, run_id: str, page: str) -> str:
    return Client().get(f"/campaigns/{campaign.slug}/runs/{run_id}/{page}").content.decode()


def found_in(page: str) -> list[tuple[str, dict]]:
    every = [(key, json.loads(text)) for key, text in DATA.findall(page)]
    return [(key, each) for key, each in every if isinstance(each, dict) and "layout" in each]


def nameless(figure: dict) -> list[str]:
    """Panels side by side share the name of an axis."""
    layout = figure["layout"]
    axes = [
        letter
        for letter in "xy"
        if not any(
            axis.get("title", {}).get("text")
            for name, axis in layout.items()
            if re.fullmatch(rf"{letter}axis\d*", name)
        )
    ]
    scales = [
        "colours"
        for trace in figure["data"]
        if trace["type"] == "heatmap"
        and trace.get("showscale") is not False
        and not trace.get("colorbar", {}).get("title", {}).get("text")
    ]
    return axes + scales
