"""Imports a folder in TREC's layout as a campaign, checks and scores its runs, and lists what it
refused and why. `irds:NAME` imports the topics and qrels of a data set of ir_datasets."""

import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet
from django.template.defaultfilters import pluralize
from tqdm import tqdm

from campaigns import irds
from campaigns.errors import Refusal
from campaigns.folders import (
    CampaignFolder,
    FolderError,
    campaign_for,
    import_runs,
    names_without_file,
    open_folder,
    qrels_in,
)
from campaigns.models import Campaign, Membership, Run, User
from campaigns.qrels.stated_sources import StatedSources
from campaigns.qrels.topics import add_topics, read_topics_file
from campaigns.qrels.versions import add_qrels
from campaigns.trec.problems import FormatError
from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs_table import RunsTable, read_runs_table
from scoring.jobs.timing import collect_timings, timed
from scoring.worker import perform_waiting_jobs

FILES_AT_ONCE = 32  # in one transaction


class Command(BaseCommand):
    help = __doc__
    # Others load every view and template tag, which takes a second.
    requires_system_checks = (Tags.models, Tags.database)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", help="a folder, or irds: and the name of a data set")
        parser.add_argument("--slug", required=True, help="the campaign's URL name")
        parser.add_argument("--name", help="its name")
        parser.add_argument(
            "--runs-table", type=Path, help="CSV of tag, run_name, team, run type, pooled"
        )
        parser.add_argument("--unknown-topics", choices=["refuse", "drop"])
        parser.add_argument("--no-relevant", choices=["exclude", "zero"])
        parser.add_argument("--rel", type=int, help="lowest relevant grade")
        parser.add_argument("--organiser", help="email address of the organiser")

    def handle(self, *args: Any, **options: Any) -> None:
        started = time.perf_counter()
        try:
            table = _read_table(options["runs_table"])
            for warning in table.warnings:
                self.stderr.write(f"{options['runs_table']}: warning: {warning}")
            with _folder_of(options["folder"]) as folder, collect_timings() as timings:
                campaign = self._prepare(folder, options)
                known = {*_not_accepted(campaign).values_list("pk", flat=True)}
                left_out = self._import_runs(campaign, folder.runs, table)
                self._perform(campaign)
                unused = names_without_file(table, folder.runs)
        except (FolderError, Refusal) as error:
            raise CommandError(str(error)) from error
        refused = [run for run in _not_accepted(campaign) if run.pk not in known]
        self._report(campaign, refused, timings, time.perf_counter() - started)
        if unused:
            names = ", ".join(unused[:10]) + (", …" if unused[10:] else "")
            runs = f"{len(unused)} run{pluralize(unused, ' that is,s that are')}"
            self.stdout.write(f"The runs table names {runs} not in the folder: {names}")
        if table.problems or left_out:
            raise CommandError(_left_out_text(options["runs_table"], table, left_out))
        if refused:
            runs = f"{len(refused)} run{pluralize(refused, ' was,s were')}"
            raise CommandError(
                f"{runs} refused, for the reasons above. Correct these and run the command again. "
                "It adds what is missing."
            )

    def _prepare(self, folder: Any, options: dict[str, Any]) -> Campaign:
        facts = {
            key: options[key]
            for key in ("name", "unknown_topics", "no_relevant", "rel")
            if options[key] is not None
        }
        # As the user has named it: files of a data set are in a temporary folder.
        place = Path(options["folder"])
        qrels = place / folder.qrels.name if folder.qrels else place
        with _named(qrels):
            data, stated = qrels_in(folder) or (None, None)
            highest = int(read_qrels(data).grades.max(initial=1)) if data else 1
        campaign = campaign_for(
            slug=options["slug"],
            highest_grade=max(highest, 1),
            organiser=_organiser(options["organiser"]),
            facts=facts,
        )
        with _named(place / folder.topics.name):
            topics, warnings = read_topics_file(folder.topics.read_bytes())
        for warning in warnings:
            self.stderr.write(f"{folder.topics.name}: warning: {warning}")
        add_topics(campaign=campaign, topics=topics, actor=None)
        if data:
            with _named(qrels):
                self._add_qrels(campaign, qrels.name, data, stated)
        return Campaign.objects.get(pk=campaign.pk)

    def _add_qrels(
        self, campaign: Campaign, name: str, data: bytes, stated: StatedSources | None
    ) -> None:
        """An organiser confirmed qrels without relevant documents on the site that exported them;
        here nobody can be asked."""
        _, parsed = add_qrels(
            campaign=campaign,
            data=data,
            note=name,
            actor=None,
            may_lack_relevant=True,
            stated=stated,
        )
        if not (parsed.grades >= campaign.rel).any():
            for warning in parsed.warnings:
                if warning.code == "NO_RELEVANT":
                    self.stderr.write(f"{name}: warning: {warning.message}")

    def _import_runs(
        self, campaign: Campaign, paths: tuple[Path, ...], table: RunsTable
    ) -> dict[str, Exception]:
        """Imports what it can; returns the error of each other run file, by its name."""
        left_out: dict[str, Exception] = {}
        with tqdm(total=len(paths), desc="importing", unit="run", disable=None) as bar:
            for first in range(0, len(paths), FILES_AT_ONCE):
                batch = paths[first : first + FILES_AT_ONCE]
                with timed("store files"):
                    left_out |= import_runs(campaign=campaign, paths=batch, table=table)
                bar.update(len(batch))
        return left_out

    def _perform(self, campaign: Campaign) -> None:
        with tqdm(desc="checking and scoring", unit="job", disable=None) as bar:
            perform_waiting_jobs(campaign, on_done=bar.update)

    def _report(
        self, campaign: Campaign, refused: list[Run], timings: dict[str, float], seconds: float
    ) -> None:
        accepted = campaign.runs.filter(state=Run.State.ACCEPTED)
        teams = accepted.values("team").distinct().count()
        runs = f"{accepted.count()} run{pluralize(accepted.count())}"
        self.stdout.write(f"{runs} of {teams} team{pluralize(teams)} accepted.")
        for run in refused:
            self.stdout.write(f"{run.state}: {run.original_name}")
            for problem in run.problems[:5]:
                place = f"line {problem['line']}: " if problem["line"] else ""
                self.stdout.write(f"    {place}{problem['code']} {problem['message']}")
        for run in accepted:
            for warning in run.warnings:
                if warning["code"] == "RENAMED":
                    self.stdout.write(f"{run.original_name}: {warning['message']}")
        split = ", ".join(f"{name} {spent:.1f} s" for name, spent in sorted(timings.items()))
        if not campaign.memberships.filter(role=Membership.Role.ORGANISER).exists():
            self.stdout.write(
                "The campaign has no organiser yet: run the command again with --organiser ADDRESS."
            )
        rest = seconds - sum(timings.values())
        self.stdout.write(f"{seconds:.1f} s in all: {split}, database and the rest {rest:.1f} s.")


