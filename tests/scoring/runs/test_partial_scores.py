"""A run whose mean leaves out topics says so on the board."""

import pytest

from campaigns.models import Run
from scoring.models import Score
from tests.agreement_boards import get
from tests.making import make_campaign, make_qrels, make_run, make_scores
from tests.scoring.leaderboard.test_board_page import SHOWN

pytestmark = pytest.mark.django_db
ESL = "ESL(n=1)"


def scored(run: Run, esl: float, topics: int) -> None:
    evaluation = make_scores(
        run, {"RBP(p=0.5)": (0.5, 0.1), ESL: (esl, None), "Judged@10": (1.0, None)}
    )
    Score.objects.filter(evaluation=evaluation, measure=ESL).update(topic_count=topics)


def test_a_run_that_leads_by_one_of_two_topics_says_so() -> None:
    campaign = make_campaign(**{**SHOWN, "measures": [ESL, "Judged@10"]})
    make_qrels(campaign)
    scored(make_run(campaign, tag="half"), 0.0, 1)
    scored(make_run(campaign, tag="whole"), 3.0, 2)
    page = get("leaderboard", campaign, f"?measure={ESL}").content.decode()
    assert page.count("1 of 2 topics</small>") == 1
    assert "<b>half</b> has a score on 1 of 2 topics only" in page
    assert "of 2 topics</dt>" in page
    by_rbp = get("leaderboard", campaign).content.decode()
    assert "of 2 topics" not in by_rbp


def test_a_stricter_rel_leaves_out_topics_for_all_runs_and_marks_none() -> None:
    strict = "P(rel=2)@10"
    campaign = make_campaign(**{**SHOWN, "measures": [strict, "Judged@10"], "highest_grade": 2})
    make_qrels(campaign)
    for tag in ("a", "b"):
        evaluation = make_scores(
            make_run(campaign, tag=tag), {strict: (0.5, 0.1), "Judged@10": (1.0, None)}
        )
        Score.objects.filter(evaluation=evaluation, measure=strict).update(topic_count=1)
    page = get("leaderboard", campaign, f"?measure={strict}").content.decode()
    assert "of 2 topics" not in page
