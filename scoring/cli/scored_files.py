"""Scores of runs from files."""

from collections.abc import Callable, Iterator, Sequence

from campaigns.trec.runs import ParsedRun
from scoring.cli.opening import open_run
from scoring.library.bad_input import BadInput
from scoring.library.scored_runs import AlignedRun, ScoredRun, align_run, score_runs
from scoring.library.scoring_options import ScoringOptions


def score_files(
    paths: Sequence[str],
    rules: ScoringOptions,
    read: Callable[[str], ParsedRun] = open_run,
) -> Iterator[ScoredRun | BadInput]:
    """Reads and scores runs, and ends with what is wrong with those that are refused."""
    refused: list[BadInput] = []
    yield from score_runs(_aligned_runs(paths, rules, read, refused), rules)
    yield from refused


def score_file(path: str, rules: ScoringOptions) -> ScoredRun:
    """Reads and scores a run. Raises BadInput."""
    (outcome,) = score_files([path], rules)
    if isinstance(outcome, BadInput):
        raise outcome
    return outcome


def _aligned_runs(
    paths: Sequence[str],
    rules: ScoringOptions,
    read: Callable[[str], ParsedRun],
    refused: list[BadInput],
) -> Iterator[AlignedRun]:
    for path in paths:
        try:
            yield align_run(path, read(path), rules)
        except BadInput as error:
            refused.append(error)
