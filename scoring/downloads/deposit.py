"""A deposit: the public data of a campaign in one zip, for an archive such as Zenodo.

It contains what everyone may see after publication, all versions of the qrels, and the run files of
the teams that share them. Anonymous teams stay anonymous.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, BinaryIO, Final

from django.utils.text import slugify

from campaigns import access
from campaigns.access import Viewer
from campaigns.errors import CannotTakeSnapshot
from campaigns.models import Audience, Campaign, Qrels, Run
from campaigns.qrels.files import text_of
from campaigns.stored_files import open_stored
from scoring.citations.authors import parse_authors
from scoring.downloads import description
from scoring.downloads.description import About
from scoring.downloads.package import add_descriptions, add_leaderboard_data, qrels_file
from scoring.downloads.snapshots import refuse_unscored_runs
from scoring.output.table import Column, Table
from scoring.output.zip import Member, Zip

# RFC 1952, section 2.3.1.
GZIP_MAGIC: Final = b"\x1f\x8b"
BLOCK: Final = 1 << 20
RUNS_FILE: Final = "runs.csv"


@dataclass(frozen=True)
class DepositedRun:
    """A run of the leaderboard, with public names."""

    run: Run
    name: str
    team: str
    description: str  # empty if the team is anonymous, because it may name the team
    is_shared: bool
    file: str = ""  # in the package


RUN_COLUMNS: Final = (
    Column("name", help_text="the name of the run"),
    Column("team", help_text="its team"),
    Column("run_type", "run.run_type", help_text="automatic, manual or feedback"),
    Column("description", help_text="as its team describes it; empty: an anonymous team"),
    Column("file", help_text="its file in this package; empty: the team does not share it"),
    Column("sha256", lambda row: row.run.digest if row.file else "", help_text="of that file"),
)


def deposited_runs(campaign: Campaign) -> list[DepositedRun]:
    """Those that everyone would see, whatever the campaign shows now."""
    everyone = _everyone(campaign)
    runs = access.runs_visible_to(everyone).order_by("shown_name", "pk")
    return [
        DepositedRun(
            run=run,
            name=run.shown_name,
            team=run.shown_team,
            description=run.description if everyone.can_name(run.team) else "",
            is_shared=bool(run.storage_key) and everyone.can_download(run),
        )
        for run in runs
    ]


def write_deposit(campaign: Campaign, out: BinaryIO, *, made_at: datetime, url: str = "") -> None:
    """Raises `CannotTakeSnapshot` if there is no complete leaderboard, or a statement is missing.
    `url` is that of the leaderboard."""
    everyone = _everyone(campaign)
    qrels = _refuse_incomplete(everyone)
    about = About(
        everyone,
        qrels,
        made_at,
        campaign.name,
        url,
        authors=tuple(parse_authors(campaign.authors)),
        licence=Campaign.Licence(campaign.licence),
    )
    with Zip(out) as packed:
        resources = add_leaderboard_data(everyone, qrels, packed)
        resources += [
            qrels_file(
                packed.add(f"qrels-v{other.version}.txt", text_of(other)),
                other,
                f"version {other.version} of the judgments, which is not the one that is used",
            )
            for other in campaign.qrels.exclude(pk=qrels.pk).order_by("version")
        ]
        resources += _runs(deposited_runs(campaign), packed)
        packed.add("LICENSE.txt", [description.licence_text(about)])
        packed.add("citation.bib", [description.citation_of(about).bibtex])
        add_descriptions(about, resources, packed)


def _refuse_incomplete(viewer: Viewer) -> Qrels:
    campaign = viewer.campaign
    if campaign.active_qrels is None:
        raise CannotTakeSnapshot("There are no qrels yet, so there is no leaderboard.")
    if not campaign.licence or not campaign.authors:
        raise CannotTakeSnapshot("Choose a licence and list the authors first.")
    refuse_unscored_runs(viewer)
    return campaign.active_qrels


def _everyone(campaign: Campaign) -> Viewer:
    """An anonymous viewer who may see all of the campaign. Names of anonymous teams and the files
    that teams do not share are hidden from them too."""
    # A copy, because the caller goes on with the switches that the campaign really has.
    campaign = copy.copy(campaign)
    for switch in ("runs", "board", "per_topic", "qrels", "run_files"):
        setattr(campaign, f"{switch}_audience", Audience.EVERYONE)
    campaign.stage, campaign.topics_released_at = Campaign.Stage.PUBLISHED, None
    return Viewer(campaign, person=None, roles=frozenset(), team=None)


def _runs(runs: Sequence[DepositedRun], packed: Zip) -> list[Mapping[str, Any]]:
    members = {row.run.pk: _add_run(row, packed) for row in runs if row.is_shared}
    rows = [replace(row, file=members[row.run.pk].path if row.is_shared else "") for row in runs]
    schema = {column.key: ("string", column.help_text) for column in RUN_COLUMNS}
    table = packed.add(RUNS_FILE, Table(RUN_COLUMNS, rows).csv_blocks())
    return [
        description.table(table, schema, "the runs of the leaderboard"),
        *(
            description.file(members[row.run.pk], f"the run {row.name} as submitted")
            for row in rows
            if row.is_shared
        ),
    ]


def _add_run(row: DepositedRun, packed: Zip) -> Member:
    """Under a name that is readable and unique, also where file names are case-insensitive. The
    name of a run may contain what a path may not."""
    with open_stored(row.run.storage_key, row.run.digest) as file:
        # By its content, because the name of an uploaded file may lack .gz.
        is_packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        # The slug of a name without any Latin letter or digit is empty.
        stem = f"{slugify(row.name)[:60] or 'run'}-{row.run.public_id}"
        blocks = iter(lambda: file.read(BLOCK), b"")
        return packed.add(
            f"runs/{stem}.txt{'.gz' if is_packed else ''}", blocks, is_packed=is_packed
        )
