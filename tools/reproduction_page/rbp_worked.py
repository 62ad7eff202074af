"""The worked numbers of the RBP paper, in its order."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import numpy as np

from scoring.core.judging.shares import document_shares
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.means import required_depth, shown_digits
from scoring.core.statistics.pairs import all_pairs
from scoring.core.statistics.projection import attainable_rbp, documents_read
from tests.scoring.core.drawn import base, bounds, drawn
from tools.reproduction_page.rows import Exhibit, Row

EXAMPLE: Final = "$$---$----$-----$---"
BETTER: Final = "$$---$----$-----$$$$"
DOUBTFUL: Final = "$$---$----$-??--?---"
PERSISTENCES: Final = (0.5, 0.8, 0.95)
_RANKS: Final = [0, 1, 5, 10, 16]  # of the relevant documents, from 0


def exhibits() -> tuple[Exhibit, ...]:
    return (
        Exhibit("Sections 3.1 and 3.2: average precision", tuple(_average_precision())),
        Exhibit(
            "Table I: contributions to AP",
            tuple(_table_1()),
            columns="the relevant documents at ranks 1, 2, 6, 11 and 17",
        ),
        Exhibit("Table II: contributions to RBP", tuple(_table_2()), columns="p = .5, .8 and .95"),
        Exhibit("Sections 4.1 to 4.3: the user", tuple(_user())),
        Exhibit(
            "Section 4.4: bounds",
            tuple(_bounds()),
            text=f"The ranking is `{DOUBTFUL}`: `$` relevant, `-` not, `?` unjudged.",
        ),
        Exhibit("Sections 4.5 to 5: depths and pairs", tuple(_depths())),
    )


def _average_precision() -> Iterator[Row]:
    exact = float(sum((1, 1, Fraction(3, 6), Fraction(4, 11), Fraction(5, 17))) / 5)
    cut = f"The value is {exact:.5f}. Section 3.1 cuts the last digit off, section 4 rounds it."
    yield Row(f"AP of `{EXAMPLE}`, R = 5", ".6315", [base("AP", EXAMPLE)], cut)
    yield Row("the same in section 4", ".6316", [base("AP", EXAMPLE)])
    yield Row("R = 6", ".5263", [base("AP", EXAMPLE, relevant=6)])
    yield Row("R = 7", ".4511", [base("AP", EXAMPLE, relevant=7)])
    yield Row("mean over retrieved relevant documents", ".6315", [base("APret", EXAMPLE)], cut)
    yield Row(f"the same of `{BETTER}`", ".5324", [base("APret", BETTER)])
    judged = "$--$------"
    yield Row("AP of two relevant documents, ten unjudged", ".75", [base("AP", judged + "?" * 10)])
    found = [base("AP", judged + "?" * i + "$" + "?" * (9 - i)) for i in range(10)]
    yield Row("highest AP if one of the ten is relevant", ".5909", [max(found)])
    pair = [base("P@10", ranking) for ranking in ("$$$$------", "------$$$$")]
    yield Row("P@10 of `$$$$------` and of `------$$$$`", ".4 .4", pair)


def _table_1() -> Iterator[Row]:
    shares = document_shares(parse_measure("AP"), drawn(EXAMPLE))[_RANKS]
    yield Row("total", "1.8164 .8164 .3164 .1497 .0588", (shares * 5).tolist())
    yield Row("times 1/5", ".3633 .1633 .0633 .0299 .0118", shares.tolist())
    yield Row("%", "58 26 10 5 2", (100 * shares / shares.sum()).tolist())


def _table_2() -> Iterator[Row]:
    measures = [parse_measure(f"RBP(p={p})") for p in PERSISTENCES]
    shares = [document_shares(measure, drawn(EXAMPLE))[_RANKS] for measure in measures]
    weights = np.array([each / (1 - p) for each, p in zip(shares, PERSISTENCES, strict=True)])
    printed = (
        *("1.0000 1.0000 1.0000", ".5000 .8000 .9500", ".0313 .3277 .7738"),
        *(".0010 .1074 .5987", ".0000 .0281 .4401"),
    )
    for rank, text, row in zip(_RANKS, printed, weights.T.tolist(), strict=True):
        yield Row(f"document {rank + 1}", text, row)
    totals = [base(f"RBP(p={p})", EXAMPLE) / (1 - p) for p in PERSISTENCES]
    yield Row("total", "1.5322 2.2632 3.7626", totals)
    yield Row("RBP", ".7661 .4526 .1881", [base(f"RBP(p={p})", EXAMPLE) for p in PERSISTENCES])


def _user() -> Iterator[Row]:
    yield Row("documents examined, p = .5", "2", [documents_read(0.5)])
    likely = [_reached(0.95, 11), _reached(0.95, 21)]
    yield Row("share of users who read page 2, p = .95", ".60", likely[:1])
    yield Row(
        "share of users who read page 3, p = .95",
        ".35",
        likely[1:],
        "The printed digit is cut off.",
    )
    yield Row("share of users who read page 2, p = .5", ".001", [_reached(0.5, 11)])
    pair = [base(name, "$-") for name in ("RBP(p=0)", "P@1")]
    yield Row("RBP(p=0) and P@1 of `$-`", "1 1", pair)
    highest = [base("RBP(p=0.95)", "$" * 5)]
    yield Row("highest RBP(p=.95) with R = 5", "<0.23", [attainable_rbp(0.95, 5)])
    yield Row("RBP(p=.95) of `$$$$$`", "<0.23", highest)


def _reached(persistence: float, rank: int) -> float:
    """The probability that a document is examined: its weight, relative to the first."""
    return base(f"RBP(p={persistence})", "-" * (rank - 1) + "$") / (1 - persistence)


def _bounds() -> Iterator[Row]:
    for p, printed in zip(PERSISTENCES, (".7661 .7663", ".447 .489", ".17 .60"), strict=True):
        yield Row(f"lower and upper bound, p = {p:g}", printed, bounds(f"RBP(p={p})", DOUBTFUL))
    residual = bounds("RBP(p=0.8)", "-" * 20)[1]
    yield Row("residual of 20 judged documents, p = .8", ".012", [residual])
    why = (
        "Four digits need a residual below .0001, by the paper. By the same rule, two need one "
        "below .01, which is reached at depth 21."
    )
    yield Row("digits to quote with it", "2", [shown_digits(residual)], why)
    depths = [required_depth(p, 0.0001) for p in PERSISTENCES]
    yield Row("depth for four digits, p = .5, .8 and .95", "14 42 180", depths)
    yield Row("the numerator for that depth", "9.21", [-np.log(0.0001)])
    enough = max(p for p in np.arange(0.5, 1, 0.01) if required_depth(float(p), 0.0001) <= 100)
    yield Row("highest p for four digits at depth 100", ".91", [float(enough)])


def _depths() -> Iterator[Row]:
    share = base("RBP(p=0.95)", "-" * 99 + "$") / base("RBP(p=0.95)", "$")
    yield Row("weight of rank 100 relative to rank 1, p = .95, in %", "0.6", [100 * share])
    factors = [base(f"DCG(b=2)@{depth}", "$" * depth) for depth in (100, 1000)]
    yield Row("scale factors of DCG, b = 2, depths 100 and 1,000", "21.79 123.99", factors)
    why = "The two printed scale factors have this ratio, which is more than 5."
    yield Row("ratio of the two", "<5", [factors[1] / factors[0]], why)
    yield Row("pairs of 61 systems", "1,830", [len(all_pairs(61))])
