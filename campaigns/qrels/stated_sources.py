"""The sources of a qrels version in a file beside it: a campaign is exported and imported with it.

Field 2 of the qrels says which line a program judged. Only this file says that field 2 has this
meaning, and which program it was.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from campaigns.models import Qrels

PROGRAM_TEXTS: Final = ("name", "model", "version", "prompt_sha256", "run_by", "run_on")
NOT_STORED: Final = re.compile("[\0\ud800-\udfff]")  # that a database refuses in a text
_Sources = Qrels.Sources


class InvalidSources(ValueError):
    """The sources contradict each other or the judgments. The message says what is wrong."""


@dataclass(frozen=True)
class StatedSources:
    """The sources of a version with judgments of a program."""

    sources: Qrels.Sources
    statement: str
    programs: tuple[dict[str, Any], ...]  # as in the provenance of the version


def sources_json(qrels: Qrels) -> str:
    """The sources of a version with judgments of a program."""
    facts = {
        "sources": qrels.sources,
        "statement": qrels.statement,
        "programs": qrels.provenance.get("programs", []),
    }
    return json.dumps({"qrels": facts}, ensure_ascii=False, indent=2) + "\n"


def read_sources(text: bytes) -> StatedSources | None:
    """None if people made all judgments, or if nothing is said. Raises `InvalidSources`."""
    try:
        content = json.loads(text)
    # Deeply nested JSON exhausts the stack of the parser.
    except (ValueError, RecursionError) as error:
        raise InvalidSources("it is not JSON") from error
    if not isinstance(content, dict):
        raise InvalidSources("it is not a JSON object")
    if "qrels" not in content:
        return None
    facts = content["qrels"]
    if not isinstance(facts, dict):
        raise InvalidSources('"qrels" is not a JSON object')
    sources, statement = facts.get("sources"), facts.get("statement") or ""
    programs = facts.get("programs") or []
    if sources not in _Sources.values:
        raise InvalidSources(f'"sources" is {sources!r}, not one of {", ".join(_Sources.values)}')
    if sources == _Sources.PEOPLE:
        if statement or programs:
            raise InvalidSources('"sources" is people, but a program is named')
        return None
    return StatedSources(_Sources(sources), *_checked(sources, statement, programs))


def check_judgments(stated: StatedSources, data: bytes) -> None:
    """Compares the sources with field 2 of plain qrels. Raises `InvalidSources`."""
    lines = [line.split() for line in data.splitlines()]
    if any(len(fields) != 4 for fields in lines):
        raise InvalidSources("the qrels need four fields in each line, without comments")
    if others := {fields[1] for fields in lines} - {Qrels.BY_PEOPLE, Qrels.BY_PROGRAM}:
        found = min(others).decode(errors="replace")
        raise InvalidSources(
            f"field 2 of the qrels contains {found!r}, not 0 for people or 1 for a program"
        )
    # A grade below 0 is no judgment.
    counts = Counter(fields[1] for fields in lines if not fields[3].startswith(b"-"))
    expected = sum(program["documents"] for program in stated.programs)
    if counts[Qrels.BY_PROGRAM] != expected:
        raise InvalidSources(
            f"it states {expected:,} judgments of a program, but the number of judgments with 1 in "
            f"field 2 of the qrels is {counts[Qrels.BY_PROGRAM]:,}"
        )
    if stated.sources == _Sources.PROGRAM and counts[Qrels.BY_PEOPLE]:
        raise InvalidSources(
            '"sources" is program, but the number of judgments with 0 in field 2 of the qrels is '
            f"{counts[Qrels.BY_PEOPLE]:,}"
        )


def _checked(
    sources: str, statement: object, programs: object
) -> tuple[str, tuple[dict[str, Any], ...]]:
    if not _is_text(statement):
        raise InvalidSources(f'"sources" is {sources}, but "statement" names no program')
    if not isinstance(programs, list) or not programs or not all(map(_is_program, programs)):
        raise InvalidSources(
            '"programs" needs an entry for each program, with the texts '
            f"{', '.join(PROGRAM_TEXTS)} and the number of documents"
        )
    for program in programs:
        if program["name"] not in str(statement):
            raise InvalidSources(f'"statement" does not name the program {program["name"]}')
    if len({program["name"] for program in programs}) < len(programs):
        raise InvalidSources('"programs" names a program twice')
    kept = (*PROGRAM_TEXTS, "documents")
    return str(statement), tuple({key: program[key] for key in kept} for program in programs)


def _is_program(facts: object) -> bool:
    if not isinstance(facts, dict):
        return False
    documents = facts.get("documents")
    # Not `isinstance`, because True is an int too.
    has_count = type(documents) is int and documents > 0
    return has_count and all(_is_text(facts.get(key)) for key in PROGRAM_TEXTS)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and not NOT_STORED.search(value)
