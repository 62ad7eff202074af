"""Rankings written down as lists of documents."""

import numpy as np

from scoring.core.data.ranking import Ranking, rank


def ranking(lists: dict[str, list[str]]) -> Ranking:
    """A run of these documents per topic, best first."""
    topics = list(lists)
    lines = [(row, doc, -i) for row, t in enumerate(topics) for i, doc in enumerate(lists[t])]
    return rank(
        topics=topics,
        topic_index=np.array([row for row, _, _ in lines], np.int32),
        doc_ids=np.array([doc.encode() for _, doc, _ in lines], np.bytes_),
        retrieval_scores=np.array([score for _, _, score in lines], np.float64),
    )
