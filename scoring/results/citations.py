"""How a board is cited: by a snapshot, whose address and content never change."""

from dataclasses import dataclass

from campaigns.models import Campaign
from scoring.models import Snapshot


@dataclass(frozen=True)
class Citation:
    text: str
    address: str


def citation_of(campaign: Campaign, snapshot: Snapshot, address: str) -> Citation:
    """`address` is the snapshot's own, in full."""
    taken = f"{snapshot.created_at.day} {snapshot.created_at:%B %Y}"
    named = (
        snapshot.title
        if campaign.name in snapshot.title
        else ", ".join((snapshot.title, campaign.name))
    )
    return Citation(
        f"{named}. Leaderboard as of {taken}, qrels v{snapshot.qrels.version}.", address
    )
