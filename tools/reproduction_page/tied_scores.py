"""The formulas of the paper on tied scores, against the mean over all orders of tied documents."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import permutations, product
from typing import Final

import numpy as np

from scoring.core.measures.names import parse_measure
from scoring.core.ties.ties import TiedTopics, expected
from tests.scoring.core.drawn import base, drawn
from tools.reproduction_page.rows import Exhibit, Paper, Row

GROUPS: Final = ("100", "0110", "01")  # tied documents, best scores first
RELEVANT: Final = 5  # one is not retrieved
LABELS: Final = ("2", "013", "20")


def paper() -> Paper:
    return Paper(
        "F. McSherry and M. Najork. Computing information retrieval performance measures "
        "efficiently in the presence of tied scores. ECIR 2008",
        (
            Exhibit(
                "Section 2: six measures of a list with ties",
                tuple(_formulas()),
                heading="mean over all orders",
                text="The paper prints formulas and no numbers. They stand for the mean over all "
                "orders of the tied documents. *Ours* is the closed form; each order is scored by "
                "itself for the other column. The list is `"
                f"{_written(GROUPS)}`, with tied documents in "
                f"parentheses and R = {RELEVANT}; for nDCG `{_written(LABELS)}` with gains "
                "2^label − 1.",
            ),
            Exhibit("Section 2.5: reciprocal rank as printed", tuple(_reciprocal_rank())),
        ),
        (
            (
                "the overhead of 25 % for RR, and of little for others",
                "measured in C# on 28,043 queries of a web collection that we do not have",
            ),
        ),
    )


def _formulas() -> Iterator[Row]:
    for name in ("P@3", "P@7", "R@3", "R@7", "F1@3", "F1@7", "AP@3", "AP@10", "RR@3", "RR@10"):
        yield _row(name, GROUPS, relevant=RELEVANT)
    for name in ("nDCG(gain=exp)@2", "nDCG(gain=exp)@5"):
        yield _row(name, LABELS, highest=3)


def _row(name: str, groups: Sequence[str], **facts: int) -> Row:
    orders = _orders(tuple(groups))
    mean = sum(base(name, order, **facts) for order in orders) / len(orders)
    return Row(f"`{name}`", f"{mean:.12f}", [_tied(name, groups, **facts)])


def _reciprocal_rank() -> Iterator[Row]:
    why = (
        "The printed sum is Σ f(j − t)/j. The probability that the first relevant document has "
        "rank j is f(j − t − 1) − f(j − t), with f(0) = 1. The mean over both orders is ours."
    )
    yield Row("RR of `(10)`, by the printed sum: f(1)/1 + f(2)/2", ".5", [_tied("RR", ["10"])], why)
    mean = sum(base("RR", order) for order in ("10", "01")) / 2
    yield Row("mean of its two orders", f"{mean:g}", [_tied("RR", ["10"])])


def _tied(name: str, groups: Sequence[str], **facts: int) -> float:
    begins = [place == 0 for group in groups for place in range(len(group))]
    topics = TiedTopics(drawn("".join(groups), **facts), np.array([begins]))
    measure = parse_measure(name)
    return float(expected([measure], topics)[measure].base[0])


@cache
def _orders(groups: tuple[str, ...]) -> tuple[str, ...]:
    """All orders, equal ones once for each exchange of equal documents."""
    inside = ([*permutations(group)] for group in groups)
    return tuple("".join("".join(part) for part in parts) for parts in product(*inside))


def _written(groups: Sequence[str]) -> str:
    return "".join(f"({group})" if len(group) > 1 else group for group in groups)
