"""Values that a process keeps in memory: the last used, as many as there is room for."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LRUCache(Generic[Value]):
    """By key. `room` is what all values may weigh together; what weighs more alone is not kept."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._kept: OrderedDict[str, tuple[Value, int]] = OrderedDict()
        self._weight = 0
        self._lock = Lock()
        self._making: dict[str, tuple[Lock, int]] = {}  # and how many are at it or wait

    @contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """While one thread makes a value, the others that want it wait: they find it made."""
        with self._lock:
            lock, count = self._making.get(key, (Lock(), 0))
            self._making[key] = lock, count + 1
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, count = self._making.pop(key)
                if count > 1:
                    self._making[key] = lock, count - 1

    def get(self, key: str) -> Value | None:
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def keep(self, key: str, value: Value, weight: int) -> None:
        with self._lock:
            self._drop(key)
            if weight > self._room:
                return
            self._kept[key] = value, weight
            self._weight += weight
            while self._weight > self._room:
                self._drop(next(iter(self._kept)))

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._weight = 0

    def _drop(self, key: str) -> None:
        _, weight = self._kept.pop(key, (None, 0))
        self._weight -= weight
