"""`trackside significance`: tests all pairs of runs for significant differences."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.cli.arguments import says_how_to_score
from scoring.cli.bad_input import BadInput
from scoring.cli.many_runs import for_all_runs
from scoring.cli.measure_lines import single_measures
from scoring.cli.opening import read_file, run_names
from scoring.cli.score_matrix import read_matrix
from scoring.cli.scored_runs import score_files
from scoring.cli.scoring_options import as_lines, scoring_options
from scoring.cli.tables import Cell, print_csv
from scoring.core.data.trec_eval_lines import has_topic_lines
from scoring.core.measures.arrays import Scores
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.corrections import correct, randomised_tukey_hsd
from scoring.core.statistics.pairs import METHODS, Outcomes, Pairs, PairTest, all_pairs, compare
from scoring.core.statistics.projection import projections, upper_bounds
from scoring.core.statistics.signed_ranks import wilcoxon
from scoring.core.statistics.significance import (
    compare_winners,
    count_significant,
    paired_t,
    sign_flip,
)

COLUMNS: Final = ("a", "b", "difference", "p", "p_corrected", "method")
_CORRECTIONS: Final = {"none": "none", "holm": "holm", "bh": "benjamini-hochberg"}
_BY_TOPIC: Final = {"GMAP": "AP", "gm_bpref": "bpref"}  # what geometric means are taken of


@dataclass(frozen=True, eq=False)
class _Board:
    """Scores of runs; `sign` is -1 where lower scores are better (they are negated)."""

    names: list[str]
    base: NDArray[np.float64]  # float64[runs, topics], NaN for topics that are left out
    residual: NDArray[np.float64] | None = None
    sign: float = 1.0


def run(options: argparse.Namespace) -> int:
    _check(options)
    board = _best(_read(options), options.top)
    if len(board.names) < 2:
        raise BadInput(["two runs or more can be compared"])
    pairs, others, found = _tested(board, options)
    corrected = _corrected(board, pairs, found, options)
    for caution in _cautions(board, pairs, others, corrected, options):
        sys.stderr.write(f"note: {caution}\n")
    if options.count:
        print(count_significant(corrected, options.alpha), len(pairs))
    else:
        print_csv(COLUMNS, _rows(board, pairs, others, found, corrected))
    return 0


def _check(options: argparse.Namespace) -> None:
    faults = []
    if options.scores and (options.qrels or options.measures):
        faults.append("--scores stands in place of QRELS, RUN and -m")
    if options.scores and says_how_to_score(options):
        faults.append("--scores: scores are given; leave out -l, -M, --ties and the like")
    if not options.scores and not (options.runs and options.measures):
        faults.append("needed are QRELS, RUN... and -m, or --scores MATRIX.csv")
    if options.scores and options.against != "base":
        faults.append(f"--against {options.against}: a matrix of scores has no residuals")
    if options.correction == "tukey" and (options.tail == "one" or options.against != "base"):
        faults.append("--correction tukey is two-tailed, and against base")
    if options.seed < 0:
        faults.append("--seed must not be negative")
    if faults:
        raise BadInput(faults)


def _read(options: argparse.Namespace) -> _Board:
    if options.scores:
        names, base = read_file(options.scores, read_matrix)
        return _Board(list(names), base)
    measure = _measure(options)
    rules = scoring_options(options, as_lines([measure]), options.qrels)
    runs = for_all_runs(partial(score_files, rules=rules), options.runs, workers=options.workers)
    scores = [each.found[0].scores for each in runs]
    residuals = [each.residual for each in scores if each.residual is not None]
    if options.against != "base" and not residuals:
        raise BadInput([f"--against {options.against}: {measure} has no residual"])
    sign = sign_of(measure)
    return _Board(
        run_names([each.tag for each in runs], [each.path for each in runs]),
        sign * np.array([each.base for each in scores]),
        np.array(residuals) if residuals else None,
        sign,
    )


def _measure(options: argparse.Namespace) -> Measure:
    """The one that is tested. Raises BadInput for several, and for one without scores by topic."""
    measures = single_measures(options.measures, rel=options.rel)
    if len(measures) != 1:
        named = ", ".join(map(str, measures))
        raise BadInput([f"-m: one measure is tested at a time, here are {len(measures)}: {named}"])
    if not has_topic_lines(measures[0]):
        why = "it is one number over all topics, and tests compare topic by topic"
        instead = _BY_TOPIC.get(measures[0].family)
        raise BadInput([f"-m {measures[0]}: {why}" + (f"; take {instead}" if instead else "")])
    return measures[0]


def _best(board: _Board, count: int | None) -> _Board:
    """The runs with the highest means, in the order in which they came."""
    if count is None or count >= len(board.names):
        return board
    known = ~np.isnan(board.base)
    means = np.where(known, board.base, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    kept = np.sort(np.argsort(-np.round(means, 12), kind="stable")[:count])
    residual = None if board.residual is None else board.residual[kept]
    return _Board([board.names[at] for at in kept], board.base[kept], residual, board.sign)


def _tested(
    board: _Board, options: argparse.Namespace
) -> tuple[Pairs, NDArray[np.float64], Outcomes]:
    """The pairs, what stands against the candidates, and what the test says."""
    test = _test(options)
    others: NDArray[np.float64] | None = board.base
    if options.against != "base":
        scores = Scores(board.base, board.residual)
        others = upper_bounds(scores) if options.against == "top" else projections(scores)
    if others is None:
        raise BadInput([f"--against {options.against}: there is no residual"])
    if options.tail == "two" and options.against == "base":
        pairs = all_pairs(len(board.names))
        return pairs, others, compare(test, pairs, board.base)
    pairs, found = compare_winners(test, board.base, others)
    return pairs, others, found


def _test(options: argparse.Namespace) -> PairTest:
    if options.test == "t":
        return partial(paired_t, tail=options.tail)
    if options.test == "randomisation":
        return partial(sign_flip, samples=options.samples, seed=options.seed, tail=options.tail)
    return partial(
        wilcoxon,
        tail=options.tail,
        zeros="pratt" if options.zero == "pratt" else "drop",
        continuity=not options.no_continuity,
    )


def _corrected(
    board: _Board, pairs: Pairs, found: Outcomes, options: argparse.Namespace
) -> NDArray[np.float64]:
    if options.correction == "tukey":
        return randomised_tukey_hsd(board.base, pairs, samples=options.samples, seed=options.seed)
    return correct(found.p_values, _CORRECTIONS[options.correction])


def _cautions(
    board: _Board,
    pairs: Pairs,
    others: NDArray[np.float64],
    corrected: NDArray[np.float64],
    options: argparse.Namespace,
) -> Iterator[str]:
    """What one should know before believing the answer."""
    least = 1 / (options.samples + 1)
    is_holm = options.test == "randomisation" and options.correction == "holm"
    if is_holm and len(pairs) * least > options.alpha:
        yield (
            f"no pair can be separated at {options.alpha:g}: {options.samples} samples leave no p"
            f" below {least:.2g}, and Holm multiplies the smallest by {len(pairs)};"
            " take more --samples, or another --correction"
        )
    if options.tail == "two" and options.against != "base":
        apart = np.flatnonzero(corrected <= options.alpha)
        behind = sum(_mean_difference(board, others, pairs, at) < 0 for at in apart)
        if behind:
            yield (
                f"in {behind} of the {len(apart)} separated pairs a falls behind b, which two"
                " tails count too; --tail one leaves these out"
            )


def _rows(
    board: _Board,
    pairs: Pairs,
    others: NDArray[np.float64],
    found: Outcomes,
    corrected: NDArray[np.float64],
) -> Iterator[Sequence[Cell]]:
    for at in range(len(pairs)):
        a, b = int(pairs.candidates[at]), int(pairs.baselines[at])
        mean = board.sign * _mean_difference(board, others, pairs, at)
        method = METHODS[int(found.methods[at])]
        p_values = float(found.p_values[at]), float(corrected[at])
        yield board.names[a], board.names[b], mean, *p_values, method


def _mean_difference(
    board: _Board, others: NDArray[np.float64], pairs: Pairs, at: int | np.intp
) -> float:
    """Over the topics that both have; NaN where there are none."""
    differences = board.base[pairs.candidates[at]] - others[pairs.baselines[at]]
    common = differences[~np.isnan(differences)]
    return float(common.mean()) if len(common) else float("nan")
