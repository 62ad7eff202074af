"""`trackside check`: the validator that the site runs on an uploaded file."""

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from campaigns.trec.problems import FormatError, Problem
from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import ParsedRun, read_run
from scoring.cli.exit_status import BAD_INPUT
from scoring.cli.opening import read_file, read_or_refuse
from scoring.cli.opening_topics import open_topics
from scoring.cli.streams import STANDARD_INPUT
from scoring.library.bad_input import BadInput


def run(options: argparse.Namespace) -> int:
    try:
        return _check(options)
    except BadInput as error:  # the run could not be checked
        if not options.json:
            raise
        _print_json(options.run, "unchecked", {"errors": error.messages})
        return BAD_INPUT


def _check(options: argparse.Namespace) -> int:
    read = partial(
        read_run,
        known_topics=_topics(options.topics),
        unknown_topics=options.unknown_topics,
        max_depth=options.depth,
        file_name="" if options.run == STANDARD_INPUT else options.run,
        is_named_by_tag=True,
    )
    try:
        parsed = read_or_refuse(options.run, read)
    except FormatError as error:
        return _refused(options, error)
    _accepted(options, parsed)
    return 0


def _topics(path: str) -> list[str]:
    try:
        return [topic.code for topic in open_topics(path)]
    except BadInput as error:
        what = None if path == STANDARD_INPUT else _what_else(path)
        if what is None:
            raise
        message = f"this is {what}; --topics takes the campaign's topics"
        raise BadInput([f"{path}: {message}"]) from error


def _what_else(path: str) -> str | None:
    """What a file without topics is, which is a better message than an error for every line."""
    for what, read in (("a run", read_run), ("qrels", read_qrels)):
        try:
            read_file(path, read)
        except BadInput:
            continue
        return what
    return None


def _accepted(options: argparse.Namespace, parsed: ParsedRun) -> None:
    if options.json:
        facts = {"tag": parsed.tag, "topics": len(parsed.topics), "lines": parsed.line_count}
        _print_json(options.run, "accepted", facts, warnings=parsed.warnings)
        return
    for warning in parsed.warnings:
        print(f"{options.run}: warning: {warning}")
    print(
        f"{options.run}: accepted: run {parsed.tag}, {len(parsed.topics):,} topics, "
        f"{parsed.line_count:,} lines"
    )


def _refused(options: argparse.Namespace, error: FormatError) -> int:
    if options.json:
        _print_json(options.run, "refused", {}, error.problems, error.total, error.warnings)
        return BAD_INPUT
    for warning in error.warnings:
        print(f"{options.run}: warning: {warning}")
    sys.stdout.flush()
    for line in str(error).splitlines():
        sys.stderr.write(f"{options.run}: {line}\n")
    return BAD_INPUT


def _print_json(
    path: str,
    state: str,
    facts: dict[str, Any],
    problems: Sequence[Problem] = (),
    total: int = 0,
    warnings: Sequence[Problem] = (),
) -> None:
    report = {
        "file": path,
        "state": state,
        **facts,
        "problems": [problem.as_dict() for problem in problems],
        "total": total,
        "warnings": [warning.as_dict() for warning in warnings],
    }
    print(json.dumps(report, ensure_ascii=False, indent=2))
