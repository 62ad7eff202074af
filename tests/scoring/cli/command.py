"""Running the command line in this process, and small files made by hand."""

from pathlib import Path
from typing import NamedTuple

import pytest

from scoring.cli.main import main

# Topic 1: A is relevant (grade 2), C a little (1), B is not, D was in the pool and not judged.
# Topic 2: nothing is relevant. Topic 3: the run misses it. Topic 10 sorts before 2.
QRELS = """\
# judged by hand
1 0 A 2
1 0 B 0
1 0 C 1
1 0 D -1
2 0 A 0
3 0 E 1
10 0 F 2
"""
RUN = """\
1 Q0 B 1 9 mine
1 Q0 A 2 8 mine
# E is not in the qrels of topic 1
1 Q0 E 3 7 mine
1 Q0 D 4 6 mine
1 Q0 C 5 5 mine
2 Q0 A 1 1 mine
10 Q0 F 1 1 mine
99 Q0 A 1 1 mine
"""
TIED = "1 Q0 A 1 1 tied\n1 Q0 B 2 1 tied\n10 Q0 F 1 2 tied\n"


class Outcome(NamedTuple):
    status: int
    out: str
    err: str

    def values(self) -> dict[tuple[str, str], str]:
        """Of trec_eval's text, by name and topic."""
        rows = [line.split("\t") for line in self.out.splitlines()]
        return {(row[0].strip(), row[1]): "\t".join(row[2:]) for row in rows}


class Command:
    """`trackside` in a folder with small files."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.qrels = self.write("qrels", QRELS)
        self.run = self.write("run", RUN)

    def write(self, name: str, text: str | bytes) -> str:
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def __call__(self, *arguments: object) -> Outcome:
        try:
            status = main([str(each) for each in arguments])
        except SystemExit as stopped:  # argparse's way
            status = int(stopped.code or 0)
        captured = self._capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    def values(self, *arguments: object) -> dict[tuple[str, str], str]:
        """What `evaluate` prints of the small files."""
        found = self("evaluate", *arguments, self.qrels, self.run)
        assert found.status == 0, found.err
        return found.values()
