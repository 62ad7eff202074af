"""The table of the seven properties: the paper's rows, and a row for further measures."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final

from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure
from scoring.core.properties.properties import (
    PROPERTIES,
    CounterExample,
    Property,
    PropertyResult,
    properties_of,
)

PAPER: Final = (
    *("DCG@k", "SP@k", "Rprec@k", "SNDCG@k", "SNAP@k", "P@k", "nDCG@k", "SDCG@k", "HIT@k"),
    *("RR@k", "R@k", "AP@k", "RBP(p=0.8)@k"),
)
FURTHER: Final = (
    *("CG@k", "DCG(b=2)@k", "nDCG(b=2)@k", "Q", "ERR@k", "INSQ(T=2)@k", "WP(w=harmonic)@k"),
    *("RBP(p1=0.5,p2=0.9)@k", "Success@k", "F1@k", "PR@k", "relative_P@k", "Judged@k"),
    *("RR(nth=2)@k", "APret", "AUC(interpolated)", "IPrec11", "IPrec3", "bpref", "bpref(k=10)"),
    *("infAP", "SetP", "SetR", "SetF", "SetAP", "ESL(n=1)", "RankPower"),
)
ANY_CUTOFF: Final = "@k"
# What each says, where a document is relevant or not (Moffat, AIRS 2013, section 4).
MEANINGS: Final[Mapping[Property, str]] = MappingProxyType(
    {
        "bounded": "No ranking, however long, scores more than a fixed number.",
        "monotonic": "Looking at one more document never lowers the score.",
        "convergent": (
            "Exchanging a document within the cutoff for a more relevant one from below it always "
            "raises the score."
        ),
        "top-weighted": (
            "Within the cutoff, exchanging a document for a more relevant one further down always "
            "raises the score."
        ),
        "localized": "The score needs nothing but the documents within the cutoff.",
        "complete": "There is a score even if the topic has no relevant document.",
        "realizable": (
            "Whenever there is a relevant document, some ranking reaches the maximum score."
        ),
    }
)


@dataclass(frozen=True, eq=False)
class PropertyRow:
    """A measure, and which of the seven properties it has."""

    name: str  # @k where every cutoff is meant
    measure: Measure
    findings: Mapping[Property, PropertyResult]

    @property
    def held(self) -> int:
        """How many of the seven it has."""
        return sum(finding.holds for finding in self.findings.values())


@cache
def property_table() -> tuple[PropertyRow, ...]:
    """The rows of PAPER and FURTHER, searched for once.

    >>> held = {row.name: row.held for row in property_table()}
    >>> held["RBP(p=0.8)@k"], held["P@k"]
    (6, 4)
    """
    named = [(name, measure_at_any_cutoff(name)) for name in (*PAPER, *FURTHER)]
    return tuple(
        PropertyRow(table_name(name, measure), measure, findings_of(measure))
        for name, measure in named
    )


@lru_cache(maxsize=256)
def findings_of(measure: Measure) -> Mapping[Property, PropertyResult]:
    """`properties_of`, remembered.

    >>> findings_of(parse_measure("P@10"))["bounded"]
    PropertyResult(holds=True, counter_example=None)
    """
    return MappingProxyType(properties_of(measure))


def measure_at_any_cutoff(name: str) -> Measure:
    """The measure of this name; `P@k` stands for every cutoff. Raises as `parse_measure` does.

    >>> str(measure_at_any_cutoff("P@k")), str(measure_at_any_cutoff("AP"))
    ('P@1', 'AP')
    """
    if name.endswith(ANY_CUTOFF):
        return parse_measure(f"{name.removesuffix(ANY_CUTOFF)}@1")
    return parse_measure(name)


def name_at_any_cutoff(measure: Measure) -> str:
    """Its name in the table, where its own cutoff plays no part; a recall level is no cutoff.

    >>> [name_at_any_cutoff(parse_measure(name)) for name in ("P(rel=2)@10", "IPrec@0.5")]
    ['P(rel=2)@k', 'IPrec@0.5']
    """
    if family_of(measure).cutoff not in ("required", "optional"):
        return str(measure)
    return str(Measure(measure.family, measure.parameters)) + ANY_CUTOFF


def table_name(asked: str, measure: Measure) -> str:
    """The measure as a row calls it that was asked for by this name.

    >>> measure = parse_measure("P@1")
    >>> table_name("P@k", measure), table_name("P@1", measure)
    ('P@k', 'P@1')
    """
    return name_at_any_cutoff(measure) if asked.endswith(ANY_CUTOFF) else str(measure)


def shown_example(example: CounterExample | None) -> str:
    """`10@1 = 1, 10@2 = 0.5`: rankings, the cutoffs at which they are scored, their scores.

    >>> shown_example(CounterExample(1, ("10", "10"), (1, 2), (1.0, 0.5)))
    '10@1 = 1, 10@2 = 0.5'
    """
    if example is None:
        return ""
    parts = zip(example.rankings, example.cutoffs, example.scores, strict=True)
    return ", ".join(f"{ranking}@{cutoff} = {score:.4g}" for ranking, cutoff, score in parts)


def table_columns(*, examples: bool) -> list[str]:
    """The titles of what `table_cells` gives.

    >>> table_columns(examples=False)[:3]
    ['measure', 'bounded', 'monotonic']
    """
    columns = ["measure", *PROPERTIES]
    return columns + [f"{name}_example" for name in PROPERTIES] if examples else columns


def table_cells(
    name: str, found: Mapping[Property, PropertyResult], *, examples: bool
) -> list[str]:
    """A row of the table as text.

    >>> table_cells("P@k", findings_of(parse_measure("P@1")), examples=False)
    ['P@k', 'yes', 'no', 'yes', 'no', 'yes', 'yes', 'no']
    """
    cells = [name, *("yes" if found[each].holds else "no" for each in PROPERTIES)]
    if examples:
        cells += [shown_example(found[each].counter_example) for each in PROPERTIES]
    return cells
