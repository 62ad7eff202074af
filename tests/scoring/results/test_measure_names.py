"""Which of a campaign's measures a name in a URL means."""

import pytest

from scoring.core.measures.names import BadMeasure, UnknownMeasure, parse_measure
from scoring.evaluation.measure_choices import canonical_name, find_measure
from tests.agreement_boards import get
from tests.making import make_campaign, make_qrels, make_run, make_scores
from tests.scoring.leaderboard.test_board_page import SHOWN

OFFERED = [
    parse_measure(name)
    for name in ("RBP(p=0.8,rel=2)", "Q(rel=2)", "AP", "AP(rel=2)", "P(rel=2)@10", "P(rel=3)@10",
                 "nDCG(gain=exp)@10", "DCG(b=2)@5", "DCG(b=3)@5")
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Q(rel=2)", "Q(rel=2)"),
        ("Q", "Q(rel=2)"),
        (" Q ", "Q(rel=2)"),
        ("AP", "AP"),  # exactly this name comes first
        ("map", "AP"),
        ("RBP(p=.8)", "RBP(p=0.8,rel=2)"),  # what it says is so, and rel is the campaign's
        ("RBP", "RBP(p=0.8,rel=2)"),
        ("P@10", "P(rel=2)@10"),  # of two the one at the campaign's rel
        ("nDCG@10", "nDCG(gain=exp)@10"),
    ],
)
def test_a_name_means_the_measure_of_exactly_this_name_or_the_only_one_like_it(
    name: str, meant: str
) -> None:
    assert str(find_measure(name, OFFERED, rel=2)) == meant


@pytest.mark.parametrize(
    "name",
    [
        "Q(rel=1)",  # it says another rel
        "Q(beta=2)",
        "DCG@5",  # two are like it
        "P@5",
        "nDCG",
        "RBP(p=0.5)",
        "nDCG(gain=map)@10",
        "bpref",
    ],
)
def test_a_name_that_says_something_else_or_could_mean_two_means_none(name: str) -> None:
    assert find_measure(name, OFFERED, rel=2) is None
    assert canonical_name(name, OFFERED) == name


def test_what_is_no_measure_is_an_error() -> None:
    with pytest.raises(UnknownMeasure):
        find_measure("Zzyzx", OFFERED)
    with pytest.raises(BadMeasure):
        find_measure("DCG", OFFERED)  # needs a cutoff, and no measure without one is offered


@pytest.mark.django_db
def test_pages_answer_the_short_name_with_the_campaigns_measure_and_say_what_is_offered() -> None:
    campaign = make_campaign(
        **{**SHOWN, "rel": 2, "highest_grade": 2, "measures": ["Q(rel=2)", "AP(rel=2)"]}
    )
    make_qrels(campaign)
    for tag, base in (("low", 0.25), ("high", 0.5)):
        scores = {"RBP(p=0.5,rel=2)": (1 - base, 0.1), "Q(rel=2)": (base, None)}
        make_scores(make_run(campaign, tag=tag), scores)
    page = get("leaderboard", campaign, "?measure=Q").content.decode()
    assert "Q(rel=2)" in page
    assert page.index('/">high</a>') < page.index('/">low</a>')
    named = get("leaderboard-csv", campaign, "?measure=Q(rel=2)").content
    assert get("leaderboard-csv", campaign, "?measure=Q").content == named
    beside = get("leaderboard", campaign, "?columns=Q&sort=Q").content.decode()
    assert beside.index('/">high</a>') < beside.index('/">low</a>')
    assert get("leaderboard", campaign, "?columns=RBP(p=0.5)&sort=RBP(p=0.5)").status_code == 200
    refused = get("leaderboard", campaign, "?measure=Q(rel=1)")
    assert refused.status_code == 404
    assert "Q(rel=2)" in refused.content.decode()
