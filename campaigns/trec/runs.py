"""Runs: `topic Q0 document rank score tag`, one line a retrieved document, read and written.

A file is read in blocks of about 4 MiB (`blocks`). If all lines of a block are regular, the
compiled scanner reads it in one pass (`scanner`). Otherwise numpy cuts the lines into fields
(`fields`), column by column without a loop over lines; masks find what is suspicious, and only the
lines that need a message are looked at one by one (`run_faults`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.blocks import Block, read_blocks, warn_carriage_returns
from campaigns.trec.fields import Fields, differs, read_decimals, read_integers, split_fields
from campaigns.trec.problems import Problem, ProblemList, refuse
from campaigns.trec.record_table import Records, RecordTable
from campaigns.trec.records import Rows, rows_of
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
    tag_problem,
)
from campaigns.trec.run_order import note_depth, warn_order
from campaigns.trec.scanner import ScannedRun, scan_run
from campaigns.trec.topic_column import TopicColumn, UnknownTopics

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
) -> ParsedRun:
    """Read a run, plain or gzipped, and check all of it.

    `known_topics` is the public topic list; topics outside it are refused or dropped. `max_depth`
    is the limit of documents a topic. `max_lines` is that of lines: blank lines and comments count,
    lines of topics that are dropped do not. `max_bytes` is that of the plain file, `max_seconds`
    that of processor time. Whatever they are, a run holds at most 20,000,000 lines, and lines ×
    width of the longest document id at most 256 MiB. Scores are bit for bit those of `float()`.
    Raises FormatError with the first 25 problems in line order and the number of all.
    """
    findings = ProblemList()
    reader = _RunReader(findings, TopicColumn(findings, known_topics, unknown_topics), max_lines)
    with findings.gathered():
        for block in read_blocks(source, findings, max_bytes=max_bytes, max_seconds=max_seconds):
            reader.take(block)
            reader.table.count_lines(block)
        records = reader.records(max_depth)
    warn_order(records, findings)
    return ParsedRun(
        tag=reader.tag.decode(),
        topics=records.topics,
        topic_index=records.topic_index,
        doc_ids=records.doc_ids,
        retrieval_scores=records.values["scores"],
        line_count=records.lines.size,
        warnings=findings.warnings,
    )


class _RunReader:
    """What is read so far."""

    def __init__(self, findings: ProblemList, topics: TopicColumn, max_lines: int | None) -> None:
        self.findings = findings
        self.tag = b""
        self.tag_line = 0
        values = {"ranks": np.int32, "scores": np.float64}
        self.table = RecordTable(findings, topics, max_lines=max_lines, values=values)

    def take(self, block: Block) -> None:
        """Read a block."""
        scanned = scan_run(block)
        if scanned is not None and self.tag in (scanned.tag, b""):
            self._take_scanned(scanned, block)
            return
        fields = split_fields(
            block, RUN_WIDTH, self.findings, hint=run_hint, record=COMMENTED_RUN_LINE
        )
        if fields.lines.size:
            self._check_tag(fields.text(0, TAG), int(fields.lines[0]))
            self._compare_tags(fields)
            rows = rows_of(fields, self.findings)
            self._check_literals(fields.texts(fields.heads, LITERAL), rows)
            self.table.push(rows, ranks=self._ranks(fields), scores=self._scores(fields))

    def _take_scanned(self, scanned: ScannedRun, block: Block) -> None:
        warn_carriage_returns(scanned.carriage_returns, self.findings)
        self._check_tag(scanned.tag, block.first_line)
        self._check_literals(scanned.literals, scanned.rows)
        self._note_low_ranks(scanned.ranks, scanned.rows.lines)
        self.table.push(scanned.rows, ranks=scanned.ranks, scores=scanned.scores)

    def _check_tag(self, tag: bytes, line: int) -> None:
        if not self.tag:
            self.tag, self.tag_line = tag, line
            problem = tag_problem(tag, line)
            if problem:
                self.findings.add(problem)

    def _compare_tags(self, fields: Fields) -> None:
        if len(self.tag) > TAG_BYTES:
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
            ranks[rows] = 1  # whatever it should be
        self._note_low_ranks(ranks, fields.lines)
        return ranks

    def _note_low_ranks(self, ranks: NDArray[np.integer], lines: NDArray[np.int64]) -> None:
        low = np.flatnonzero(ranks < 1)
        if low.size:
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
        """Join the blocks and check what only the whole file shows."""
        if not self.tag and not self.findings.total:
            refuse("EMPTY", "the file contains no line of a run")
        records = self.table.join()
        if max_depth is not None:
            note_depth(records, max_depth, self.findings)
        return records


def write_run(run: ParsedRun, target: BinaryIO) -> None:
    """Write the run as text; reading it again gives the same columns, tag and topics.

    Ranks are positions in the file within a topic, from 1; scores are the shortest decimals that
    read back to the same double.
    """
    topics = [topic.encode() for topic in run.topics]
    ranks = [0] * len(topics)
    tag = run.tag.encode()
    for begin in range(0, run.line_count, WRITE_ROWS):
        rows = slice(begin, begin + WRITE_ROWS)
        lines = []
        for topic, doc_id, score in zip(
            run.topic_index[rows].tolist(),
            run.doc_ids[rows].tolist(),
            run.retrieval_scores[rows].tolist(),
            strict=True,
        ):
            ranks[topic] += 1
            number = b"%d %r" % (ranks[topic], score)
            lines.append(b" ".join((topics[topic], b"Q0", doc_id, number, tag)))
        target.write(b"\n".join(lines) + b"\n")
