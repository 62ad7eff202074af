"""What an organiser should look at before using a set of judgments."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.problems import ProblemList
from campaigns.trec.record_table import Records

LOW_NUMBER = re.compile(rb"\d{1,3}")
NAMED_TOPICS = 20


def warn_content(records: Records, findings: ProblemList) -> None:
    """Warn of grades that are no judgments, of topics without relevant ones, of odd columns."""
    grades = records.values["grades"]
    unjudged = int(np.count_nonzero(grades == -1))
    if unjudged:
        message = "{n} {line has|lines have} grade -1: in the pool, not judged"
        findings.warn("UNJUDGED", message, count=unjudged, field=4)
    negative = int(np.count_nonzero(grades < -1))
    if negative:
        message = "{n} {line has|lines have} a grade below -1, treated as not judged"
        findings.warn("NEGATIVE", message, count=negative, field=4)
    _warn_topics(records.topics, records.topic_index, grades, findings)
    _warn_columns(records.doc_ids, findings)


def _warn_topics(
    topics: Sequence[str],
    topic_index: NDArray[np.int32],
    grades: NDArray[np.int16],
    findings: ProblemList,
) -> None:
    judged = np.bincount(topic_index[grades >= 0], minlength=len(topics))
    relevant = np.bincount(topic_index[grades >= 1], minlength=len(topics))
    empty = [topics[k] for k in np.flatnonzero(judged == 0).tolist()]
    if empty:
        message = f"{{n}} of {len(topics):,} topics {{has|have}} no grade from 0 up: not scored"
        value = " ".join(empty[:NAMED_TOPICS])
        findings.warn("NO_GRADES", message, count=len(empty), value=value)
    poor = [topics[k] for k in np.flatnonzero((judged > 0) & (relevant == 0)).tolist()]
    if not relevant.any():
        findings.warn("NO_RELEVANT", "no document of any topic is relevant")
    elif poor:
        message = f"{{n}} of {len(topics):,} topics {{has|have}} no relevant document"
        value = " ".join(poor[:NAMED_TOPICS])
        findings.warn("NO_RELEVANT", message, count=len(poor), value=value)


def _warn_columns(doc_ids: NDArray[np.bytes_], findings: ProblemList) -> None:
    """Iteration and document swapped leave a column of few low numbers."""
    if doc_ids.size < 2 or not LOW_NUMBER.fullmatch(doc_ids[0]):
        return
    distinct = np.unique(doc_ids)
    is_low = all(LOW_NUMBER.fullmatch(doc_id) for doc_id in distinct.tolist())
    if distinct.size < 2 or is_low:
        message = "field 3 has low numbers only: are the columns swapped?"
        findings.warn("COLUMNS", message, field=3, value=distinct[0])
