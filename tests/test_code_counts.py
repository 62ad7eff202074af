"""`python -m tools.code_counts` counts lines by kind, and private functions that are used once."""

import subprocess
from pathlib import Path

from tools.code_counts import Counts, count

SOURCE = '''"""A docstring

of three lines."""

import os
from pathlib import (
    Path,
)

# A comment.
TEXT = """a string

with a blank line"""


def public() -> None:  # a comment beside code
    """A docstring."""
    _once()
    _twice(_twice("# no comment"))


def _once() -> None: ...


def _twice(text: str) -> str:
    return text


def _never() -> None: ...


class Sample:
    def __init__(self) -> None:
        self._method()

    def _method(self) -> None:
        pass
'''


def test_each_line_is_of_one_kind() -> None:
    counts = Counts()
    counts.add(SOURCE)
    kinds = {"docstring": 4, "imports": 4, "comment": 1, "blank": 13, "code": 15}
    assert counts.lines == kinds
    assert sum(kinds.values()) == len(SOURCE.splitlines())


def test_private_functions_that_are_used_once_are_counted() -> None:
    counts = Counts()
    counts.add(SOURCE)
    assert (counts.private, counts.used_once) == (4, 2)  # _once and _method
    assert counts.per_1000(counts.used_once) == 1000 * 2 / 15


def test_functions_of_the_same_name_share_the_references() -> None:
    sample = "class {0}:\n    def f(self): self._g()\n    def _g(self): pass\n"
    counts = Counts()
    counts.add(sample.format("A") + sample.format("B"))
    assert counts.used_once == 2
    counts.add(sample.format("A") + sample.format("B") + "A()._g()\n")
    assert counts.used_once == 2


def test_only_the_product_of_the_commit_is_counted(tmp_path: Path) -> None:
    files = {
        "campaigns/runs.py": "A = 1\n",
        "scoring/core/means.py": "B = 2\n",
        "scoring/migrations/0001_first.py": "C = 3\n",
        "trackside/page.html": "<p>\n",
        "tests/test_runs.py": "D = 4\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    author = ["-c", "user.name=A. Person", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "--all"], [*author, "commit", "-qm", "A commit"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    (tmp_path / "campaigns" / "runs.py").write_text("A = 1\nnot = committed\n")
    counts = count("HEAD", tmp_path)
    assert (counts.files, counts.code) == (2, 2)
