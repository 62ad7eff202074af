"""The catalogue of measures on the site: for everybody, without a query, and the same as the
command line's."""

import csv
import io
import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from scoring.core.measures.catalogue import FAMILIES
from scoring.core.measures.entries import GROUPS, entry_of, grouped
from scoring.core.properties.properties import PROPERTIES
from scoring.core.properties.table import property_table
from tests.scoring.cli.command import Command

# No test here may touch the database: pytest-django refuses it.


def get(name: str, *args: str) -> str:
    response = Client().get(reverse(f"scoring:{name}", args=args))
    assert response.status_code == 200
    return response.content.decode()


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def body_rows(html: str, table: str) -> list[list[str]]:
    found = re.search(rf'<table class="{table}">.*?<tbody>(.*?)</tbody>', html, re.DOTALL)
    assert found
    return [
        [words(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr.*?</tr>", found[1], re.DOTALL)
    ]


def test_every_family_is_in_one_group_and_on_the_page() -> None:
    placed = [name for _, names in GROUPS for name in names]
    assert sorted(placed) == sorted(family.name for family in FAMILIES)
    linked = re.findall(r'<th scope="row"><a href="/measures/(\w+)/">', get("measure-list"))
    assert linked == placed


def test_a_family_without_a_group_is_in_the_last_one() -> None:
    title, names = grouped([*(family.name for family in FAMILIES), "New"])[-1]
    assert (title, names[-1]) == ("Further measures", "New")


def test_page_and_csv_have_the_command_lines_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = Command(tmp_path, capsys)("properties", "--examples").out
    assert get("properties-csv") == printed
    by_hand = [row[: len(PROPERTIES) + 1] for row in list(csv.reader(io.StringIO(printed)))[1:]]
    assert body_rows(get("measure-list"), "properties") == by_hand
    assert by_hand[12] == ["RBP(p=0.8)@k", *["yes"] * 6, "no"]


def test_the_tables_of_the_page_are_latex_and_json_too() -> None:
    properties = Client().get(reverse("api:properties")).json()
    (rbp,) = (row for row in properties if row["measure"] == "RBP(p=0.8)@k")
    assert (rbp["complete"], rbp["realizable"]) == ("yes", "no")
    assert rbp["realizable_example"] == "100@2 = 0.2"
    assert r"RBP(p=0.8)@k & yes & yes & yes & yes & yes & yes & no \\" in get("properties-latex")
    measures = Client().get(reverse("api:measures")).json()
    assert [row["name"] for row in measures] == [family.facts.pretty_name for family in FAMILIES]
    (dcg,) = (row for row in measures if row["name"] == "Discounted cumulated gain")
    assert (dcg["lowest"], dcg["highest"]) == (0.0, None)  # no upper bound
    assert r"Precision at k & 0 to 1 & exact \\" in get("measures-latex")


def test_the_page_leads_to_the_papers_that_were_reproduced() -> None:
    html = get("measure-list")
    assert f'href="{reverse("guides:guide", args=["reproduction"])}"' in html


def test_the_page_says_which_measures_have_most_properties() -> None:
    said = words(re.search(r'id="finding">(.*?)</p>', get("measure-list"), re.DOTALL)[1])
    most = [row.name for row in property_table() if row.held == 6]
    assert most[0] == "RBP(p=0.8)@k"
    assert max(row.held for row in property_table()) == 6
    assert all(name in said for name in most)
    assert "The maximum is six" in said


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_page_says_all_that_the_catalogue_knows(family) -> None:
    said = words(get("measure-detail", family.name)).replace("&#x27;", "'").replace("&lt;", "<")
    facts = family.facts
    for text in (facts.formula, facts.reference, facts.residual, facts.description):
        assert " ".join(text.split()) in said
    if facts.user_model:
        assert facts.user_model.browsing in said
    for alias in entry_of(family).aliases:
        assert alias.name in said


def test_a_document_brings_what_tables_i_and_ii_of_the_rbp_paper_print() -> None:
    """AP: 1.8164 .8164 .3164 .1497 .0588 times 1/5; RBP(p=0.8): 2.2632 times 0.2."""
    html = get("measure-detail", "AP")
    shares = html[html.index("Contribution of each document") :]
    rows = [[float(cell) for cell in row] for row in body_rows(shares, "edges")]
    assert [row[0] for row in rows] == [1, 2, 6, 11, 17]
    by_hand = [1.8164, 0.8164, 0.3164, 0.1497, 0.0588]
    assert [row[1] for row in rows] == pytest.approx([x / 5 for x in by_hand], abs=6e-5)
    html = get("measure-detail", "RBP(p=0.8)")
    shares = html[html.index("Contribution of each document") :]
    assert float(body_rows(shares, "edges")[-1][2]) == pytest.approx(2.2632 * 0.2, abs=6e-5)


def test_rbps_page_says_how_patient_its_users_are_and_how_deep_to_judge() -> None:
    """As section 4.4 of the RBP paper has it, and the p that was asked for."""
    assert body_rows(get("measure-detail", "RBP(p=0.9)"), 'edges" id="patience') == [
        ["0.5", "2", "7", "14", "0.9688"],
        ["0.8", "5", "21", "42", "0.6723"],
        ["0.9", "10", "44", "88", "0.4095"],
        ["0.95", "20", "90", "180", "0.2262"],
    ]
    for without in ("AP", "RBP(p1=0.5,p2=0.8)"):
        assert "How patient" not in get("measure-detail", without)


def test_a_measure_by_its_full_name_has_its_own_row_and_counter_examples() -> None:
    said = words(get("measure-detail", "P(rel=2)@10"))
    assert "P(rel=2)@k" in said
    plain = words(get("measure-detail", "P"))
    # The paper: P@k is not monotonic, as 10 scores 1 at 1 and 0.5 at 2.
    assert "1 0 at 1: 1 ; 10 at 2: 0.5" in plain


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rpb", "There is no measure 'rpb'; did you mean RBP?"),
        ("P@0", "P: the cutoff must be at least 1, not 0."),
        ("RBP(p=1)", "RBP: p=1 is outside 0 <= p < 1."),
        ("<b>", "'<b>' is not of the form"),
        ("P@" + "9" * 300, "A measure's name has at most 200 characters."),
    ],
)
def test_an_unknown_measure_is_not_found_and_explained(name: str, said: str) -> None:
    answer = Client().get(reverse("scoring:measure-detail", args=[name]))
    page = answer.content.decode()
    assert answer.status_code == 404
    assert said in unescape(page)
    assert "<b>' is" not in page
    assert reverse("scoring:measure-list") in page.split("<main")[1]


def test_the_catalogue_as_csv_has_a_row_for_each_family() -> None:
    rows = list(csv.DictReader(io.StringIO(get("measures-csv"))))
    assert [row["name"] for row in rows] == [family.facts.pretty_name for family in FAMILIES]
    rbp = rows[0]
    assert (rbp["lowest"], rbp["highest"], rbp["has_residual"]) == ("0.0", "1.0", "1")
