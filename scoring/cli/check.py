"""`trackside check`: the validator that the site runs on an uploaded file."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any, Final

from campaigns.trec.problems import FormatError, Problem
from campaigns.trec.runs import ParsedRun, read_run
from campaigns.trec.topics import read_topics
from scoring.cli.arguments import positive
from scoring.cli.bad_input import BadInput
from scoring.cli.opening import read_file

DESCRIPTION: Final = """\
Reads a run as the site does when it is handed in, with the site's own messages, codes and line
numbers. Exit status 0: it would be accepted (warnings go to standard output); 2: it would be
refused (the first 25 reasons go to standard error)."""

EXAMPLES: Final = """\
examples:
  trackside check run.gz --topics topics.xml
  trackside check run.txt --topics topics.txt --depth 1000
  trackside check run.txt --topics topics.txt --json

TOPICS may be TREC topics, XML, `code TAB text` or JSON lines."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run, plain or gzipped")
    parser.add_argument("--topics", metavar="T", required=True, help="the campaign's topics")
    parser.add_argument(
        "--depth", metavar="N", type=positive, help="documents that a topic may have at most"
    )
    parser.add_argument(
        "--unknown-topics",
        choices=("refuse", "drop"),
        default="refuse",
        help="what becomes of topics outside the list (the campaign says; default: refuse)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, whatever comes out")


def run(options: argparse.Namespace) -> int:
    codes = [topic.code for topic in read_file(options.topics, read_topics)]
    try:
        with open(options.run, "rb") as file:
            parsed = read_run(
                file,
                known_topics=codes,
                unknown_topics=options.unknown_topics,
                max_depth=options.depth,
            )
    except FormatError as error:
        return _refused(options, error)
    except OSError as error:
        raise BadInput([f"{options.run}: {error.strerror or error}"]) from None
    _accepted(options, parsed)
    return 0


def _accepted(options: argparse.Namespace, parsed: ParsedRun) -> None:
    if options.json:
        facts = {"tag": parsed.tag, "topics": len(parsed.topics), "lines": parsed.line_count}
        _print_json(options.run, "accepted", facts, (), 0, parsed.warnings)
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
        return 2
    for warning in error.warnings:
        print(f"{options.run}: warning: {warning}")
    sys.stdout.flush()
    for line in str(error).splitlines():
        sys.stderr.write(f"{options.run}: {line}\n")
    return 2


def _print_json(
    path: str,
    state: str,
    facts: dict[str, Any],
    problems: Sequence[Problem],
    total: int,
    warnings: Sequence[Problem],
) -> None:
    said = {
        "file": path,
        "state": state,
        **facts,
        "problems": [problem.as_dict() for problem in problems],
        "total": total,
        "warnings": [warning.as_dict() for warning in warnings],
    }
    print(json.dumps(said, ensure_ascii=False, indent=2))
