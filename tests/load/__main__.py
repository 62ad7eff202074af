"""python -m tests.load [burst] [board] ...: runs load scenarios on the production stack and prints
a table of the results. If all scenarios run, docs/scale.md gets the table."""

import os
import platform
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path

from django.utils import timezone

from tests.load import (
    PUBLISHED,
    costs,
    deadline,
    fuzz,
    marco,
    outages,
    readers,
    restarts,
    uploads,
    wide,
)
from tests.load.figures import Figure, Figures
from tests.load.mail_sink import start_mail_server
from tests.stack.submissions import Track, prepare
from trackside.folders import BASE_DIR
from trackside.processes import HOST, free_port
from trackside.stack import Stack, running

PAGE = BASE_DIR / "docs" / "scale.md"
BEGIN, END = "<!-- make load writes from here -->\n", "<!-- to here -->\n"

SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "tests.load.hello",
    "THROTTLE_ANON": "1000000/min",  # all readers come from one address
    "THROTTLE_ANALYSES": "1000000/min",
    "EMAIL_URL": f"smtp://{HOST}:{free_port()}",
}
SCENARIOS: dict[str, Callable[[Stack, Track], Figures]] = {
    "board": lambda stack, _: readers.board(stack),
    "crowd": lambda stack, _: readers.crowd(stack),
    "deadline": lambda stack, _: deadline.deadline(stack),
    "burst": uploads.burst,
    "slow": uploads.slow,
    "large": uploads.large,
    "fuzz": lambda stack, _: fuzz.fuzz(stack),
    "wide": lambda stack, _: wide.wide(stack),
    "marco": lambda stack, _: marco.marco(stack),
    "analyses": lambda stack, _: marco.analyses(stack),
    "costs": lambda stack, _: costs.costs(stack),
    "deploy": restarts.restarts,
    "outages": outages.outages,
}


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that nothing is left running
    wanted = sys.argv[1:] or list(SCENARIOS)
    found: list[tuple[str, Figure]] = []
    with (
        tempfile.TemporaryDirectory(prefix="trackside-load-") as folder,
        loaded(Path(folder) / "site") as stack,
    ):
        track = prepare(stack, topics=50, facts="run_quota=None, " + PUBLISHED)
        for name in wanted:
            for figure in SCENARIOS[name](stack, track):
                found.append((name, figure))
                print(f"{name:<9}{figure.measured:<56}{figure.value:>18}  "
                      f"{figure.target:<11}{figure.verdict}", flush=True)  # fmt: skip
    if set(wanted) == set(SCENARIOS):
        write(found)
    return int(any(figure.is_met is False for _, figure in found))


@contextmanager
def loaded(folder: Path) -> Iterator[Stack]:
    """The stack with a mail server. Without one the site retries each mail for a day, and scenarios
    that wait until all jobs have ended time out."""
    with running(folder, **SETTINGS) as stack:
        start_mail_server(stack)
        yield stack


def write(found: list[tuple[str, Figure]]) -> None:
    """Puts the table into its page, between the two marks."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = [
        f"| {name} | {each.measured} | {each.value} | {each.target} | {each.verdict} |"
        for name, each in found
    ]
    where = (
        f"{timezone.now().astimezone(UTC):%d %B %Y}, {os.cpu_count()} processors, "
        f"Python {platform.python_version()}, with the clients on the same machine."
    )
    head = ["| scenario | figure | result | target | met |", "|---|---|---|---|---|"]
    table = "\n".join([where, "", *head, *rows, ""])
    PAGE.write_text(before + BEGIN + table + END + after)


if __name__ == "__main__":
    sys.exit(main())
