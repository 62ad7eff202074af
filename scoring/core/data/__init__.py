"""A ranking, the qrels, and the grades that they give together.

The examples of this package share a run and qrels. For topic t1 the run has d1 and then d2 and d3
with the same score: its order is d1, d3, d2. The qrels have grades of d1 and d3. They name d2, but
nobody judged it.

>>> import numpy as np
>>> from scoring.core.data.judgments import build_table
>>> from scoring.core.data.ranking import rank
>>> ranking = rank(
...     topics=["t1", "t2"],
...     topic_index=np.array([0, 0, 0, 1], np.int32),
...     doc_ids=np.array([b"d1", b"d2", b"d3", b"d1"]),
...     retrieval_scores=np.array([9.0, 7.0, 7.0, 5.0]),
... )
>>> table = build_table(
...     topics=["t1", "t2"],
...     qrels_topics=["t1"],
...     topic_index=np.array([0, 0, 0], np.int32),
...     doc_ids=np.array([b"d1", b"d3", b"d2"]),
...     grades=np.array([2, 0, -1]),
...     highest_grade=2,
... )
"""
