"""Markdown of organisers: its words come through, and nothing that acts."""

import pytest
from django.core.exceptions import ValidationError
from django.template import Context, Template

from campaigns.models.campaign import LONGEST_MARKDOWN
from campaigns.templatetags import prose
from campaigns.templatetags.prose import render
from tests.campaigns.api.conftest import client_of
from tests.making import make_campaign, make_organiser


def test_what_markdown_is_for_comes_through() -> None:
    page = render("# Task\n\nFind *all* of [it](https://a.example/).\n\n|a|b|\n|-|-|\n|1|2|\n")
    assert "<h3>Task</h3>" in page
    assert "<em>all</em>" in page
    assert 'href="https://a.example/"' in page
    assert 'rel="nofollow noopener noreferrer"' in page
    assert "<td>2</td>" in page


def test_headings_stay_below_those_of_the_page() -> None:
    made = render("\n\n".join(f"{'#' * depth} h" for depth in range(1, 7)))
    assert made.count("<h3>") == 1
    assert made.count("<h4>") == 1
    assert made.count("<h5>") == 4
    assert "<h1" not in made
    assert "<h2" not in made


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![a picture](https://elsewhere.example/pixel.png)",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt&colon;alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:x)",
        "<javascript:alert(1)>",
        '[x](https://a.example/ "onmouseover=alert(1)")',
        '[x](https://a.example/"onmouseover="alert(1))',
        "<style>*{display:none}</style>",
        "<iframe src=//elsewhere.example></iframe>",
        "<form action=//elsewhere.example><input name=password></form>",
        "<svg/onload=alert(1)>",
        "`<script>alert(1)</script>`",
        "    <script>alert(1)</script>",
        "| <img src=x onerror=alert(1)> |\n|-|\n| <b onclick=x>y</b> |",
    ],
)
def test_nothing_that_acts_comes_through(text: str) -> None:
    page = Template("{% load prose %}{{ text|markdown }}").render(Context({"text": text}))
    tags = page.lower().split("<")[1:]
    allowed = (
        "p>",
        "/p>",
        "a ",
        "a>",
        "/a>",
        "code>",
        "/code>",
        "pre>",
        "/pre>",
        "table",
        "/table",
    )
    allowed += ("thead", "/thead", "tbody", "/tbody", "tr", "/tr", "th", "/th", "td", "/td")
    assert all(tag.startswith(allowed) for tag in tags), page
    for tag in tags:
        inside = tag.split(">")[0]
        assert "javascript:" not in inside
        assert "data:" not in inside
        assert " on" not in inside
        assert "style" not in inside
        assert "title" not in inside


def test_plain_words_are_escaped() -> None:
    assert render("a < b & c") == "<p>a &lt; b &amp; c</p>\n"
    assert render("") == ""


def test_a_text_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """60,000 brackets took 6 s for each view of a page."""
    parse, parsed = prose._PARSER.parse, []
    monkeypatch.setattr(prose._PARSER, "parse", lambda text: parsed.append(text) or parse(text))
    text = "[" * 500 + " parsed once"
    assert render(text) == render(text)
    assert parsed == [text]


def test_a_text_from_before_the_limit_is_shown_as_it_was_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prose._PARSER, "parse", None)
    page = render("*one*\n\n<b>two</b>" + "[" * LONGEST_MARKDOWN)
    assert page.startswith("<p>*one*</p>\n\n<p>&lt;b&gt;two&lt;/b&gt;[[[")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["guidelines", "terms"])
def test_longer_texts_are_refused(name: str) -> None:
    campaign = make_campaign(slug="long", **{name: "x" * LONGEST_MARKDOWN})
    campaign.full_clean()
    client = client_of(make_organiser(campaign))
    answer = client.patch("/api/campaigns/long/", {name: "x" * 20_001}, format="json")
    assert answer.json()["fields"][0]["code"] == "max_length"
    setattr(campaign, name, "x" * 20_001)
    with pytest.raises(ValidationError, match="20000 characters"):
        campaign.full_clean()
