"""A function whose calls share one chunk of CPython's stack."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
SLOTS = 35_000  # of 8 bytes; CPython allocates twice as much as this, rounded to a power of two


def in_one_stack_chunk(function: Callable[P, R]) -> Callable[P, R]:
    """This function, with room for the frames of all that it calls.

    CPython keeps the frames of calls in chunks of 16 kB and gives a chunk back with its first
    frame. A loop whose calls begin just below the end of one asks the kernel for memory at every
    call. Where this happens depends on the depth of the stack: the leaderboard of 143 runs took
    210 ms instead of 110 in gunicorn. All that is called from a frame that asks for 280 kB shares
    its chunk of half a megabyte.
    """
    function.__code__ = function.__code__.replace(co_stacksize=SLOTS)
    return function
