"""Stored scores, topic by topic, for pages, tables and the API."""

import numpy as np

from scoring.core.data.artefacts import pack_vector
from scoring.evaluation.storage import values_by_topic


def test_what_is_not_defined_and_what_came_later_is_none():
    packed = pack_vector(np.array([0.5, np.nan, 0.0]))
    assert values_by_topic(packed, 3) == [0.5, None, 0.0]
    assert values_by_topic(memoryview(packed), 5) == [0.5, None, 0.0, None, None]
    assert values_by_topic(packed, 1) == [0.5]


def test_nothing_is_stored_of_a_measure_without_residual():
    assert values_by_topic(None, 2) == [None, None]
