"""Which snapshots a viewer may see, and how the leaderboard is cited by them."""

import zipfile
from collections.abc import Callable, Collection
from typing import Final

from django.urls import reverse

from campaigns.access import Viewer
from campaigns.models import Campaign, Qrels
from campaigns.qrels.versions import versions_visible_to
from campaigns.stored_files import FileLost, open_stored
from scoring.citations.authors import authors_of
from scoring.citations.citation import Citation, one_line
from scoring.evaluation.rules import rules_of
from scoring.models import Snapshot
from scoring.results.options import sees_topic_means

# Parts of a package that some viewers may not see.
SCORES_FILE: Final = "scores.csv"
TOPICS_FILE: Final = "topics.xml"
QRELS_FILE: Final = "qrels.txt"


def citation_of(snapshot: Snapshot, campaign: Campaign, absolute: Callable[[str], str]) -> Citation:
    """`absolute` makes a URL of a path."""
    title, name = one_line(snapshot.title), one_line(campaign.name)
    return Citation(
        key=f"{campaign.slug}-{snapshot.public_id}",
        title=title if name in title else f"{title}, {name}",
        authors=authors_of(campaign),
        day=snapshot.created_at.date(),
        qrels=snapshot.qrels.version,
        definitions=snapshot.definitions,
        url=absolute(reverse("scoring:snapshot-detail", args=[snapshot.public_id])),
        doi=snapshot.doi,
        doi_url=snapshot.doi_url,
    )


def board_citation(
    viewer: Viewer, absolute: Callable[[str], str], *, has_snapshots: bool = True
) -> Citation | None:
    """By the newest snapshot that the viewer may see, or else as the leaderboard is at this moment.
    None for viewers who may not see it, and without qrels. One query, none if the caller knows that
    there are no snapshots."""
    campaign = viewer.campaign
    if not viewer.can_see_board or campaign.active_qrels is None:
        return None
    if has_snapshots and (snapshot := newest_snapshot(viewer)):
        return citation_of(snapshot, campaign, absolute)
    return Citation(
        key=campaign.slug,
        title=one_line(campaign.name),
        authors=authors_of(campaign),
        day=viewer.moment.date(),
        qrels=campaign.active_qrels.version,
        definitions=rules_of(campaign).digest,
        url=absolute(reverse("scoring:leaderboard", args=[campaign.slug])),
        is_live=True,
    )


def newest_snapshot(viewer: Viewer) -> Snapshot | None:
    """The snapshot to cite; one query, and as few files as possible."""
    if not viewer.can_see_board:
        return None
    snapshots = viewer.campaign.snapshots.select_related("qrels")
    return next((snapshot for snapshot in snapshots if is_visible(viewer, snapshot)), None)


def is_visible(viewer: Viewer, snapshot: Snapshot) -> bool:
    """A snapshot is visible to those who may see all of its content now."""
    if viewer.is_organiser:
        return True
    try:
        # The names of its files are in the row, so that lists of snapshots do not read the
        # storage. Rows of an older release lack them and are completed here.
        if snapshot.contents is None:
            stored = open_stored(snapshot.storage_key, snapshot.digest)
            with stored as file, zipfile.ZipFile(file) as packed:
                snapshot.contents = packed.namelist()
            Snapshot.objects.filter(pk=snapshot.pk).update(contents=snapshot.contents)
        return may_see_all(viewer, snapshot.qrels, list(snapshot.contents))
    except (FileLost, zipfile.BadZipFile, OSError):
        return False  # organisers see the error when they open it; other pages work


def may_see_all(viewer: Viewer, qrels: Qrels, names: Collection[str]) -> bool:
    """Whether this viewer may see all files of a package now."""
    if not viewer.can_see_board:
        return False
    return (
        (SCORES_FILE not in names or sees_topic_means(viewer))
        and (TOPICS_FILE not in names or viewer.can_see_topics)
        and (QRELS_FILE not in names or sees_judgments(viewer, qrels))
    )


def sees_judgments(viewer: Viewer, qrels: Qrels) -> bool:
    return versions_visible_to(viewer).filter(pk=qrels.pk).exists()
