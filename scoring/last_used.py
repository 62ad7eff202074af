"""Values that a process keeps in memory: the last used, as many as there is room for."""

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LastUsed(Generic[Value]):
    """By key. `room` is what all values may weigh together; what weighs more alone is not kept."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._kept: OrderedDict[str, tuple[Value, int]] = OrderedDict()
        self._weight = 0
        self._lock = Lock()

    def get(self, key: str) -> Value | None:
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def keep(self, key: str, value: Value, weight: int) -> None:
        with self._lock:
            self._drop(key)
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
