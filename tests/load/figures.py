"""What a scenario found, and what is asked of it."""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias


class Figure(NamedTuple):
    """`target` says what is asked, and `is_met` whether it is so; both empty where nothing is."""

    measured: str
    value: str
    target: str = ""
    is_met: bool | None = None

    @property
    def verdict(self) -> str:
        return {None: "", True: "yes", False: "NO"}[self.is_met]


Figures: TypeAlias = Iterator[Figure]


def at_least(measured: str, value: float, bound: float, digits: int = 0) -> Figure:
    return Figure(measured, f"{value:.{digits}f}", f"≥ {bound:g}", value >= bound)


def at_most(measured: str, value: float, bound: float, unit: str, digits: int = 0) -> Figure:
    shown = f"{value:.{digits}f} {unit}".strip()
    return Figure(measured, shown, f"≤ {bound:g} {unit}".strip(), value <= bound)


def none_of(measured: str, count: int) -> Figure:
    return Figure(measured, str(count), "0", count == 0)
