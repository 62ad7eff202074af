"""The playground: a typed ranking, and the same numbers as the command line's and the papers'."""

import csv
import io
import math
import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from scoring.core.measures.catalogue import FAMILIES
from scoring.core.measures.entries import entries
from scoring.core.measures.names import parse_measure
from scoring.core.properties.table import property_table
from scoring.measures.playground.choices import PlaygroundChoices, read_choices
from scoring.measures.playground.conclusions import exchanges
from scoring.measures.playground.families import measures_at
from scoring.measures.playground.rows import PlaygroundRow, rank_rows, rows_of
from scoring.measures.playground.typed import BadRanking, Typed, read_ranking, written
from tests.scoring.cli.command import Command

# No test here may touch the database: pytest-django refuses it.


def chosen(ranking: str, **query: str) -> PlaygroundChoices:
    asked = read_choices({"ranking": ranking, **query})
    assert asked.faults == {}
    assert asked.choices is not None
    return asked.choices


def row(ranking: str, measure: str, **query: str) -> PlaygroundRow:
    wanted = parse_measure(measure)
    return next(each for each in rows_of(chosen(ranking, **query)) if each.measure == wanted)


def get(**query: str) -> str:
    response = Client().get(reverse("scoring:playground"), query)
    assert response.status_code == 200
    return response.content.decode()


def test_what_is_typed_is_read_and_written_again() -> None:
    typed = read_ranking("$ -[1?0]|3$")
    assert typed == Typed((1, 0, 1, -1, 0), (True, True, True, False, False), (3, 1))
    assert read_ranking(written(typed)) == typed
    assert written(read_ranking("$-[$?]")) == "$-[$?]"
    assert read_ranking("") == Typed((), (), ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("$x", "character 2, 'x': it is not allowed; use $ - ? 0 1 2 3 [ ] |"),
        ("$[-", "the bracket at character 2 is not closed"),
        ("$]", "character 2, ']': no bracket is open"),
        ("[$[-]]", "character 3, '[': the bracket at character 1 is still open"),
        ("$|?", "character 3, '?': only judged documents are allowed after |"),
        ("$|[", "character 3, '[': documents that are not in the ranking cannot be tied"),
        ("$|-|", "character 4, '|': only one is allowed"),
        ("[$|", "character 3, '|': the bracket at character 1 is still open"),
        ("4", "character 1, '4': it is not allowed; use $ - ? 0 1 2 3 [ ] |"),
        ("$" * 101, "the text has 101 documents; the maximum is 100"),
        ("$|" + "-" * 101, "the text has 101 documents after |; the maximum is 100"),
        (" " * 601, "the text has 601 characters; the maximum is 600"),
    ],
)
def test_invalid_input_is_reported_with_its_position(text: str, said: str) -> None:
    with pytest.raises(BadRanking) as refused:
        read_ranking(text)
    assert said in refused.value.messages


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("p", "1", "p is 1: it must be 0 or more and below 1"),
        ("p", "-0.1", "'-0.1' is not a number such as 0.8"),
        ("p", "nan", "'nan' is not a number such as 0.8"),
        ("p", "", "'' is not a number such as 0.8"),
        ("k", "0", "'0' is not a whole number from 1 to 1000"),
        ("k", "1001", "'1001' is not a whole number from 1 to 1000"),
        ("k", "2.5", "'2.5' is not a whole number from 1 to 1000"),
        ("k", "٣", "'٣' is not a whole number from 1 to 1000"),
        ("b", "1", "b is 1: it must be above 1 and 100 at most"),
        ("top", "4", "'4' is not a whole number from 1 to 3"),
        ("top", "1", "the ranking has grade 2, but the scale ends at 1"),
        ("first", "4", "'4' is not a whole number from 1 to 3"),
        ("measure", "RBQ", "there is no measure 'RBQ'; did you mean RBP?"),
    ],
)
def test_a_value_out_of_range_is_reported_at_its_field_and_kept(
    field: str, text: str, said: str
) -> None:
    query = {"ranking": "2$-", field: text}
    asked = read_choices(query | ({"second": "2"} if field == "first" else {}))
    assert asked.choices is None
    assert asked.faults == {field: [said]}
    assert asked.fields[field] == text
    page = get(**query)
    place = page.index(f'data-field="{field}"')
    shown = re.search(r'class="errorlist".*?</ul>', page[place:], re.DOTALL)
    assert shown
    assert "<li>" in shown[0]


def test_two_ranks_that_are_one_do_not_change_places() -> None:
    asked = read_choices({"ranking": "$-", "first": "2", "second": "2"})
    assert asked.faults == {"second": ["choose two different ranks"]}


def test_every_family_is_listed_and_its_example_can_be_requested() -> None:
    assert {each.family for each in measures_at(0.8, 10, 2.0)} == {f.name for f in FAMILIES}
    for entry in entries():
        assert chosen("$-", measure=str(entry.example)).measure.family == entry.family.name


