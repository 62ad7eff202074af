"""The provenance of a frozen qrels version as text."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from campaigns.judging.plans import method_name
from campaigns.models import Qrels

WITH_P: Final = ("A", "B", "C", "RBPsample")  # the methods that use p


def origin_of(qrels: Qrels) -> list[str]:
    """The statement on programs, if any, and the provenance. Empty for an uploaded version."""
    statement = [qrels.statement] if qrels.has_program else []
    return [*statement, *provenance_text(qrels.provenance)]


def provenance_text(provenance: Mapping[str, Any]) -> list[str]:
    """A list of sentences, empty for an uploaded version."""
    if not provenance.get("judgments"):
        return []
    sentences = [_judgments(provenance), _disagreements(provenance)]
    for plan in provenance.get("plans", ()):
        selection = f"Documents selected by {method_name(plan['method'])}"
        if plan["method"] in WITH_P:
            selection += f", p = {plan['persistence']:g}"
        sentences.append(f"{selection}, {plan['laid_out']:,} of a budget of {plan['budget']:,}.")
    if gold := provenance.get("gold"):
        verb = "left out" if gold["is_left_out"] else "included"
        sentences.append(f"{_many(gold['documents'], 'gold document')} {verb}.")
    if base := provenance.get("laid_over"):
        sentences.append(
            f"Based on v{base['version']}: {base['replaced']:,} of its {base['judgments']:,} "
            "judgments were replaced."
        )
    return [sentence for sentence in sentences if sentence]


def _judgments(of: Mapping[str, Any]) -> str:
    by_assessor: Sequence[int] = of.get("by_assessor", ())
    shares = (
        f" ({', '.join(f'{count:,}' for count in by_assessor)})" if len(by_assessor) > 1 else ""
    )
    outside = f", {of['from_outside']:,} of them imported" if of.get("from_outside") else ""
    counted = sum(by_assessor) or of["judgments"]  # without withdrawn, changed and adjudicated ones
    return (
        f"Frozen from {_many(counted, 'judgment')} by "
        f"{_many(of['assessors'], 'assessor')}{shares}{outside}."
    )


def _disagreements(of: Mapping[str, Any]) -> str:
    """Which judgment counts where assessors disagree. Old versions may lack these counts."""
    undecided, decided = of.get("disagreed", 0), of.get("decided", 0)
    parts = []
    if undecided:
        parts.append(
            f"They disagreed on {_many(undecided, 'document')}, where the latest judgment counts."
        )
    if decided:
        parts.append(f"An organiser decided on {_many(decided, 'document')}.")
    return " ".join(parts)


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
