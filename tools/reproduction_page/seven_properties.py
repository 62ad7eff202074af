"""The numbers and the table of the paper on seven numeric properties."""

from collections.abc import Iterator
from typing import Final

from scoring.core.properties.properties import PROPERTIES
from scoring.core.properties.table import PAPER, findings_of, measure_at_any_cutoff
from tests.scoring.core.drawn import base
from tools.reproduction_page.rows import Exhibit, Paper, Row

TABLE_2: Final = (  # in the order of PAPER
    *("no yes yes yes yes yes no", "no yes yes yes yes yes no", "yes no no no no no yes"),
    *("yes no no yes yes no yes", "yes no no yes yes no yes", "yes no yes no yes yes no"),
    *("yes no yes yes no no yes", "yes no yes yes yes yes no", "yes yes no no yes yes yes"),
    *("yes yes no no yes yes yes", "yes yes yes no no no no", "yes yes yes yes no no no"),
    "yes yes yes yes yes yes no",
)


def paper() -> Paper:
    return Paper(
        "A. Moffat. Seven numeric properties of effectiveness metrics. AIRS 2013",
        (
            Exhibit("Sections 2 to 4: worked numbers", tuple(_worked())),
            Exhibit(
                "Table 2: the properties of thirteen measures",
                tuple(_table_2()),
                text="Decided by a search through all binary rankings of collections of 2 to 7 "
                "documents.",
                columns=", ".join(PROPERTIES),
            ),
        ),
        (("Table 1", "it describes the variants of DCG in words and has no numbers"),),
    )


def _worked() -> Iterator[Row]:
    yield Row("DCG@5 of `11000`", "1.63", [base("DCG@5", "11000")])
    late = base("DCG@11", "00000111111")
    yield Row("DCG@11 of `00000111111` exceeds it", ">1.63", [late])
    weights = [base("DCG@5", "0" * i + "1") for i in range(5)]
    yield Row("weights of DCG at ranks 1 to 5", "1.00 .63 .50 .43 .39", weights)
    yield Row("SDCG@5 of `11000`", ".55", [base("SDCG@5", "11000")])
    thousand = [base("DCG@1000", "1" * 1000)]
    yield Row("DCG@1000 of 1,000 relevant documents", ">123.0", thousand)
    yield Row("SNDCG@5 of `10100`", ".92", [base("SNDCG@5", "10100")])
    parts = [base("DCG@5", "10101"), base("DCG@3", "111")]
    yield Row("DCG@5 of `10101`, and of the best order of the same documents", "1.89 2.13", parts)
    why = "The printed digit is cut off: the quotient is .8855."
    yield Row("SNDCG@5 of `10101`", ".88", [base("SNDCG@5", "10101")], why)
    text = (
        "The text divides SDCG@k. Its example, and Table 1, divide DCG@k: only this gives .92, and "
        "we follow it."
    )
    best = base("DCG@2", "11")
    yield Row("SDCG@5 of `10100` over the best DCG", ".92", [base("SDCG@5", "10100") / best], text)
    names = ("P", "SDCG", "nDCG")
    full = [base(f"{name}@5", "11111", relevant=6) for name in names]
    yield Row("P, SDCG, nDCG @5 of `11111`, R = 6", "1.0 1.0 1.0", full)
    longer = [base(f"{name}@6", "111110", relevant=6) for name in names]
    yield Row("P, SDCG, nDCG @6 of `111110`, R = 6", ".83 .89 .89", longer)
    pair = [base("SNAP@5", ranking) for ranking in ("10000", "10001")]
    yield Row("SNAP@5 of `10000` and `10001`", "1.0 .7", pair)
    equal = [base("RR@5", "01000") - base("RR@5", "01100")]
    yield Row("difference of RR@5 of `01000` and `01100`", "0", equal)
    equal = [base("RR@5", "10001") - base("RR@5", "11000")]
    yield Row("difference of RR@5 of `10001` and `11000`", "0", equal)


def _table_2() -> Iterator[Row]:
    rows = []
    for name, printed in zip(PAPER, TABLE_2, strict=True):
        found = findings_of(measure_at_any_cutoff(name))
        rows.append(["yes" if found[each].holds else "no" for each in PROPERTIES])
        yield Row(f"`{name}`", printed, rows[-1])
    yield Row("different combinations", "10", [len({tuple(row) for row in rows})])
    most = max(row.count("yes") for row in rows)
    yield Row("most properties of one measure", "6", [most])
