"""A campaign as a folder in TREC's own shape: read into the database, and written back.

topics.xml | topics.*.txt | topics.tsv     one topics file
qrels.txt[.gz]                             one qrels file (may be missing)
runs/*[.gz]                                one file a run
runs.csv                                   tag, team, run type, pooled (when exported)
"""

import csv
import gzip
import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.db import transaction
from django.utils import timezone

from campaigns.models import Campaign, Membership, Qrels, Run, Team, User
from campaigns.qrels.topics import topics_xml
from campaigns.runs import submission
from campaigns.stored_files import open_stored
from campaigns.trec.compression import GZIP_MAGIC, plain_blocks
from campaigns.trec.problems import FormatError
from campaigns.trec.runs_table import RunsTable, RunsTableRow

NO_TABLE = "Imported runs"  # the team of runs that no table names
BEGIN_BYTES = 1 << 15  # of a run file: what comes before its first record is shorter


class FolderError(Exception):
    """The folder is not a campaign's; the message says what is missing."""


@dataclass(frozen=True)
class CampaignFolder:
    topics: Path
    qrels: Path | None
    runs: tuple[Path, ...]


def open_folder(folder: Path) -> CampaignFolder:
    """The files of a campaign's folder. Raises `FolderError`."""
    topics = _one(folder, "topics")
    if topics is None:
        raise FolderError(f"{folder} has no topics file: topics.xml, topics.txt or topics.tsv.")
    runs = sorted(p for p in (folder / "runs").glob("*") if p.is_file()) if folder.is_dir() else []
    return CampaignFolder(topics=topics, qrels=_one(folder, "qrels"), runs=tuple(runs))


def campaign_for(
    *, slug: str, highest_grade: int, organiser: User | None, facts: Mapping[str, object]
) -> Campaign:
    """The campaign of this address with these facts; made as its organisers' draft if there is
    none. Raises `FolderError` for facts that no campaign can have."""
    campaign = Campaign.objects.filter(slug=slug).first() or Campaign(
        slug=slug, name=slug, highest_grade=highest_grade
    )
    for name, value in facts.items():
        setattr(campaign, name, value)
    try:
        campaign.full_clean()
    except ValidationError as error:
        raise FolderError(" ".join(error.messages)) from error
    campaign.save()
    if organiser is not None:
        Membership.objects.get_or_create(
            campaign=campaign, person=organiser, role=Membership.Role.ORGANISER
        )
    return campaign


def import_run(*, campaign: Campaign, path: Path, table: RunsTable) -> Run:
    """Submits one run file for its team; the same file only once.

    Raises `FolderError`, before anything is stored, where the row of the table that names the run
    has an error: its team is not known then.
    """
    row = _row_of(path, table)
    name = (row.team if row else "") or NO_TABLE
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    earlier = campaign.runs.filter(team__name=name, digest=digest).exclude(
        state__in=[Run.State.REFUSED, Run.State.FAILED]
    )
    if run := earlier.first():
        return run
    with (
        path.open("rb") as opened,
        submission.stored_upload(File(opened, name=path.name)) as file,
        transaction.atomic(),  # no team without its run
    ):
        team = campaign.teams.filter(name=name).first() or Team.objects.create(
            campaign=campaign, name=name
        )
        return submission.submit_run(
            campaign=campaign,
            team=team,
            person=None,
            file=file,
            submitted_at=timezone.now(),
            run_type=_run_type(row),
            is_pooled=row.is_pooled if row else None,
            # A file refused for its unknown topics is tried anew once they are dropped.
            idempotency_key=f"{campaign.unknown_topics}-{digest[:48]}",
            is_past_deadline_allowed=True,
        )


def export_campaign(campaign: Campaign, folder: Path) -> int:
    """Writes topics, the active qrels, every ranked run as it was submitted, and the table of runs.
    Returns the number of runs. Raises `FolderError` for a folder that is not empty."""
    if folder.exists() and any(folder.iterdir()):
        raise FolderError(f"{folder} is not empty.")
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    with (folder / "topics.xml").open("wb") as file:
        file.writelines(block.encode() for block in topics_xml(campaign))
    if campaign.active_qrels is not None:
        _write_gzipped(campaign.active_qrels, folder / "qrels.txt.gz")
    runs = list(campaign.runs.ranked().select_related("team").order_by("tag", "pk"))
    for run, name in zip(runs, _file_names(runs), strict=True):
        _write_gzipped(run, folder / "runs" / f"{name}.gz")
    _write_table(runs, folder / "runs.csv")
    return len(runs)


def _one(folder: Path, stem: str) -> Path | None:
    found = sorted(p for p in folder.glob(f"{stem}*") if p.is_file())
    if len(found) > 1:
        names = ", ".join(p.name for p in found)
        raise FolderError(f"{folder} has more than one {stem} file: {names}.")
    return found[0] if found else None


def _row_of(path: Path, table: RunsTable) -> RunsTableRow | None:
    for name in (path.name, _tag_of(path)):
        if line := table.bad_lines.get(name):
            raise FolderError(f"line {line} of the runs table, which names it, has an error")
        if row := table.by_name.get(name):
            return row
    return None


def _tag_of(path: Path) -> str:
    """The sixth field of the first record, read without reading the rest; "" where there is none
    (the check will say why)."""
    with path.open("rb") as file:
        begin = file.read(BEGIN_BYTES)
    try:
        head = next(plain_blocks(begin), b"")
    except FormatError:
        return ""
    for line in io.BytesIO(head):
        fields = line.split()
        if len(fields) == 6 and not line.lstrip().startswith(b"#"):
            return fields[5].decode(errors="replace")
    return ""


def _run_type(row: RunsTableRow | None) -> str:
    known = (row.run_type or "").strip().lower() if row else ""
    return known if known in Run.Type.values else Run.Type.AUTOMATIC


def _write_gzipped(owner: Run | Qrels, path: Path) -> None:
    with open_stored(owner.storage_key, owner.digest) as stored:
        is_packed = stored.read(2) == GZIP_MAGIC
        stored.seek(0)
        with path.open("wb") if is_packed else gzip.open(path, "wb") as out:
            while block := stored.read(1 << 20):
                out.write(block)


def _file_names(runs: list[Run]) -> Iterator[str]:
    """The tag, which is safe as a file name; with the team's id where two teams share it."""
    tags = [run.tag.lower() for run in runs]
    for run in runs:
        is_shared = tags.count(run.tag.lower()) > 1
        yield f"{run.tag}.{run.team.public_id}" if is_shared else run.tag


def _write_table(runs: list[Run], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["tag", "team", "run type", "pooled", "file"])
        for run, name in zip(runs, _file_names(runs), strict=True):
            pooled = "" if run.is_pooled is None else "yes" if run.is_pooled else "no"
            writer.writerow([run.tag, run.team.name, run.run_type, pooled, f"{name}.gz"])
