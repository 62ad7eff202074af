"""Documents beside their judgments, by hand."""

import numpy as np
import pytest

from scoring.core.data.alignment import graded_documents
from scoring.core.data.grades import UNJUDGED
from scoring.core.data.judgments import build_table
from scoring.core.data.ranking import rank

pytestmark = pytest.mark.usefixtures("either_way")

LINES = [  # topic, document, score; the topic x is none of the campaign's
    ("b", "n1", 3.0), ("b", "d1", 2.0), ("b", "d2", 2.0), ("b", "n2", 1.0),
    ("x", "d1", 9.0),
    ("a", "d1", 5.0), ("a", "n1", 4.0),
]  # fmt: skip
TABLE = build_table(
    topics=("a", "b", "c"),
    qrels_topics=("a", "b"),
    topic_index=np.array([0, 1, 1], np.int32),
    doc_ids=np.array([b"d1", b"d1", b"d2"]),
    grades=np.array([2, 0, -1]),
    highest_grade=2,
)


def test_grades_ranks_and_ties_of_the_topics_that_a_table_has() -> None:
    topics = ("b", "x", "a")
    found = graded_documents(
        rank(
            topics=topics,
            topic_index=np.array([topics.index(topic) for topic, _, _ in LINES], np.int32),
            doc_ids=np.array([document.encode() for _, document, _ in LINES]),
            retrieval_scores=np.array([score for _, _, score in LINES]),
        ),
        TABLE,
    )
    own = found.rows == 1
    assert found.doc_ids[own].tolist() == [b"n1", b"d2", b"d1", b"n2"]
    assert found.positions[own].tolist() == [0, 1, 2, 3]
    assert found.grades[own].tolist() == [UNJUDGED, UNJUDGED, 0, UNJUDGED]
    assert found.is_tied[own].tolist() == [False, True, True, False]
    assert 2 not in found.rows
