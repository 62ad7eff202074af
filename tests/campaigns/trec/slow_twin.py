"""The same readers, line by line with `split()` and `float()`: the second witness."""

from __future__ import annotations

from typing import NamedTuple

from campaigns.trec.qrels import ParsedQrels
from campaigns.trec.runs import ParsedRun


class SlowRun(NamedTuple):
    tag: str
    topics: tuple[str, ...]
    rows: list[tuple[str, bytes, float]]  # topic, document, score


def slow_run(data: bytes, known_topics: set[str] | None = None) -> SlowRun:
    """A good run; lines of unknown topics are left out."""
    rows = []
    topics: dict[str, None] = {}
    tag = b""
    for line in data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\x1a").split(b"\n"):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        topic, _, doc_id, _, score, tag = fields
        if known_topics is None or topic.decode() in known_topics:
            topics[topic.decode()] = None
            rows.append((topic.decode(), doc_id, float(score)))
    return SlowRun(tag.decode(), tuple(topics), rows)


def fast_rows(run: ParsedRun) -> list[tuple[str, bytes, float]]:
    return [
        (run.topics[topic], doc_id, score)
        for topic, doc_id, score in zip(
            run.topic_index.tolist(),
            run.doc_ids.tolist(),
            run.retrieval_scores.tolist(),
            strict=True,
        )
    ]


def slow_qrels(data: bytes) -> list[tuple[str, bytes, int]]:
    """Good qrels: topic, document, grade."""
    rows = []
    for line in data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\x1a").split(b"\n"):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            rows.append((fields[0].decode(), fields[2], int(fields[3])))
    return rows


def fast_judgments(qrels: ParsedQrels) -> list[tuple[str, bytes, int]]:
    return [
        (qrels.topics[topic], doc_id, grade)
        for topic, doc_id, grade in zip(
            qrels.topic_index.tolist(), qrels.doc_ids.tolist(), qrels.grades.tolist(), strict=True
        )
    ]
