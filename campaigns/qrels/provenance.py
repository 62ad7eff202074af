"""Where a frozen version of the qrels comes from, in words."""

from collections.abc import Mapping, Sequence
from typing import Any


def provenance_text(provenance: Mapping[str, Any]) -> list[str]:
    """A sentence each; none for a version that was a file."""
    if not provenance.get("judgments"):
        return []
    sentences = [_judgments(provenance), _disagreements(provenance)]
    sentences += [_plan(plan) for plan in provenance.get("plans", ())]
    if base := provenance.get("laid_over"):
        sentences.append(
            f"Laid over v{base['version']}, whose {base['judgments']:,} judgments hold but for "
            f"{base['replaced']:,} made anew."
        )
    return [sentence for sentence in sentences if sentence]


def _judgments(of: Mapping[str, Any]) -> str:
    by_assessor: Sequence[int] = of.get("by_assessor", ())
    shares = (
        f" ({', '.join(f'{count:,}' for count in by_assessor)})" if len(by_assessor) > 1 else ""
    )
    outside = f", {of['from_outside']:,} of them from outside" if of.get("from_outside") else ""
    counted = sum(by_assessor) or of["judgments"]  # not what was taken back, changed or decided
    return (
        f"Frozen from {_many(counted, 'judgment')} of "
        f"{_many(of['assessors'], 'assessor')}{shares}{outside}."
    )


def _disagreements(of: Mapping[str, Any]) -> str:
    """Says who was right where nobody decided: versions frozen before may not know the rest."""
    open_ones, decided = of.get("disagreed", 0), of.get("decided", 0)
    parts = []
    if open_ones:
        parts.append(f"They disagreed on {_many(open_ones, 'document')}; the latest word holds.")
    if decided:
        parts.append(f"{_many(decided, 'document')} decided by an organiser.")
    return " ".join(parts)


def _plan(plan: Mapping[str, Any]) -> str:
    if plan["method"] == "pooling":
        chosen = "Documents chosen by pooling"
    else:
        chosen = f"Documents chosen by method {plan['method']}, p = {plan['persistence']:g}"
    return f"{chosen}, {plan['laid_out']:,} of a budget of {plan['budget']:,}."


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
