"""The files of each run that a viewer may download."""

from dataclasses import dataclass

from campaigns import access
from campaigns.access import Viewer
from campaigns.models import Run
from scoring.runs.scores import sees_topics_of


@dataclass(frozen=True)
class RunFiles:
    """A run with its files, with the names that this viewer may see."""

    run: Run
    has_scores: bool  # its means, as a table
    has_topic_scores: bool  # also by topic, and in the format of trec_eval
    has_file: bool


def run_files(viewer: Viewer) -> list[RunFiles]:
    """Of runs that count, late runs and disqualified runs, by name. One query."""
    runs = access.runs_visible_to(viewer).filter(
        state=Run.State.ACCEPTED, withdrawn_at=None, replaced_at=None
    )
    files = [
        RunFiles(
            run=run,
            has_scores=viewer.can_see_scores_of(run),
            has_topic_scores=sees_topics_of(viewer, run),
            has_file=bool(run.storage_key) and viewer.can_download(run),
        )
        for run in runs.order_by("shown_name", "pk")
    ]
    return [each for each in files if each.has_scores or each.has_file]
