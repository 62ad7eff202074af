"""What the matrices of TREC-5's scores allow of the RBP paper: rows of Tables III and IV."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from scoring.core.statistics.agreement import kendall_tau
from scoring.core.statistics.pairs import all_pairs, compare
from scoring.core.statistics.signed_ranks import wilcoxon
from scoring.core.statistics.significance import count_significant, paired_t
from tools.reproduction_page.rows import Exhibit, Row

TABLE_4: Final = {  # Wilcoxon at 95 % and 99 %, t at 95 % and 99 %
    "RR": ("1020 759", "1000 752"),
    "P@10": ("1141 897", "1150 915"),
    "AP": ("1259 1077", "1164 969"),
}
LEVELS: Final = (0.05, 0.01)

_AS_FLOATS: Final = (
    "We treat differences as equal if they are equal to 12 decimals, so that equal differences "
    "share a rank. The printed counts result if floating-point numbers are compared as they are: "
    "then .3 − .1 and .2 − 0 are different, and their ranks are arbitrary. The next table shows "
    "this."
)
_TIES: Final = (
    "Many runs have equal means by P@10, and the matrices have four decimals. Depending on how "
    "ties count and how many digits of a mean do, we get .840 to .847, but not exactly .846."
)
_DEPTH: Final = (
    "The printed value has RR from a pool of depth 10. The matrix has RR from one of depth 100."
)


def read_matrices(folder: Path) -> dict[str, NDArray[np.float64]]:
    """float64[runs, topics] by measure."""
    files = {"RR": "rr", "P@10": "p10", "AP": "ap"}
    return {
        name: np.loadtxt(folder / f"adhoc5_{file}.csv", delimiter=",", skiprows=1).T.copy()
        for name, file in files.items()
    }


def exhibits(scores: dict[str, NDArray[np.float64]]) -> tuple[Exhibit, ...]:
    return (
        Exhibit(
            "Table III, TREC-5: Kendall's τ of the orders of 61 runs",
            tuple(_agreement(scores)),
            text="The values of three of the eight rows can be computed from the matrices.",
        ),
        Exhibit(
            "Table IV, TREC-5: pairs of runs that differ significantly, of 1,830",
            tuple(_significance(scores)),
            columns="at 95 % and 99 %",
        ),
        Exhibit(
            "Table IV, TREC-5: floating-point differences ranked as they are",
            tuple(_as_floats(scores)),
            text="By `scipy.stats.wilcoxon`, with continuity correction and without rounding.",
            columns="at 95 % and 99 %",
            again=True,
        ),
    )


def _agreement(scores: dict[str, NDArray[np.float64]]) -> Iterator[Row]:
    tau = kendall_tau(np.array([scores[name].mean(axis=1) for name in ("RR", "P@10", "AP")]))
    yield Row("P@10 and RR", ".839", [float(tau[1, 0])])
    yield Row("P@10 and AP", ".846", [float(tau[1, 2])], _TIES)
    yield Row("RR and P@10", ".841", [float(tau[0, 1])], _DEPTH)
    yield Row("RR and AP", ".733", [float(tau[0, 2])], _DEPTH)


def _significance(scores: dict[str, NDArray[np.float64]]) -> Iterator[Row]:
    pairs = all_pairs(len(scores["AP"]))
    for name, (by_ranks, by_t) in TABLE_4.items():
        for test_name, test, printed in (("Wilcoxon", wilcoxon, by_ranks), ("t", paired_t, by_t)):
            p_values = compare(test, pairs, scores[name]).p_values
            row = Row(f"{name}, {test_name}", printed, counts(p_values))
            yield row if all(row.same) else Row(row.what, printed, row.ours, _AS_FLOATS)


def _as_floats(scores: dict[str, NDArray[np.float64]]) -> Iterator[Row]:
    """The test of scipy, which ranks differences as they are."""
    pairs = all_pairs(len(scores["AP"]))
    for name in TABLE_4:
        differences = scores[name][pairs.candidates] - scores[name][pairs.baselines]
        found = stats.wilcoxon(differences, axis=1, correction=True, method="asymptotic")
        p_values = np.asarray(found.pvalue, np.float64)
        yield Row(f"{name}, Wilcoxon", TABLE_4[name][0], counts(p_values))


def counts(p_values: NDArray[np.float64]) -> list[int]:
    return [count_significant(p_values, level) for level in LEVELS]
