"""The p of RBP goes from 0 to 0.999 wherever one is chosen."""

import numpy as np
import pytest
from django.core.exceptions import ValidationError

from campaigns.judging.plan_form import PlanForm
from campaigns.models import Plan
from campaigns.options import UnknownChoice
from scoring.core.statistics.agreement import rank_biased_overlap
from scoring.judging.candidates import depth_for, depth_of
from scoring.output.numbers import p_text
from scoring.results.options import typed_persistence
from tests.making import make_campaign, make_user


@pytest.mark.parametrize(
    ("typed", "p"), [("0", 0), (".0", 0), ("0.000", 0), (".8", 0.8), ("0.80", 0.8), (".999", 0.999)]
)
def test_a_url_names_a_p_in_thousandths(typed: str, p: float) -> None:
    assert typed_persistence(typed) == p


@pytest.mark.parametrize("typed", ["1", "1.0", "-0.1", "0.9999", "1e-1", "٠.٥", "0.", "."])
def test_what_is_no_such_p_is_said_in_words(typed: str) -> None:
    with pytest.raises(UnknownChoice, match=r"from 0 to 0\.999"):
        typed_persistence(typed)


def test_p_is_written_with_as_many_decimals_as_it_needs() -> None:
    assert [p_text(p) for p in (0, 0.8, 0.95, 0.995, 0.999)] == [
        "0.00", "0.80", "0.95", "0.995", "0.999",
    ]  # fmt: skip


def test_at_p_0_the_overlap_looks_at_the_first_run_alone() -> None:
    means = np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [1.0, 3.0, 2.0]])
    overlap = rank_biased_overlap(means, persistence=0.0)
    assert overlap[0].tolist() == [1.0, 1.0, 0.0]


def test_the_depth_of_proposals_is_known_at_both_ends() -> None:
    assert depth_for(0) == 100
    assert depth_for(0.8) == 100  # .8^93 < 1e-9
    assert depth_for(0.999) == 20713  # .999^20713 < 1e-9 < .999^20712
    assert 0.999**20713 < 1e-9 <= 0.999**20712


@pytest.mark.django_db
def test_all_of_a_campaign_proposes_to_one_depth_whatever_p_a_plan_has() -> None:
    campaign = make_campaign(persistences=[0.5, 0.95])
    assert {depth_of(campaign, p) for p in (0.0, 0.5, 0.8, 0.95)} == {depth_for(0.95)}
    assert depth_of(campaign, 0.999) == depth_for(0.999)


@pytest.mark.django_db
@pytest.mark.parametrize(("p", "is_right"), [("0", True), (".999", True), ("1", False)])
def test_a_plan_may_have_every_p(p: str, is_right: bool) -> None:
    campaign = make_campaign(persistences=[0.0, 0.5, 0.999])
    form = PlanForm({"method": "A", "p": p}, campaign=campaign)
    assert form.is_valid() is is_right
    plan = Plan(
        campaign=campaign, method="A", persistence=float(p), budget=10, created_by=make_user()
    )
    if is_right:
        plan.full_clean()
    else:
        with pytest.raises(ValidationError):
            plan.full_clean()
