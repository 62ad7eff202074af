"""Runs: `topic Q0 document rank score tag`, one line for each retrieved document, read and written.

A file is read in blocks of about 4 MiB (`blocks`). If all lines of a block are regular, the
compiled scanner (`_scan.c`) reads it in one pass. Otherwise numpy cuts the lines into fields
(`fields`) and reads them column by column. Only lines with a problem are processed one by one
(`run_faults`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from campaigns.trec import compiled
from campaigns.trec.blocks import Block, read_blocks, warn_carriage_returns
from campaigns.trec.columns import Rows, TopicColumn, UnknownTopics, rows_of
from campaigns.trec.fields import Fields, differs, read_decimals, read_integers, split_fields
from campaigns.trec.foreign import set_aside
from campaigns.trec.layouts import trec_run
from campaigns.trec.problems import SHOWN_PROBLEMS, Problem, ProblemList, refuse, shown
from campaigns.trec.records import Records, RecordTable
from campaigns.trec.run_faults import (
    COMMENTED_RUN_LINE,
    LITERAL,
    RANK,
    RUN_WIDTH,
    SCORE,
    TAG,
    TAG_BYTES,
    other_tag_problem,
    rank_problem,
    run_hint,
    score_problem,
    tag_of_file,
    tag_problem,
)

WRITE_ROWS = 50_000


@dataclass(frozen=True, eq=False)
class ParsedRun:
    """One run as columns; row i of each is the i-th kept line of the file."""

    tag: str
    topics: tuple[str, ...]  # in order of first appearance
    topic_index: NDArray[np.int32]  # int32[lines]: index into `topics`
    doc_ids: NDArray[np.bytes_]  # S{w}[lines], w a multiple of 8, NUL padded
    retrieval_scores: NDArray[np.float64]  # float64[lines], finite
    line_count: int
    warnings: tuple[Problem, ...]


def read_run(
    source: BinaryIO | bytes,
    *,
    known_topics: Collection[str] | None = None,
    unknown_topics: UnknownTopics = "refuse",
    max_depth: int | None = None,
    max_lines: int | None = None,
    max_bytes: int = 1 << 30,
    max_seconds: float | None = None,
    max_name_bytes: int = TAG_BYTES,
    max_tag_bytes: int | None = None,
    text_may_follow: bool = False,
    file_name: str = "",
    is_named_by_tag: bool = False,
) -> ParsedRun:
    """Read a run, plain or gzipped, and check all of it.

    `known_topics` is the public topic list; topics outside it are refused or dropped. `max_depth`
    limits the documents of a topic. `max_lines` limits the lines: blank lines and comments count,
    lines of dropped topics do not. `max_bytes` limits the uncompressed file, `max_seconds` the
    processor time. `max_name_bytes` limits topic ids, and the tag without `max_tag_bytes`. In any
    case a run has at most 20,000,000 lines, and lines × width of the longest document id at most
    256 MiB. Text after the tag is a problem, or with `text_may_follow` a warning, as trec_eval
    ignores it. Scores are bit for bit those of `float()`. The tag of a layout without tags is the
    name of the file without its endings, or `run`. With `is_named_by_tag` a tag that cannot be the
    name of a run is a problem. Raises FormatError with the first 25 problems in line order and the
    number of all.
    """
    findings = ProblemList()
    topics = TopicColumn(findings, known_topics, unknown_topics, max_name_bytes)
    reader = _RunReader(
        findings,
        topics,
        max_lines,
        max_tag_bytes or max_name_bytes,
        text_may_follow,
        is_named_by_tag,
    )
    with findings.gathered():
        for block in read_blocks(
            source, findings, max_bytes=max_bytes, max_seconds=max_seconds, convert=trec_run
        ):
            reader.take(block)
            reader.table.count_lines(block)
        records = reader.records(max_depth)
    warn_order(records, findings)
    tag = tag_of_file(file_name) if findings.lacks_tag else ""
    if tag:
        message = f"the file has no tag: its name became the tag '{shown(tag)}'"
        findings.warn("TAG_OF_FILE", message)
    return ParsedRun(
        tag=tag or reader.tag.decode(),
        topics=records.topics,
        topic_index=records.topic_index,
        doc_ids=records.doc_ids,
        retrieval_scores=records.values["scores"],
        line_count=records.lines.size,
        warnings=findings.warnings,
    )


class _RunReader:
    """Reads blocks and collects their columns."""

    def __init__(
        self,
        findings: ProblemList,
        topics: TopicColumn,
        max_lines: int | None,
        max_tag_bytes: int,
        text_may_follow: bool,
        is_named_by_tag: bool,
    ) -> None:
        self.findings = findings
        self.max_tag_bytes = max_tag_bytes
        self.text_may_follow = text_may_follow
        self.is_named_by_tag = is_named_by_tag
        self.tag = b""
        self.tag_line = 0
        values = {"ranks": np.int32, "scores": np.float64}
        self.table = RecordTable(findings, topics, max_lines=max_lines, values=values)

    def take(self, block: Block) -> None:
        """Read a block."""
        scanned = compiled.scan_run(block)
        # A block of another tag is read again by Python, which has the message for each line.
        if scanned is not None and self.tag in (scanned.tag, b""):
            self.findings.records += scanned.rows.lines.size
            warn_carriage_returns(scanned.carriage_returns, self.findings)
            self._check_tag(scanned.tag, block.first_line)
            self._check_literals(scanned.literals, scanned.rows)
            self._note_low_ranks(scanned.numbers, scanned.rows.lines)
            self.table.push(scanned.rows, ranks=scanned.numbers, scores=scanned.scores)
            return
        fields = split_fields(
            block,
            RUN_WIDTH,
            self.findings,
            hint=run_hint,
            record=COMMENTED_RUN_LINE,
            text_may_follow=self.text_may_follow,
        )
        fields = set_aside(fields, self.findings, numbers=(RANK, SCORE), code="SCORE")
        if fields.lines.size:
            self._check_tag(fields.text(0, TAG), int(fields.lines[0]))
            self._compare_tags(fields)
            rows = rows_of(fields, self.findings)
            self._check_literals(fields.texts(fields.heads, LITERAL), rows)
            self.table.push(rows, ranks=self._ranks(fields), scores=self._scores(fields))

    def _check_tag(self, tag: bytes, line: int) -> None:
        if not self.tag:
            self.tag, self.tag_line = tag, line
            problem = tag_problem(tag, line, self.max_tag_bytes, is_name=self.is_named_by_tag)
            if problem:
                self.findings.add(problem)
            elif len(tag) > TAG_BYTES:
                message = f"the tag is longer than {TAG_BYTES} bytes"
                self.findings.warn("LONG_NAME", message, line=line, field=TAG + 1, value=tag)

    def _compare_tags(self, fields: Fields) -> None:
        if len(self.tag) > self.max_tag_bytes:
            return  # refused already
        other = differs(fields, TAG, self.tag)
        if other.size:
            self.findings.add_rows(
                other.tolist(),
                other.size,
                lambda row: other_tag_problem(fields, row, self.tag, self.tag_line),
            )

    def _check_literals(self, literals: list[bytes], rows: Rows) -> None:
        """Field 2, given for each head of the rows."""
        others = [k for k, literal in enumerate(literals) if literal != b"Q0"]
        if others:
            self.findings.warn(
                "FIELD_2",
                "field 2 is not Q0 on {n} {line|lines}; it is not used",
                line=int(rows.lines[rows.heads[others[0]]]),
                count=int(rows.lengths[others].sum()),
                field=LITERAL + 1,
                value=literals[others[0]],
            )

    def _ranks(self, fields: Fields) -> NDArray[np.int64]:
        ranks, bad = read_integers(fields, RANK)
        rows = np.flatnonzero(bad)
        if rows.size:
            self.findings.add_rows(rows.tolist(), rows.size, lambda row: rank_problem(fields, row))
            ranks[rows] = 1  # any valid rank
        self._note_low_ranks(ranks, fields.lines)
        return ranks

    def _note_low_ranks(self, ranks: NDArray[np.integer], lines: NDArray[np.integer]) -> None:
        if ranks.min(initial=1) < 1:
            low = np.flatnonzero(ranks < 1)
            row = int(low[0])
            self.findings.warn(
                "RANK_BELOW_1",
                "{n} {rank is|ranks are} below 1; ranks are not used",
                line=int(lines[row]),
                count=low.size,
                field=RANK + 1,
                value=str(ranks[row]),
            )

    def _scores(self, fields: Fields) -> NDArray[np.float64]:
        scores = read_decimals(fields, SCORE)
        rows = np.flatnonzero(scores.bad)
        if rows.size:
            self.findings.add_rows(rows.tolist(), rows.size, lambda row: score_problem(fields, row))
        small = np.flatnonzero(scores.underflow)
        if small.size:
            row = int(small[0])
            self.findings.warn(
                "UNDERFLOW",
                "{n} {score is|scores are} too small for a double and {counts|count} as 0",
                line=int(fields.lines[row]),
                count=small.size,
                field=SCORE + 1,
                value=fields.text(row, SCORE),
            )
        return scores.values

    def records(self, max_depth: int | None) -> Records:
        """Join the blocks and check the whole file."""
        if not self.tag and not self.findings.total:
            refuse("EMPTY", "the file contains no line of a run")
        records = self.table.join()
        if max_depth is not None:
            note_depth(records, max_depth, self.findings)
        return records


# --- checks of the whole run ---------------------------------------------------------------------


def note_depth(records: Records, max_depth: int, findings: ProblemList) -> None:
    """Add a problem for every topic with more than `max_depth` documents."""
    counts = np.bincount(records.topic_index, minlength=len(records.topics))
    deep = np.flatnonzero(counts > max_depth)
    # Only those that can be shown are located; the others are counted.
    for number in deep[:SHOWN_PROBLEMS].tolist():
        rows = np.flatnonzero(records.topic_index == number)
        topic = shown(records.topics[number])
        message = f"{counts[number]:,} documents for topic '{topic}', at most {max_depth:,} allowed"
        findings.add(Problem("TOO_MANY", int(records.lines[rows[max_depth]]), message, 1, topic))
    findings.total += max(0, deep.size - SHOWN_PROBLEMS)


def warn_order(records: Records, findings: ProblemList) -> None:
    """Warn of topics that are not contiguous, of ranks that contradict the scores, and of ties."""
    topic_index, lines = records.topic_index, records.lines
    ranks, scores = records.values["ranks"], records.values["scores"]
    if compiled.scan is not None:
        found = compiled.scan.order(topic_index, ranks, scores)
        if found is not None:
            against, first_against, tied = found
            _warn_contradictions(against, int(lines[first_against]) if against else 0, findings)
            _warn_tied(tied, findings)
            return
    # Topics are numbered by first appearance: if they are contiguous, the numbers ascend.
    if (topic_index[1:] < topic_index[:-1]).any():
        line = int(lines[1:][np.argmax(topic_index[1:] < topic_index[:-1])])
        # Reported as a warning only: trec_eval collects the lines of a topic as well.
        findings.warn("INTERLEAVED", "the lines of a topic are not contiguous", line=line)
        order = np.argsort(topic_index, kind="stable")
        topic_index, ranks, scores = topic_index[order], ranks[order], scores[order]
        lines = lines[order]
    same_topic = topic_index[1:] == topic_index[:-1]
    rises = same_topic & (scores[1:] > scores[:-1])
    falls = same_topic & (scores[1:] < scores[:-1])
    against = (rises & (ranks[1:] > ranks[:-1])) | (falls & (ranks[1:] < ranks[:-1]))
    count = int(np.count_nonzero(against))
    _warn_contradictions(count, int(lines[1:][against].min()) if count else 0, findings)
    if rises.any():
        scores = _sorted_within(same_topic, scores)
    # In order of score, ties are neighbours.
    ties = same_topic & (scores[1:] == scores[:-1])
    is_tied = np.zeros(ties.size + 1, np.bool_)
    is_tied[1:] |= ties
    is_tied[:-1] |= ties
    _warn_tied(int(np.count_nonzero(is_tied)), findings)


def _sorted_within(
    same_topic: NDArray[np.bool_], scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The scores, those of each topic in ascending order."""
    bounds = [0, *(np.flatnonzero(~same_topic) + 1).tolist(), len(scores)]
    scores = scores.copy()
    for begin, end in pairwise(bounds):
        scores[begin:end].sort()
    return scores


