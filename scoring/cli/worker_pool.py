"""One act on many files in several processes. Loaded only where several are asked for: what starts
processes takes long to load."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

# What a worker process does with each path; set once a process, so that it is not sent each time.
_act: list[Callable[[str], Any]] = []


def outcomes(act: Callable[[str], Any], paths: Sequence[str], workers: int) -> Iterator[Any]:
    """What `act` returns for each path, in their order."""
    with ProcessPoolExecutor(workers, initializer=_remember, initargs=(act,)) as pool:
        yield from pool.map(_do_remembered, paths)


def _remember(act: Callable[[str], Any]) -> None:
    _act[:] = [act]


def _do_remembered(path: str) -> Any:
    return _act[0](path)
