"""Compares two recordings, and prints what differs by URL pattern."""

import difflib
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

MANIFEST = "manifest.tsv"
DIFF_LINES = 30  # of the first answer of each pattern that differs
NAMES = 3  # of the answers of each pattern
LONG_LINE = 200
BREAKS = re.compile(r"(?<=[,;>])")


@dataclass(frozen=True)
class Answer:
    """A line of the manifest."""

    digest: str
    pattern: str
    file: str


def read_manifest(folder: Path) -> dict[str, Answer]:
    """The answers by file."""
    lines = (folder / MANIFEST).read_text().splitlines()
    answers = (Answer(*line.split("\t")) for line in lines)
    return {answer.file: answer for answer in answers}


def write_manifest(folder: Path, answers: list[Answer]) -> None:
    ordered = sorted(answers, key=lambda answer: answer.file)
    lines = (f"{answer.digest}\t{answer.pattern}\t{answer.file}\n" for answer in ordered)
    (folder / MANIFEST).write_text("".join(lines))


def compare(first: Path, second: Path) -> int:
    """Prints the counts and, for each URL pattern, the first difference. Returns 1 if there is
    any, else 0."""
    old, new = read_manifest(first), read_manifest(second)
    common = old.keys() & new.keys()
    groups = {
        "differ": [old[file] for file in common if old[file].digest != new[file].digest],
        f"only in {first}": [old[file] for file in old.keys() - new.keys()],
        f"only in {second}": [new[file] for file in new.keys() - old.keys()],
    }
    differing = len(groups["differ"])
    print(f"{len(common)} answers compared: {len(common) - differing} equal, {differing} differ")
    for what, answers in list(groups.items())[1:]:
        print(f"{len(answers)} {what}")
    for what, answers in groups.items():
        for pattern, members in sorted(_by_pattern(answers).items()):
            print(f"\n{pattern}: {len(members)} {what}")
            for answer in members[:NAMES]:
                print(f"    {answer.file}")
            if what == "differ":
                print("\n".join(diff_lines(first, second, members[0].file)))
    return 1 if any(groups.values()) else 0


def diff_lines(first: Path, second: Path, file: str) -> list[str]:
    """The first lines of the unified diff of an answer."""
    old, new = (_lines((folder / file).read_bytes()) for folder in (first, second))
    names = (str(first / file), str(second / file))
    lines = list(difflib.unified_diff(old, new, *names, lineterm="", n=1))
    more = [f"... {len(lines) - DIFF_LINES} more lines"] if len(lines) > DIFF_LINES else []
    return lines[:DIFF_LINES] + more


def _lines(content: bytes) -> list[str]:
    """The lines of an answer, with what is no text and what ends a line made visible. Long lines,
    such as those of JSON, are broken."""
    text = content.decode(errors="backslashreplace").replace("\r", "\\r")
    parts = (BREAKS.split(line) if len(line) > LONG_LINE else [line] for line in text.split("\n"))
    return [part for line in parts for part in line]


def _by_pattern(answers: list[Answer]) -> dict[str, list[Answer]]:
    groups: dict[str, list[Answer]] = defaultdict(list)
    for answer in sorted(answers, key=lambda answer: answer.file):
        groups[answer.pattern].append(answer)
    return groups
