"""Each row shows the digits that its own residual leaves certain, and one more."""

import json
import re
from itertools import combinations

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from campaigns.models import Audience, Campaign
from scoring.core.statistics.means import Interval
from scoring.core.statistics.ranks import DECIMALS
from scoring.core.statistics.rounding import decimal_text
from scoring.leaderboard.digits import distinct_digits
from scoring.output.numbers import FOUR_DIGITS, MAX_DIGITS, Digits, firm, pale, score
from tests.making import make_campaign, make_qrels, make_run, make_scores

RBP = "RBP(p=0.5)"


@pytest.mark.django_db
def test_a_run_outside_the_pool_does_not_blur_the_others() -> None:
    campaign = make_campaign(stage=Campaign.Stage.PUBLISHED, board_audience=Audience.EVERYONE)
    make_qrels(campaign)
    for tag, base, residual in (
        ("certain", 0.59312, 0.00002),
        ("likewise", 0.59278, 0.00003),
        ("nearly", 0.5912, 0.0004),
        ("vague", 0.5889, 0.02),
        ("unpooled", 0.3111, 0.31),
    ):
        make_scores(make_run(campaign, tag=tag), {RBP: (base, residual)})
    html = Client().get(reverse("scoring:leaderboard", args=[campaign.slug])).content.decode()
    cells = re.findall(r'<td class="num base[^"]*">([^<]*)<span class="pale">(\d*)</span>', html)
    assert cells == [("0.5931", ""), ("0.5928", ""), ("0.591", "2"), ("0.5", "9"), ("0.3", "1")]
    latex = Client().get(reverse("scoring:leaderboard-latex", args=[campaign.slug]))
    rows = [
        line.replace(r"\textless{}", "<").split(" & ")
        for line in re.findall(r"^\d+ & .*", latex.content.decode(), re.MULTILINE)
    ]
    assert [row[3] for row in rows] == [
        "0.5931", "0.5928", "0.5912", r"0.59\phantom{00}", r"0.31\phantom{00}"
    ]  # fmt: skip
    assert [row[4] for row in rows] == [
        "<0.0001", "<0.0001", "+0.0004", r"+0.02\phantom{00}", r"+0.31\phantom{00}"
    ]  # fmt: skip
    assert rows[3][5] == "[0.59, 0.61]"
    residuals = re.findall(r'<td class="num residual">([^<]*)<', html.replace("&lt;", "≤"))
    assert residuals == ["≤0.0001", "≤0.0001", "+0.0004", "+0.02", "+0.31"]


@pytest.mark.django_db
def test_four_decimals_do_not_make_rows_equal_that_their_residuals_tell_apart() -> None:
    """Rows of one score stay equal, and so do those that the residual of one leaves undecided."""
    campaign = make_campaign(stage=Campaign.Stage.PUBLISHED, board_audience=Audience.EVERYONE)
    make_qrels(campaign)
    for tag, base, residual in (
        ("first", 0.41236, 0.0001),
        ("second", 0.41234, 0.0002),
        ("third", 0.38748641727753347, 1.5e-6),
        ("fourth", 0.38748558428311997, 6.1e-7),
        ("fifth", 0.2, 0.0),
        ("sixth", 0.2, 1e-6),
        ("seventh", 0.10002, 0.00005),
        ("eighth", 0.1, 0.0),
    ):
        make_scores(make_run(campaign, tag=tag), {RBP: (base, residual)})
    html = Client().get(reverse("scoring:leaderboard", args=[campaign.slug])).content.decode()
    cells = re.findall(r'<td class="num base[^"]*">([^<]*)<span class="pale">(\d*)</span>', html)
    assert cells == [
        ("0.412", "4"), ("0.412", "3"), ("0.38748", "6"), ("0.387485", "6"),
        ("0.2000", ""), ("0.2000", ""), ("0.1000", "2"), ("0.10000", ""),
    ]  # fmt: skip
    texts = [firm + pale for firm, pale in cells]
    chart = re.search(r'<script id="chart-data"[^>]*>(.*?)</script>', html)
    assert chart
    hovers = json.loads(chart[1])["data"][0]["customdata"]
    assert [hover[2] for hover in hovers] == texts
    latex = Client().get(reverse("scoring:leaderboard-latex", args=[campaign.slug]))
    rows = re.findall(r"^\d+ & .*", latex.content.decode(), re.MULTILINE)
    printed = [re.fullmatch(r"([\d.]+)(?:\\phantom\{(0+)\})?", row.split(" & ")[3]) for row in rows]
    assert [each[1] for each in printed] == texts
    assert {len(each[1] + (each[2] or "")) for each in printed} == {9}
    assert " & [0.387486, 0.387488] & " in rows[2]


