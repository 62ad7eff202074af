"""The log of a campaign: entries, differences of values, and rows for organisers with the current
names of runs, teams and people."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db import models

from campaigns.models import Campaign, LogEntry, User

SUBJECT_LENGTH = 100  # characters
QUOTED_LENGTH = 200  # characters of the longest setting that an entry quotes
# Details that refer to a run, a team or a person by id.
REFERENCES = ("replaces", "by", "team", "person")
TEAM_DELETIONS = ("merged", "declined")  # only these entries know the names of deleted teams


class Subject(Protocol):
    """A team, a run or another thing of a campaign that the log names by its id."""

    campaign_id: int
    public_id: str


def record(
    of: Campaign | Subject,
    actor: User | None,
    verb: str,
    # Positional only up to here, so that details may have any names.
    subject: object = "",
    /,
    **details: object,
) -> LogEntry:
    """Adds an entry about a campaign, or about a run or team in it, to the campaign's log."""
    entry = new_entry(of, actor, verb, subject, **details)
    entry.save(force_insert=True)
    return entry


def record_all(entries: Iterable[LogEntry]) -> None:
    """Adds new entries in one statement."""
    LogEntry.objects.bulk_create(entries)


def new_entry(
    of: Campaign | Subject,
    actor: User | None,
    verb: str,
    subject: object = "",
    /,
    **details: object,
) -> LogEntry:
    """An entry that is not in the log yet."""
    if isinstance(of, Campaign):
        campaign = of.pk
    else:
        campaign, subject = of.campaign_id, of.public_id
    return LogEntry(
        campaign_id=campaign,
        actor=actor,
        verb=verb,
        subject=str(subject)[:SUBJECT_LENGTH],
        details=details,
    )


@dataclass(frozen=True)
class LogRow:
    """An entry with the name of its subject, and with its id if that differs."""

    entry: LogEntry
    actor: str
    subject: str
    subject_id: str
    details: Any


def log_rows(campaign: Campaign, entries: Iterable[LogEntry]) -> list[LogRow]:
    """The entries with names in place of ids. Runs four queries for any number of entries."""
    rows = list(entries)
    names = _Names.of(campaign, rows)
    return [_row(entry, names) for entry in rows]


def _row(entry: LogEntry, names: "_Names") -> LogRow:
    name, details = names.of_id(entry.subject), entry.details
    if isinstance(details, Mapping):
        details = {
            key: names.of_reference(value) if key in REFERENCES else value
            for key, value in details.items()
        }
    return LogRow(
        entry=entry,
        actor=str(entry.actor) if entry.actor else "",
        subject=name or entry.subject,
        subject_id=entry.subject if name else "",
        details=details,
    )


@dataclass(frozen=True)
class _Names:
    runs_and_teams: Mapping[str, str]  # by public id
    people: Mapping[int, str]

    @classmethod
    def of(cls, campaign: Campaign, entries: list[LogEntry]) -> "_Names":
        values = {value for entry in entries for value in _references(entry)}
        ids = {value for value in values if isinstance(value, str)}
        numbers = {value for value in values if isinstance(value, int)}
        people = User.objects.filter(pk__in=numbers)
        return cls(_by_id(campaign, ids), {person.pk: str(person) for person in people})

    def of_id(self, public_id: str) -> str:
        return self.runs_and_teams.get(public_id, "")

    def of_reference(self, value: object) -> object:
        if isinstance(value, int):
            return self.people.get(value, value)
        return self.of_id(value) or value if isinstance(value, str) else value


def _references(entry: LogEntry) -> Iterator[str | int]:
    yield entry.subject
    if isinstance(entry.details, Mapping):
        for key in REFERENCES:
            value = entry.details.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool):
                yield value


def _by_id(campaign: Campaign, ids: set[str]) -> dict[str, str]:
    names = {}
    deletions = campaign.log.filter(verb__in=TEAM_DELETIONS).values_list(
        "verb", "subject", "details"
    )
    for verb, subject, details in deletions:
        # The entry of a merge is about the team that stays.
        names[details.get("public_id", "") if verb == "merged" else subject] = details["team"]
    for team in campaign.teams.filter(public_id__in=ids):
        names[team.public_id] = team.name
    for run in campaign.runs.filter(public_id__in=ids).select_related("team"):
        # A run may have no name before its file is checked.
        name = run.display_name or run.original_name or run.public_id
        names[run.public_id] = f"{name} of {run.team.name}"
    return names


def differences(
    before: models.Model, after: models.Model, fields: Sequence[str]
) -> dict[str, list[Any] | str]:
    """The old and new values of these fields, without quoting long texts."""
    changes: dict[str, list[Any] | str] = {}
    for name in fields:
        pair = [_plain(getattr(before, name)), _plain(getattr(after, name))]
        is_long = any(isinstance(value, str) and len(value) > QUOTED_LENGTH for value in pair)
        changes[name] = "a long text" if is_long else pair
    return changes


def switch_differences(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]
) -> dict[str, list[Any]]:
    """The changed switches of all stages, as `open: board_audience` with the old and new values."""
    return {
        f"{stage}: {switch}": [was[switch], after[stage][switch]]
        for stage, was in before.items()
        for switch in was
        if was[switch] != after[stage][switch]
    }


def _plain(value: object) -> object:
    if isinstance(value, models.Model):
        return str(value)
    return value.isoformat() if isinstance(value, datetime) else value
