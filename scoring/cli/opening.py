"""Opens and reads files named on the command line; errors name path and line."""

import sys
from collections.abc import Callable
from functools import partial
from typing import BinaryIO, Final, TypeVar

from campaigns.trec.columns import LONGEST_NAME
from campaigns.trec.problems import FormatError, shown
from campaigns.trec.qrels import ParsedQrels, read_qrels
from campaigns.trec.runs import ParsedRun, read_run
from scoring.cli.streams import STANDARD_INPUT, standard_input
from scoring.core.data.judgments import JudgmentTable
from scoring.library.bad_input import BadInput
from scoring.library.prepared import judgment_table, topics_without_grades

T = TypeVar("T")
TOLD: Final = ("RANKS", "TEXT_AFTER", "LONG_NAME")  # warnings of what the scores depend on


def read_file(path: str, read: Callable[[BinaryIO], T]) -> T:
    """What `read` makes of the file. Raises BadInput where it cannot be opened or is refused."""
    try:
        return read_or_refuse(path, read)
    except FormatError as error:
        raise BadInput(f"{path}: {line}" for line in str(error).splitlines()) from None


def read_or_refuse(path: str, read: Callable[[BinaryIO], T]) -> T:
    """The same for callers that need the problems themselves: raises FormatError, and BadInput
    where the file cannot be opened."""
    try:
        if path == STANDARD_INPUT:
            return read(standard_input())
        with open(path, "rb") as file:
            return read(file)
    except OSError as error:
        raise BadInput([f"{path}: {error.strerror or error}"]) from None


def open_run(path: str) -> ParsedRun:
    """A run as trec_eval reads it: its topics need not be those of any list, and text after the tag
    is left out, with a warning."""
    name = "" if path == STANDARD_INPUT else path
    read = partial(read_run, max_name_bytes=LONGEST_NAME, text_may_follow=True, file_name=name)
    run = read_file(path, read)
    for warning in run.warnings:
        if warning.code in TOLD:
            # The text may be the rest of a tag with spaces: the user sees which part was taken.
            tag = f": the tag is '{shown(run.tag)}'" if warning.code == "TEXT_AFTER" else ""
            sys.stderr.write(f"{path}: warning: {warning}{tag}\n")
    return run


def open_qrels_lines(path: str) -> ParsedQrels:
    """Judgments as they are in the file."""
    return read_file(path, partial(read_qrels, max_name_bytes=LONGEST_NAME))


def open_qrels(path: str, *, highest_grade: int = 1, in_file_order: bool = False) -> JudgmentTable:
    """Judgments ready for look-up, as `judgment_table` makes them."""
    qrels = open_qrels_lines(path)
    return judgment_table(qrels, highest_grade=highest_grade, in_file_order=in_file_order)


def tell_of_topics_without_grades(path: str, table: JudgmentTable) -> None:
    """On standard error."""
    message = topics_without_grades(table)
    if message:
        sys.stderr.write(f"{path}: warning: {message}\n")
