"""Published boards to look at, made of plain rows."""

from playwright.sync_api import Page

from campaigns.models import Audience, Campaign
from tests.making import make_campaign, make_qrels, make_run, make_scores, make_team

RBP = "RBP(p=0.5)"
HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(2)>',
    "$\\href{javascript:alert(3)}{x}$",
    "&lt;img src=x onerror=alert(4)&gt;",
    "<b>bold</b>",
    "W" * 90,
)


def make_published_board(*teams: str, **facts: object) -> Campaign:
    """One scored run for each team, each a little worse than the one before."""
    campaign = make_campaign(
        **{
            "stage": Campaign.Stage.PUBLISHED,
            "is_accepting": False,
            "shows_own_scores": True,
            "board_audience": Audience.EVERYONE,
            "per_topic_audience": Audience.EVERYONE,
        }
        | facts
    )
    make_qrels(campaign)
    for place, name in enumerate(teams):
        base = 0.8 * (1 - place / len(teams))
        scores = {RBP: (base, 0.15), "AP": (base / 2, None), "Judged@10": (1 - base, None)}
        run = make_run(campaign, make_team(campaign, name=name), tag=f"run{place + 1}")
        make_scores(run, scores)
    return campaign


def board_path(campaign: Campaign, query: str = "") -> str:
    return f"/campaigns/{campaign.slug}/leaderboard/{query}"


def open_chart(page: Page) -> None:
    page.locator("#chart-fold summary").click()


def run_path(run) -> str:
    return f"/campaigns/{run.campaign.slug}/runs/{run.public_id}/"
