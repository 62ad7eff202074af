"""The numbers of the lecture on evaluation measures."""

from collections.abc import Iterator
from typing import Any, Final

from tests.scoring.core.drawn import base
from tools.reproduction_page.rows import Exhibit, Paper, Row

EXAMPLE: Final = "3012000200"  # highly, not, partially, fairly relevant, ...
TOPIC: Final[dict[str, Any]] = {"highest": 3, "per_grade": (100, 3, 3, 2)}
RUN_1, RUN_2 = "0110100110", "1001001011"  # five relevant documents in the collection
_CUT: Final = "The slides cut digits off and do not round."


def paper() -> Paper:
    return Paper(
        "N. Ferro. Evaluation measures. University of Padua, 2023/2024",
        (
            Exhibit(
                "The run of ten documents",
                tuple(_example()),
                text="Grades `3 0 1 2 0 0 0 2 0 0`. Eight documents are relevant: two of grade 3, "
                "three of grade 2, three of grade 1.",
            ),
            Exhibit("Precision and recall at ranks 1 to 10", tuple(_curves())),
            Exhibit("Interpolated precision and the area", tuple(_area())),
            Exhibit(
                "What trec_eval prints of topic 601",
                tuple(_trec_eval()),
                text="The slides show the first ten documents and the number of relevant ones by "
                "ranks 5 to 1,000, which is enough for these measures.",
            ),
        ),
        (
            (
                "MAP, bpref, infAP and nDCG of topic 601, other recall levels",
                "they depend on ranks "
                "that the slides do not show, of a run of CLEF 2009 that we do not have",
            ),
            ("the average speeds of a journey", "they illustrate means, and contain no measure"),
        ),
    )


def _example() -> Iterator[Row]:
    def scores(*names: str) -> list[float]:
        return [base(name, EXAMPLE, **TOPIC) for name in names]

    yield Row("set-based P, R and F", ".40 .50 .44", scores("SetP", "SetR", "SetF"))
    yield Row("P@5, R@5, Rprec", ".600 .375 .500", scores("P@5", "R@5", "Rprec"))
    yield Row("AP = 35/96", ".36", scores("AP"))
    yield Row("DCG, b = 2", "5.2976", scores("DCG(b=2)@10"))
    yield Row("ideal DCG", "10.1996", [base("DCG(b=2)@10", "3322211100", **TOPIC)])
    yield Row("nDCG", ".5194", scores("nDCG(b=2)@10"))
    yield Row("RBP, p = .8", ".4723", scores("RBP(p=0.8)"))
    why = "trec_eval divides by log2(i + 1), even at the first ranks."
    yield Row("nDCG of trec_eval, which the slides say uses b = 2", ".5194", scores("nDCG@10"), why)


def _curves() -> Iterator[Row]:
    ranks = range(1, 11)
    for name, run, precisions, recalls in (
        (
            *("run 1", RUN_1, "0.00 .50 .66 .50 .60 .50 .42 .50 .55 .50"),
            ".00 .20 .40 .40 .60 .60 .60 .80 1.00 1.00",
        ),
        (
            *("run 2", RUN_2, "1.00 .50 .33 .50 .40 .33 .42 .37 .44 .50"),
            ".20 .20 .20 .40 .40 .40 .60 .60 .80 1.00",
        ),
    ):
        yield Row(f"P, {name}", precisions, [base(f"P@{rank}", run) for rank in ranks], _CUT)
        yield Row(f"R, {name}", recalls, [base(f"R@{rank}", run) for rank in ranks])


def _area() -> Iterator[Row]:
    levels = [base(f"IPrec@{level}", RUN_1) for level in (0.2, 0.4, 0.6, 0.8, 1)]
    yield Row(
        "interpolated P of run 1 at R = .2, .4, .6, .8, 1", ".66 .66 .60 .55 .55", levels, _CUT
    )
    yield Row("interpolated P of run 2 at R = .2", "1.00", [base("IPrec@0.2", RUN_2)])
    rounded = 0.2 * (0.50 + 0.66 + 0.60 + 0.50 + 0.55)
    why = (
        "The slide adds up precisions of two digits: .2 (.50 + .66 + .60 + .50 + .55) = "
        f"{rounded:.4f}."
    )
    yield Row("area under the curve of run 1", ".5620", [base("AUC", RUN_1)], why)
    same = "yes" if base("AUC", RUN_1) == base("AP", RUN_1) else "no"
    yield Row("the area equals AP", "yes", [same])


def _trec_eval() -> Iterator[Row]:
    ranking = _topic_601()
    ranks = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    for what, names, printed in (
        ("P, R, AP, F of the set", "SetP SetR SetAP SetF", ".0670 .7528 .0504 .1230"),
        ("relative P, utility", "set_relative_P utility", ".7528 -866.0"),
        ("retrieved, relevant, both", "NumRet NumRel NumRelRet", "1000 89 67"),
        ("RR, Rprec, AP@5", "RR Rprec AP@5", "1.0000 .2360 .0225"),
        ("Rprec at .2 R and .4 R", "Rprec(mult=0.2) Rprec(mult=0.4)", ".4444 .3056"),
        ("interpolated P at 0, .1, .8", "IPrec@0 IPrec@0.1 IPrec@0.8", "1.0000 .4737 .0000"),
        ("nDCG@5, nDCG@10", "nDCG@5 nDCG@10", ".5531 .4323"),
        (
            "P at 5, 10, 15, 20, 30, 100, 200, 500, 1,000",
            " ".join(f"P@{k}" for k in ranks),
            ".4000 .3000 .4000 .4500 .3667 .2300 .1950 .1200 .0670",
        ),
        (
            "R at the same ranks",
            " ".join(f"R@{k}" for k in ranks),
            ".0225 .0337 .0674 .1011 .1236 .2584 .4382 .6742 .7528",
        ),
    ):
        yield Row(what, printed, [base(name, ranking, relevant=89) for name in names.split()])


def _topic_601() -> str:
    """A ranking with what the slides show of it: ten documents, and relevant ones by rank."""
    ranking, seen = "1100001000", 3
    by_rank = ((15, 6), (18, 8), (19, 9), (30, 11), (36, 11), (89, 21), (100, 23))
    for rank, found in (*by_rank, (200, 39), (500, 60), (1000, 67)):
        ranking += ("1" * (found - seen)).rjust(rank - len(ranking), "0")
        seen = found
    return ranking
