"""Novelty and diversity: measures of rankings whose documents are judged by subtopic.

The examples of this package share a topic with two subtopics. Document a is relevant to the first,
b to both and c to none.

>>> from scoring.core.diversity.subtopics import judged_topic, labelled
>>> topic = judged_topic([("1", "a", 1), ("1", "b", 1), ("2", "b", 1), ("2", "c", 0)])
"""
