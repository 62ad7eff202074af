"""Arguments that several commands take, and how their values are read."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from scoring.core.data.grades import HIGHEST_POSSIBLE_GRADE

if TYPE_CHECKING:  # importing it would load numpy
    from scoring.library.measure_lines import GainMap

TIE_RULES: Final = ("docno", "expected", "bounds")
# So many fit into an int64, and are exact as doubles.
_MOST_DIGITS: Final = 15


def positive(text: str) -> int:
    """A whole number above 0, and what arrays can count."""
    # int() would also take a sign, underscores, and the digits of other scripts.
    if not text.isascii() or not text.isdigit() or not text.strip("0"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    if len(text) > _MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"{text} has more than {_MOST_DIGITS} digits")
    return int(text)


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Reads a whole number from `least` to `most`."""

    def read(text: str) -> int:
        is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
        if not is_number or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"{text[:_MOST_DIGITS]!r} is not a whole number from {least} to {most:,}"
            )
        return int(text)

    return read


def grade(text: str) -> int:
    """A grade that can count as relevant."""
    found = positive(text)
    if found > HIGHEST_POSSIBLE_GRADE:
        raise argparse.ArgumentTypeError(f"{text}: grades are 0..{HIGHEST_POSSIBLE_GRADE}")
    return found


def probability(text: str) -> float:
    """A number between 0 and 1, both excluded."""
    value = _number(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1")
    return value


def persistence(text: str) -> float:
    """The p of RBP."""
    value = _number(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} does not lie in 0 <= p < 1")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        # No comparison with NaN is true, so the callers refuse it.
        return math.nan


def gain_map(text: str) -> GainMap:
    """`0=0,1=.5,2=1`: the gain of each grade."""
    worth: dict[int, float] = {}
    for part in text.split(","):
        grade, _, value = part.partition("=")
        try:
            key, number = int(grade), float(value)
        except ValueError:
            raise argparse.ArgumentTypeError(
                f"{part!r} is not of the form grade=gain, as in 0=0,1=.5,2=1"
            ) from None
        if not (0 <= key <= HIGHEST_POSSIBLE_GRADE and 0 <= number <= 1):
            raise argparse.ArgumentTypeError(f"{part!r}: grades are 0..127, a gain is 0..1")
        if key in worth:
            raise argparse.ArgumentTypeError(f"grade {key} is given twice")
        worth[key] = number
    return tuple(sorted(worth.items()))


def add_measures_argument(parser: argparse.ArgumentParser, **facts: Any) -> None:
    parser.add_argument(
        "-m", "--measure", dest="measures", metavar="MEASURE", action="append", **facts
    )


def add_scoring_arguments(
    parser: argparse.ArgumentParser, *, tie_rules: tuple[str, ...] = TIE_RULES
) -> None:
    """How scores are made, whatever becomes of them."""
    add_level_argument(parser, "; a measure's own rel= wins")
    parser.add_argument(
        "-M",
        "--Max_retrieved_per_topic",
        dest="max_depth",
        metavar="N",
        type=positive,
        help="look at no more than N documents of a topic (only with --ties docno)",
    )
    parser.add_argument(
        "--ties",
        choices=tie_rules,
        default="docno",
        help="equal scores: by document id as trec_eval (docno), the mean over all their orders "
        "(expected)"
        + (", or also the worst and the best order (bounds)" if "bounds" in tie_rules else ""),
    )
    parser.add_argument(
        "--no-relevant",
        choices=("zero", "exclude"),
        default="zero",
        help="topics without relevant documents: count as 0 (default) or leave the mean",
    )
    parser.add_argument(
        "--gain-map",
        metavar="0=0,1=.5,2=1",
        type=gain_map,
        help="the gain of each grade, for gain=map; it also declares the scale (default: "
        "grade / highest grade in QRELS)",
    )
    add_workers_argument(parser)


def says_how_to_score(options: argparse.Namespace) -> bool:
    """Whether any of these was given (`--workers` does not matter) and says what is not usual."""
    # A parser of these arguments alone knows all defaults.
    usual = argparse.ArgumentParser()
    add_scoring_arguments(usual)
    usual.set_defaults(workers=options.workers)
    return any(vars(options)[name] != value for name, value in vars(usual.parse_args([])).items())


def add_level_argument(parser: argparse.ArgumentParser, more: str = "") -> None:
    parser.add_argument(
        "-l",
        "--level_for_rel",
        dest="rel",
        metavar="N",
        type=grade,
        default=1,
        help=f"lowest grade that counts as relevant (default 1){more}",
    )


def add_workers_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers", metavar="N", type=positive, default=1, help="processes at work (default 1)"
    )
