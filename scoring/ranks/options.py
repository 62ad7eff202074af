"""The options of ranks and of the number of topics in a URL. Raises UnknownChoice."""

import math
from collections.abc import Mapping
from typing import Final

from campaigns.options import UnknownChoice, choice_or_404
from scoring.core.measures.measure import Measure
from scoring.core.statistics.rank_sets import RankCorrection
from scoring.core.statistics.topic_set_size import Requirement
from scoring.ranks.analysis import RanksQuestion

# Of the pairwise comparisons of rank sets, as on the command line. The first is the default.
CORRECTIONS: Final = {"max-t": "bootstrap max-t", "holm": "Holm, t tests"}
LEVELS: Final = {"0.05": "5 %", "0.01": "1 %", "0.001": "0.1 %"}
POWERS: Final = {"0.8": "80 %", "0.9": "90 %", "0.95": "95 %"}
DIFFERENCES: Final = {each: each for each in ("0.01", "0.02", "0.03", "0.05", "0.1", "0.2")}
USUAL_DIFFERENCE: Final = "0.05"
LONGEST: Final = 20  # characters


def chosen_correction(params: Mapping[str, str]) -> RankCorrection:
    return choice_or_404("correction", params.get("correction"), CORRECTIONS, usual="max-t")


def ranks_question(measure: Measure, correction: RankCorrection = "max-t") -> RanksQuestion:
    """The question to the worker, the same for the board and for the page as it opens."""
    return RanksQuestion(str(measure), correction)


def chosen_requirement(params: Mapping[str, str]) -> Requirement:
    """The difference may be any number above 0, such as 2 for a measure that counts."""
    level = choice_or_404("level", params.get("level"), LEVELS, usual="0.05")
    power = choice_or_404("power", params.get("power"), POWERS, usual="0.8")
    text = params.get("difference") or USUAL_DIFFERENCE
    return Requirement(typed_difference(text), float(level), float(power))


def typed_difference(text: str) -> float:
    number = number_of(text)
    if number is None or not number > 0:
        raise UnknownChoice("difference", text, why="The difference is a number above 0.")
    return number


def number_of(text: str) -> float | None:
    """None for what is not a finite number."""
    try:
        # `float` reads the digits of all scripts.
        number = float(text) if len(text) <= LONGEST and text.isascii() else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None
