"""Snapshots: a copy of a board in a file that never changes."""

import copy
import csv
import hashlib
import io
import json
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from campaigns.access import Person, Viewer, board_or_404
from campaigns.errors import CannotTakeSnapshot
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Audience, User
from campaigns.models.identity import is_public_id, new_public_id
from campaigns.options import choice_or_404
from campaigns.stored_files import open_stored
from scoring.citations.snapshots import is_visible
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.means import Interval
from scoring.downloads.package import BOARD_FILE, DESCRIPTION_FILE, write_package
from scoring.evaluation.measure_choices import canonical_name
from scoring.evaluation.rules import rules_of
from scoring.leaderboard.digits import distinct_digits
from scoring.leaderboard.rows import leaderboard
from scoring.models import Snapshot
from scoring.output.numbers import FOUR_DIGITS, Digits

LARGEST_IN_MEMORY = 8 << 20
LONGEST_TITLE = 200


def create_snapshot(
    *, viewer: Viewer, actor: User, title: str, site: str = "", key: str = ""
) -> Snapshot:
    """Stores the current board as the public will see it after publication: with public names, and
    with scores by topic and qrels if everybody may see these. Raises `CannotTakeSnapshot`.

    `site` is the start of the URL that the snapshot contains. A second call with the same `key`, a
    public id, returns the first snapshot, so that a double click creates only one.
    """
    key = key if is_public_id(key) else new_public_id()
    if existing := viewer.campaign.snapshots.filter(public_id=key).first():
        return existing
    refuse_archived(viewer.campaign)
    qrels = viewer.campaign.active_qrels
    if qrels is None:
        raise CannotTakeSnapshot(
            "There are no qrels yet, so there is no leaderboard. Add qrels first."
        )
    refuse_unscored_runs(viewer)
    made_at = timezone.now()
    is_taken = Snapshot.objects.filter(public_id=key).exists()  # by another campaign
    identity = new_public_id() if is_taken else key
    title = " ".join(title.split())[:LONGEST_TITLE] or f"{viewer.campaign.name} at {made_at:%F}"
    url = site and site + reverse("scoring:snapshot-detail", args=[identity])
    with tempfile.SpooledTemporaryFile(LARGEST_IN_MEMORY) as out:
        write_package(_public_viewer(viewer), qrels, out, made_at=made_at, title=title, url=url)
        stored = _store(out, identity)
    return _save(
        Snapshot(
            campaign_id=viewer.campaign.pk,
            public_id=identity,
            title=title,
            qrels=qrels,
            definitions=rules_of(viewer.campaign).digest,
            created_by=actor,
            **stored,
        ),
        actor,
    )


def refuse_unscored_runs(viewer: Viewer) -> None:
    """Raises `CannotTakeSnapshot`."""
    waiting = max(
        leaderboard(viewer, measure).waiting_count for measure in rules_of(viewer.campaign).measures
    )
    if waiting:
        count = "One run has" if waiting == 1 else f"{waiting} runs have"
        raise CannotTakeSnapshot(f"{count} no score yet. Wait until all runs are scored.")


def snapshot_or_404(person: Person, public_id: str) -> tuple[Viewer, Snapshot]:
    """A snapshot is visible to those who may see all of its content now. If a board is hidden
    again, its snapshots are hidden too."""
    snapshot = Snapshot.objects.select_related("campaign", "qrels").filter(public_id=public_id)
    for stored in snapshot:
        with suppress(Http404):  # as if there were no snapshot
            viewer = board_or_404(person, stored.campaign.slug)
            if is_visible(viewer, stored):
                return viewer, stored
    raise Http404


def snapshots_visible_to(viewer: Viewer) -> list[Snapshot]:
    """The newest first."""
    if not viewer.can_see_board:
        return []
    snapshots = viewer.campaign.snapshots.select_related("qrels")
    return [snapshot for snapshot in snapshots if is_visible(viewer, snapshot)]


