"""The options of significance tests in a URL. Raises UnknownChoice for a value not in the list."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from campaigns.access import Viewer
from campaigns.options import UnknownChoice, choice_or_404
from scoring.core.data.trec_eval_lines import has_topic_lines
from scoring.core.measures.measure import Measure
from scoring.core.statistics.corrections import Correction
from scoring.core.statistics.pairs import Tail
from scoring.evaluation.rules import rules_of
from scoring.results.options import chosen_measure
from scoring.significance.analysis import PairTestQuestion

# The values of each parameter, as on the command line, with their labels. The first is the default.
OFFERED: Final[dict[str, dict[str, str]]] = {
    "test": {"t": "t test", "wilcoxon": "Wilcoxon", "randomisation": "randomisation"},
    "tail": {"two": "two-tailed", "one": "one-tailed"},
    "level": {"0.05": "5 %", "0.01": "1 %", "0.001": "0.1 %"},
    "correction": {
        "holm": "Holm",
        "none": "none",
        "bh": "Benjamini-Hochberg",
        "tukey": "Tukey (randomised)",
    },
    "against": {"base": "base", "top": "upper bound", "projected": "projection"},
}
CORRECTIONS: Final[dict[str, Correction]] = {
    "none": "none",
    "holm": "holm",
    "bh": "benjamini-hochberg",
}


@dataclass(frozen=True)
class TestChoices:
    """The question to the worker, and the level and correction for its result."""

    measure: Measure
    test: str
    tail: Tail
    level: str
    correction: str
    against: str

    @property
    def alpha(self) -> float:
        return float(self.level)

    @property
    def is_directed(self) -> bool:
        """Whether the test is if one run is better, not if two runs differ."""
        return self.tail == "one" or self.against != "base"

    @property
    def question(self) -> PairTestQuestion:
        """The question to the worker. The level and fast corrections are applied to its result."""
        return PairTestQuestion(
            measure=str(self.measure),
            test=self.test,
            tail=self.tail,
            against=self.against,
            has_tukey=self.correction == "tukey",
        )

    @property
    def fault(self) -> str:
        """Why the combination is not possible; "" if it is."""
        if self.correction == "tukey" and self.is_directed:
            return (
                "Tukey’s correction is for two-tailed tests of base against base. "
                "Choose another correction, or these options."
            )
        return ""

    def label(self, name: str) -> str:
        return OFFERED[name][getattr(self, name)]


def chosen_test(viewer: Viewer, params: Mapping[str, str]) -> TestChoices:
    chosen: dict[str, Any] = {
        name: choice_or_404(name, params.get(name), offered, usual=next(iter(offered)))
        for name, offered in OFFERED.items()
    }
    return TestChoices(measure=tested_measure(viewer, params.get("measure")), **chosen)


def usual_test(measure: Measure) -> TestChoices:
    """The default options, also for the bars on the board."""
    first: dict[str, Any] = {name: next(iter(OFFERED[name])) for name in OFFERED}
    return TestChoices(measure, **first)


def tested_measures(viewer: Viewer) -> tuple[Measure, ...]:
    """The campaign's measures that have scores by topic."""
    return tuple(m for m in rules_of(viewer.campaign).measures if has_topic_lines(m))


def tested_measure(viewer: Viewer, name: str | None) -> Measure:
    offered = tested_measures(viewer)
    measure = chosen_measure(viewer, name) if name or not offered else offered[0]
    if measure not in offered:
        names = [str(each) for each in offered]
        raise UnknownChoice("measure", str(name), names, why=f"{measure} has no scores by topic.")
    return measure
