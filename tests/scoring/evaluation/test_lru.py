"""Values kept in memory: as many as there is room for, and made by one of those who want them."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from scoring.evaluation.lru import LRUCache


def test_the_last_used_values_are_kept_as_far_as_there_is_room() -> None:
    kept: LRUCache[str] = LRUCache(room=10)
    kept.keep("a", "A", 4)
    kept.keep("b", "B", 4)
    assert kept.get("a") == "A"
    kept.keep("c", "C", 4)  # b was asked for longest ago
    assert [kept.get(key) for key in "abc"] == ["A", None, "C"]
    kept.keep("a", "A again", 7)  # no room for c beside it
    assert [kept.get(key) for key in "abc"] == ["A again", None, None]
    kept.keep("d", "D", 11)
    assert [kept.get(key) for key in "ad"] == ["A again", None]


def test_of_many_who_want_a_value_at_once_one_makes_it_and_nobody_waits_for_another_value() -> None:
    kept: LRUCache[str] = LRUCache(room=10)
    made, began = [], threading.Barrier(4)

    def want() -> str:
        began.wait()
        with kept.alone("a"):
            if kept.get("a") is None:
                made.append("a")
                time.sleep(0.05)  # the others come meanwhile
                kept.keep("a", "A", 1)
            return kept.get("a") or ""

    with ThreadPoolExecutor(4) as threads:
        wanting = [threads.submit(want) for _ in range(4)]
        assert [each.result() for each in wanting] == ["A"] * 4
    assert made == ["a"]
    with kept.alone("a"), kept.alone("b"):
        assert kept._locks.keys() == {"a", "b"}
    assert kept._locks == {}


def test_who_makes_a_value_and_fails_leaves_the_way_free() -> None:
    kept: LRUCache[str] = LRUCache(room=10)
    with pytest.raises(RuntimeError), kept.alone("a"):
        raise RuntimeError
    with kept.alone("a"):
        assert kept.get("a") is None
