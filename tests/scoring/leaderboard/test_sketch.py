"""The sketch of the chart, which is there before the script of the chart is loaded."""

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Audience, Campaign
from tests.making import make_campaign, make_qrels, make_run, make_scores

pytestmark = pytest.mark.django_db


def test_the_sketch_has_a_mark_for_each_run_and_a_bar_for_each_residual() -> None:
    campaign = make_campaign(stage=Campaign.Stage.PUBLISHED, board_audience=Audience.EVERYONE)
    make_qrels(campaign)
    for tag, base, residual in (("first", 0.75, 0.125), ("second", 0.5, 0.0)):
        make_scores(make_run(campaign, tag=tag), {"RBP(p=0.5)": (base, residual)})
    html = Client().get(reverse("scoring:leaderboard", args=[campaign.slug])).content.decode()
    assert 'viewBox="0 0 2 1000"' in html
    assert 'd="M0.3 250h.4M1.3 500h.4"' in html
    assert 'class="residuals" d="M0.5 250V125"' in html
