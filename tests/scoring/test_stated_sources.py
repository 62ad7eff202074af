"""Every table and page of scores under a version with judgments of a program says who judged."""

from dataclasses import dataclass

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, reverse

from campaigns.models import Audience, Qrels
from scoring.urls import urlpatterns
from tests.flow_world import World, perform_jobs, run_file
from tests.scoring.evaluation.test_scores_by_source import freeze, publish

pytestmark = pytest.mark.usefixtures("wake_ups")

COUNTS = "people: 1; Judge: 3"
STATEMENT = "1 judgment is by people, and 3 by a program"
# Without a qrels version: measures, runs, the judgments of people alone, and those of one program.
TWO_ORDERS = {"a": "AP", "b": "AP", "qrels": "1", "against": "2"}
OTHER = ("measure", "properties", "playground", "judging", "program", "runs-")
PAGES = {
    "run-detail", "run-curves", "run-documents", "run-unjudged", "run-unique", "topic-list",
    "topic-detail", "agreement", "significance", "significance-counts", "ranks", "stability",
    "needed-topics", "estimates", "compare", "compare-topic", "pools", "pools-teams", "report",
    "qrels-diff", "downloads", "leaderboard", "embedded-leaderboard",
}  # fmt: skip
LISTS = (
    "significance", "ranks", "stability", "swaps", "needed-topics", "agreement", "pool",
    "topic-means", "scores", "leaderboard",
)  # fmt: skip


@dataclass(frozen=True)
class Site:
    browser: Client
    parts: dict[str, object]
    runs: dict[str, str]

    def get(self, url: str, **query: str) -> str:
        """The text; if a worker has to compute it first, after that."""
        for _ in range(3):
            cache.clear()
            response = self.browser.get(url, query)
            perform_jobs()
            if response.status_code == 202:
                continue
            assert response.status_code == 200, (url, response.status_code)
            content = response.getvalue() if response.streaming else response.content
            return str(content.decode())
        raise AssertionError(url)

    def at(self, pattern: URLPattern) -> str:
        kwargs = {name: self.parts[name] for name in pattern.pattern.converters}
        return reverse(f"scoring:{pattern.name}", kwargs=kwargs)


def site(world: World, sources: str) -> Site:
    """Two runs under v1 of people, and v2 of these sources."""
    first = world.submitted_run(run_file())
    second = world.submitted_run(run_file("other", documents=("d2", "d1")))
    if sources != Qrels.Sources.PEOPLE:
        world.add_qrels()
    else:
        world.add_qrels(b"1 0 d1 1\n2 0 d1 1\n")
    freeze(world, sources)
    parts = {
        "slug": world.campaign.slug, "public_id": first.public_id, "code": "1", "old": 1, "new": 2,
    }  # fmt: skip
    runs = {"a": first.public_id, "b": second.public_id}
    publish(world)
    return Site(world.organiser_client, parts, runs)


def tables() -> list[URLPattern]:
    names = [
        pattern for pattern in urlpatterns if (pattern.name or "").endswith(("-csv", "-latex"))
    ]
    return [pattern for pattern in names if not pattern.name.startswith(OTHER)]


def read(found: Site, pattern: URLPattern) -> str:
    name = pattern.name or ""
    if name.startswith("compare"):
        return found.get(found.at(pattern), **found.runs)
    is_pair = name.startswith(("agreement-runs", "agreement-swaps"))
    return found.get(found.at(pattern), **(TWO_ORDERS if is_pair else {}))


def test_every_table_states_who_judged(world: World) -> None:
    found = site(world, Qrels.Sources.PEOPLE_THEN_PROGRAM)
    silent = [
        pattern.name
        for pattern in tables()
        if (STATEMENT if pattern.name.endswith("-latex") else ",judged_by")
        not in read(found, pattern)
    ]
    assert silent == []
    assert len(tables()) > 30


