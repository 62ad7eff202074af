"""Whether a loop of calls asks the kernel for memory at every call depends on the depth of the
stack. In a request no depth does."""

import resource
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from trackside import wsgi

CALLS, DEPTHS = 200, 100


def called(*_: object) -> None:
    pass


called.__code__ = called.__code__.replace(co_stacksize=100)  # 800 bytes: more than a level


def most_page_faults(levels: int = DEPTHS) -> int:
    """Of a loop of calls on this level of the stack or on one of those above it."""
    before = page_faults()
    for number in range(CALLS):
        called(number)
    found = page_faults() - before
    return max(found, most_page_faults(levels - 1)) if levels else found


def page_faults() -> int:
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt


def in_a_new_thread(function: Callable[[], int]) -> int:
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function).result()


def test_a_request_keeps_the_frames_of_its_calls_in_one_chunk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[int] = []

    def handler(_environ: Any, _start_response: Any) -> Iterable[bytes]:
        found.append(most_page_faults())
        return []

    monkeypatch.setattr(wsgi, "django_application", handler)
    in_a_new_thread(lambda: len(list(wsgi.application({}, called))))
    assert found[0] < CALLS <= in_a_new_thread(most_page_faults)
