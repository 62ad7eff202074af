"""python -m tests.faults.page LINES...: writes the tables of docs/reliability.md from the lines of
`make faults` and `make soak`. It changes no other text of the page."""

import json
import re
import statistics
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypedDict

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "reliability.md"


class Line(TypedDict):
    """What one scenario showed on one site."""

    on: str  # the day
    cores: int
    scenario: str
    site: str
    repetitions: int
    lost: int
    doubled: int
    recoveries: list[float]  # seconds


def main(paths: list[str]) -> int:
    lines = [json.loads(text) for path in paths for text in Path(path).read_text().splitlines()]
    write_table("faults", list(table(lines)))
    return int(any("failed" in line for line in lines))


def table(lines: list[dict]) -> Iterator[str]:
    """In Markdown; scenarios in the order they came, each with its sites, failures last."""
    noted: list[Line] = [line for line in lines if "scenario" in line]
    days = sorted({line["on"] for line in noted})
    cores = sorted({str(line["cores"]) for line in noted})
    yield f"Measured on {_span(days)}, on a machine with {' or '.join(cores)} cores."
    yield ""
    yield "| scenario | site | repetitions | lost | duplicated | recovery, median | longest |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    scenarios = list(dict.fromkeys(line["scenario"] for line in noted))
    for line in sorted(noted, key=lambda line: scenarios.index(line["scenario"])):
        yield f"| {' | '.join(_cells(line))} |"
    for line in lines:
        if "failed" in line:
            yield f"\n**Failed:** `{line['failed']}`"


def write_table(name: str, lines: Iterable[str]) -> None:
    """Between the page's marks of this name."""
    begin, end = f"<!-- {name}: written by the command -->", f"<!-- end of {name} -->"
    text = PAGE.read_text()
    written = "\n".join([begin, "", *lines, "", end])
    found, count = re.subn(
        f"{re.escape(begin)}.*{re.escape(end)}", lambda _: written, text, flags=re.DOTALL
    )
    assert count == 1, f"{PAGE.name} has no place for {name}"
    PAGE.write_text(found)


def _cells(line: Line) -> list[str]:
    times = line["recoveries"]
    counts = [str(line[name]) for name in ("repetitions", "lost", "doubled")]
    spans = [f"{statistics.median(times):.1f} s", f"{max(times):.1f} s"] if times else ["–", "–"]
    return [line["scenario"], line["site"], *counts, *spans]


def _span(days: list[str]) -> str:
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
