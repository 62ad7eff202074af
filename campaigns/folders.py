"""A campaign as a folder in TREC's own shape: read into the database, and written back.

topics.xml | topics.*.txt | topics.tsv     one topics file
qrels.txt[.gz]                             one qrels file (may be missing)
runs/*[.gz]                                one file a run
runs.csv (when exported)                   tag, run_name, team, run type, and more
campaign.json (may be missing)             the sources of the qrels, if a program judged
"""

import csv
import gzip
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from campaigns import lifecycle
from campaigns.errors import SubmissionRefused
from campaigns.models import Campaign, Membership, Qrels, Run, Team, User
from campaigns.models.runs import run_name
from campaigns.qrels.stated_sources import (
    InvalidSources,
    StatedSources,
    check_judgments,
    read_sources,
    sources_json,
)
from campaigns.qrels.topics import topics_xml
from campaigns.runs import submission
from campaigns.stored_files import open_stored
from campaigns.trec.compression import GZIP_MAGIC, PARQUET_MAGIC, plain_blocks
from campaigns.trec.fields import DECIMAL
from campaigns.trec.layouts import trec_run
from campaigns.trec.names import name_key
from campaigns.trec.problems import FormatError, ProblemList
from campaigns.trec.run_faults import RUN_WIDTH, SCORE, TAG, tag_of_file
from campaigns.trec.runs_table import TEAM_CHARACTERS, RunsTable, RunsTableRow

METADATA = "campaign.json"
WAY_OUT = "Export the campaign again, or correct this file."
NO_TABLE = "Imported runs"  # the team of runs that are not in the table
# Windows reserves these names of files.
RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
STEM_BYTES = 200  # of a run file's name; file systems allow 255 with the rest
BEGIN_BYTES = 1 << 15  # of a run file; its first record begins within them


class FolderError(Exception):
    """The folder does not contain a campaign. The message says what is missing."""


@dataclass(frozen=True)
class CampaignFolder:
    topics: Path
    qrels: Path | None
    runs: tuple[Path, ...]
    metadata: Path | None = None


def open_folder(folder: Path) -> CampaignFolder:
    """The files of a campaign's folder. Raises `FolderError`."""
    topics = _one(folder, "topics")
    if topics is None:
        raise FolderError(f"{folder} has no topics file: topics.xml, topics.txt or topics.tsv.")
    # Hidden files, such as .DS_Store, are of the system.
    runs = sorted(p for p in (folder / "runs").glob("[!.]*") if p.is_file())
    metadata = folder / METADATA
    return CampaignFolder(
        topics=topics,
        qrels=_one(folder, "qrels"),
        runs=tuple(runs),
        metadata=metadata if metadata.is_file() else None,
    )


def qrels_in(folder: CampaignFolder) -> tuple[bytes, StatedSources | None] | None:
    """The qrels of the folder, if it has some, and their sources if a program judged. Raises
    `FolderError` for sources that do not fit the qrels."""
    data = folder.qrels.read_bytes() if folder.qrels else None
    stated = None
    if folder.metadata is not None:
        try:
            stated = read_sources(folder.metadata.read_bytes())
            if stated is not None and data is None:
                raise InvalidSources("it states sources, but the folder has no qrels")
            if stated is not None and data is not None:
                data = b"".join(plain_blocks(data))  # a version of a program is stored like this
                check_judgments(stated, data)
        except InvalidSources as error:
            raise FolderError(f"{folder.metadata.name}: {error}. {WAY_OUT}") from error
    return None if data is None else (data, stated)


def campaign_for(
    *, slug: str, highest_grade: int, organiser: User | None, facts: Mapping[str, object]
) -> Campaign:
    """The campaign with this slug and these settings. Creates it as the organisers' draft if there
    is none. Raises `FolderError` for invalid settings, and `Archived`."""
    campaign = Campaign.objects.filter(slug=slug).first() or Campaign(
        slug=slug, name=slug, highest_grade=highest_grade
    )
    lifecycle.refuse_archived(campaign)
    for name, value in facts.items():
        setattr(campaign, name, value)
    try:
        campaign.full_clean()
    except ValidationError as error:
        raise FolderError(" ".join(error.messages)) from error
    if campaign.pk is None:
        campaign.save()
    elif facts:
        lifecycle.change_settings(campaign=campaign, fields=list(facts), actor=None)
    if organiser is not None:
        Membership.objects.get_or_create(
            campaign=campaign, person=organiser, role=Membership.Role.ORGANISER
        )
    return campaign


