"""The log in words: runs, teams and people by the names they have now, for organisers."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.models import Campaign, LogEntry, Run, User

# Where an entry speaks of a run, a team or a person beside its subject.
OF_SOMEBODY = ("replaces", "by", "team", "person")
FAREWELLS = ("merged", "declined")  # after these a team is gone, but for what the log says of it


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
