"""A cache in the memory of a process that evicts the least recently used values."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LRUCache(Generic[Value]):
    """By key. `room` limits the total weight; a value that weighs more than that is not stored."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._values: OrderedDict[str, tuple[Value, int]] = OrderedDict()
        self._weight = 0
        self._lock = Lock()
        self._locks: dict[str, tuple[Lock, int]] = {}  # and how many threads use or await it

    @contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """One thread computes a value while the others wait; then they find it in the cache."""
        # The number of users tells when a lock can go; otherwise one would remain for every key.
        with self._lock:
            lock, count = self._locks.get(key, (Lock(), 0))
            self._locks[key] = lock, count + 1
        try:
            # Without `self._lock`, so that other keys stay available during the computation.
            with lock:
                yield
        finally:
            with self._lock:
                lock, count = self._locks.pop(key)
                if count > 1:
                    self._locks[key] = lock, count - 1

    def get(self, key: str) -> Value | None:
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def keep(self, key: str, value: Value, weight: int) -> None:
        with self._lock:
            # First, so that the weight of the value that is replaced does not count any more.
            self._evict(key)
            if weight > self._room:
                return
            self._values[key] = value, weight
            self._weight += weight
            while self._weight > self._room:
                self._evict(next(iter(self._values)))

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._weight = 0

    def _evict(self, key: str) -> None:
        _, weight = self._values.pop(key, (None, 0))
        self._weight -= weight