def test_the_counts_are_in_every_row_and_name_the_version_where_two_are_compared(
    world: World,
) -> None:
    found = site(world, Qrels.Sources.PEOPLE_THEN_PROGRAM)
    slug = [world.campaign.slug]
    _, *rows = found.get(reverse("scoring:significance-csv", args=slug)).splitlines()
    assert rows
    assert all(row.endswith(f",{COUNTS}") for row in rows)
    for name, args in (("agreement-runs-csv", slug), ("qrels-diff-csv", [*slug, 1, 2])):
        url = reverse(f"scoring:{name}", args=args)
        _, *rows = found.get(url, **TWO_ORDERS).splitlines()
        assert rows
        assert all(row.endswith(f",v2 {COUNTS}") for row in rows)


def test_every_page_states_who_judged(world: World) -> None:
    found = site(world, Qrels.Sources.PEOPLE_THEN_PROGRAM)
    world.change(embedding_origins=["https://example.org"])
    patterns = [pattern for pattern in urlpatterns if pattern.name in PAGES]
    assert {pattern.name for pattern in patterns} == PAGES
    silent = [each.name for each in patterns if STATEMENT not in read(found, each)]
    assert silent == []
    pair = reverse("scoring:agreement", args=[world.campaign.slug])
    assert STATEMENT in found.get(pair, **TWO_ORDERS)


def test_every_list_of_the_api_states_who_judged(world: World) -> None:
    found = site(world, Qrels.Sources.PEOPLE_THEN_PROGRAM)
    stated = f'"judged_by":"{COUNTS}"'
    slug = [world.campaign.slug]
    silent = [name for name in LISTS if stated not in found.get(reverse(f"api:{name}", args=slug))]
    assert silent == []
    assert stated in found.get(reverse("api:run-detail", args=[*slug, found.parts["public_id"]]))


def test_the_name_of_a_file_for_trec_eval_says_that_a_program_judged(world: World) -> None:
    """The format has no comments."""
    found = site(world, Qrels.Sources.PEOPLE_THEN_PROGRAM)
    slug, run = world.campaign.slug, found.parts["public_id"]
    response = found.browser.get(reverse("scoring:run-trec-eval", args=[slug, run]))
    named = f'attachment; filename="{slug}-run-{run}-judged-by-program.eval"'
    assert response["Content-Disposition"] == named


def test_a_run_has_the_part_of_people_in_its_table(world: World) -> None:
    """By hand as in test_scores_by_source: topic 1 people 1/2, topic 2 nothing."""
    found = site(world, Qrels.Sources.PEOPLE_THEN_PROGRAM)
    url = reverse("scoring:run-csv", args=[world.campaign.slug, found.parts["public_id"]])
    head, *rows = found.get(url, measure="RBP(p=0.5)").splitlines()
    at = head.split(",").index("base_of_people")
    assert [row.split(",")[at] for row in rows] == ["0.25", "0.5", "0.0"]


def test_nothing_is_added_where_people_judged_all(world: World) -> None:
    found = site(world, Qrels.Sources.PEOPLE)
    for pattern in tables():
        text = read(found, pattern)
        assert "judged_by" not in text
        assert "base_of_people" not in text
    for pattern in (each for each in urlpatterns if each.name in PAGES - {"embedded-leaderboard"}):
        assert "sources" not in read(found, pattern), pattern.name


def test_a_team_that_sees_no_scores_learns_nothing_of_the_sources(world: World) -> None:
    found = site(world, Qrels.Sources.PEOPLE_THEN_PROGRAM)
    world.change(
        stage="judging",
        is_accepting=False,
        board_audience=Audience.ORGANISERS,
        qrels_audience=Audience.ORGANISERS,
    )
    world.campaign.refresh_from_db()
    assert not world.campaign.shows_own_scores
    slug, run = world.campaign.slug, found.parts["public_id"]
    for name, args in (
        ("run-detail", [slug, run]), ("run-csv", [slug, run]), ("topic-list", [slug]),
        ("topics-csv", [slug]), ("topic-detail", [slug, "1"]), ("downloads", [slug]),
    ):  # fmt: skip
        response = world.browser.get(reverse(f"scoring:{name}", args=args))
        assert response.status_code == 200, name
        text = (response.getvalue() if response.streaming else response.content).decode()
        assert "Judge" not in text.replace("Judged", ""), name
        assert "judged_by" not in text, name
