"""One act on many files: in this process or in several, with a bar where somebody watches."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Final, TypeVar

from scoring.cli.bad_input import BadInput
from scoring.cli.streams import STANDARD_INPUT

T = TypeVar("T")

_MANY: Final = 5  # runs; fewer are done before anybody reads a bar
_WIDTH: Final = 40


def for_each_run(act: Callable[[str], T], paths: Sequence[str], *, workers: int = 1) -> list[T]:
    """What `act` makes of each file, in the order of the paths.

    Raises BadInput with the faults of all files, if there are any.
    """
    guarded = partial(_guarded, act)
    workers = 1 if STANDARD_INPUT in paths else min(workers, len(paths))  # others do not have it
    outcomes: Iterable[T | BadInput] = map(guarded, paths)
    if workers > 1:
        outcomes = import_module("scoring.cli.worker_pool").outcomes(guarded, paths, workers)
    return _gathered(outcomes, len(paths))


def _gathered(outcomes: Iterable[T | BadInput], total: int) -> list[T]:
    found: list[T] = []
    faults: list[str] = []
    for outcome in _watched(outcomes, total):
        if isinstance(outcome, BadInput):
            faults += outcome.messages
        else:
            found.append(outcome)
    if faults:
        raise BadInput(faults)
    return found


def _guarded(act: Callable[[str], T], path: str) -> T | BadInput:
    try:
        return act(path)
    except BadInput as error:
        return error


def _watched(outcomes: Iterable[T], total: int) -> Iterator[T]:
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
        sys.stderr.write("\r" + " " * (_WIDTH + 20) + "\r")
