"""Scores estimated from a random sample of the documents.

The examples of this package share the candidates a, b, c, d and e of two runs for topic t1, and the
design of a sample of two of them. All have the same size, and so each has the probability 2/5.

>>> import numpy as np
>>> from scoring.core.data.ranking import rank
>>> from scoring.core.judging.candidates import collect_candidates
>>> from scoring.core.sampling.design import design_sample
>>> def ranked(*doc_ids):  # best first
...     return rank(
...         topics=["t1"],
...         topic_index=np.zeros(len(doc_ids), np.int32),
...         doc_ids=np.array(doc_ids),
...         retrieval_scores=-np.arange(len(doc_ids), dtype=np.float64),
...     )
>>> rankings = [ranked(b"a", b"b", b"c", b"d", b"e"), ranked(b"b", b"a")]
>>> candidates = collect_candidates(rankings, topics=["t1"])
>>> design = design_sample(candidates, np.ones(5), budget=2)
"""
