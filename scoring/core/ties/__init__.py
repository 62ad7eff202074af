"""Scores of runs whose retrieval scores tie.

The examples of this package share a run with one topic. Its two documents have the same score, and
the first one by id is relevant.

>>> import numpy as np
>>> from scoring.core.measures.arrays import GradedTopics, default_gain_map
>>> from scoring.core.measures.names import parse_measure
>>> from scoring.core.ties.groups import TiedTopics
>>> graded = GradedTopics(np.array([[1, 0]], np.int8), np.array([[1, 1]]), default_gain_map(1))
>>> tied = TiedTopics(graded, np.array([[True, False]]))
"""
