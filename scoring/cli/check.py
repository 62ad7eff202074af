"""`trackside check`: the validator that the site runs on an uploaded file."""

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from campaigns.trec.columns import LONGEST_NAME
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
        topics = _topics(options.topics)
    except BadInput as error:  # no run can be checked
        if not options.json:
            raise
        for path in options.runs:
            _print_json(options, path, "unchecked", {"errors": error.messages})
        return BAD_INPUT
    return max([_check(path, topics, options) for path in options.runs])


def _check(path: str, topics: Sequence[str], options: argparse.Namespace) -> int:
    read = partial(
        read_run,
        known_topics=topics,
        unknown_topics=options.unknown_topics,
        max_depth=options.depth,
        max_tag_bytes=LONGEST_NAME,
        # The name of the file is the tag of a run in a layout without tags.
        file_name="" if path == STANDARD_INPUT else path,
        is_named_by_tag=True,
    )
    try:
        parsed = read_or_refuse(path, read)
    except FormatError as error:
        if options.json:
            _print_json(options, path, "refused", {}, error.problems, error.total, error.warnings)
            return BAD_INPUT
        for warning in error.warnings:
            print(f"{path}: warning: {warning}")
        _print_errors([f"{path}: {line}" for line in str(error).splitlines()])
        return BAD_INPUT
    except BadInput as error:  # the file cannot be read, but perhaps the next one can
        if options.json:
            _print_json(options, path, "unchecked", {"errors": error.messages})
        else:
            _print_errors(error.messages)
        return BAD_INPUT
    _accepted(path, options, parsed)
    return 0


def _topics(path: str) -> list[str]:
    try:
        return [topic.code for topic in open_topics(path)]
    except BadInput as error:
        if path == STANDARD_INPUT:  # it cannot be read again
            raise
        # What a file without topics is says more than an error for every line.
        for what, read in (("a run", read_run), ("qrels", read_qrels)):
            try:
                read_file(path, read)
            except BadInput:
                continue
            message = f"this is {what}; --topics takes the campaign's topics"
            raise BadInput([f"{path}: {message}"]) from error
        raise


def _accepted(path: str, options: argparse.Namespace, parsed: ParsedRun) -> None:
    if options.json:
        facts = {"tag": parsed.tag, "topics": len(parsed.topics), "lines": parsed.line_count}
        _print_json(options, path, "accepted", facts, warnings=parsed.warnings)
        return
    for warning in parsed.warnings:
        print(f"{path}: warning: {warning}")
    print(
        f"{path}: accepted: run {parsed.tag}, {len(parsed.topics):,} topics, "
        f"{parsed.line_count:,} lines"
    )


def _print_errors(messages: Sequence[str]) -> None:
    # So that warnings and errors come in their order where both streams have one target.
    sys.stdout.flush()
    sys.stderr.writelines(f"{message}\n" for message in messages)


def _print_json(
    options: argparse.Namespace,
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
    # Several objects are JSON lines, which programs read; one is also read by people.
    is_alone = len(options.runs) == 1
    print(json.dumps(report, ensure_ascii=False, indent=2 if is_alone else None))
