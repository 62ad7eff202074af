"""What trec_eval 10 prints under `-m all_trec`, in its order and its format.

Left out are `rbp` and `rbp_resid`, which read uninitialised memory and forget the tail
(measures.md section 8): their names mean nothing here.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.grades import PAST_END, UNJUDGED
from scoring.core.means import mean_scores
from scoring.core.measures.aliases import to_trec_eval
from scoring.core.measures.arrays import GradedTopics, Scores
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure

RELSTRING: Final = "relstring"  # no measure: one sign per document
_CUTS: Final = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS: Final = tuple(f"{tenth / 10:.2f}" for tenth in range(11))
_FIFTHS: Final = tuple(f"{fifth / 5:.2f}" for fifth in range(1, 11))

ALL_TREC: Final[tuple[str, ...]] = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    "recip_rank",
    *(f"iprec_at_recall_{level}" for level in _TENTHS),
    *(f"P_{cut}" for cut in _CUTS),
    RELSTRING,
    *(f"recall_{cut}" for cut in _CUTS),
    *("infAP", "gm_bpref"),
    *(f"Rprec_mult_{multiple}" for multiple in _FIFTHS),
    *("utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg"),
    *(f"ndcg_cut_{cut}" for cut in _CUTS),
    *(f"map_cut_{cut}" for cut in _CUTS),
    *(f"relative_P_{cut}" for cut in _CUTS),
    *(f"success_{cut}" for cut in (1, 5, 10)),
    *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
    *(f"unj_{cut}" for cut in (5, 10, 20)),
)


def all_trec_measures(*, rel: int = 1) -> dict[str, Measure]:
    """The measures of `-m all_trec -l rel` by trec_eval's names, in its order. Two names may mean
    one measure (Rprec and Rprec_mult_1.00)."""
    names = (name for name in ALL_TREC if name != RELSTRING)
    return {name: parse_measure(name, default_rel=rel) for name in names}


def names_for_trec_eval(measures: Sequence[Measure]) -> dict[str, Measure]:
    """The measures by trec_eval's name where it has one, else by their own."""
    return {to_trec_eval(measure) or str(measure): measure for measure in measures}


def relevance_strings(graded: GradedTopics, length: int = 10) -> tuple[str, ...]:
    """trec_eval's relstring of each topic: the grade of each of the first documents, > above 9,
    - for one that is not in the qrels, and . for one that they name without judging it."""
    return tuple(
        "".join(_sign(graded, row, rank) for rank in range(min(length, int(documents))))
        for row, documents in enumerate(graded.lengths)
    )


def topic_lines(
    topic: str, row: int, measures: Mapping[str, Measure], scores: Mapping[Measure, Scores]
) -> Iterator[str]:
    """One topic as `trec_eval -q` prints it; what only exists over all topics is left out."""
    for name, measure in measures.items():
        summary = family_of(measure).summary
        if summary != "geometric" and measure.family != "NumQ":
            value = float(scores[measure].base[row])
            yield _line(name, topic, value, is_count=summary == "sum")


def summary_lines(
    measures: Mapping[str, Measure],
    scores: Mapping[Measure, Scores],
    included: NDArray[np.bool_],
) -> Iterator[str]:
    """All topics as trec_eval prints them: counts summed, else the mean or geometric mean."""
    for name, measure in measures.items():
        summary = family_of(measure).summary
        value = mean_scores(scores[measure], included, summary).base
        yield _line(name, "all", value, is_count=summary == "sum")


def relstring_line(topic: str, signs: str) -> str:
    """The line of one topic's relevance string."""
    return f"{RELSTRING:<22}\t{topic}\t'{signs}'"


def _line(name: str, topic: str, value: float, *, is_count: bool) -> str:
    text = "–" if math.isnan(value) else f"{value:.0f}" if is_count else f"{value:.4f}"
    return f"{name:<22}\t{topic}\t{text}"


def _sign(graded: GradedTopics, row: int, rank: int) -> str:
    grade = int(graded.grades[row, rank])
    if grade in (UNJUDGED, PAST_END):
        in_pool = graded.pooled is not None and bool(graded.pooled[row, rank])
        return "." if in_pool else "-"
    return str(grade) if grade <= 9 else ">"
