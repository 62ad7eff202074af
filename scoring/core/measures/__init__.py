"""Measures of effectiveness: their names, their families, and the scores of graded rankings.

The examples of this package share the ranking of one run for two topics. For the first it has a
relevant document, one that is not, an unjudged and a relevant one, and the qrels have three
documents that are relevant and three that are not. For the second it has one document that is not
relevant and an unjudged one, and the qrels have one more, which is relevant.

>>> import numpy as np
>>> from scoring.core.measures.arrays import GradedTopics, default_gain_map
>>> from scoring.core.measures.catalogue import family_of
>>> from scoring.core.measures.names import parse_measure
>>> from scoring.core.measures.workings import Workings
>>> grades = np.array([[1, 0, -1, 1], [0, -1, -128, -128]], np.int8)  # UNJUDGED and PAST_END
>>> graded = GradedTopics(grades, np.array([[3, 3], [1, 1]]), default_gain_map(1))
>>> workings = Workings(graded)
>>> def arguments(name):
...     measure = parse_measure(name)
...     return family_of(measure).arguments(measure)
"""
