"""The figures as SVG, in colours that can be read on a light and on a dark page."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tools.reproduction_page import rbp_runs
from tools.reproduction_page.rbp_runs import DEPTHS, RBP, SPREAD, Pools
from tools.reproduction_page.strategic_figures import Panel

WIDTH, HEIGHT, MARGIN = 340, 220, 30
COLOURS: Final = ("#3b7dd8", "#c8641e", "#2f9e62")

Point = tuple[float, float]


class Plot:
    """Axes from 0 to 1 upwards, and what is drawn in them."""

    def __init__(
        self, title: str, across: tuple[float, float], label: str, *, ends: str = ""
    ) -> None:
        self._across = across
        self._parts = [
            f'<text x="{MARGIN}" y="12">{title}</text>',
            f'<path class="axis" d="M{MARGIN} 20V{HEIGHT - MARGIN}H{WIDTH - 10}"/>',
            f'<text x="{WIDTH - 10}" y="{HEIGHT - 4}" class="end">{label}</text>',
        ]
        for value in (0.0, 0.5, 1.0):
            x, y = self._at((across[0], value))
            self._parts.append(f'<text x="{x - 4:g}" y="{y + 4:g}" class="end">{value:g}</text>')
        left, right = ends.split() or (f"{value:g}" for value in across)
        y = HEIGHT - MARGIN + 13
        self._parts.append(f'<text x="{MARGIN}" y="{y}">{left}</text>')
        self._parts.append(f'<text x="{WIDTH - 10}" y="{y}" class="end">{right}</text>')

    def line(self, points: Iterable[Point], colour: str, *, dashed: bool = False) -> None:
        path = "L".join(f"{x:g} {y:g}" for x, y in map(self._at, points))
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self._parts.append(f'<path stroke="{colour}" d="M{path}"{dash}/>')

    def bars(self, ranges: Iterable[tuple[float, float]], colour: str) -> None:
        """One upright bar for 1, 2, 3 ..."""
        path = ""
        for place, (low, high) in enumerate(ranges, start=1):
            x, y = self._at((place, low))
            path += f"M{x:g} {y:g}V{self._at((place, high))[1]:g}"
        self._parts.append(f'<path stroke="{colour}" stroke-width="1.6" d="{path}"/>')

    def dots(self, points: Iterable[Point], colour: str) -> None:
        path = "".join(f"M{x:g} {y:g}h0" for x, y in map(self._at, points))
        self._parts.append(f'<path class="dots" stroke="{colour}" d="{path}"/>')

    def key(self, names: Sequence[str]) -> None:
        for place, (name, colour) in enumerate(zip(names, COLOURS, strict=False)):
            x = MARGIN + place * 230 // len(names)
            self._parts.append(f'<text x="{x}" y="{HEIGHT - 4}" fill="{colour}">{name}</text>')

    def drawn(self, column: int, row: int) -> str:
        inside = "".join(self._parts)
        return f'<g transform="translate({column * WIDTH} {row * HEIGHT})">{inside}</g>'

    def _at(self, point: Point) -> Point:
        begin, end = self._across
        share = (point[0] - begin) / (end - begin)
        x = MARGIN + share * (WIDTH - MARGIN - 10)
        return round(x, 1), round(HEIGHT - MARGIN - point[1] * (HEIGHT - MARGIN - 20), 1)


def charts(trec8: Pools, covid: Pools, panels: dict[str, Panel]) -> dict[str, str]:
    """SVG by the name of its file."""
    by_figure = {number: [panels[key] for key in panels if key[0] == number] for number in "123"}
    return {
        "figure-2": _file([_depths(pools, ["AP"]) for pools in (trec8, covid)]),
        "figure-4": _file([_depths(pools, RBP) for pools in (trec8, covid)]),
        "figure-5": _file([*_by_depth(trec8), *_by_depth(covid)]),
        "figure-6": _file([*_by_persistence(trec8), *_by_persistence(covid)]),
        **{f"strategic-figure-{n}": _file(list(map(_ranges, p))) for n, p in by_figure.items()},
    }


def _file(plots: Sequence[Plot]) -> str:
    rows = (len(plots) + 1) // 2
    size = f'viewBox="0 0 {2 * WIDTH} {rows * HEIGHT}" width="{2 * WIDTH}"'
    style = (
        "text{font:11px sans-serif;fill:#808080}text.end{text-anchor:end}path{fill:none}"
        ".axis{stroke:#808080}.dots{stroke-width:4;stroke-linecap:round;stroke-opacity:.6}"
        + "".join(f'text[fill="{colour}"]{{fill:{colour}}}' for colour in COLOURS)
    )
    inside = "\n".join(plot.drawn(place % 2, place // 2) for place, plot in enumerate(plots))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>'
    return f"{head}\n{inside}\n</svg>\n"


def _depths(pools: Pools, names: Sequence[str]) -> Plot:
    """Each run: across with judgments to depth 10, upwards with all."""
    plot = Plot(f"{pools.name}: all judgments over depth 10", (0, 1), "depth 10")
    plot.line([(0, 0), (1, 1)], "#808080", dashed=True)
    for name, colour in zip(names, COLOURS, strict=False):
        both = (pools.means(name, full=full).tolist() for full in (False, True))
        plot.dots(zip(*both, strict=True), colour)
    plot.key(names)
    return plot


def _by_depth(pools: Pools) -> Iterator[Plot]:
    run = rbp_runs.chosen_runs(pools)[0]
    for full in (False, True):
        pool = "all judgments" if full else "judgments to depth 10"
        plot = Plot(
            f"{pools.name}, {pools.campaign.names[run]}, {pool}",
            (0, len(DEPTHS) - 1),
            "depth d",
            ends=f"{DEPTHS[0]} {DEPTHS[-1]}",
        )
        found = rbp_runs.bounds_by_depth(pools, run, full=full)
        for name, colour in zip(RBP, COLOURS, strict=True):
            for bound in (0, 1):
                plot.line([(at, pair[bound]) for at, pair in enumerate(found[name])], colour)
        plot.key(RBP)
        yield plot


def _by_persistence(pools: Pools) -> Iterator[Plot]:
    for run in rbp_runs.chosen_runs(pools):
        title = f"{pools.name}, {pools.campaign.names[run]}"
        plot = Plot(title, (SPREAD[0], SPREAD[-1]), "p")
        for full, colour in zip((False, True), COLOURS, strict=False):
            pairs = rbp_runs.bounds_by_persistence(pools, run, full=full)
            for bound in (0, 1):
                plot.line(zip(SPREAD, (pair[bound] for pair in pairs), strict=True), colour)
        plot.key(("judged to 10", "all judgments"))
        yield plot


def _ranges(panel: Panel) -> Plot:
    plot = Plot(panel.title, (1, len(panel.low)), "runs, highest MAP first")
    plot.bars(zip(panel.low.tolist(), panel.high.tolist(), strict=True), COLOURS[0])
    return plot
