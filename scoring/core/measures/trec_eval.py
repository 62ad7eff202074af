"""What trec_eval 10 prints under `-m all_trec`, in its order; and its relstring.

Left out are `rbp`, which reads uninitialised memory, and `rbp_resid`, which drops the tail p^d
where all retrieved documents are judged: their names mean nothing here.
"""

from typing import Final

from scoring.core.data.grades import PAST_END, UNJUDGED
from scoring.core.measures.arrays import GradedTopics

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


def relevance_strings(graded: GradedTopics, length: int = 10) -> tuple[str, ...]:
    """trec_eval's relstring of each topic: the grade of each of the first documents, > above 9,
    - for one that is not in the qrels, and . for one that they name without judging it.

    >>> relevance_strings(graded)
    ('10-1', '0-')
    """
    return tuple(
        "".join(_sign(graded, row, rank) for rank in range(min(length, int(documents))))
        for row, documents in enumerate(graded.lengths)
    )


def relstring_line(topic: str, signs: str, label: str = RELSTRING) -> str:
    """The line of one topic's relevance string.

    >>> relstring_line("t1", "10-1").split()
    ['relstring', 't1', "'10-1'"]
    """
    return f"{label:<22}\t{topic}\t'{signs}'"


def _sign(graded: GradedTopics, row: int, rank: int) -> str:
    grade = int(graded.grades[row, rank])
    if grade in (UNJUDGED, PAST_END):
        in_pool = graded.pooled is not None and bool(graded.pooled[row, rank])
        return "." if in_pool else "-"
    return str(grade) if grade <= 9 else ">"
