"""python -m tests.load.soak_page: the table and the chart of the soak in docs/reliability.md, from
what `make soak` has written to var/soak.json."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.faults.page import PAGE, write_table

CHART = PAGE.parent / "reliability" / "soak.svg"
# The slope is that of the last 45 minutes of 75, through the means of five minutes each: what is
# seen every ten seconds is not independent, and its standard error would be much too small.
LATE, BLOCK = 0.6, 300.0  # share of the time, seconds
MOST_MEGABYTES_AN_HOUR, MOST_DESCRIPTORS_MORE = 5.0, 3.0
COLOURS = ("#808080", "#3b7dd8", "#7fb2ea", "#c8641e", "#e5a06c")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 680, 260, 40, 90, 20, 30


class Slope(NamedTuple):
    """Of the straight line by least squares, with its standard error."""

    an_hour: float
    error: float


def slope(seconds: list[float], values: list[float]) -> Slope:
    """Through the means of the blocks of the last LATE of the time."""
    x, y = np.array(seconds), np.array(values, np.float64)
    begin = x[-1] * (1 - LATE)
    blocks = np.floor((x - begin) / BLOCK).astype(int)
    count = int((x[-1] - begin) / BLOCK)  # whole ones
    hours = np.array([x[blocks == at].mean() / 3600 for at in range(count)])
    means = np.array([y[blocks == at].mean() for at in range(count)])
    spread = hours - hours.mean()
    steepness = float(spread @ means / (spread @ spread))
    left = means - means.mean() - steepness * spread
    variance = float(left @ left) / (count - 2) / float(spread @ spread)
    return Slope(steepness, variance**0.5)


def write(seen_in: Path) -> int:
    """Returns the exit status: 1 if a limit is passed."""
    seen = json.loads(seen_in.read_text())
    table = list(_table(seen))
    print("\n".join(table), flush=True)
    write_table("soak", table)
    CHART.parent.mkdir(exist_ok=True)
    CHART.write_text(chart(seen["processes"]))
    return int(
        bool(seen["faults"] or seen["unfinished"]) or any(map(_grows, seen["processes"].values()))
    )


def _grows(process: dict[str, list[float]]) -> bool:
    megabytes = slope(process["seconds"], process["megabytes"]).an_hour
    descriptors = slope(process["seconds"], process["descriptors"]).an_hour
    late_hours = process["seconds"][-1] * LATE / 3600
    return megabytes > MOST_MEGABYTES_AN_HOUR or descriptors * late_hours > MOST_DESCRIPTORS_MORE


def _table(seen: dict[str, Any]) -> Iterator[str]:
    yield (
        f"On {seen['day']}, for {seen['minutes']:g} minutes on {seen['cores']} cores:"
        f" {seen['uploads']:,} uploads and {seen['pages']:,} pages; {seen['faults']} answered with"
        f" 5xx or not at all, {seen['unfinished']} unfinished."
    )
    yield ""
    yield (
        "| process, with its children | MB at the start | at the end | MB per hour"
        " | standard error | descriptors at the start | at the end |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for name, each in seen["processes"].items():
        steepness = slope(each["seconds"], each["megabytes"])
        yield (
            f"| {name} | {each['megabytes'][0]:.0f} | {each['megabytes'][-1]:.0f}"
            f" | {steepness.an_hour:+.1f} | {steepness.error:.1f}"
            f" | {each['descriptors'][0]} | {each['descriptors'][-1]} |"
        )
    yield ""
    yield "![Memory of each process](reliability/soak.svg)"


def chart(processes: dict[str, dict[str, list[float]]]) -> str:
    """The megabytes of each process over the minutes, as SVG."""
    last = max(each["seconds"][-1] for each in processes.values())
    most = 100 * int(max(max(each["megabytes"]) for each in processes.values()) // 100 + 1)

    def at(seconds: float, megabytes: float) -> str:
        x = LEFT + (WIDTH - LEFT - RIGHT) * seconds / last
        y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * megabytes / most
        return f"{x:.1f} {y:.1f}"

    parts = [f'<text x="{LEFT}" y="12">MB</text>']
    for megabytes in range(0, most + 1, 100):
        x, y = at(0, megabytes).split()
        parts.append(f'<path class="axis" d="M{x} {y}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 4}" y="{float(y) + 4:g}" class="end">{megabytes}</text>')
    for minutes in range(0, int(last / 60) + 1, 15):
        x = at(minutes * 60, 0).split()[0]
        parts.append(f'<text x="{x}" y="{HEIGHT - 14}">{minutes} min</text>')
    for each, colour in zip(processes.values(), COLOURS, strict=False):
        points = [at(*point) for point in zip(each["seconds"], each["megabytes"], strict=True)]
        parts.append(f'<path stroke="{colour}" d="M{"L".join(points[::3])}"/>')
    for name, y, colour in _labels(processes, at):
        parts.append(f'<text x="{WIDTH - RIGHT + 6}" y="{y:g}" fill="{colour}">{name}</text>')
    style = (
        "text{font:11px sans-serif;fill:#808080}text.end{text-anchor:end}path{fill:none}"
        ".axis{stroke:#808080;stroke-opacity:.3}"
        + "".join(f'text[fill="{colour}"]{{fill:{colour}}}' for colour in COLOURS)
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}">'
    )
    return f"{head}<style>{style}</style>\n" + "\n".join(parts) + "\n</svg>\n"


def _labels(
    processes: dict[str, dict[str, list[float]]], at: Any
) -> Iterator[tuple[str, float, str]]:
    """Beside the ends of the lines, from the top down, twelve pixels apart at least."""
    ends = [
        (float(at(each["seconds"][-1], each["megabytes"][-1]).split()[1]) + 4, name, colour)
        for (name, each), colour in zip(processes.items(), COLOURS, strict=False)
    ]
    y = 0.0
    for place, name, colour in sorted(ends):
        y = max(place, y + 12)
        yield name, y, colour


if __name__ == "__main__":
    sys.exit(write(Path(sys.argv[1] if len(sys.argv) > 1 else "var/soak.json")))
