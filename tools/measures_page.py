"""The page `docs/measures.md`, generated from the catalogue of measures.

`python -m tools.measures_page > docs/measures.md`. A test fails if the page is outdated.
"""

import sys
from collections.abc import Iterator
from typing import Final

from scoring.core.diversity.measures import DIVERSITY_FAMILIES
from scoring.core.measures.entries import Alias, Entry, entries

HEAD: Final = """\
<!-- Made by `python -m tools.measures_page > docs/measures.md`: do not edit. -->

# Measures

This page lists every measure that Trackside supports, as the catalogue in the code states it. The
name of a measure has the form `Name(key=value,...)@cutoff`. Keys with their default value are
omitted. Every place that accepts a measure also accepts trec_eval's name for it.

The formulas use these symbols:

- b_i is 1 if the document at rank i is relevant (its grade is `rel` or higher).
- g_i is the gain of the document at rank i.
- R is the number of relevant documents of the topic in the qrels.
- N is the number of judged documents of the topic that are not relevant.
- d is the length of the ranking.

These rules apply to all measures:

- **Mean**: the mean is over the topics of the qrels. A topic that is missing from a run is an empty
  ranking. (The command `trackside evaluate` averages over the topics that are in both files, as
  trec_eval does, unless you use `-c`.) Topics without relevant documents are excluded from the mean
  or count as 0, as the campaign specifies. A topic without judgments is always excluded.
- **Unjudged documents** have no gain in the score, which is therefore a lower bound. They have the
  highest gain in score + residual.
- **Ties** are ordered by document id, descending, as in trec_eval. `expected` is the mean over all
  orders of tied documents. `bounds` are the worst and the best of these orders.
- **Not defined** is shown as – and is excluded from means.
- **Digits**: a leaderboard prints the largest number n of digits with residual < 10^-n, from 1 to
  4, and one more, paler. It prints further digits where four would make different scores equal.
  Where a row would print a better score than a row with a better base, or the same score although
  the intervals from base to base + residual do not overlap, further pale digits prevent it. For
  example, .7690 with residual .005 and .7657 with residual .05 are printed .769 and .766, not .77.
"""

_SUBTOPICS: Final = """\
<a id="subtopics"></a>

## Novelty and diversity

`trackside diversity` and `ts.diversity` compute these measures from judgments by subtopic. Field 2
of the qrels is the subtopic. Each score lies in 0..1 and is that of TREC's `ndeval`, at every
cutoff. Its names, such as `alpha-nDCG@10` and `strec@10`, are accepted too. A leaderboard of the
site has none of them.

- g_i is the gain of the document at rank i: (1 - α)^n for each of its subtopics, where n documents
  above it have the subtopic too.
- S is the number of subtopics that have a relevant document.
- g*_i is the gain at rank i of the ideal ranking, where each rank has the document that adds most.
  Of equal documents, it has the one whose id comes last.
- A document with a grade for any subtopic is judged for all of them. In score + residual, every
  other document has all S subtopics, and so has every rank after the last document.
- A topic without relevant documents scores 0. For the residual, it has one subtopic.
"""

_AFTER_HEAD: Final = "The scores of edge cases are computed for the measure named there.\n"


def page() -> str:
    """The whole page."""
    found = entries()
    index = ", ".join(f"[{each.family.name}](#{_anchor(each)})" for each in found)
    catalogue = ["\n".join(_lines(each)) for each in found]
    return "\n".join([HEAD, _AFTER_HEAD, index, "", *catalogue, *_of_subtopics()])


def _of_subtopics() -> Iterator[str]:
    yield _SUBTOPICS
    for family in DIVERSITY_FAMILIES:
        inside = ",".join(f"{each.name}={each.default}" for each in family.parameters)
        name = f"{family.name}({inside})" if inside else family.name
        yield f"### `{name}{'@k' if family.cutoff else ''}`: {family.pretty_name}"
        yield ""
        yield family.description
        yield ""
        yield f"- **Formula**: `{family.formula}`"
        yield f"- **Residual**: {family.residual}"
        yield f"- **Reference**: {family.reference}"
        yield ""


def _anchor(entry: Entry) -> str:
    return f"measure-{entry.family.name}"


def _lines(entry: Entry) -> Iterator[str]:
    family, facts = entry.family, entry.family.facts
    yield f'<a id="{_anchor(entry)}"></a>'
    yield ""
    yield f"## `{entry.pattern}`: {facts.pretty_name}"
    yield ""
    yield facts.description
    yield ""
    yield f"- **Formula**: `{facts.formula}`"
    character = "; ".join(entry.character).replace("lower is better", "**lower is better**")
    yield f"- **Range**: {entry.range}, {character}"
    yield from (f"- **{name}**: {said}" for name, said in entry.parameters)
    yield from _user(entry)
    yield f"- **Residual**: {facts.residual}"
    yield f"- **Ties**: {entry.ties}"
    edges = "; ".join(f"{case}: {score}" for case, score in entry.edges)
    yield f"- **Edges**: `{entry.example}` of {edges}"
    yield f"- **Reference**: {facts.reference}"
    yield f"- **Other names**: {', '.join(map(_named, entry.aliases)) or 'none'}"
    yield f"- **Version of the definition**: {family.version}"
    yield ""


def _user(entry: Entry) -> Iterator[str]:
    model = entry.family.facts.user_model
    if model is None:
        yield "- **User model**: none"
        return
    yield f"- **User model**, browsing: {model.browsing}"
    yield f"- **User model**, utility: {model.utility}"
    yield f"- **User model**, accumulation: {model.accumulation}"


def _named(alias: Alias) -> str:
    remark = f", {alias.remark}" if alias.remark else ""
    return f"`{alias.name}` ({alias.tool}{remark})"


if __name__ == "__main__":
    sys.stdout.write(page())