def test_numbers_of_the_papers() -> None:
    """`$$---$----$-??--?---`: [.7661, .7663], [.447, .489], [.17, .60]; with R = 5, 6 and 7 the AP
    of `$$---$----$-----$---` is .63155, .5263 and .4511."""
    for p, low, high, digits in (("0.5", 0.7661, 0.7663, 4), ("0.8", 0.447, 0.489, 3)):
        found = row("$$---$----$-??--?---", f"RBP(p={p})", p=p)
        assert (round(found.base or 0, digits), round(found.upper or 0, digits)) == (low, high)
    ranking = "$$---$----$-----$---"
    for missed, ap in (("", 0.63155), ("|$", 0.5263), ("|$$", 0.4511)):
        assert row(ranking + missed, "AP").base == pytest.approx(ap, abs=6e-5)
    assert row("$$---", "SDCG@5", k="5").base == pytest.approx(0.55, abs=0.005)
    assert row("$---$", "SNAP@5", k="5").base == pytest.approx(0.7, abs=1e-12)


RANKINGS = ("$$---$----$-??--?---|$$-", "0312?[20?3]1-|33210", "[$-][?$]--", "---?")


@pytest.mark.parametrize("ranking", RANKINGS)
@pytest.mark.parametrize("ties", ["docno", "expected", "bounds"])
def test_numbers_are_the_command_lines(
    ranking: str, ties: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choices = chosen(ranking, p="0.7", k="4", b="3")
    wanted = {each.measure: each for each in rows_of(choices)}
    if ties == "expected":
        wanted = {m: each for m, each in wanted.items() if each.expected is not None}
    if ties == "bounds":
        wanted = {m: each for m, each in wanted.items() if each.worst is not None}
    if not wanted:
        assert not choices.typed.has_ties
        return
    printed = by_command_line(Command(tmp_path, capsys), choices, list(wanted), ties)
    assert len(printed) == len(wanted)
    for measure, found in wanted.items():
        value, residual, low, high = printed[str(measure)]
        if ties == "docno":
            assert same(found.base, value), measure
            assert same(found.residual, residual), measure
        elif ties == "expected":
            assert same(found.expected, value), measure
        else:
            assert same_pair((found.worst, found.best), (low, high)), measure


def by_command_line(
    trackside: Command, choices: PlaygroundChoices, measures: list[object], ties: str
) -> dict[str, tuple[str, str, str, str]]:
    """Document ids fall as trec_eval's order of ties wants them; the score is one a group."""
    typed, lines, qrels, score = choices.typed, [], [], 1000
    for at, (grade, begins) in enumerate(zip(typed.grades, typed.begins, strict=True)):
        score -= begins
        lines.append(f"1 Q0 d{900 - at} {at + 1} {score} mine")
        qrels += [f"1 0 d{900 - at} {grade}"] if grade >= 0 else []
    qrels += [f"1 0 x{at} {grade}" for at, grade in enumerate(typed.missed)]
    files = (
        trackside.write("typed.qrels", "\n".join(qrels) + "\n"),
        trackside.write("typed.run", "\n".join(lines) + "\n"),
    )
    asked = [part for measure in measures for part in ("-m", str(measure))]
    worths = ",".join(f"{grade}={grade / choices.top!r}" for grade in range(choices.top + 1))
    options = ("--format", "csv", "--gain-map", worths, "--ties", ties)
    found = trackside("evaluate", *options, *asked, *files)
    assert found.status == 0, found.err
    rows = list(csv.DictReader(io.StringIO(found.out)))
    return {
        each["measure"]: (each["value"], each["residual"], each["tie_low"], each["tie_high"])
        for each in rows
        if each["topic"] == "all"
    }


def same(found: float | None, printed: str) -> bool:
    if found is None or printed == "":
        return found is None and printed == ""
    return math.isclose(found, float(printed), rel_tol=0, abs_tol=1e-12)


def same_pair(found: tuple[float | None, float | None], printed: tuple[str, str]) -> bool:
    ends = sorted(x for x in found if x is not None)
    known = sorted(float(x) for x in printed if x)
    return len(ends) == len(known) and all(
        math.isclose(a, b, rel_tol=0, abs_tol=1e-12) for a, b in zip(ends, known, strict=True)
    )


def test_csv_has_the_rows_of_the_page_at_full_precision() -> None:
    query = {"ranking": "$$-[-?$]--|$", "p": "0.9", "k": "3"}
    answer = Client().get(reverse("scoring:playground-csv"), query)
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    found = rows_of(chosen(query["ranking"], p="0.9", k="3"))
    assert [each["measure"] for each in rows] == [str(each.measure) for each in found]
    assert [each["base"] for each in rows] == [
        "" if each.base is None else repr(each.base) for each in found
    ]
    latex = Client().get(reverse("scoring:playground-latex"), query).content.decode()
    assert r"P@3 & 0.6667 & +0.0000 & 0.6667 & 0.6667 & 0.6667 \\" in latex
    page = get(**query)
    assert page.count('<th scope="row"><a href="?ranking') == len(found)
    refused = Client().get(reverse("scoring:playground-csv"), query | {"p": "2"})
    assert refused.status_code == 400
    assert refused.content == b"p: p is 2: it must be 0 or more and below 1\n"


def test_weights_by_rank_are_the_user_models() -> None:
    """RBP: (1 - p) p^(i-1); P@2: a half for two ranks; AP with R = 1: 1/i."""
    by_rank = {
        "RBP(p=0.5)": [0.5, 0.25, 0.125],
        "P@2": [0.5, 0.5, 0.0],
        "AP": [1, 1 / 2, 1 / 3],
        "DCG@2": [1, 1 / math.log2(3), 0.0],
    }
    for measure, weights in by_rank.items():
        ranks = rank_rows(chosen("-$?", p="0.5", k="2", measure=measure))
        assert [rank.alone for rank in ranks] == pytest.approx(weights, abs=1e-12)
    contributions = [rank.contribution for rank in rank_rows(chosen("$-$", measure="AP"))]
    assert contributions == pytest.approx(
        [(1 + 1 / 3) / 2, 0, (1 / 3) / 2], abs=1e-12
    )  # Table I's way


def broken(ranking: str, first: int, second: int, **query: str) -> dict[str, set[str]]:
    swap = {"first": str(first), "second": str(second)}
    return {
        str(each.measure): {said.property for said in each.broken}
        for each in exchanges(chosen(ranking, **swap, **query))
    }


def test_what_an_exchange_breaks_is_what_the_paper_says() -> None:
    """`01100` and `11000` within RR's first hit; `10001` and `10000` for SNAP; P@k across ranks."""
    within = broken("$---$", 2, 5, k="5", p="0.8")
    assert "top-weighted" in within["RR@5"]  # 10001 and 11000 score the same
    assert "top-weighted" in within["P@5"]
    assert "top-weighted" not in within["RBP(p=0.8)@5"] | within["SDCG@5"] | within["AP@5"]
    across = broken("$----$", 5, 6, k="5")
    assert "convergent" in across["SNAP@5"]  # 1 falls to 0.7
    assert "convergent" in across["RR@5"]
    assert "convergent" not in across["P@5"] | across["RBP(p=0.8)@5"]
    deeper = broken("$-", 1, 2, k="1")
    assert "monotonic" in deeper["P@1"]  # 1, and 0.5 at 2
    assert "monotonic" not in deeper["RBP(p=0.8)@1"] | deeper["R@1"]
    nothing = broken("--", 1, 2, k="1")
    assert "complete" in nothing["AP@1"] & nothing["nDCG@1"]
    assert "complete" not in nothing["P@1"]
    few = broken("$-----", 1, 2, k="5")
    assert "realizable" in few["P@5"] & few["RBP(p=0.8)@5"] & few["DCG@5"]
    assert "realizable" not in few["nDCG@5"] | few["RR@5"] | few["AP@5"]
    many = broken("$$$", 1, 2, k="1")
    assert "realizable" in many["AP@1"] & many["R@1"]
    assert "realizable" not in many["P@1"] | many["RBP(p=0.8)@1"]


def test_only_what_the_table_of_properties_denies_ever_breaks() -> None:
    """Every swap in every binary ranking of four documents, at every cutoff below."""
    for number in range(16):
        ranking = "".join("-$"[number >> at & 1] for at in range(4))
        for k in (1, 2, 3):
            for first, second in ((1, 2), (1, 4), (2, 3), (3, 4)):
                found = broken(ranking, first, second, k=str(k))
                for name, properties in found.items():
                    row = DENIED.get(name.rpartition("@")[0])
                    assert row is None or properties <= row, (ranking, k, first, second, name)


DENIED = {
    row.name.removesuffix("@k"): {name for name, each in row.findings.items() if not each.holds}
    for row in property_table()
    if row.name.endswith("@k")
}


def test_a_box_leads_to_the_next_grade() -> None:
    page = get(ranking="$?", top="")
    links = re.findall(r'<a href="(\?[^"]*)" data-rank="(\d)"', page)
    assert [rank for _, rank in links] == ["1", "2"]
    assert "ranking=-%3F" in links[0][0]  # relevant becomes irrelevant
    assert "ranking=%24%24" in links[1][0]  # unjudged becomes relevant


def test_an_emptied_field_is_a_ranking_without_documents() -> None:
    page = get(ranking="")
    assert "Every measure" in page
    assert "By rank" not in page
    assert row("", "RBP(p=0.8)").base == 0
    assert row("", "RBP(p=0.8)").residual == 1


def test_what_is_typed_is_never_markup() -> None:
    page = get(ranking="<script>alert(1)</script>", p='"><b>', measure="<i>")
    assert "<script>alert" not in page
    assert '"><b>' not in page
