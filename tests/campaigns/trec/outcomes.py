"""A file and its outcome as a test: the bytes, and what must become of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from campaigns.trec.problems import FormatError


@dataclass(frozen=True)
class Row:
    """`code` and `line` of a refusal (any problem at the first faulty line), or acceptance."""

    name: str
    data: bytes
    code: str | None = None
    line: int | None = None
    says: str = ""  # what the problems or warnings must mention
    warns: frozenset[str] = frozenset()
    options: tuple[tuple[str, Any], ...] = ()


def accept(name: str, data: bytes, *warns: str, says: str = "", **options: Any) -> Any:
    """The file is read, with exactly these warnings among those that concern its form."""
    row = Row(name, data, None, None, says, frozenset(warns), tuple(options.items()))
    return pytest.param(row, id=name)


def refuse(
    name: str, data: bytes, code: str, line: int | None, says: str = "", **options: Any
) -> Any:
    """The file is refused, first for a fault on this line, one of that line has this code."""
    row = Row(name, data, code, line, says, frozenset(), tuple(options.items()))
    return pytest.param(row, id=name)


def check(row: Row, read: Callable[..., Any], **defaults: Any) -> Any:
    """Read the row's bytes and compare; returns what was read, or the FormatError."""
    options = defaults | dict(row.options)
    if row.code is None:
        parsed = read(row.data, **options)
        assert {warning.code for warning in parsed.warnings} == row.warns
        assert row.says in "\n".join(map(str, parsed.warnings))
        json.dumps([warning.as_dict() for warning in parsed.warnings])
        return parsed
    with pytest.raises(FormatError) as caught:
        read(row.data, **options)
    problems = caught.value.problems
    json.dumps([problem.as_dict() for problem in problems + caught.value.warnings])
    assert problems[0].line == row.line
    assert row.code in {problem.code for problem in problems if problem.line == row.line}
    assert row.says in "\n".join(problem.message for problem in problems)
    assert caught.value.total >= len(problems)
    return caught.value
