"""One act on many files in several processes. Loaded only where several are asked for: what starts
processes takes long to load."""

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from multiprocessing import active_children
from typing import Any

from scoring.library.bad_input import BadInput

# What a worker process does with paths; set once a process, so that it is not sent each time.
_act: list[Callable[[Sequence[str]], Iterable[Any]]] = []


def outcomes(
    act: Callable[[Sequence[str]], Iterable[Any]], parts: Iterable[Sequence[str]], workers: int
) -> Iterator[Any]:
    """All that `act` returns for each part of the paths, in their order."""
    try:
        with ProcessPoolExecutor(workers, initializer=_begin, initargs=(act,)) as pool:
            try:
                yield from chain.from_iterable(pool.map(_do_remembered, parts))
            except KeyboardInterrupt:  # the pool would wait for what they are at
                for process in active_children():
                    process.terminate()
                raise
    except BrokenProcessPool:
        fault = "a process was killed, probably because memory ran out; use fewer workers"
        raise BadInput([f"--workers {workers}: {fault}"]) from None
    except OSError as error:
        fault = error.strerror or str(error)
        raise BadInput([f"--workers {workers}: no processes can be started: {fault}"]) from None


def _begin(act: Callable[[Sequence[str]], Iterable[Any]]) -> None:
    """Ctrl-C in a terminal reaches all processes: this one ends silently."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _act[:] = [act]


def _do_remembered(paths: Sequence[str]) -> list[Any]:
    return list(_act[0](paths))
