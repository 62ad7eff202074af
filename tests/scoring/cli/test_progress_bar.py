"""A bar where somebody watches, and silence elsewhere."""

import io
from types import SimpleNamespace

import pytest

from scoring.cli import many_runs
from scoring.cli.many_runs import for_each_run
from scoring.library.bad_input import BadInput


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    watched = Terminal()
    monkeypatch.setattr(many_runs, "sys", SimpleNamespace(stderr=watched))
    return watched


def test_our_own_bar(terminal, monkeypatch):
    monkeypatch.setattr(many_runs, "find_spec", lambda name: None)
    assert for_each_run(str.upper, list("abcdefgh")) == list("ABCDEFGH")
    assert "[####################                    ] 4/8 runs" in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")  # wiped


def test_an_interrupted_bar_is_wiped_too(terminal, monkeypatch):
    def interrupted(path):
        if path == "e":
            raise KeyboardInterrupt
        return path

    monkeypatch.setattr(many_runs, "find_spec", lambda name: None)
    with pytest.raises(KeyboardInterrupt):
        for_each_run(interrupted, list("abcdefgh"))
    assert "4/8 runs" in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")


def test_the_bar_of_tqdm(terminal):
    pytest.importorskip("tqdm")
    assert for_each_run(str.upper, list("abcdefgh")) == list("ABCDEFGH")
    assert "8" in terminal.getvalue()


def test_few_runs_or_no_terminal_no_bar(terminal, monkeypatch):
    for_each_run(str.upper, list("ab"))
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    for_each_run(str.upper, list("abcdefgh"))
    assert terminal.getvalue() == ""


def refuse_vowels(path):
    if path in "aeiou":
        raise BadInput([f"{path}: a vowel"])
    return path


@pytest.mark.parametrize("workers", [1, 2])
def test_all_faults_come_together(workers):
    with pytest.raises(BadInput) as refused:
        for_each_run(refuse_vowels, list("abcde"), workers=workers)
    assert refused.value.messages == ("a: a vowel", "e: a vowel")
