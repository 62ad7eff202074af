"""python -m tests.exhaustive_page RESULTS: writes the result of `make test-exhaustive` into
docs/reliability.md."""

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.faults.page import write_table
from tools.second_chance import Results


def lines(results: Results, *, day: str, cores: int) -> Iterator[str]:
    """In Markdown; failed and skipped tests are named."""
    yield (
        f"On {day}, on {cores} cores: {results.collected:,} tests, {len(results.passed):,} passed, "
        f"{len(results.errors):,} failed, {len(results.skipped):,} skipped."
    )
    for heading, told in (("Failed", results.errors), ("Skipped", results.skipped)):
        if told:
            yield ""
        yield from (f"- {heading}: `{test}`: {why}" for test, why in told.items())


def main(path: str) -> None:
    results = Results(**json.loads(Path(path).read_text()))
    day = time.strftime("%Y-%m-%d", time.gmtime())
    write_table("exhaustive", lines(results, day=day, cores=os.cpu_count() or 1))


if __name__ == "__main__":
    main(sys.argv[1])