def import_runs(
    *, campaign: Campaign, paths: Sequence[Path], table: RunsTable
) -> dict[str, Exception]:
    """Submits these run files for their teams, in one transaction; the same file only once.

    Returns the error of each file that is not imported, by its name: `SubmissionRefused`, or
    PermissionError for a file that cannot be read, or `FolderError` where the row of the table that
    names the run has an error, since its team is not known then.
    """
    errors: dict[str, Exception] = {}
    known, names = _Known.of(campaign), _TeamNames.of(campaign)
    with ExitStack() as stored:  # deletes the files again if the transaction fails
        found = []
        for path in paths:
            try:
                file = names.apply(_RunFile.of(path, table))
                if known.add(file.team_name, file.digest, file.key_in(campaign)):
                    with path.open("rb") as opened:
                        upload = submission.stored_upload(File(opened, name=path.name))
                        found.append((file, stored.enter_context(upload)))
            except (FolderError, SubmissionRefused, PermissionError) as error:
                errors[path.name] = error
        with transaction.atomic():  # create no team without its run
            _submit(campaign, found)
    return errors


@dataclass(frozen=True)
class _RunFile:
    """A run file and its row of the table."""

    team_name: str
    digest: str
    name: str
    run_type: str
    is_pooled: bool | None
    is_baseline: bool
    is_anonymous: bool  # the team, if the import creates it

    @classmethod
    def of(cls, path: Path, table: RunsTable) -> "_RunFile":
        row = _row_of(path, table)
        with path.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        return cls(
            team_name=(row.team if row else "") or NO_TABLE,
            digest=digest,
            name=" ".join(row.name.split()) if row else "",
            run_type=(row and row.known_type) or Run.Type.AUTOMATIC,
            is_pooled=row.is_pooled if row else None,
            is_baseline=row is not None and row.is_baseline,
            is_anonymous=row is not None and row.is_anonymous,
        )

    def key_in(self, campaign: Campaign) -> str:
        """The idempotency key. A file that was refused for unknown topics is read again once they
        are dropped, and one that was refused for its tag once the table names the run."""
        named = f"-{hashlib.sha256(self.name.encode()).hexdigest()[:8]}" if self.name else ""
        return f"{campaign.unknown_topics}-{self.digest[:48]}{named}"


@dataclass(frozen=True)
class _TeamNames:
    """The names of the campaign's teams. A table may spell them in another way."""

    by_key: dict[str, str]
    existing: frozenset[str]  # older campaigns may have several teams with one key

    @classmethod
    def of(cls, campaign: Campaign) -> "_TeamNames":
        # The oldest team last, so that of several with one key it is the one that counts.
        names = list(campaign.teams.order_by("-pk").values_list("name", flat=True))
        return cls({name_key(name): name for name in names}, frozenset(names))

    def apply(self, file: _RunFile) -> _RunFile:
        if file.team_name in self.existing:
            return file
        name = self.by_key.setdefault(name_key(file.team_name), file.team_name)
        return replace(file, team_name=name)


@dataclass(frozen=True)
class _Known:
    """The files that the campaign's teams have submitted."""

    digests: set[tuple[str, str]]  # by name of the team, of runs that were not refused
    keys: set[tuple[str, str]]  # the idempotency keys, of all runs

    @classmethod
    def of(cls, campaign: Campaign) -> "_Known":
        digests, keys = set(), set()
        columns = ("team__name", "digest", "idempotency_key", "state")
        for team, digest, key, state in campaign.runs.values_list(*columns):
            keys.add((team, key))
            if state not in {Run.State.REFUSED, Run.State.FAILED}:
                digests.add((team, digest))
        return cls(digests, keys)

    def add(self, team: str, digest: str, key: str) -> bool:
        """Adds a file. False if it was known."""
        is_new = (team, digest) not in self.digests and (team, key) not in self.keys
        self.digests.add((team, digest))
        return is_new


