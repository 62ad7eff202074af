"""Which documents people judge, in which order, and what their judgments say about the runs.

The examples of this package share two runs for topic t1 and their four candidates. The qrels have
the grades 2, 0 and 1 of the documents a, b and d.

>>> import numpy as np
>>> from scoring.core.data.grades import UNJUDGED
>>> from scoring.core.data.judgments import build_table
>>> from scoring.core.data.ranking import rank
>>> from scoring.core.judging.candidates import collect_candidates, find_outcomes
>>> from scoring.core.judging.selection import Strategy
>>> def ranked(*doc_ids):  # best first
...     return rank(
...         topics=["t1"],
...         topic_index=np.zeros(len(doc_ids), np.int32),
...         doc_ids=np.array(doc_ids),
...         retrieval_scores=-np.arange(len(doc_ids), dtype=np.float64),
...     )
>>> rankings = [ranked(b"a", b"b", b"c"), ranked(b"b", b"d")]
>>> candidates = collect_candidates(rankings, topics=["t1"])
>>> candidates.doc_ids.tolist()
[b'a', b'b', b'c', b'd']
>>> table = build_table(
...     topics=["t1"],
...     qrels_topics=["t1"],
...     topic_index=np.zeros(3, np.int32),
...     doc_ids=np.array([b"a", b"b", b"d"]),
...     grades=np.array([2, 0, 1]),
...     highest_grade=2,
... )
>>> outcomes = find_outcomes(candidates, table, rel=1)
>>> nothing = np.full(4, UNJUDGED, np.int8)  # the outcomes before the first judgment
"""
