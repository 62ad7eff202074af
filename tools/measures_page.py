"""The page `docs/measures.md`, made from what the catalogue says of every measure.

`python -m tools.measures_page > docs/measures.md`; a test fails when the page is stale.
"""

import sys
from collections.abc import Iterator
from typing import Final

from scoring.core.measures.entries import Alias, Entry, entries

HEAD: Final = """\
<!-- Made by `python -m tools.measures_page > docs/measures.md`: do not edit. -->

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


def page() -> str:
    """The whole page."""
    found = entries()
    index = ", ".join(f"[{each.family.name}](#{_anchor(each)})" for each in found)
    return "\n".join([HEAD, _AFTER_HEAD, index, "", *("\n".join(_lines(each)) for each in found)])


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
        yield "- **User model**: none is stated"
        return
    yield f"- **User model**, browsing: {model.browsing}"
    yield f"- **User model**, utility: {model.utility}"
    yield f"- **User model**, accumulation: {model.accumulation}"


def _named(alias: Alias) -> str:
    remark = f", {alias.remark}" if alias.remark else ""
    return f"`{alias.name}` ({alias.tool}{remark})"


if __name__ == "__main__":
    sys.stdout.write(page())
