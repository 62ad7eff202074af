"""Opens and reads files named on the command line; errors name path and line."""

import sys
from collections.abc import Callable, Sequence
from typing import BinaryIO, Final, TypeVar

import numpy as np

from campaigns.trec.problems import FormatError
from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import ParsedRun, read_run
from scoring.cli.bad_input import BadInput
from scoring.cli.streams import STANDARD_INPUT, standard_input
from scoring.core.data.judgments import JudgmentTable, build_table
from scoring.core.data.ranking import Ranking, rank

T = TypeVar("T")
_NAMED: Final = 10  # topics of a warning


def read_file(path: str, read: Callable[[BinaryIO], T]) -> T:
    """What `read` makes of the file. Raises BadInput where it cannot be opened or is refused."""
    try:
        return read_or_refuse(path, read)
    except FormatError as error:
        raise BadInput(f"{path}: {line}" for line in str(error).splitlines()) from None


def read_or_refuse(path: str, read: Callable[[BinaryIO], T]) -> T:
    """The same for whoever tells more of a refusal: raises FormatError, and BadInput where the file
    cannot be opened."""
    try:
        if path == STANDARD_INPUT:
            return read(standard_input())
        with open(path, "rb") as file:
            return read(file)
    except OSError as error:
        raise BadInput([f"{path}: {error.strerror or error}"]) from None


def open_run(path: str) -> ParsedRun:
    """A run; its topics need not be those of any list."""
    return read_file(path, read_run)


def open_qrels(path: str, *, highest_grade: int = 1, in_file_order: bool = False) -> JudgmentTable:
    """Judgments ready for look-up, topics in ascending order of bytes, as trec_eval prints them, or
    in that of the file. No campaign declares a scale here: it ends at the highest grade of the
    file, or at `highest_grade` if that is higher."""
    qrels = read_file(path, read_qrels)
    return build_table(
        topics=qrels.topics if in_file_order else sorted(qrels.topics, key=str.encode),
        qrels_topics=qrels.topics,
        topic_index=qrels.topic_index,
        doc_ids=qrels.doc_ids,
        grades=qrels.grades,
        highest_grade=max(highest_grade, int(np.max(qrels.grades, initial=1))),
    )


def tell_of_topics_without_grades(path: str, table: JudgmentTable) -> None:
    """On standard error: what nobody judged is in no mean, and the scores do not show it."""
    left_out = [table.topics[row] for row in np.flatnonzero(~table.is_judged_topic).tolist()]
    if left_out:
        topics = "1 topic has" if len(left_out) == 1 else f"{len(left_out):,} topics have"
        named = ", ".join(left_out[:_NAMED]) + (", ..." if len(left_out) > _NAMED else "")
        message = f"{topics} no grade of 0 or more, and no part in any mean: {named}"
        sys.stderr.write(f"{path}: warning: {message}\n")


def rank_run(run: ParsedRun, *, max_depth: int | None = None) -> Ranking:
    """The run in the order of its scores, at most so many documents a topic."""
    return rank(
        topics=run.topics,
        topic_index=run.topic_index,
        doc_ids=run.doc_ids,
        retrieval_scores=run.retrieval_scores,
        max_depth=max_depth,
    )


def run_names(tags: Sequence[str], paths: Sequence[str]) -> list[str]:
    """What runs are called in a table: by their tags, and by their paths where tags coincide."""
    shared = {tag for tag in tags if list(tags).count(tag) > 1}
    return [path if tag in shared else tag for tag, path in zip(tags, paths, strict=True)]
