"""Scores of runs from files."""

import sys
from collections.abc import Iterator, Sequence

from scoring.cli.opening import open_run
from scoring.library.bad_input import BadInput
from scoring.library.scored_runs import AlignedRun, ScoredRun, align_run, score_runs
from scoring.library.scoring_options import ScoringOptions


def score_files(paths: Sequence[str], rules: ScoringOptions) -> Iterator[ScoredRun | BadInput]:
    """Reads and scores runs, and ends with what is wrong with those that are refused."""
    # `score_runs` takes only runs, so what is wrong with the other files goes past it.
    refused: list[BadInput] = []
    yield from score_runs(_aligned_runs(paths, rules, refused), rules)
    yield from refused


def score_file(path: str, rules: ScoringOptions) -> ScoredRun:
    """Reads and scores a run. Raises BadInput."""
    (outcome,) = score_files([path], rules)
    if isinstance(outcome, BadInput):
        raise outcome
    return outcome


def _aligned_runs(
    paths: Sequence[str], rules: ScoringOptions, refused: list[BadInput]
) -> Iterator[AlignedRun]:
    for path in paths:
        try:
            aligned = align_run(path, open_run(path), rules)
            if aligned.none_judged:
                sys.stderr.write(f"{path}: warning: {aligned.none_judged}\n")
            yield aligned
        except BadInput as error:
            refused.append(error)