def _submit(campaign: Campaign, found: Sequence[tuple[_RunFile, submission.StoredFile]]) -> None:
    """Creates the runs, and teams that do not exist yet. The lock puts imports into the same
    campaign in a queue."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    known = _Known.of(campaign)
    # Locked in the order of merges, so that no team is merged in the meantime. Of several teams
    # with the same name, the oldest.
    names = {file.team_name for file, _ in found}
    locked = campaign.teams.select_for_update(no_key=True).filter(name__in=names).order_by("pk")
    teams = {team.name: team for team in reversed(list(locked))}
    missing = sorted(names - set(teams))
    anonymous = {file.team_name for file, _ in found if file.is_anonymous}
    created = Team.objects.bulk_create(
        Team(campaign=campaign, name=name, is_anonymous=name in anonymous) for name in missing
    )
    teams |= {team.name: team for team in created}
    runs = []
    for file, stored in found:
        key = file.key_in(campaign)
        if known.add(file.team_name, file.digest, key):
            runs.append(
                submission.new_run(
                    campaign=campaign,
                    team=teams[file.team_name],
                    file=stored,
                    submitted_at=timezone.now(),
                    name=file.name,
                    run_type=file.run_type,
                    is_pooled=file.is_pooled,
                    is_baseline=file.is_baseline,
                    idempotency_key=key,
                )
            )
        else:  # another import was faster
            transaction.on_commit(partial(default_storage.delete, stored.storage_key))
    submission.create_runs(runs, is_import=True)


def export_campaign(campaign: Campaign, folder: Path) -> int:
    """Writes topics, the active qrels with their sources, every ranked run as it was submitted, and
    the table of runs. Returns the number of runs. Raises `FolderError` for a folder that is not
    empty."""
    if folder.exists() and any(folder.iterdir()):
        raise FolderError(f"{folder} is not empty.")
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    with (folder / "topics.xml").open("wb") as file:
        file.writelines(block.encode() for block in topics_xml(campaign))
    if campaign.active_qrels is not None:
        _write_gzipped(campaign.active_qrels, folder / "qrels.txt.gz")
        if campaign.active_qrels.has_program:
            metadata = sources_json(campaign.active_qrels)
            (folder / METADATA).write_text(metadata, encoding="utf-8")
    runs = list(campaign.runs.ranked().select_related("team").order_by(run_name(), "pk"))
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


def names_without_file(table: RunsTable, paths: Sequence[Path]) -> list[str]:
    """The rows of the table that name none of these run files."""
    named = {name for path in paths for name in _names_of(path)}
    return [name for name in table.by_name if name not in named]


def _names_of(path: Path) -> tuple[str, str]:
    """The names by which a table can name the file."""
    return path.name, _tag_of(path)


def _row_of(path: Path, table: RunsTable) -> RunsTableRow | None:
    for name in _names_of(path):
        if line := table.bad_lines.get(name):
            raise FolderError(f"line {line} of the runs table, which names it, has an error")
        if row := table.by_name.get(name):
            return row
    return None


def _tag_of(path: Path) -> str:
    """The tag that the check finds, from the beginning of the file. "" if there is none or if the
    file cannot be read, which is reported elsewhere."""
    findings = ProblemList()
    try:
        with path.open("rb") as file:
            begin = file.read(BEGIN_BYTES)
            file.seek(0)
            # Only the end of a Parquet file says where its columns are.
            source = file if begin.startswith(PARQUET_MAGIC) else begin
            head = next(plain_blocks(source), b"")[:BEGIN_BYTES]
        whole_lines = head[: head.rfind(b"\n") + 1] or head
        lines = trec_run(iter([whole_lines]), findings)
        if findings.lacks_tag:
            return tag_of_file(path.name)
        converted = b"".join(lines)
    except (FormatError, PermissionError):
        return ""
    for line in converted.splitlines():
        fields = line.split()
        # Neither a comment of six words nor a header.
        if len(fields) == RUN_WIDTH and DECIMAL.fullmatch(fields[SCORE]):
            return fields[TAG].decode(errors="replace")
    return ""


def _write_gzipped(owner: Run | Qrels, path: Path) -> None:
    with open_stored(owner.storage_key, owner.digest) as stored:
        is_packed = stored.read(2) == GZIP_MAGIC
        stored.seek(0)
        # A run that was submitted gzipped is not packed a second time.
        with path.open("wb") if is_packed else gzip.open(path, "wb") as out:
            while block := stored.read(1 << 20):
                out.write(block)


def _file_names(runs: list[Run]) -> Iterator[str]:
    """The name without what a path may not contain, with the run's id if two runs share it."""
    stems = []
    for run in runs:
        stem = re.sub(r"[^\w.+-]+", "_", run.display_name).strip("._")
        is_usable = stem and len(stem.encode()) <= STEM_BYTES and not RESERVED.fullmatch(stem)
        stems.append(stem if is_usable else run.public_id)
    # Some file systems ignore case.
    shared = {stem for stem, times in Counter(map(str.lower, stems)).items() if times > 1}
    for run, stem in zip(runs, stems, strict=True):
        yield f"{stem}.{run.public_id}" if stem.lower() in shared else stem


def _team_names(runs: list[Run]) -> dict[int, str]:
    """The name of each team. Teams that cannot see each other may have one name. All except the
    oldest then get a part of their id, since an import takes equal names for one team."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    for team in sorted({run.team for run in runs}, key=lambda team: team.pk):
        part = f" ({team.public_id[:6]})" if name_key(team.name) in taken else ""
        names[team.pk] = team.name[: TEAM_CHARACTERS - len(part)] + part
        taken.add(name_key(team.name))
    return names


def _write_table(runs: list[Run], path: Path) -> None:
    team_names = _team_names(runs)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        columns = ("tag", "run_name", "team", "anonymous", "run type", "pooled", "baseline", "file")
        writer.writerow(columns)
        for run, name in zip(runs, _file_names(runs), strict=True):
            pooled = "" if run.is_pooled is None else "yes" if run.is_pooled else "no"
            baseline = "yes" if run.is_baseline else ""
            anonymous = "yes" if run.team.is_anonymous else ""
            facts = [anonymous, run.run_type, pooled, baseline, f"{name}.gz"]
            writer.writerow([run.tag, run.name, team_names[run.team_id], *facts])
