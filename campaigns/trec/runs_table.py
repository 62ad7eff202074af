"""The runs table: a CSV with the team and type of each run, and whether it was pooled and is a
baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import BinaryIO

from campaigns.trec.columns import LONGEST_NAME
from campaigns.trec.compression import read_text
from campaigns.trec.csv_rows import csv_rows, separator_of
from campaigns.trec.names import composed, name_fault
from campaigns.trec.problems import Problem, ProblemList, refuse, shown
from campaigns.trec.run_faults import tag_problem

MAX_TABLE_BYTES = 16 << 20
CELL_CHARACTERS = 10_000
MAX_COLUMNS = 1_000
MAX_ROWS = 100_000
TEAM_CHARACTERS = 100
COLUMNS = {
    "run": "tag",
    "tag": "tag",
    "run_name": "name",
    "run name": "name",
    "name": "name",
    "team": "team",
    "runtype": "run_type",
    "run type": "run_type",
    "type": "run_type",
    "pooled": "is_pooled",
    "contributed judgments": "is_pooled",
    "contributed": "is_pooled",
    "baseline": "is_baseline",
    "anonymous": "is_anonymous",
    "file": "file",
}
RUN_TYPES = ("automatic", "manual", "feedback")
YES = frozenset({"yes", "true", "1"})
NO = frozenset({"no", "false", "0"})


@dataclass(frozen=True)
class RunsTableRow:
    """The row of one run. Missing texts are empty."""

    tag: str
    team: str
    run_type: str
    is_pooled: bool | None  # None: missing
    is_baseline: bool = False
    name: str = ""  # empty: as the tag
    is_anonymous: bool = False  # the team
    file: str = ""  # distinguishes runs of two teams with the same tag

    @property
    def known_type(self) -> str | None:
        """One of `RUN_TYPES`, if the table has one of them, in any case."""
        text = self.run_type.casefold()
        return text if text in RUN_TYPES else None


@dataclass(frozen=True)
class RunsTable:
    """The rows without an error, and the problems of the others."""

    rows: tuple[RunsTableRow, ...] = ()
    problems: tuple[Problem, ...] = ()  # one for each bad row, by line
    warnings: tuple[Problem, ...] = ()  # one for each unknown run type, by line
    bad_lines: Mapping[str, int] = field(default_factory=dict)  # by the name of the bad row's run

    @cached_property
    def by_name(self) -> dict[str, RunsTableRow]:
        """By file name if the table has one, otherwise by tag."""
        return {row.file or row.tag: row for row in self.rows}


def read_runs_table(source: BinaryIO | bytes, *, max_bytes: int = MAX_TABLE_BYTES) -> RunsTable:
    """Read a runs table, plain or gzipped CSV in UTF-8 with one header row. Its separator, comma,
    semicolon or tab, is that of the header.

    Columns are known by name, in any case and order: run or tag (required), run_name, team,
    runtype / run type / type, pooled / contributed judgments / contributed (yes, no, true, false,
    1, 0 or empty), baseline (the same), file. Other columns are ignored. A row with an error is
    left out and listed in `problems`. A row of an unknown run type is one of an automatic run,
    with one of the `warnings`. Raises FormatError with line numbers for problems of the whole file.
    """
    findings = ProblemList()
    with findings.gathered():
        table = _table(read_text(source, findings, max_bytes=max_bytes))
    return table


def _table(text: str) -> RunsTable:
    records = (
        (line, [cell.strip() for cell in cells])
        for line, _, cells in csv_rows(text, separator_of(text), code="TABLE")
        if any(cell.strip() for cell in cells)
    )
    line, header = next(records, (0, []))
    if not header:
        refuse("EMPTY", "the file is empty")
    names = _columns(header, line)
    rows: list[RunsTableRow] = []
    problems: list[Problem] = []
    lines: dict[str, int] = {}
    bad_lines: dict[str, int] = {}
    for line, cells in records:
        if len(rows) + len(problems) == MAX_ROWS:
            refuse("TOO_MANY", f"more than {MAX_ROWS:,} runs", line)
        row: RunsTableRow | None = None
        problem = _shape_problem(cells, header, line)
        if problem is None:
            row, problem = _row(dict(zip(header, cells, strict=True)), names, line)
        name = (row.file or row.tag) if row else ""
        if row and problem is None and name in lines:
            message = f"run is already on line {lines[name]}"
            problem = Problem("DUP", line, message, None, shown(name))
        if row:
            # Of rows with an error, too: a second row of the same run is a fault of its own.
            lines.setdefault(name, line)
        if row and problem is None:
            rows.append(row)
        if problem:
            problems.append(problem)
            # If the number of cells is wrong, any cell may be the run's name.
            bad_lines |= dict.fromkeys([name] if row else cells, line)
    return RunsTable(tuple(rows), tuple(problems), tuple(_type_warnings(rows, lines)), bad_lines)


def _type_warnings(rows: list[RunsTableRow], lines: Mapping[str, int]) -> Iterator[Problem]:
    """One for each unknown run type, at the first row that has it."""
    known = f"{', '.join(RUN_TYPES[:-1])} or {RUN_TYPES[-1]}"
    unknown: dict[str, list[int]] = {}
    for row in rows:
        if row.run_type and row.known_type is None:
            unknown.setdefault(row.run_type, []).append(lines[row.file or row.tag])
    for run_type, found in unknown.items():
        others = len(found) - 1
        which = f"this and {others:,} other row{'s' if others > 1 else ''}: " if others else ""
        message = f"{which}the run type is not {known}, and counts as automatic"
        yield Problem("RUN_TYPE", found[0], message, None, shown(run_type), len(found))


def _columns(header: list[str], line: int) -> dict[str, str]:
    """The header of each known column."""
    names: dict[str, str] = {}
    if len(header) > MAX_COLUMNS:
        refuse("TABLE", f"more than {MAX_COLUMNS:,} columns", line)
    for title in header:
        if header.count(title) > 1:
            refuse("TABLE", "a column name is repeated", line, title)
        name = COLUMNS.get(title.casefold())
        if name in names:
            refuse(
                "TABLE",
                f"this column means the same as column '{shown(names[name])}': remove one",
                line,
                title,
            )
        if name:
            names[name] = title
    if "tag" not in names:
        refuse("TABLE", "there is no column run or tag: add one", line, ",".join(header))
    return names


def _shape_problem(cells: list[str], header: list[str], line: int) -> Problem | None:
    if len(cells) != len(header):
        message = f"{len(cells)} columns, {len(header)} expected"
        return Problem("TABLE", line, message, None, shown(",".join(cells)))
    for number, cell in enumerate(cells, 1):
        if len(cell) > CELL_CHARACTERS:
            message = f"cell of {len(cell):,} characters, at most {CELL_CHARACTERS:,} allowed"
            return Problem("TABLE", line, message, number, shown(cell))
    return None


def _row(
    cells: dict[str, str], names: dict[str, str], line: int
) -> tuple[RunsTableRow, Problem | None]:
    known = {name: cells[title] for name, title in names.items()}
    tag = known["tag"]
    team, run_name = (composed(known.get(name, "")) for name in ("team", "name"))
    answers = {name: known.get(name, "") for name in ("is_pooled", "is_baseline", "is_anonymous")}
    known_answers = YES | NO | {""}
    unclear = next((n for n, text in answers.items() if text.casefold() not in known_answers), "")
    problem = tag_problem(tag.encode(), line, LONGEST_NAME)
    if problem:
        place = list(cells).index(names["tag"]) + 1
        problem = Problem(problem.code, line, problem.message, place, problem.value)
    elif unclear:
        place = list(cells).index(names[unclear]) + 1
        message = "the value is neither yes nor no"
        problem = Problem("TABLE", line, message, place, shown(answers[unclear]))
    elif run_name and (fault := name_fault(run_name)):
        place = list(cells).index(names["name"]) + 1
        problem = Problem("TABLE", line, fault, place, shown(known["name"]))
    elif len(team) > TEAM_CHARACTERS:
        place = list(cells).index(names["team"]) + 1
        message = f"team name of more than {TEAM_CHARACTERS} characters"
        problem = Problem("TABLE", line, message, place, shown(known["team"]))
    row = RunsTableRow(
        tag=tag,
        team=team,
        run_type=known.get("run_type", ""),
        is_pooled=answers["is_pooled"].casefold() in YES if answers["is_pooled"] else None,
        is_baseline=answers["is_baseline"].casefold() in YES,
        is_anonymous=answers["is_anonymous"].casefold() in YES,
        name=run_name,
        file=known.get("file", ""),
    )
    return row, problem
