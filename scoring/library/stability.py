"""Whether other topics would give the same leaderboard: `trackside.stability` and `swaps`."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from scoring.core.statistics.limits import MOST_SPLITS
from scoring.core.statistics.split_halves import (
    BINS,
    SplitHalves,
    bin_width,
    half_sizes,
    split_halves,
    unknown_halves,
    why_no_halves,
)
from scoring.library.bad_input import BadArgument, BadInput
from scoring.library.comparing import matrix_of
from scoring.library.evaluation import (
    NoRelevant,
    measure_texts,
    names_of,
    scored_runs,
    scoring_rules,
)
from scoring.library.scoring_options import as_lines
from scoring.library.significance import ComparedRuns, compared_runs, tested_measure
from scoring.library.sources import Path, QrelsSource, RunSources
from scoring.library.table import Table


@dataclass(frozen=True)
class Splits:
    """How topics are split."""

    splits: int = 500
    seed: int = 1

    def refuse_bad(self) -> None:
        """Raises BadInput."""
        faults = []
        if not 1 <= self.splits <= MOST_SPLITS:
            why = f"is not a whole number from 1 to {MOST_SPLITS:,}"
            faults.append(("splits", f"{self.splits} {why}"))
        if self.seed < 0:
            faults.append(("seed", "it must not be negative"))
        if faults:
            raise BadArgument(faults)


def stability(
    qrels: QrelsSource,
    runs: RunSources,
    measure: str,
    *,
    splits: int = 500,
    seed: int = 1,
    rel: int = 1,
    ties: Literal["docno", "expected"] = "docno",
    no_relevant: NoRelevant = "zero",
    gain_map: Mapping[int, float] | None = None,
) -> Table:
    """How well leaderboards of disjoint halves of the topics agree, as `trackside stability`
    computes it.

    One row for each number of topics: `topics` in either half, the mean Kendall's τ-b of the two
    boards over all splits, `tau`, and its range, `tau_lowest` to `tau_highest`. They are NaN where
    more than half of the splits have a half that ranks all runs equally, with fewer than ten
    topics, and if any two runs differ by the same on all topics. A warning says so. Raises
    BadInput.

    >>> qrels = {str(topic): {"a": 1} for topic in range(10)}
    >>> good = {str(topic): {"a": 2.0, "b": 1.0} for topic in range(10)}
    >>> poor = {str(topic): {"c": 2.0, "b": topic % 2, "a": 0.5} for topic in range(10)}
    >>> stability(qrels, {"good": good, "poor": poor}, "RR", splits=10)
    topics  tau     tau_lowest  tau_highest
    1       1.0000  1.0000      1.0000
    2       1.0000  1.0000      1.0000
    3       1.0000  1.0000      1.0000
    4       1.0000  1.0000      1.0000
    5       1.0000  1.0000      1.0000
    """
    board = _board(qrels, runs, measure, rel, ties, no_relevant, gain_map)
    return _stability(board, Splits(splits, seed))


def stability_of_scores(
    scores: Path | Mapping[str, Sequence[float]] | Any, *, splits: int = 500, seed: int = 1
) -> Table:
    """The same for scores that are there: `{run: [score of each topic]}`, a data frame with a
    column for each run, or the path of a CSV. NaN is a topic without a score.

    >>> scores = {"a": [0.2, 0.4, 0.9, 0.3, 0.5] * 2, "b": [0.1, 0.3, 0.8, 0.1, 0.3] * 2}
    >>> stability_of_scores(scores, splits=5)["tau"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    return _stability(matrix_of(scores), Splits(splits, seed))


def swaps(
    qrels: QrelsSource,
    runs: RunSources,
    measure: str,
    *,
    splits: int = 500,
    seed: int = 1,
    rel: int = 1,
    ties: Literal["docno", "expected"] = "docno",
    no_relevant: NoRelevant = "zero",
    gain_map: Mapping[int, float] | None = None,
) -> Table:
    """How often two halves of the topics disagree on which of two runs is better, by the difference
    on the first half (Voorhees and Buckley, SIGIR 2002), as `trackside stability --swaps` computes.

    One row for each number of topics and each step of differences: `topics, difference_from,
    difference_to, swaps, pairs, swap_rate`. Steps without a pair are left out. With fewer than ten
    topics, and if any two runs differ by the same on all topics, the numbers are NaN, and a warning
    says so. Raises BadInput.

    >>> qrels = {str(topic): {"a": 1} for topic in range(10)}
    >>> good = {str(topic): {"a": 2.0, "b": 1.0} for topic in range(10)}
    >>> poor = {str(topic): {"c": 2.0, "b": topic % 2, "a": 0.5} for topic in range(10)}
    >>> swaps(qrels, {"good": good, "poor": poor}, "RR", splits=10)
    topics  difference_from  difference_to  swaps  pairs  swap_rate
    1       0.2000           –              0      10     0.0000
    2       0.2000           –              0      10     0.0000
    3       0.2000           –              0      10     0.0000
    4       0.2000           –              0      10     0.0000
    5       0.2000           –              0      10     0.0000
    """
    board = _board(qrels, runs, measure, rel, ties, no_relevant, gain_map)
    return _swaps(board, Splits(splits, seed))


def swaps_of_scores(
    scores: Path | Mapping[str, Sequence[float]] | Any, *, splits: int = 500, seed: int = 1
) -> Table:
    """The same for scores that are there, as for `stability_of_scores`.

    >>> scores = {"a": [0.5] * 10, "b": [0.4] * 5 + [0.6] * 5}
    >>> table = swaps_of_scores(scores, splits=100)
    >>> [row.swap_rate for row in table.where(topics=5)]  # what one half gains, the other loses
    [1.0, 1.0, 1.0]
    """
    return _swaps(matrix_of(scores), Splits(splits, seed))


def halves_of(board: ComparedRuns, how: Splits) -> tuple[SplitHalves, str]:
    """And a sentence that says what is unknown, and why; empty if nothing is. Raises BadInput for
    less than two runs or topics."""
    how.refuse_bad()
    runs, topics = board.base.shape if board.base.ndim == 2 else (len(board.names), 0)
    if runs < 2 or topics < 2:
        raise BadInput([f"two runs and two topics or more are needed, not {runs} and {topics}"])
    # As the scores are, where lower is better: the step of differences follows their scale.
    width = bin_width(board.sign * board.base)
    sizes = half_sizes(topics)
    if why := why_no_halves(board.base):
        return unknown_halves(sizes, width), f"the agreement of halves is unknown. {why}"
    found = split_halves(board.base, sizes=sizes, splits=how.splits, seed=how.seed, width=width)
    return found, ""


def without_tau(found: SplitHalves) -> str:
    """A sentence that says why τ is not defined for some numbers of topics; empty if it is."""
    sizes = [str(size) for size in found.sizes[np.isnan(found.mean)].tolist()]
    if not sizes:
        return ""
    return (
        f"tau is not defined for {', '.join(sizes)} topics in each half: in most splits, one half "
        "ranks all runs equally."
    )


def _stability(board: ComparedRuns, how: Splits) -> Table:
    found, note = halves_of(board, how)
    if note := note or without_tau(found):
        warnings.warn(note, stacklevel=3)
    return stability_table(found)


def _swaps(board: ComparedRuns, how: Splits) -> Table:
    found, note = halves_of(board, how)
    if note:
        warnings.warn(note, stacklevel=3)
    return swaps_table(found)


def stability_table(found: SplitHalves) -> Table:
    """One row for each size."""
    return Table(
        {
            "topics": found.sizes,
            "tau": found.mean,
            "tau_lowest": found.lowest,
            "tau_highest": found.highest,
        }
    )


def swaps_table(found: SplitHalves) -> Table:
    """One row for each size and bin that has a pair; the last bin has no end. Without any pair, one
    row for each size."""
    if not found.pairs.any():
        names = ("difference_from", "difference_to", "swaps", "pairs", "swap_rate")
        return Table(
            {"topics": found.sizes} | dict.fromkeys(names, np.full(len(found.sizes), np.nan))
        )
    sizes, bins = np.nonzero(found.pairs)
    swapped, pairs = found.swaps[sizes, bins], found.pairs[sizes, bins]
    return Table(
        {
            "topics": found.sizes[sizes],
            # Else 3 × 0.1 would be 0.30000000000000004.
            "difference_from": np.round(bins * found.width, 12),
            "difference_to": np.where(
                bins == BINS - 1, np.nan, np.round((bins + 1) * found.width, 12)
            ),
            "swaps": swapped,
            "pairs": pairs,
            "swap_rate": swapped / pairs,
        }
    )


def _board(
    qrels: QrelsSource,
    runs: RunSources,
    measure: str,
    rel: int,
    ties: Literal["docno", "expected"],
    no_relevant: NoRelevant,
    gain_map: Mapping[int, float] | None,
) -> ComparedRuns:
    asked = tested_measure(measure_texts(measure), rel=rel, called="measure")
    rules = scoring_rules(
        qrels, as_lines([asked]), rel=rel, ties=ties, no_relevant=no_relevant, gain_map=gain_map
    )
    scored = scored_runs(runs, rules)
    return compared_runs(names_of(scored), scored, asked)
