"""The page `docs/measures.md`, made from what the catalogue says of every measure.

`python -m scoring.cli.measures_page > docs/measures.md`; a test fails when the page is stale.
"""

import math
import sys
from collections.abc import Iterator
from typing import Final

import numpy as np

from scoring.core.grades import PAST_END
from scoring.core.measures.aliases import IR_MEASURES
from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.catalogue import FAMILIES
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Family, Measure, Parameter, Value, format_value
from scoring.core.measures.names import make_measure
from scoring.core.ties import has_bounds, has_expected

HEAD: Final = """\
<!-- Made by `python -m scoring.cli.measures_page > docs/measures.md`: do not edit. -->

# Measures

Every measure that Trackside knows, as its catalogue states it. A name reads
`Name(key=value,...)@cutoff`; keys that have their default are left out. trec_eval's names mean the
same wherever a measure is asked for.

In the formulas b_i is 1 if the document at rank i is relevant (its grade is `rel` or higher), g_i
what it gains, R the relevant documents of the topic in the qrels, N its judged documents that are
not relevant, d the length of the ranking.

- **Topics of a mean** are those of the qrels; one that a run misses is an empty ranking. (The
  command `trackside evaluate` averages the topics that are in both files, as trec_eval does,
  unless `-c` is given.) Topics without relevant documents leave the mean or count as 0, as the
  campaign says; a topic that nobody judged is never in it.
- **Unjudged** documents are worthless in the score, which is therefore a lower bound, and of the
  highest worth in score + residual.
- **Ties** are ordered by document id, descending, as trec_eval orders them; `expected` is the mean
  over all orders of tied documents, `bounds` are the worst and the best of them.
- **Not defined** is shown as – and is in no mean.
"""

_AFTER_HEAD: Final = "What happens at the edges is computed for the measure named there.\n"
_DIRECTIONS: Final = {"higher": "higher is better", "lower": "**lower is better**"}
_RELEVANCE: Final = {
    "binary": "binary relevance",
    "graded": "graded relevance",
    "either": "binary or graded relevance",
}
_SUMMARIES: Final = {
    "mean": "",
    "sum": "; summed over topics",
    "geometric": "; the geometric mean is taken over topics",
}


def page() -> str:
    """The whole page."""
    index = ", ".join(f"[{family.name}](#{_anchor(family)})" for family in FAMILIES)
    entries = ("\n".join(_entry(family)) for family in FAMILIES)
    return "\n".join([HEAD, _AFTER_HEAD, index, "", *entries])


def example_of(family: Family) -> Measure:
    """A measure of the family, where parameters or a cutoff must be given."""
    given: dict[str, Value] = {}
    for parameter in family.parameters:
        if parameter.default is None and not set(parameter.instead_of) & set(given):
            given[parameter.name] = _example_value(parameter)
    cutoffs = {"required": 10, "recall": 0.5}
    return make_measure(family.name, cutoff=cutoffs.get(family.cutoff or ""), **given)


def _example_value(parameter: Parameter) -> Value:
    if parameter.kind == "word":
        return parameter.words[0]
    if parameter.kind == "integer":
        return 1
    return 0.8 if parameter.below == 1 else 2.0


def _anchor(family: Family) -> str:
    return f"measure-{family.name}"


def _entry(family: Family) -> Iterator[str]:
    facts = family.facts
    yield f'<a id="{_anchor(family)}"></a>'
    yield ""
    yield f"## {_pattern(family)}: {facts.pretty_name}"
    yield ""
    yield facts.description
    yield ""
    yield f"- **Formula**: `{facts.formula}`"
    low, high = (_number(value) for value in facts.range)
    view = "the ranking" if facts.view == "rank" else "the set of documents"
    yield (
        f"- **Range**: {low} to {high}, {_DIRECTIONS[facts.direction]}; "
        f"{_RELEVANCE[facts.relevance]}; looks at {view}{_SUMMARIES[family.summary]}"
    )
    yield from (f"- **{each.name}**: {_said(each)}" for each in family.parameters)
    yield from _user(family)
    yield f"- **Residual**: {facts.residual}"
    yield f"- **Ties**: {_ties(family)}"
    yield f"- **Edges**: {_edges(family)}"
    yield f"- **Reference**: {facts.reference}"
    yield f"- **Other names**: {', '.join(_aliases(family)) or 'none'}"
    yield f"- **Version of the definition**: {family.version}"
    yield ""


def _pattern(family: Family) -> str:
    """The form of its names, what must be given without brackets."""
    given = [f"{each.name}=" for each in family.parameters]
    inside = f"({', '.join(given)})" if given else ""
    behind = {"required": "@k", "optional": "[@k]", "recall": "@level"}.get(family.cutoff or "", "")
    return f"`{family.name}{inside}{behind}`"


def _said(parameter: Parameter) -> str:
    said = parameter.meaning
    if parameter.words:
        said += f" ({', '.join(parameter.words)})"
    if parameter.default is not None:
        return f"{said}; default {format_value(parameter.default)}"
    if parameter.instead_of:
        return f"{said}; in place of {', '.join(parameter.instead_of)}"
    return f"{said}; no default"


def _user(family: Family) -> Iterator[str]:
    model = family.facts.user_model
    if model is None:
        yield "- **User model**: none is stated"
        return
    yield f"- **User model**, browsing: {model.browsing}"
    yield f"- **User model**, utility: {model.utility}"
    yield f"- **User model**, accumulation: {model.accumulation}"


def _ties(family: Family) -> str:
    example = example_of(family)
    if family.facts.view == "set" and not has_expected(example):
        return "a set has no order: ties change nothing"
    rules = ["docno"]
    rules += ["expected"] if has_expected(example) else []
    rules += ["bounds"] if has_bounds(example) else []
    return ", ".join(rules)


def _edges(family: Family) -> str:
    """Scores of the example in topics where little is there to be scored."""
    example = example_of(family)
    cases = {
        "an empty ranking": ([PAST_END] * 3, [0, 1]),
        "nothing relevant retrieved": ([0, 0, PAST_END], [2, 1]),
        "R = 0": ([0, 0, PAST_END], [2, 0]),
        "one document, relevant, R = 1": ([1, PAST_END, PAST_END], [0, 1]),
    }
    scored = [f"{name}: {_score(example, *case)}" for name, case in cases.items()]
    return f"`{example}` of " + "; ".join(scored)


def _score(measure: Measure, grades: list[int], counts: list[int]) -> str:
    topic = GradedTopics(np.array([grades], np.int8), np.array([counts]), np.array([0.0, 1.0]))
    return _number(float(evaluate([measure], topic)[measure].base[0]))


def _number(value: float) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    return f"{value:.4g}"


def _aliases(family: Family) -> Iterator[str]:
    if family.trec_eval:
        yield f"`{family.trec_eval}` (trec_eval)"
    if family.trec_eval_cut:
        yield f"`{family.trec_eval_cut}_k` (trec_eval)"
    if family.name == "IPrec":
        yield "`iprec_at_recall_r` (trec_eval, its own rounding: `levels=trec_eval`)"
    if family.name == "IPrec11":
        yield "`11pt_avg` (trec_eval, its own rounding: `levels=trec_eval`)"
    if family.name == "Rprec":
        yield "`Rprec_mult_x` (trec_eval)"
    for alias, name in IR_MEASURES.items():
        if name == family.name:
            yield f"`{alias}` (ir_measures)"


if __name__ == "__main__":
    sys.stdout.write(page())