def _warn_contradictions(count: int, line: int, findings: ProblemList) -> None:
    if count:
        message = (
            "the {rank|ranks} of {n} {line contradicts its score|lines contradict their scores}; "
            "the scores determine the order"
        )
        findings.warn("RANK_ORDER", message, line=line, count=count, field=4)


def _warn_tied(count: int, findings: ProblemList) -> None:
    if count:
        message = (
            "{n} {line shares its|lines share their} score with another of {its|their} topic; "
            "ties are broken by document id, descending, as trec_eval does"
        )
        findings.warn("TIES", message, count=count, field=5)


def ranks_of(run: ParsedRun) -> NDArray[np.int64]:
    """int64[lines], from 1 in each topic: by score, and for equal scores by document id, both
    descending, as trec_eval ranks."""
    # lexsort ascends and its last key is the first: reversed, scores and ids descend, topics
    # ascend.
    order = np.lexsort((run.doc_ids, run.retrieval_scores, -run.topic_index))[::-1]
    lengths = np.bincount(run.topic_index, minlength=len(run.topics))
    ranks = np.empty(run.line_count, np.int64)
    ranks[order] = np.arange(1, run.line_count + 1) - np.repeat(
        np.cumsum(lengths) - lengths, lengths
    )
    return ranks


def write_run(run: ParsedRun, target: BinaryIO) -> None:
    """Write the run as text; reading it again gives the same columns, tag and topics.

    Scores are the shortest decimals that read back to the same double.
    """
    topics = [topic.encode() for topic in run.topics]
    ranks = ranks_of(run)
    tag = run.tag.encode()
    for begin in range(0, run.line_count, WRITE_ROWS):
        rows = slice(begin, begin + WRITE_ROWS)
        lines = []
        for topic, doc_id, score, rank in zip(
            run.topic_index[rows].tolist(),
            run.doc_ids[rows].tolist(),
            run.retrieval_scores[rows].tolist(),
            ranks[rows].tolist(),
            strict=True,
        ):
            number = b"%d %r" % (rank, score)
            lines.append(b" ".join((topics[topic], b"Q0", doc_id, number, tag)))
        target.write(b"\n".join(lines) + b"\n")
