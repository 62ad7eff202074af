"""A score as trec_eval prints it: name, tab, topic, tab, value."""

import math
from collections.abc import Sequence

from scoring.core.measures.aliases import to_trec_eval
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import rel_of

ALL = "all"  # the topic of what holds over all topics


def score_line(label: str, measure: Measure, topic: str, *values: float) -> str:
    """One line; more than one value are the score and its bounds. NaN is not defined.

    >>> from scoring.core.measures.names import parse_measure
    >>> score_line("map", parse_measure("AP"), "all", 0.25).split()
    ['map', 'all', '0.2500']
    """
    # Counts are printed as whole numbers.
    digits = 0 if family_of(measure).summary == "sum" else 4
    shown = "\t".join("–" if math.isnan(value) else f"{value:.{digits}f}" for value in values)
    return f"{label:<22}\t{topic}\t{shown}"


def tag_line(tag: str, label: str = "runid") -> str:
    """The run's own name, which trec_eval prints first.

    >>> tag_line("bm25").split()
    ['runid', 'all', 'bm25']
    """
    return f"{label:<22}\t{ALL}\t{tag}"


def has_topic_lines(measure: Measure) -> bool:
    """Whether the measure says something of a single topic.

    >>> from scoring.core.measures.names import parse_measure
    >>> [has_topic_lines(parse_measure(name)) for name in ("AP", "GMAP", "NumRel", "NumQ")]
    [True, False, True, False]
    """
    return measure.family != "NumQ" and family_of(measure).summary != "geometric"


def label_of(measure: Measure, rel: int) -> str:
    """trec_eval's name, where it has the measure and `rel` is its option -l; else our own.

    >>> from scoring.core.measures.names import parse_measure
    >>> label_of(parse_measure("AP"), 1), label_of(parse_measure("AP(rel=2)"), 2)
    ('map', 'map')
    >>> label_of(parse_measure("AP(rel=2)"), 1)
    'AP(rel=2)'
    """
    own = str(measure)
    return to_trec_eval(measure) or own if rel_of(measure) in (None, rel) else own


def in_order_of_bytes(topics: Sequence[str]) -> list[int]:
    """The positions of the topics in trec_eval's order.

    >>> in_order_of_bytes(["2", "10", "1"])
    [2, 1, 0]
    """
    return sorted(range(len(topics)), key=lambda position: topics[position].encode())
