"""One act on many files: in this process or in several, with a bar where somebody watches."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Final, TypeVar

from scoring.cli.streams import STANDARD_INPUT
from scoring.library.bad_input import BadInput

T = TypeVar("T")

_MANY: Final = 5  # runs; fewer are done before anybody reads a bar
_AT_A_TIME: Final = 8  # files of a worker; small runs are scored together
_WIDTH: Final = 40


def for_each_run(act: Callable[[str], T], paths: Sequence[str], *, workers: int = 1) -> list[T]:
    """What `act` makes of each file, in the order of the paths.

    Raises BadInput with the faults of all files, if there are any.
    """
    return for_all_runs(partial(_one_by_one, act), paths, workers=workers)


def for_all_runs(
    act: Callable[[Sequence[str]], Iterable[T | BadInput]],
    paths: Sequence[str],
    *,
    workers: int = 1,
) -> list[T]:
    """The same where `act` takes many files, and returns what it makes of each and the faults of
    those that are refused. A worker gets some of the files at a time."""
    workers = 1 if STANDARD_INPUT in paths else min(workers, len(paths))  # others do not have it
    if workers == 1:
        outcomes = act(paths)
    else:
        pool = import_module("scoring.cli.worker_pool")
        outcomes = pool.outcomes(act, list(_parts(paths, workers)), workers)
    found: list[T] = []
    faults: list[str] = []
    for outcome in _watched(outcomes, len(paths)):
        if isinstance(outcome, BadInput):
            faults += outcome.messages
        else:
            found.append(outcome)
    # At the end, so that one call tells of every file that is refused.
    if faults:
        raise BadInput(faults)
    return found


def _parts(paths: Sequence[str], workers: int) -> Iterator[Sequence[str]]:
    """Some files at a time, and fewer towards the end, so that the workers end together."""
    begin = 0
    while begin < len(paths):
        size = max(1, min(_AT_A_TIME, (len(paths) - begin) // (2 * workers)))
        yield paths[begin : begin + size]
        begin += size


def _one_by_one(act: Callable[[str], T], paths: Sequence[str]) -> Iterator[T | BadInput]:
    for path in paths:
        try:
            yield act(path)
        except BadInput as error:
            yield error


def _watched(outcomes: Iterable[T], total: int) -> Iterator[T]:
    # In a file or a pipe each step of the bar would stay.
    if total < _MANY or not sys.stderr.isatty():
        return iter(outcomes)
    if find_spec("tqdm"):
        tqdm = import_module("tqdm").tqdm
        return iter(tqdm(outcomes, total=total, unit="run", leave=False, file=sys.stderr))
    return _with_bar(outcomes, total)


def _with_bar(outcomes: Iterable[T], total: int) -> Iterator[T]:
    try:
        for done, outcome in enumerate(outcomes, start=1):
            filled = "#" * (_WIDTH * done // total)
            sys.stderr.write(f"\r[{filled:<{_WIDTH}}] {done}/{total} runs")
            sys.stderr.flush()
            yield outcome
    finally:
        # Also when the command fails: its message then begins on an empty line.
        sys.stderr.write("\r" + " " * (_WIDTH + 20) + "\r")
