"""What only a whole run shows: depth of its topics, ties, and ranks that say another order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from campaigns.trec import compiled
from campaigns.trec.problems import SHOWN_PROBLEMS, Problem, ProblemList, shown
from campaigns.trec.record_table import Records


def note_depth(records: Records, max_depth: int, findings: ProblemList) -> None:
    """A problem for every topic with more than `max_depth` documents, at the first too many."""
    counts = np.bincount(records.topic_index, minlength=len(records.topics))
    deep = np.flatnonzero(counts > max_depth)
    for number in deep[:SHOWN_PROBLEMS].tolist():
        rows = np.flatnonzero(records.topic_index == number)
        topic = shown(records.topics[number])
        message = f"{counts[number]:,} documents for topic '{topic}', at most {max_depth:,} allowed"
        findings.add(Problem("TOO_MANY", int(records.lines[rows[max_depth]]), message, 1, topic))
    findings.total += max(0, deep.size - SHOWN_PROBLEMS)


def warn_order(records: Records, findings: ProblemList) -> None:
    """Warn of topics that do not stand together, of ranks against scores, and of ties."""
    topic_index, lines = records.topic_index, records.lines
    ranks, scores = records.values["ranks"], records.values["scores"]
    if compiled.scan is not None:
        found = compiled.scan.order(topic_index, ranks, scores)
        if found is not None:
            against, first_against, tied = found
            _warn_contradictions(against, int(lines[first_against]) if against else 0, findings)
            _warn_tied(tied, findings)
            return
    # Topics are numbered by first appearance: together they are in order.
    if (topic_index[1:] < topic_index[:-1]).any():
        line = int(lines[1:][np.argmax(topic_index[1:] < topic_index[:-1])])
        findings.warn("INTERLEAVED", "the lines of a topic are not contiguous", line=line)
        order = np.argsort(topic_index, kind="stable")
        topic_index, ranks, scores = topic_index[order], ranks[order], scores[order]
        lines = lines[order]
    same_topic = topic_index[1:] == topic_index[:-1]
    rises = same_topic & (scores[1:] > scores[:-1])
    _warn_ranks(same_topic, rises, ranks, scores, lines, findings)
    if rises.any():
        by_score = np.lexsort((scores, topic_index))
        scores, topic_index = scores[by_score], topic_index[by_score]
        same_topic = topic_index[1:] == topic_index[:-1]
    _warn_ties(same_topic & (scores[1:] == scores[:-1]), findings)


def _warn_ranks(
    same_topic: NDArray[np.bool_],
    rises: NDArray[np.bool_],
    ranks: NDArray[np.int32],
    scores: NDArray[np.float64],
    lines: NDArray[np.uint32],
    findings: ProblemList,
) -> None:
    falls = same_topic & (scores[1:] < scores[:-1])
    against = (rises & (ranks[1:] > ranks[:-1])) | (falls & (ranks[1:] < ranks[:-1]))
    count = int(np.count_nonzero(against))
    _warn_contradictions(count, int(lines[1:][against].min()) if count else 0, findings)


def _warn_contradictions(count: int, line: int, findings: ProblemList) -> None:
    if count:
        message = (
            "the {rank|ranks} of {n} {line contradicts its score|lines contradict their scores}; "
            "the scores determine the order"
        )
        findings.warn("RANK_ORDER", message, line=line, count=count, field=4)


def _warn_ties(ties: NDArray[np.bool_], findings: ProblemList) -> None:
    """`ties[i]` says that rows i and i + 1, in order of score, are tied."""
    is_tied = np.zeros(ties.size + 1, np.bool_)
    is_tied[1:] |= ties
    is_tied[:-1] |= ties
    _warn_tied(int(np.count_nonzero(is_tied)), findings)


def _warn_tied(count: int, findings: ProblemList) -> None:
    if count:
        message = (
            "{n} {line shares its|lines share their} score with another of {its|their} topic; "
            "ties are broken by document id, descending, as trec_eval does"
        )
        findings.warn("TIES", message, count=count, field=5)
