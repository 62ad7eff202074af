"""Hypothesis draws the same examples whichever tests the process has run before."""

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers


def drawn() -> list[list[str]]:
    found = []
    providers.CONSTANTS_CACHE.cache.clear()

    @settings(max_examples=200, derandomize=True, database=None, suppress_health_check=HealthCheck)
    @given(st.lists(st.text(), max_size=5))
    def note(texts: list[str]) -> None:
        found.append(texts)

    note()
    return found


def is_changed_by_a_module(folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether other examples are drawn once a further module is imported."""
    before = drawn()
    path = folder / "imported.py"
    path.write_text("\n".join(f"A{number} = 'constant {number}'" for number in range(200)))
    spec = importlib.util.spec_from_file_location("imported", path)
    assert spec is not None
    monkeypatch.setitem(sys.modules, "imported", importlib.util.module_from_spec(spec))
    return drawn() != before


def test_an_imported_module_does_not_change_what_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_changed_by_a_module(tmp_path, monkeypatch)


def test_it_would_without_what_conftest_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If this fails, Hypothesis has found another way, and conftest.py changes nothing."""
    source = importlib.util.find_spec(providers.__name__)
    assert source is not None
    assert source.loader is not None
    original = importlib.util.module_from_spec(source)
    source.loader.exec_module(original)
    monkeypatch.setattr(providers, "_get_local_constants", original._get_local_constants)
    assert is_changed_by_a_module(tmp_path, monkeypatch)