@dataclass(frozen=True, kw_only=True)
class SnapshotRow(Interval):
    """A row of the board as stored in the file."""

    rank: int | None
    run: str
    run_id: str
    team: str
    run_type: str
    status: str
    topics: int
    is_baseline: bool
    printed_digits: Digits = FOUR_DIGITS  # of the base, on the page


@dataclass(frozen=True)
class SnapshotBoard:
    """The board of one measure, read from the file of a snapshot."""

    measure: str
    measures: tuple[str, ...]
    rows: tuple[SnapshotRow, ...]
    description: Mapping[str, Any]  # its datapackage.json


def board_of(snapshot: Snapshot, measure: str = "") -> SnapshotBoard:
    """Raises UnknownChoice for a measure that is not in the snapshot."""
    with open_file(snapshot) as file, zipfile.ZipFile(file) as packed:
        text = packed.read(BOARD_FILE).decode()
        description = json.loads(packed.read(DESCRIPTION_FILE))
    measures = tuple(each["name"] for each in description["trackside"]["measures"])
    chosen = choice_or_404(
        "measure",
        canonical_name(measure, list(map(parse_measure, measures))),
        measures,
        usual=measures[0],
    )
    table = csv.DictReader(io.StringIO(text))
    rows = [_row(row) for row in table if row["measure"] == chosen]
    digits = distinct_digits(rows)
    printed = tuple(map(lambda row, each: replace(row, printed_digits=each), rows, digits))
    return SnapshotBoard(chosen, measures, printed, description)


def open_file(snapshot: Snapshot) -> BinaryIO:
    """Raises `FileLost`."""
    return open_stored(snapshot.storage_key, snapshot.digest)


def _public_viewer(viewer: Viewer) -> Viewer:
    """An anonymous viewer of the published campaign. They see the board in any case, because a
    snapshot contains it, and the rest only if everybody will see it."""
    # A copy: only the snapshot shows the campaign as if it were published.
    campaign = copy.copy(viewer.campaign)
    for switch, setting in campaign.stage_switches["published"].items():
        setattr(campaign, switch, setting)
    campaign.board_audience = campaign.runs_audience = Audience.EVERYONE
    return replace(viewer, campaign=campaign, person=None, roles=frozenset(), team=None)


def _store(out: BinaryIO, identity: str) -> dict[str, Any]:
    size = out.seek(0, io.SEEK_END)
    out.seek(0)
    digest = hashlib.file_digest(out, "sha256").hexdigest()
    out.seek(0)
    with zipfile.ZipFile(out) as packed:
        contents = packed.namelist()
    out.seek(0)
    key = default_storage.save(f"snapshots/{identity[:2]}/{identity}", File(out))
    return {"storage_key": key, "digest": digest, "size": size, "contents": contents}


def _save(snapshot: Snapshot, actor: User) -> Snapshot:
    """The file is stored before the row. The sweeper deletes the file of a crash, or of a double
    click."""
    try:
        with transaction.atomic():
            snapshot.save(force_insert=True)
            record(
                snapshot, actor, "created snapshot", sha256=snapshot.digest, title=snapshot.title
            )
    except IntegrityError:
        return Snapshot.objects.get(campaign=snapshot.campaign_id, public_id=snapshot.public_id)
    return snapshot


def _row(row: Mapping[str, str]) -> SnapshotRow:
    return SnapshotRow(
        rank=int(row["rank"]) if row["rank"] else None,
        run=_unguarded(row["run"]),
        run_id=row["run_id"],
        team=_unguarded(row["team"]),
        run_type=row["run_type"],
        # "standing" is its heading in snapshots of an older release, which never change.
        status=row.get("status") or row["standing"],
        base=float(row["base"]) if row["base"] else None,
        residual=float(row["residual"]) if row["residual"] else None,
        topics=int(row["topics"]),
        is_baseline=row.get("is_baseline") == "1",  # snapshots of an older release have none
    )


def _unguarded(cell: str) -> str:
    """A name without the prefix that prevents spreadsheets from reading it as a formula
    (defusedcsv)."""
    if len(cell) > 1 and cell[0] == "'" and cell[1] in "@+-=|%":
        return cell[1:].replace("\\|", "|")
    return cell