def test_a_row_never_looks_better_than_the_row_above() -> None:
    """The second would be 0.77. The fifth needs three digits beside the sixth: 0.58 < 0.582. The
    eighth would be 0.413 beside 0.4128, and 0.4127 as the ninth, with which it does not overlap."""
    rows = [
        Interval(0.769, 0.005),
        Interval(0.7657, 0.05),
        Interval(0.7613, 0.0),
        Interval(0.6, 0.4),
        Interval(0.5824, 0.2),
        Interval(0.5823, 0.005),
        Interval(0.41276, 0.0),
        Interval(0.41271, 0.1),
        Interval(0.41266, 0.0),
        Interval(0.4126, 0.0),
    ]
    found = distinct_digits(rows)
    texts = [
        (firm(row.base, digits), pale(row.base, digits))
        for row, digits in zip(rows, found, strict=True)
    ]
    assert texts == [
        ("0.76", "9"), ("0.7", "66"), ("0.7613", ""), ("0.6", "0"), ("0.5", "82"), ("0.58", "2"),
        ("0.4128", ""), ("0.4", "1271"), ("0.41266", ""), ("0.4126", ""),
    ]  # fmt: skip
    in_another_order = distinct_digits(rows[::-1])
    assert in_another_order[::-1] == found  # as of a measure for which lower is better


scores = st.builds(Interval, base=st.floats(0, 1), residual=st.floats(0, 1))

certain = st.builds(Interval, base=st.floats(0, 1), residual=st.none() | st.floats(0, 1e-4))

near = st.builds(
    Interval,
    base=st.integers(76_500, 76_999).map(lambda units: units / 1e5),
    residual=st.sampled_from([None, 0.0, 1e-5, 2e-4, 2e-3, 0.02, 0.2]),
)


def test_one_score_at_two_lengths_does_not_stand_for_two_scores() -> None:
    """The residual of the third ends its digits; seven decimals distinguish the first two."""
    found = distinct_digits([Interval(0.0, None), Interval(6e-8, None), Interval(0.0, 7.5e-5)])
    assert found == [Digits(7, 7), Digits(7, 7), Digits(4, 5)]
    alone = distinct_digits([Interval(2.3e-9, None), Interval(2.3e-9, 1e-6)])
    assert alone == [FOUR_DIGITS, FOUR_DIGITS]


@given(st.lists(certain, max_size=6), st.floats(0, 1), st.integers(4, 12))
def test_scores_without_a_residual_are_printed_alike_only_if_they_are_equal(
    others: list[Interval], base: float, places: int
) -> None:
    """Also beside scores whose residuals end their digits. Equal means: to 12 decimals."""
    pair = [Interval(base, None), Interval(base + 0.6 * 10.0**-places, None)]
    found = distinct_digits([*pair, *others])
    assert all(digits.firm <= digits.shown <= digits.firm + 1 for digits in found)
    texts = [score(each.base, digits) for each, digits in zip(pair, found, strict=False)]
    exact = [decimal_text(each.base or 0.0, DECIMALS) for each in pair]
    assert (texts[0] == texts[1]) == (exact[0] == exact[1])


@given(st.lists(st.one_of(scores, certain, near), max_size=12))
def test_printed_scores_are_in_order_and_differ_where_intervals_do_not_overlap(
    rows: list[Interval],
) -> None:
    rows.sort(key=lambda row: row.base or 0.0, reverse=True)
    found = distinct_digits(rows)
    texts = [score(row.base, digits) for row, digits in zip(rows, found, strict=True)]
    assert texts == sorted(texts, key=float, reverse=True)
    for row, digits in zip(rows, found, strict=True):
        assert digits.firm >= row.digits
        assert digits.shown >= Digits.of(row.digits).shown
        assert firm(row.base, digits) + pale(row.base, digits) == score(row.base, digits)
    for (better, first), (worse, second) in combinations(zip(rows, texts, strict=True), 2):
        if first == second:
            upper = (worse.base or 0.0) + (worse.residual or 0.0)
            assert decimal_text(upper, DECIMALS) >= decimal_text(better.base or 0.0, DECIMALS)


@given(scores, scores)
def test_rounding_makes_two_scores_equal_only_where_a_residual_exceeds_their_difference(
    first: Interval, second: Interval
) -> None:
    """By itself, a score ends at four decimals."""
    if score(first.base, first.digits) == score(second.base, second.digits):
        widest = max(first.residual or 0.0, second.residual or 0.0)
        difference = abs((first.base or 0.0) - (second.base or 0.0))
        assert difference <= max(widest, 10.0**-MAX_DIGITS) * (1 + 1e-9)
