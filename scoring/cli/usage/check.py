"""How `trackside check` is used: its arguments and their help."""

import argparse
from typing import Final

from scoring.cli.arguments import positive

DESCRIPTION: Final = """\
Reads runs as the site does when they are submitted, with the site's own messages, codes and line
numbers. Exit status 0: all would be accepted (warnings go to standard output); 2: one would be
refused (the first 25 reasons go to standard error), or a file cannot be read.

With --json nothing goes to standard error: `state` is accepted, refused (see `problems`), or
unchecked (see `errors`). Several runs are one line each."""

EXAMPLES: Final = """\
examples:
  trackside check run.gz --topics topics.xml
  trackside check run.txt --topics topics.txt --depth 1000
  trackside check run.txt --topics topics.txt --json
  trackside check run1.gz run2.gz --topics topics.txt

TOPICS may be TREC topics, XML, `code TAB text` or JSON lines."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="RUN", nargs="+", help="a run, plain or gzipped")
    parser.add_argument("--topics", metavar="T", required=True, help="the campaign's topics")
    parser.add_argument(
        "--depth", metavar="N", type=positive, help="documents that a topic may have at most"
    )
    parser.add_argument(
        "--unknown-topics",
        choices=("refuse", "drop"),
        default="refuse",
        help="topics that are not in the list, as the campaign sets it (default: refuse)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print a JSON object for each run in any case"
    )