def _not_accepted(campaign: Campaign) -> QuerySet[Run]:
    return campaign.runs.filter(state__in=[Run.State.REFUSED, Run.State.FAILED])


@contextmanager
def _folder_of(source: str) -> Iterator[CampaignFolder]:
    if not source.startswith(irds.PREFIX):
        yield open_folder(Path(source))
        return
    with tempfile.TemporaryDirectory() as scratch:
        irds.write_folder(source.removeprefix(irds.PREFIX), Path(scratch))
        yield open_folder(Path(scratch))


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors in this file begin with its name."""
    try:
        yield
    except (OSError, FormatError) as error:
        raise CommandError(f"{path}: {_reason(error)}") from error


def _read_table(path: Path | None) -> RunsTable:
    if path is None:
        return RunsTable()
    with _named(path):
        return read_runs_table(path.read_bytes())


def _reason(error: Exception) -> str:
    """Without the name of the file."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _left_out_text(path: Path | None, table: RunsTable, left_out: Mapping[str, Exception]) -> str:
    """Every wrong row with its line, and every run file that was not imported."""
    lines = [f"{path}: {problem}" for problem in table.problems]
    lines += [f"{name} is not imported: {_reason(error)}." for name, error in left_out.items()]
    return "\n".join((*lines, "Correct these and run the command again. It adds what is missing."))


def _organiser(email: str | None) -> User | None:
    if email is None:
        return None
    try:
        return User.objects.get(email=email.lower())
    except User.DoesNotExist as error:
        raise CommandError(f"No account has the email address {email}.") from error
