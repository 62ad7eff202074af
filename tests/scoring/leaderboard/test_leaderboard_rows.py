"""Ranks, what ranks never, and that a board shows scores of one kind only."""

import csv
import io

import pytest
from django.utils import timezone

from campaigns.access import Viewer
from campaigns.models import Campaign, Team
from scoring.core.measures.names import parse_measure
from scoring.leaderboard.charts import interval_chart
from scoring.leaderboard.rows import Leaderboard, leaderboard
from scoring.leaderboard.tables import board_table
from scoring.models import Evaluation, Score
from tests.making import make_campaign, make_qrels, make_run, make_scores, make_team

pytestmark = pytest.mark.django_db
RBP = "RBP(p=0.5)"


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    make_qrels(campaign)
    return campaign


def board(campaign: Campaign, measure: str = RBP) -> Leaderboard:
    campaign.refresh_from_db()
    organiser = Viewer(campaign, person=None, roles=frozenset({"organiser"}), team=None)
    return leaderboard(organiser, parse_measure(measure))


def test_equal_scores_share_a_rank(campaign: Campaign) -> None:
    for tag, base in [("c", 0.2), ("a", 0.5), ("b", 0.5), ("d", 0.1)]:
        make_scores(make_run(campaign, tag=tag), {RBP: (base, 0.1)})
    assert [(row.rank, row.name) for row in board(campaign).rows] == [
        (1, "a"),
        (1, "b"),
        (3, "c"),
        (4, "d"),
    ]


def test_a_missing_score_never_ranks(campaign: Campaign) -> None:
    make_scores(make_run(campaign, tag="undefined"), {RBP: (None, None)})
    make_scores(make_run(campaign, tag="worst"), {RBP: (0.0, 0.0)})
    make_run(campaign, tag="unscored")
    shown = board(campaign)
    assert [(row.rank, row.name) for row in shown.rows] == [(1, "worst"), (None, "undefined")]
    assert shown.waiting_count == 1


def test_withdrawn_and_replaced_runs_are_not_on_the_leaderboard(campaign: Campaign) -> None:
    for fact in ("withdrawn_at", "replaced_at"):
        make_scores(make_run(campaign, **{fact: timezone.now()}), {RBP: (0.9, 0.0)})
    assert board(campaign).rows == ()


def test_late_and_disqualified_runs_are_below_the_others_without_a_rank(
    campaign: Campaign,
) -> None:
    make_scores(make_run(campaign, tag="best"), {RBP: (0.5, 0.1)})
    make_scores(make_run(campaign, tag="other"), {RBP: (0.4, 0.1)})
    make_scores(make_run(campaign, tag="late", is_late=True), {RBP: (0.9, 0.0)})
    verdict = {"disqualified_at": timezone.now(), "disqualified_reason": "used the qrels"}
    make_scores(make_run(campaign, tag="out", **verdict), {RBP: (0.95, 0.0)})
    team = make_team(campaign)
    Team.objects.filter(pk=team.pk).update(**verdict)
    make_scores(make_run(campaign, team, tag="team-out", is_late=True), {RBP: (0.96, 0.0)})
    shown = board(campaign)
    assert [(row.rank, row.name, row.status, row.reason) for row in shown.rows] == [
        (1, "best", "ranked", ""),
        (2, "other", "ranked", ""),
        (None, "late", "late", ""),
        (None, "team-out", "disqualified", "used the qrels"),
        (None, "out", "disqualified", "used the qrels"),
    ]
    assert shown.could_lead == ()  # 0.4 + 0.1 does not pass 0.5, and the late run leads nothing
    assert shown.waiting_count == 0
    assert interval_chart(shown)["data"][0]["y"] == [0.5, 0.4]


def test_scores_of_other_qrels_rules_or_definitions_are_not_mixed_in(campaign: Campaign) -> None:
    old = make_run(campaign, tag="old-qrels")
    make_scores(old, {RBP: (0.9, 0.0)})
    make_qrels(campaign)
    other_rules = make_scores(make_run(campaign, tag="other-rules"), {RBP: (0.9, 0.0)})
    Evaluation.objects.filter(pk=other_rules.pk).update(definitions="0" * 16)
    older = make_scores(make_run(campaign, tag="older-definition"), {RBP: (0.9, 0.0)})
    Score.objects.filter(evaluation=older).update(definition=0)
    make_scores(make_run(campaign, tag="current"), {RBP: (0.1, 0.0)})
    assert [row.name for row in board(campaign).rows] == ["current"]


def test_could_lead_counts_runs_that_the_unjudged_alone_could_lift(campaign: Campaign) -> None:
    for tag, base, residual in [("best", 0.6, 0.0), ("could", 0.5, 0.2), ("cannot", 0.5, 0.05)]:
        make_scores(make_run(campaign, tag=tag), {RBP: (base, residual)})
    assert [row.name for row in board(campaign).could_lead] == ["could"]


def test_csv_numbers_read_back_to_the_same_doubles_and_text_cells_are_safe(
    campaign: Campaign,
) -> None:
    team = make_team(campaign, name="=HYPERLINK(1)")
    make_scores(make_run(campaign, team, tag="r"), {RBP: (1 / 3, 0.1 + 0.2)})
    (row,) = csv.DictReader(io.StringIO(board_table(board(campaign)).as_csv()))
    assert (float(row["base"]), float(row["residual"])) == (1 / 3, 0.1 + 0.2)
    assert row["team"].startswith("'=")
