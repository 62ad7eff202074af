"""Text, BibTeX and CITATION.cff of a citation."""

from dataclasses import replace
from datetime import date

import pytest
import yaml

from campaigns.models import Campaign
from scoring.citations.authors import Author, authors_of
from scoring.citations.citation import Citation

ORGANISERS = Author("The organisers and participants of Rail", is_listed=False)
RAIL = Citation(
    key="rail",
    title="Rail: 100% of_it",
    authors=(ORGANISERS,),
    day=date(2026, 11, 9),
    qrels=2,
    definitions="abc",
    url="https://example.org/rail/",
)


def test_the_formats() -> None:
    assert RAIL.text == "Rail: 100% of_it. Leaderboard as of 9 November 2026, qrels v2."
    assert RAIL.link == RAIL.url
    assert RAIL.bibtex == (
        "@dataset{rail,\n"
        "  author = {{The organisers and participants of Rail}},\n"
        "  title = {{Rail: 100\\% of\\_it}},\n"
        "  year = {2026},\n"
        "  version = {qrels v2},\n"
        "  url = {https://example.org/rail/},\n"
        "  note = {Definitions abc},\n"
        "}\n"
    )
    assert yaml.safe_load(RAIL.cff({"license": "", "abstract": "Text"})) == {
        "cff-version": "1.2.0",
        "message": "Please cite the data you used as follows.",
        "type": "dataset",
        "title": "Rail: 100% of_it",
        "version": "qrels v2, definitions abc",
        "date-released": "2026-11-09",
        "url": "https://example.org/rail/",
        "abstract": "Text",
        "authors": [{"name": "The organisers and participants of Rail"}],
    }


def test_listed_authors_are_named() -> None:
    ann, lab = Author("Ito", "Ann", orcid="0000-0002-1825-0097"), Author("Smith and Sons")
    cited = replace(RAIL, authors=(ann, lab, Author("Land and Sea", "Bo")))
    assert cited.text.startswith("Ann Ito, Smith and Sons, Bo Land and Sea (2026). Rail:")
    assert "author = {Ito, Ann and {Smith and Sons} and {Land and Sea, Bo}}," in cited.bibtex
    many = replace(RAIL, authors=(ann,) * 11)
    assert many.text.count("Ann Ito") == 10
    assert " et al. (2026). " in many.text


def test_a_doi_is_the_link_and_a_live_leaderboard_has_the_day() -> None:
    cited = replace(RAIL, doi="10.5281/zenodo.1", doi_url="https://doi.org/10.5281/zenodo.1")
    assert cited.link == "https://doi.org/10.5281/zenodo.1"
    assert "  doi = {10.5281/zenodo.1},\n  url = {https://example.org/rail/},\n" in cited.bibtex
    assert "  urldate = {2026-11-09},\n" in replace(RAIL, is_live=True).bibtex


@pytest.mark.parametrize("name", ["a { b", "}{", "a\\}", 'say "x"', "line\nbreak", "@x{y,"])
def test_bibtex_reads_any_name(name: str) -> None:
    """It counts braces, also escaped ones."""
    entry = replace(RAIL, title=name, authors=(Author(name),)).of_run(name, name, "r1").bibtex
    depth = 0
    for character in entry:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    assert entry.startswith("@dataset{rail-r1,\n")
    assert entry.count("\n") == 8


def test_authors_are_named_once_the_campaign_is_published() -> None:
    campaign = Campaign(name="Rail\n2026", authors="Ito, Ann", stage=Campaign.Stage.OPEN)
    assert [each.full_name for each in authors_of(campaign)] == [
        "The organisers and participants of Rail 2026"
    ]
    campaign.stage = Campaign.Stage.PUBLISHED
    assert authors_of(campaign) == (Author("Ito", "Ann"),)
