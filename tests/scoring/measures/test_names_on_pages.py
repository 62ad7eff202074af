"""Pages name a measure with graded gains in words. Files, URLs and option values have its
canonical name."""

import re
from urllib.parse import quote

import pytest

from campaigns.models import Campaign
from scoring.core.measures.names import parse_measure
from tests.flow_world import perform_jobs
from tests.scoring.measures.test_every_measure_on_every_page import (
    BOARD,
    HERE,
    PAGES,
    QRELS,
    RUNS,
    TESTED,
    TOPICS,
    WHOLE,
    World,
    make_world,
)

pytestmark = pytest.mark.django_db

GRADED = parse_measure("RBP(p=0.5,gain=map)")
OTHERS = (
    f"{HERE}/ranks/?measure={{m}}",
    f"{HERE}/ranks/stability/?measure={{m}}",
    f"{HERE}/ranks/topics/?measure={{m}}",
    f"{HERE}/leaderboard/embedded/?measure={{m}}",
    f"{HERE}/report/?measure={{m}}",
    f"{HERE}/leaderboard/?measure=AP&columns={{m}}&sort={{m}}",
    f"{HERE}/leaderboard/?measure={{m}}&p=0.7",
)
# The playground has no measures with graded gains, and repeats what is typed.
NOT_PAGES = re.compile(r"\.(csv|tex|txt|zip|svg)\b|^/api/|/playground/")

NOT_READ = re.compile(r"<(code|style|textarea)\b.*?</\1>|<!--.*?-->", re.S)
SCRIPTS = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.S)
LABELS = re.compile(r'\b(?:aria-label|alt|title|content|data-label)="([^"]*)"')
TAGS = re.compile(r"<[^>]*>", re.S)


def read_by_people(page: str) -> str:
    """The text of a page, with the charts in it and the labels of its elements."""
    page = NOT_READ.sub("", page)
    charts = [body for attributes, body in SCRIPTS.findall(page) if "json" in attributes]
    page = SCRIPTS.sub("", page)
    return "\n".join([TAGS.sub("\n", page), *LABELS.findall(page), *charts])


def canonical_names_in(world: World, url: str) -> list[str]:
    path = url.format(slug=world.campaign.slug, run=world.run, m=quote(str(GRADED), safe=""))
    response = world.desk.get(path)
    if response.status_code == 202 or response.has_header("Refresh"):
        perform_jobs()
        response = world.desk.get(path)
    assert response.status_code == 200, path
    lines = read_by_people(response.content.decode()).splitlines()
    return [f"{url}: {line.strip()[-200:]}" for line in lines if "gain=map" in line]


def test_pages_name_graded_gains_in_words() -> None:
    world = make_world(RUNS, QRELS, TOPICS, persistences=[0.5], measures=[str(GRADED), "AP"])
    Campaign.objects.filter(pk=world.campaign.pk).update(
        leading_measure=str(GRADED), embedding_origins=["https://lab.example"]
    )
    pages = [
        each for each in (BOARD, *PAGES, *TESTED, *WHOLE, *OTHERS) if not NOT_PAGES.search(each)
    ]
    found = [line for each in pages for line in canonical_names_in(world, each)]
    assert found == [], "\n".join(found)
