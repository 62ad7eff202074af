"""What there is to say of every family of measures, as data: for the written page and the site.

What happens at the edges is computed for an example of the family.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from scoring.core.data.grades import PAST_END
from scoring.core.measures.aliases import IR_MEASURES, OTHER_TOOLS
from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.catalogue import FAMILIES
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Family, Measure, Parameter, Value, format_value
from scoring.core.measures.names import make_measure
from scoring.core.ties.ties import has_bounds, has_expected

# Where a reader looks for a family; one that is not named stands in a group at the end.
_NAMED: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("Weights by rank", ("RBP", "P", "INSQ", "INST", "WP", "BPM")),
    (
        "Sums of precisions",
        ("AP", "SP", "APret", "SNAP", "GMAP", "yaap", "AUC", "IPrec", "IPrec11", "IPrec3"),
    ),
    ("Cumulated gain", ("nDCG", "DCG", "CG", "SDCG", "SNDCG", "Q", "Compat")),
    (
        "First relevant documents",
        (
            "RR",
            "ERR",
            "nERR",
            "NERR8",
            "NERR9",
            "NERR10",
            "NERR11",
            "Success",
            "HIT",
            "ESL",
            "RankPower",
        ),
    ),
    ("Recall and precision", ("R", "Rprec", "F1", "PR", "relative_P", "Accuracy")),
    ("Incomplete judgments", ("bpref", "gm_bpref", "infAP", "Judged", "unj")),
    ("Sets", ("SetP", "SetR", "SetF", "SetAP", "set_relative_P", "utility")),
    ("Further measures of gain in trec_eval", ("binG", "G", "ndcg_rel", "Rndcg")),
    ("Counts", ("NumQ", "NumRet", "NumRel", "NumRelRet", "num_nonrel_judged_ret")),
)


def grouped(names: Iterable[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The groups, with one more at the end for families that none of them names.

    >>> grouped(["AP", "my_measure"])[-1]
    ('Further measures', ('my_measure',))
    """
    others = tuple(name for name in names if not any(name in group for _, group in _NAMED))
    return (*_NAMED, ("Further measures", others)) if others else _NAMED


GROUPS: Final = grouped(family.name for family in FAMILIES)
DIRECTIONS: Final = {"higher": "higher is better", "lower": "lower is better"}
RELEVANCE: Final = {
    "binary": "binary relevance",
    "graded": "graded relevance",
    "either": "binary or graded relevance",
}
VIEWS: Final = {"rank": "uses the ranking", "set": "uses the set of documents"}
SUMMARIES: Final = {
    "mean": "",
    "sum": "summed over topics",
    "geometric": "geometric mean over topics",
}
_CASES: Final = {
    "an empty ranking": ([PAST_END] * 3, [0, 1]),
    "nothing relevant retrieved": ([0, 0, PAST_END], [2, 1]),
    "R = 0": ([0, 0, PAST_END], [2, 0]),
    "one document, relevant, R = 1": ([1, PAST_END, PAST_END], [0, 1]),
}


@dataclass(frozen=True)
class Alias:
    """Another tool's name for measures of a family."""

    name: str
    tool: str
    remark: str = ""


@dataclass(frozen=True, eq=False)
class Entry:
    """A family, and what is worked out about it."""

    family: Family
    group: str
    pattern: str  # the form of its names
    example: Measure
    range: str
    parameters: tuple[tuple[str, str], ...]  # name, and what it means
    ties: str
    edges: tuple[tuple[str, str], ...]  # of the example: what is scored, and the score
    aliases: tuple[Alias, ...]

    @property
    def character(self) -> tuple[str, ...]:
        """Direction, relevance, what it looks at, and how topics are summed up."""
        facts = self.family.facts
        said = (RELEVANCE[facts.relevance], VIEWS[facts.view], SUMMARIES[self.family.summary])
        return (DIRECTIONS[facts.direction], *(each for each in said if each))


