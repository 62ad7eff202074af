"""The log of a campaign: what a change changed, and the entries in words for organisers, with runs,
teams and people by the names they have now."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db import models

from campaigns.models import Campaign, LogEntry, Run, User

SUBJECT = 100  # characters of a subject that are kept
LONG = 200  # characters of a setting that the log still quotes
# Where an entry speaks of a run, a team or a person beside its subject.
OF_SOMEBODY = ("replaces", "by", "team", "person")
FAREWELLS = ("merged", "declined")  # after these a team is gone, but for what the log says of it


class Subject(Protocol):
    """A team, a run or another thing of a campaign that the log names by its id."""

    campaign_id: int
    public_id: str


def record(
    of: Campaign | Subject,
    actor: User | None,
    verb: str,
    subject: object = "",
    /,
    **details: object,
) -> LogEntry:
    """Writes what was done to a campaign, or to a subject in it, into the campaign's log."""
    if isinstance(of, Campaign):
        campaign = of.pk
    else:
        campaign, subject = of.campaign_id, of.public_id
    return LogEntry.objects.create(
        campaign_id=campaign,
        actor=actor,
        verb=verb,
        subject=str(subject)[:SUBJECT],
        details=details,
    )


@dataclass(frozen=True)
class LogRow:
    """One act; its subject by name, and with the id where that is another text."""

    entry: LogEntry
    who: str
    subject: str
    subject_id: str
    details: Any


def log_rows(campaign: Campaign, entries: Iterable[LogEntry]) -> list[LogRow]:
    """The entries with names for ids. Four queries, however many there are."""
    held = list(entries)
    names = _Names.of(campaign, held)
    return [_row(entry, names) for entry in held]


def _row(entry: LogEntry, names: "_Names") -> LogRow:
    name = names.of_id(entry.subject)
    return LogRow(
        entry=entry,
        who=str(entry.actor) if entry.actor else "",
        subject=name or entry.subject,
        subject_id=entry.subject if name else "",
        details=_named(entry.details, names),
    )


def _named(details: Any, names: "_Names") -> Any:
    if not isinstance(details, Mapping):
        return details
    return {
        key: names.of_anybody(value) if key in OF_SOMEBODY else value
        for key, value in details.items()
    }


@dataclass(frozen=True)
class _Names:
    runs_and_teams: Mapping[str, str]  # by public id
    people: Mapping[int, str]

    @classmethod
    def of(cls, campaign: Campaign, entries: list[LogEntry]) -> "_Names":
        said = {value for entry in entries for value in _said(entry)}
        ids = {value for value in said if isinstance(value, str)}
        numbers = {value for value in said if isinstance(value, int)}
        people = User.objects.filter(pk__in=numbers)
        return cls(_by_id(campaign, ids), {person.pk: str(person) for person in people})

    def of_id(self, public_id: str) -> str:
        return self.runs_and_teams.get(public_id, "")

    def of_anybody(self, value: object) -> object:
        if isinstance(value, int):
            return self.people.get(value, value)
        return self.of_id(value) or value if isinstance(value, str) else value


def _said(entry: LogEntry) -> Iterator[str | int]:
    yield entry.subject
    if isinstance(entry.details, Mapping):
        for key in OF_SOMEBODY:
            value = entry.details.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool):
                yield value


def _by_id(campaign: Campaign, ids: set[str]) -> dict[str, str]:
    found = {}
    gone = campaign.log.filter(verb__in=FAREWELLS).values_list("verb", "subject", "details")
    for verb, subject, details in gone:
        found[details.get("public_id", "") if verb == "merged" else subject] = details["team"]
    for team in campaign.teams.filter(public_id__in=ids):
        found[team.public_id] = team.name
    for run in campaign.runs.filter(public_id__in=ids).select_related("team"):
        found[run.public_id] = _name_of(run)
    return found


def _name_of(run: Run) -> str:
    """Before its file is checked a run has no tag."""
    return f"{run.tag or run.original_name or run.public_id} of {run.team.name}"


def differences(
    before: models.Model, after: models.Model, fields: Sequence[str]
) -> dict[str, list[Any] | str]:
    """What each of these fields was and is; long texts only by name."""
    found: dict[str, list[Any] | str] = {}
    for name in fields:
        pair = [_plain(getattr(before, name)), _plain(getattr(after, name))]
        is_long = any(isinstance(value, str) and len(value) > LONG for value in pair)
        found[name] = "a long text" if is_long else pair
    return found


def switch_differences(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]
) -> dict[str, list[Any]]:
    """The switches set otherwise in some stage: `open: board_audience` and what it was and is."""
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
