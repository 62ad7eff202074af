"""The guides on the site: pages of docs/, their links, files and search."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from campaigns.trec.documents import read_documents
from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run
from campaigns.trec.runs_table import read_runs_table
from campaigns.trec.topics import read_topics
from trackside.guides.pages import files, guides
from trackside.guides.search import search

pytestmark = pytest.mark.django_db
DOCS = Path(settings.BASE_DIR) / "docs"
EXAMPLES = DOCS / "examples"
INCLUDED = re.compile(r'_guide_link.html" with guide="([\w-]+)"(?: section="?([\w-]+)"?)?')


def page(client: Client, name: str) -> str:
    return client.get(reverse("guides:guide", args=[name])).content.decode()


def test_every_guide_is_a_page_and_is_listed(client: Client) -> None:
    contents = client.get(reverse("guides:contents")).content.decode()
    for name in (
        "organiser",
        "participant",
        "assessor",
        "researcher",
        "formats",
        "glossary",
        "api",
    ):
        assert f'href="{reverse("guides:guide", args=[name])}"' in contents
    for name, guide in guides().items():
        assert f"<h1>{guide.title}</h1>".replace("'", "&#x27;") in page(client, name)


def test_pages_for_developers_are_not_guides(client: Client) -> None:
    assert client.get(reverse("guides:guide", args=["architecture"])).status_code == 404
    assert client.get(reverse("guides:file", args=["architecture.md"])).status_code == 404
    assert client.get(reverse("guides:file", args=["../pyproject.toml"])).status_code == 404
    assert 'href="decisions' not in page(client, "scale")


def test_charts_are_images_of_the_site(client: Client) -> None:
    charts = re.findall(r'<img src="([^"]*)"', page(client, "reproduction"))
    answers = [client.get(chart) for chart in charts]
    assert {answer.headers["Content-Type"] for answer in answers} == {"image/svg+xml"}
    assert all(b"".join(answer.streaming_content).startswith(b"<svg") for answer in answers)


def test_links_lead_to_urls_and_anchors_of_the_site(client: Client) -> None:
    wrong = []
    for name, guide in guides().items():
        for target in re.findall(r'<a href="([^"]*)"', guide.html):
            if re.match(r"https?:|mailto:", target):
                continue
            path, _, anchor = target.partition("#")
            answer = client.get(path or reverse("guides:guide", args=[name]))
            body = b"".join(answer) if answer.streaming else answer.content
            if answer.status_code != 200 or (f'id="{anchor}"'.encode() not in body and anchor):
                wrong.append((name, target))
    assert wrong == []


def test_links_in_templates_lead_to_sections() -> None:
    templates = Path(settings.BASE_DIR) / "templates"
    links = [
        found for path in templates.rglob("*.html") for found in INCLUDED.findall(path.read_text())
    ]
    assert len(links) >= 6
    for name, section in links:
        sections = {s.anchor for s in guides()[name].sections}
        wanted = {"topics", "qrels", "documents", "judgments"} if section == "prefix" else {section}
        assert wanted <= sections, (name, section)


@pytest.mark.parametrize(
    "page",
    [
        "scoring/significance/significance", "scoring/agreement/agreement",
        "scoring/comparison/compare", "scoring/pools/pools", "scoring/pools/pools_teams",
        "scoring/assessors/agreement", "scoring/judging/judging",
        "campaigns/judging/judging_gold", "campaigns/judging/judging_disagreements",
        "campaigns/judging/judging_pool", "campaigns/manage/visibility", "campaigns/people/people",
    ],
)  # fmt: skip
def test_a_page_that_needs_knowledge_links_to_its_guide(page: str) -> None:
    template = Path(settings.BASE_DIR) / "templates" / f"{page}.html"
    assert INCLUDED.search(template.read_text())


def test_files_are_downloaded_as_text(client: Client) -> None:
    answer = client.get(reverse("guides:file", args=["examples/run.txt"]))
    assert b"".join(answer) == (EXAMPLES / "run.txt").read_bytes()
    assert answer["Content-Disposition"] == 'attachment; filename="run.txt"'
    assert {path.name for path in EXAMPLES.iterdir() if path.is_file()} == {
        Path(name).name for name in files() if name.startswith("examples/")
    }


def test_the_examples_of_the_formats_belong_together_and_are_valid() -> None:
    topics = [
        read_topics((EXAMPLES / f"topics.{kind}").read_bytes())
        for kind in ("xml", "txt", "tsv", "jsonl")
    ]
    codes = ("1", "2")
    assert {tuple(t.code for t in each) for each in topics} == {codes}
    assert {tuple(t.fields[0][1] for t in each) for each in topics} == {
        ("night trains", "bicycle helmets")
    }
    run = read_run((EXAMPLES / "run.txt").read_bytes(), known_topics=codes)
    qrels = read_qrels((EXAMPLES / "qrels.txt").read_bytes(), known_topics=codes)
    table = read_runs_table((EXAMPLES / "runs.csv").read_bytes())
    documents = [
        list(read_documents((EXAMPLES / f"documents.{kind}").read_bytes()))
        for kind in ("jsonl", "txt")
    ]
    assert run.warnings == qrels.warnings == ()
    assert (run.tag, table.problems) == (table.rows[0].tag, ())
    assert documents[0] == documents[1]


def test_the_search_ranks_sections_and_marks_their_words(client: Client) -> None:
    found = search(guides().values(), "invitation LINKS")
    assert {each.guide.name for each in found[:2]} == {"organiser", "participant"}
    assert {piece.lower() for each in found for piece, is_word in each.extract if is_word} >= {
        "links"
    }
    assert search(guides().values(), "zyzzyva residual") == []
    assert search(guides().values(), " .* ") == []
    html = client.get(reverse("guides:contents"), {"q": "<b>residual"}).content.decode()
    assert "<mark>residual</mark>" in html
    assert "<b>residual" not in html
