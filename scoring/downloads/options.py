"""What may be taken of each run."""

from dataclasses import dataclass

from campaigns import access
from campaigns.access import Viewer
from campaigns.models import Run
from scoring.runs.scores import sees_topics_of


@dataclass(frozen=True)
class RunFiles:
    """A run of which there is something to take, by the names this viewer may know."""

    run: Run
    has_scores: bool  # its means, as a table
    has_topic_scores: bool  # by topic as well, and in trec_eval's text
    has_file: bool


def run_files(viewer: Viewer) -> list[RunFiles]:
    """Of runs that count or would but for the deadline or a verdict; by tag. One query."""
    runs = access.runs_visible_to(viewer).filter(
        state=Run.State.ACCEPTED, withdrawn_at=None, replaced_at=None
    )
    found = [
        RunFiles(
            run=run,
            has_scores=viewer.can_see_scores_of(run),
            has_topic_scores=sees_topics_of(viewer, run),
            has_file=bool(run.storage_key) and viewer.can_download(run),
        )
        for run in runs.order_by("shown_tag", "pk")
    ]
    return [each for each in found if each.has_scores or each.has_file]