@cache
def entries() -> tuple[Entry, ...]:
    """One for each family, in the catalogue's order.

    >>> [entry.family for entry in entries()] == list(FAMILIES)
    True
    """
    return tuple(entry_of(family) for family in FAMILIES)


@cache
def entry_of(family: Family) -> Entry:
    """What the catalogue says of one family; scores its example on each edge case.

    >>> entry = entry_of(family_of(parse_measure("P@10")))
    >>> entry.pattern, str(entry.example), entry.range
    ('P(rel=, judged_only=)@k', 'P@10', '0 to 1')
    """
    example = example_of(family)
    # In the pattern, what must be given stands without brackets.
    given = [f"{each.name}=" for each in family.parameters]
    inside = f"({', '.join(given)})" if given else ""
    behind = {"required": "@k", "optional": "[@k]", "recall": "@level"}.get(family.cutoff or "", "")
    return Entry(
        family=family,
        group=next(title for title, names in GROUPS if family.name in names),
        pattern=f"{family.name}{inside}{behind}",
        example=example,
        range=" to ".join(map(number, family.facts.range)),
        parameters=tuple((each.name, _said(each)) for each in family.parameters),
        ties=_ties(example, family),
        edges=tuple((name, _score(example, *case)) for name, case in _CASES.items()),
        aliases=tuple(_aliases(family)),
    )


def example_of(family: Family) -> Measure:
    """A measure of the family, where parameters or a cutoff must be given.

    >>> str(example_of(family_of(parse_measure("P@20"))))
    'P@10'
    """
    given: dict[str, Value] = {}
    for parameter in family.parameters:
        if parameter.default is None and not set(parameter.instead_of) & set(given):
            given[parameter.name] = _example_value(parameter)
    cutoffs = {"required": 10, "recall": 0.5}
    return make_measure(family.name, cutoff=cutoffs.get(family.cutoff or ""), **given)


def number(value: float) -> str:
    """Four digits that count, ∞, or a dash where it is not defined.

    >>> number(1 / 3), number(math.nan), number(math.inf)
    ('0.3333', '–', '∞')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    return f"{value:.4g}"


def _example_value(parameter: Parameter) -> Value:
    if parameter.kind == "word":
        return parameter.words[0]
    if parameter.kind == "integer":
        return 1
    return 0.8 if parameter.below == 1 else 2.0


def _said(parameter: Parameter) -> str:
    said = parameter.meaning
    if parameter.words:
        said += f" ({', '.join(parameter.words)})"
    if parameter.default is not None:
        return f"{said}; default {format_value(parameter.default)}"
    if parameter.instead_of:
        return f"{said}; in place of {', '.join(parameter.instead_of)}"
    return f"{said}; no default"


def _ties(example: Measure, family: Family) -> str:
    if family.facts.view == "set" and not has_expected(example):
        return "no effect, because a set has no order"
    rules = ["docno"]
    rules += ["expected"] if has_expected(example) else []
    rules += ["bounds"] if has_bounds(example) else []
    return ", ".join(rules)


def _score(measure: Measure, grades: list[int], counts: list[int]) -> str:
    topic = GradedTopics(np.array([grades], np.int8), np.array([counts]), np.array([0.0, 1.0]))
    return number(float(evaluate([measure], topic)[measure].base[0]))


def _aliases(family: Family) -> Iterator[Alias]:
    if family.trec_eval:
        yield Alias(family.trec_eval, "trec_eval")
    if family.trec_eval_cut:
        yield Alias(f"{family.trec_eval_cut}_k", "trec_eval")
    own = "its own rounding: levels=trec_eval"
    if family.name == "IPrec":
        yield Alias("iprec_at_recall_r", "trec_eval", own)
    if family.name == "IPrec11":
        yield Alias("11pt_avg", "trec_eval", own)
    if family.name == "Rprec":
        yield Alias("Rprec_mult_x", "trec_eval")
    for alias, name in IR_MEASURES.items():
        if name == family.name:
            yield Alias(alias, "ir_measures")
    for alias, name in OTHER_TOOLS.items():
        if name == family.name:
            yield Alias(alias, "ranx and others")
