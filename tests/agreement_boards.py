"""Small published boards whose measures order the runs in known ways, and how their pages read."""

import csv
import io
import json
import re
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.models import Audience, Campaign, User
from tests.making import make_campaign, make_qrels, make_run, make_scores

RBP = "RBP(p=0.5)"
SHOWN = {
    "stage": Campaign.Stage.PUBLISHED,
    "board_audience": Audience.EVERYONE,
    "persistences": [0.5],
    "measures": ["AP", "RR", "Judged@10"],
}

# One column a run, best first by RBP: AP swaps a and b, RR ties them and swaps c and d.
SCORES = {
    RBP: (0.8, 0.6, 0.4, 0.2),
    "AP": (0.3, 0.4, 0.2, 0.1),
    "RR": (0.9, 0.9, 0.3, 0.5),
    "Judged@10": (0.1, 0.2, 0.3, 0.4),
}


def make_board(
    scores: dict[str, tuple[float | None, ...]] | None = None, **facts: object
) -> Campaign:
    campaign = make_campaign(**SHOWN | facts)
    make_qrels(campaign)
    scores = SCORES if scores is None else scores
    for tag, column in zip("abcdefgh", zip(*scores.values(), strict=True), strict=False):
        make_scores(
            make_run(campaign, tag=tag),
            {name: (base, None) for name, base in zip(scores, column, strict=True)},
        )
    return campaign


def get(
    name: str, campaign: Campaign, query: str = "", *, person: User | None = None
) -> HttpResponse:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client.get(reverse(f"scoring:{name}", args=[campaign.slug]) + query)


def table(response: HttpResponse) -> list[dict[str, str]]:
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def finding(campaign: Campaign, query: str = "") -> str:
    response = get("agreement", campaign, query)
    assert response.status_code == 200
    said = re.search(r'id="finding">(.*?)</p>', response.content.decode(), re.DOTALL)
    return " ".join(said[1].split())


def cells(page: str) -> dict[tuple[str, str], str]:
    """The map as it stands in the page: figures by row and column."""
    found = re.findall(r'aria-label="([^"]+?) and ([^"]+?): (\S+)">', page)
    return {(row, column): text for row, column, text in found}


def figure(page: str, name: str) -> dict[str, Any]:
    return json.loads(re.search(rf'id="{name}" type="application/json">(.*?)</script>', page)[1])
