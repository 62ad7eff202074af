"""How runs are scored: the lines of output, the qrels, and the rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.judgments import JudgmentTable
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import rel_of
from scoring.core.statistics.means import topics_of_mean
from scoring.core.ties.ties import has_bounds, has_expected
from scoring.library.measure_lines import GainMap, Line


@dataclass(frozen=True, eq=False)
class ScoringOptions:
    """How runs are scored."""

    lines: tuple[Line, ...]
    table: JudgmentTable
    gain_map: NDArray[np.float64]
    rel: int = 1
    no_relevant: Literal["exclude", "zero"] = "zero"
    ties: str = "docno"
    max_depth: int | None = None
    is_complete: bool = True  # topics that the run misses enter the mean
    judged_only: bool = False
    collection_size: int = 0  # only utility's fourth number asks

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        """bool[topics]: those that means are taken over."""
        return self._with_documents_of(self.rel)

    @cached_property
    def counted_by(self) -> dict[Measure, NDArray[np.bool_]]:
        """The same for each measure of the lines: one with a higher `rel` has other topics without
        relevant documents."""
        measures = {line.measure for line in self.lines if line.measure is not None}
        return {
            measure: self._with_documents_of(max(self.rel, rel_of(measure) or 1))
            for measure in measures
        }

    def _with_documents_of(self, rel: int) -> NDArray[np.bool_]:
        return topics_of_mean(self.table, rel=rel, no_relevant=self.no_relevant)


def declared_grade(given: GainMap | None) -> int:
    """The end of the scale that a gain map declares; 1 without one."""
    return max(1, given[-1][0]) if given else 1


def worth_of_grades(given: GainMap | None, highest_grade: int) -> NDArray[np.float64]:
    """float64[highest_grade + 1]: as given (0 for grade 0 if it is left out), or grade / highest.

    Raises ValueError where a grade of the scale has no gain.
    """
    if given is None:
        return np.arange(highest_grade + 1) / highest_grade
    worth = {0: 0.0} | dict(given)
    missing = [grade for grade in range(highest_grade + 1) if grade not in worth]
    if missing:
        raise ValueError(f"grade {missing[0]} has no gain: give one for each of 1..{highest_grade}")
    return np.array([worth[grade] for grade in range(highest_grade + 1)])


def as_lines(measures: Sequence[Measure]) -> tuple[Line, ...]:
    """Measures whose scores alone matter."""
    return tuple(Line(str(measure), str(measure), measure) for measure in measures)


def is_set(measure: Measure) -> bool:
    """Sets have no order: their scores are the same under every tie rule."""
    return family_of(measure).facts.view == "set" and not has_expected(measure)


def without_tie_rule(lines: Sequence[Line], ties: str) -> list[str]:
    """The measures for which the tie rule is not defined, each once."""
    measures = [line.measure for line in lines if line.measure is not None]
    wrong: list[Measure] = []
    if ties == "expected":
        wrong = [each for each in measures if not (has_expected(each) or is_set(each))]
    elif ties == "bounds":
        wrong = [each for each in measures if not has_bounds(each)]
    return list(dict.fromkeys(map(str, wrong)))
