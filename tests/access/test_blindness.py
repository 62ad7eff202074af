"""Before publication nothing a participant can ask for depends on qrels, scores or other teams."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from campaigns import lifecycle
from campaigns.models import Campaign, Qrels, Run, Team, User
from scoring.models import Score
from tests.making import (
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)

pytestmark = pytest.mark.django_db

# What differs between two looks at one page whatever is behind it.
PASSING = re.compile(
    rb'name="csrfmiddlewaretoken" value="[^"]*"|name="idempotency_key" value="[^"]*"'
    rb"|csrf[-\w]*\"?:? ?\"[^\"]*\"|\d+ (?:seconds?|s|minutes?)\b"
)
CANARY = "canary-team-7f3a"


@pytest.fixture
def blind() -> tuple[Campaign, User, Run]:
    participant = make_user()
    campaign = make_campaign(slug="blind")
    make_organiser(campaign)
    own = make_run(campaign, make_team(campaign, participant, name="Own"), tag="own")
    rivals = make_team(campaign, make_user(), name=CANARY)
    make_qrels(campaign, note="canary-note-7f3a")
    for run in (own, make_run(campaign, rivals, tag="canary-tag-7f3a")):
        make_scores(run, {"RBP(p=0.5)": (0.5, 0.1), "AP": (0.25, None), "Judged@10": (0.9, None)})
    return campaign, participant, own


def everything_a_participant_can_ask_for(participant: User, run: Run) -> dict[str, bytes]:
    client = Client()
    client.force_login(participant)
    addresses = [reverse("campaigns:campaign-list"), reverse("api:schema")]
    for name in (
        "campaigns:campaign-detail",
        "campaigns:run-create",
        "campaigns:run-list",
        "campaigns:team",
        "campaigns:campaign-manage",
        "scoring:leaderboard",
        "scoring:leaderboard-csv",
        "api:leaderboard",
    ):
        base = reverse(name, args=["blind"])
        addresses += [base, base + "?measure=AP&sort=judged", base + "?format=csv&ordering=base"]
    for public_id in Run.objects.values_list("public_id", flat=True):
        for name in ("scoring:run-detail", "scoring:run-status", "api:run-detail"):
            addresses.append(reverse(name, args=["blind", public_id]))
    return {
        address: str(answer.status_code).encode()
        + PASSING.sub(b"", answer.content)
        + repr(sorted(answer.headers.items())).encode()
        for address in addresses
        for answer in [client.get(address)]
    }


def test_no_answer_depends_on_qrels_scores_or_other_teams(
    blind: tuple[Campaign, User, Run],
) -> None:
    campaign, participant, own = blind
    before = everything_a_participant_can_ask_for(participant, own)

    Score.objects.update(mean_base=0.123, mean_residual=0.045)
    Qrels.objects.update(note="another", judgment_count=99, digest="2" * 64)
    Team.objects.filter(name=CANARY).update(name="other")
    make_run(campaign, make_team(campaign, make_user()), tag="one-more")
    Run.objects.filter(tag="canary-tag-7f3a").update(state=Run.State.REFUSED, problem_count=3)

    after = everything_a_participant_can_ask_for(participant, own)
    changed = [address for address in before if before[address] != after[address]]
    assert changed == []


def test_the_canaries_are_nowhere(blind: tuple[Campaign, User, Run]) -> None:
    _, participant, own = blind
    answers = everything_a_participant_can_ask_for(participant, own)
    assert [address for address, body in answers.items() if b"7f3a" in body] == []


def test_publishing_shows_and_unpublishing_hides_at_once(
    blind: tuple[Campaign, User, Run],
) -> None:
    campaign, participant, own = blind
    hidden = everything_a_participant_can_ask_for(participant, own)
    lifecycle.publish(campaign=campaign, actor=None)
    shown = everything_a_participant_can_ask_for(participant, own)
    assert CANARY.encode() in shown[reverse("scoring:leaderboard", args=["blind"])]
    lifecycle.unpublish(campaign=campaign, actor=None)
    again = everything_a_participant_can_ask_for(participant, own)
    csv = reverse("scoring:leaderboard-csv", args=["blind"])
    assert hidden[csv][:3] == again[csv][:3] == b"404"
    assert not [address for address, body in again.items() if b"7f3a" in body]


def test_a_team_sees_its_own_scores_only_where_the_switch_says_so(
    blind: tuple[Campaign, User, Run],
) -> None:
    campaign, participant, own = blind
    client = Client()
    client.force_login(participant)
    url = reverse("api:run-detail", args=["blind", own.public_id])
    assert client.get(url).json()["scores"] == []
    Campaign.objects.filter(pk=campaign.pk).update(shows_own_scores=True)
    assert {score["measure"] for score in client.get(url).json()["scores"]} >= {"AP", "RBP(p=0.5)"}
    # the switch opens the team's own scores, and no board
    assert client.get(reverse("api:leaderboard", args=["blind"])).status_code == 404
